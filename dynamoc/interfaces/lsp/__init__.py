"""The language server: what editors ask about graphs while a user writes them."""
