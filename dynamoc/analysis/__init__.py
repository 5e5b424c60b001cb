"""Answers about renderings: what differs, what an upgrade does, what is wrong, what is needed, and pages."""
