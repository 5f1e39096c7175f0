"""The Lambda Web Adapter: turns a function's events into HTTP requests to its web server, and streams the replies.

In AWS it is a public layer. Here it is built once from its published source, which takes a minute or two:
`python -m footnote_local.lambda_service.web_adapter`, or `make adapter`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

VERSION = "1.0.0-rc1"
RUST = "https://rustup.rs"


def folder() -> Path:
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "footnote" / f"lambda-web-adapter-{VERSION}"


def find() -> Path | None:
    """The program, when it is built."""
    program = folder() / "bin" / "lambda-adapter"
    return program if program.is_file() else None


def build_command() -> list[str]:
    """Does nothing when it was done. Two at a time wait for one another, and the program appears when it is whole.
    `--debug`: an optimised one takes twice as long to build, and is no faster than what stands behind it."""
    options = ["--locked", "--debug", "--config", "profile.dev.debug=false", "--jobs", "1", "--quiet"]
    return ["cargo", "install", "lambda_web_adapter", "--version", VERSION, *options, "--root", str(folder())]


def main() -> int:
    if find() is None and shutil.which("cargo") is None:
        print(f"The Lambda Web Adapter is built with Rust's cargo, which is not here. {RUST} has it.", file=sys.stderr)
        return 1
    done = 0 if find() else subprocess.run(build_command(), check=False).returncode  # noqa: S603 — all of it is ours
    if done == 0:
        print(find())
    return done


if __name__ == "__main__":
    sys.exit(main())
