"""What differs between two sets of objects, what that restarts, and what an operator upgrade does to running graphs."""
