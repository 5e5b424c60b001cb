"""A DynamoGraphDeploymentRequest: its profiling Job, and the graph of its answer."""
