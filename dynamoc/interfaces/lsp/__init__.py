"""The language server: what editors ask about graphs while somebody writes them."""
