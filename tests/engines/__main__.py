"""`python -m tests.engines` builds every engine, or those that are named; `python -m tests.engines start NAME` runs one until Ctrl-C."""

from __future__ import annotations

import argparse
import sys

from tests.engines import ENGINES
from tests.engines.build import NotBuilt, build
from tests.engines.start import NotStarted, start


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.engines", description="The engines for tests: see docs/engines.md.")
    commands = parser.add_subparsers(dest="command")
    built = [name for name, engine in ENGINES.items() if engine.is_built]
    commands.add_parser("build", help="fetch and lay out").add_argument("names", nargs="*", choices=built, metavar="NAME")
    commands.add_parser("start", help="run one until Ctrl-C").add_argument("name", choices=sorted(ENGINES))
    given = parser.parse_args()
    try:
        if given.command == "start":
            _run(given.name)
        else:
            for name in getattr(given, "names", None) or built:
                print(build(name))
    except (NotBuilt, NotStarted) as exc:
        print(exc, file=sys.stderr)
        return 1
    return 0


def _run(name: str) -> None:
    if ENGINES[name].is_built:
        build(name)
    engine = start(name)
    try:
        print(engine.url, flush=True)
        engine.process.wait()
    except KeyboardInterrupt:
        pass
    finally:
        engine.stop()


if __name__ == "__main__":
    sys.exit(main())
