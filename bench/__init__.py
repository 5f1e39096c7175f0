"""The figures that Footnote is held to, measured: `python -m bench`, or `make bench`.

Each part is a module with `measure(setup)` that yields figures; `__main__` lists the parts and prints the
table. Another system to compare with is one more part.
"""
