"""Go as the operator uses it, as pure functions: types, JSON, YAML, times, quantities, sorting and merging."""
