"""The command line of measurements on several test sets in BEIR's format."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.figures import log_progress


def make_parser(module: str, description: str, sets: Sequence[str]) -> ArgumentParser:
    """The parser of `python -m bench.<module>`, with `--data-sets` and `--sets`. `sets`: the default ones."""
    parser = ArgumentParser(prog=f"python -m bench.{module}", description=description)
    parser.add_argument("--data-sets", type=Path, default=os.environ.get("DATA_SETS"), metavar="FOLDER", help="default: $DATA_SETS")
    parser.add_argument("--sets", nargs="+", default=list(sets), metavar="NAME")
    return parser


def chosen_sets(parser: ArgumentParser, options: Namespace) -> Iterator[Path]:
    """The folder of each chosen set, whose name is logged; exits if `--data-sets` is missing."""
    if options.data_sets is None:
        parser.error("name the folder of test sets: --data-sets FOLDER")
    for name in options.sets:
        log_progress(f"— {name}")
        yield options.data_sets.expanduser() / name


def language_of(name: str) -> str:
    """The language of a set."""
    return "ko" if name.startswith("korquad") else "de" if name.endswith("_de") else "en"
