"""Graphs as pictures: components, pods, GPUs, Services, and what the pods mount and read."""
