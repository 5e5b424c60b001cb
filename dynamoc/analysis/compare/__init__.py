"""Two renderings side by side: what differs, what a change does, and upgrades of what runs."""
