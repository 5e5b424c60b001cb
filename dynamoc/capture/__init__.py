"""What dynamoc wants to know of a cluster, as a script that asks for it with kubectl."""
