"""Documents of Dynamo 0.1 to 0.3: what they are, what is wrong with them, and the graphs that people write today."""
