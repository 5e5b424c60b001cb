"""One file a command, loaded only when it runs; `entry.py` is the fast path, `option_table.py` the one table of
options, `app.py` the typer application.
"""
