"""The component graph: one shape for all API versions. It knows no kinds of output objects."""
