"""Findings with one certain remedy, as edits of the files that they are in."""
