"""Answers about renderings: what differs, what an upgrade does, what is wrong, what is needed, and pages.
`blocks.py` has the blocks that answers to people are lists of, and their writers; `report/page.py` writes HTML.
"""
