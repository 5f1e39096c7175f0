"""moto's server on a free port of the loopback address, until standard input closes: S3, SQS, EventBridge, Secrets Manager."""

from __future__ import annotations

import os
import shutil
import sys

from moto.server import ThreadedMotoServer


def main() -> None:
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    print(f"ready {server.get_host_and_port()[1]}", flush=True)
    sys.stdin.buffer.read()
    shutil.rmtree(sys.argv[1], ignore_errors=True)
    os._exit(0)  # without waiting for requests that are under way


if __name__ == "__main__":
    main()
