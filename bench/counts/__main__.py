"""Prints every count beside its bound; the exit code is 1 when one is out of bounds."""

from __future__ import annotations

import argparse
import sys

from bench.counts.gate import BOUNDS, VERSION, compare, count, read_bounds, write_bounds


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.counts", description="Counts the work of answers, searches, passages and imports."
    )
    parser.add_argument("--write", action="store_true", help="make what is counted now the bounds for this version of Python")
    parser.add_argument("--top", metavar="SCENE", help="print the functions that are called most in a scene")
    options = parser.parse_args()
    found, top = count()
    if options.top:
        for name, calls in top[options.top]:
            print(f"{calls:>8,}  {name}")
        return 0
    bounds = read_bounds() or {}
    for scene, counts in found.items():
        for name, value in counts.items():
            bound = bounds.get(scene, {}).get(name)
            print(f"{scene:28} {name:12} {value:>10,} {'no bound' if bound is None else f'{bound:,}':>10}")
    if options.write:
        write_bounds(found)
        print(f"Wrote the bounds for Python {VERSION} to {BOUNDS}.")
        return 0
    problems = list(compare(found, bounds))
    print("\n".join(problems))
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
