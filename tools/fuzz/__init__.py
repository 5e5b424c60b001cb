"""Fuzzing that knows what documents look like: golden inputs, changed at random, through all commands.

    ./run python -m tools.fuzz --seconds 3600 [--seed 1]

`test_fuzz.py` runs a few hundred fixed ones in each test run.
"""
