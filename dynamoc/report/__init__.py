"""Renderings, comparisons and upgrades as pages: one file of HTML each, which needs nothing else."""
