"""One file a topic of commands; `entry.py` is the fast path, `options.py` the table of options, `app.py` the
typer application.
"""
