"""Who asks: the command line, the library, the language server, plug-ins of other tools, and capture."""
