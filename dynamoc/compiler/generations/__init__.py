"""Documents of Dynamo 0.1 to 0.3, and the graphs that people write instead today."""
