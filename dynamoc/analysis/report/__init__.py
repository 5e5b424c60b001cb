"""Renderings, comparisons and upgrades as pages and pictures."""
