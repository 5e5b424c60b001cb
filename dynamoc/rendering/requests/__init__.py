"""What the operator makes of a DynamoGraphDeploymentRequest: a profiling Job, and of its answer a graph."""
