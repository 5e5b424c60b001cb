"""Every finding that dynamoc can raise, declared once: the `.toml` files here, by topic.

What has to be quick uses generated modules instead: `slugs.py` for types, `dynamoc/diagnostics/severities.py` at run
time.
`python -m dynamoc.diagnostics.pages` writes them, and the pages of docs/findings/.
"""
