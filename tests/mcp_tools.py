"""Starts `mcp_tools_server.py`, and ends it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from footnote_local.server import open_port

TOKEN = "gateway-token"


@contextmanager
def tools_server() -> Iterator[str]:
    """Its address. The socket listens before the process does: who comes early waits."""
    with open_port("127.0.0.1", 0) as listener:
        command = [sys.executable, str(Path(__file__).parent / "mcp_tools_server.py"), str(listener.fileno())]
        process = subprocess.Popen(command, pass_fds=[listener.fileno()], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
        finally:
            process.terminate()
            process.wait()
