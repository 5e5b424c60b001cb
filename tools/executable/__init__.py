"""dynamoc as one file for Linux: Python itself, dynamoc and all that it needs."""
