"""Writes docs/coverage.md."""

from tests.coverage.pages import PAGE, page_text
from tests.coverage.table import load_table

PAGE.write_text(page_text(load_table()))
