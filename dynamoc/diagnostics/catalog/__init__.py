"""Every finding that dynamoc can raise, declared once: the `.toml` files here, by topic.

What has to be quick reads `dynamoc/diagnostics/severities.txt` instead. `python -m dynamoc.diagnostics.pages` writes
it, and the pages of docs/findings/.
"""
