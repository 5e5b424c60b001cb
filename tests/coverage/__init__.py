"""Every row of the founding documents, as a table of inputs and checks that run."""
