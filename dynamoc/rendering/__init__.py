"""Graphs to objects: the rules that shape pods, what runs the pods, and requests."""
