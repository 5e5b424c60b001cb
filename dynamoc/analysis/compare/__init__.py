"""Two renderings side by side: pairs, lists by their keys, what a change does, and upgrades of what runs."""
