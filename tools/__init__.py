"""Programs of the development, which the suite does not run: each is a module, such as `python -m tools.fuzz`."""
