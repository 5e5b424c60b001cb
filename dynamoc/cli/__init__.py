"""The command line: `entry.py` is the fast path, `app.py` the whole application, and one file holds one command."""
