"""What is wrong with a graph that the operator and the API server take: the rules of `dynamoc check`."""
