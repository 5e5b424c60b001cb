"""Small functions by topic that shape a pod, each known by its name, `topic/what`."""
