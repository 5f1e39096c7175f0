"""The Lambda Web Adapter: converts a function's events into HTTP requests to its web server, and streams the responses.

In AWS it is a public layer. Here it is built from source once, which takes a minute or two:
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
    """Where it is installed."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "footnote" / f"lambda-web-adapter-{VERSION}"


def find() -> Path | None:
    """The program, or None if it is not built."""
    program = folder() / "bin" / "lambda-adapter"
    return program if program.is_file() else None


def build_command() -> list[str]:
    """The cargo command. It is idempotent, safe to run concurrently, and installs the program atomically. `--debug`: an
    optimised build takes twice as long and is not measurably faster here."""
    options = ["--locked", "--debug", "--config", "profile.dev.debug=false", "--jobs", "1", "--quiet"]
    return ["cargo", "install", "lambda_web_adapter", "--version", VERSION, *options, "--root", str(folder())]


def main() -> int:
    """Builds the adapter and prints its path. → exit code."""
    if find() is None and shutil.which("cargo") is None:
        print(f"Building the Lambda Web Adapter needs Rust's cargo. Install it from {RUST}.", file=sys.stderr)
        return 1
    done = 0 if find() else subprocess.run(build_command(), check=False).returncode  # noqa: S603 (arguments are our own)
    if done == 0:
        print(find())
    return done


if __name__ == "__main__":
    sys.exit(main())
