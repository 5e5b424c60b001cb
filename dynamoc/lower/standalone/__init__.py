"""Objects that run without the operator: what it, or its chart, would have done is added, or said."""
