"""Makes natural source fast: writes the bundle of a wheel, the code of all modules in one file.

    python -m bundling SOURCE FOLDER

`sources.py` reads the package. `plain_classes.py` writes out what the decorator of dataclasses would make. `strip.py`
drops what nothing reads at run time. `sink.py` moves imports to where their names are read. `bundle.py` puts modules
that the same commands import side by side; `loader.py` reads the file, and stands beside it in the wheel.
"""
