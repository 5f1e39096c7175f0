"""Benchmarks with targets: `python -m bench`, or `make bench`.

Each part is a module with `measure(setup)`, which yields figures. `__main__` lists the parts and prints the table.
"""
