"""Where values come from: the pipeline run over values that know their origin.

Values are traced from the outside: scalars of the inputs are replaced by equal ones that know their origin
(`traced.py`), and what the stages, rules and builders add is told by comparing before and after (`watch.py`). Nothing
of this is imported unless an explanation is asked for.
"""
