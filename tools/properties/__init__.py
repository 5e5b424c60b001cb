"""What must hold for any input, tried on many: a sample in the suite, all of it by `make properties`.

    python -m tools.properties [NAME...]

Those of `commands` are in its table. Each of the others is a module with `main(share)`: it prints what breaks the
property, and returns how many were tried and how many broke it. `share` is the part of all inputs that is tried, such
as 0.1.
"""
