"""The other systems' own Python environment, and processes in it."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.figures import ROOT, NotMeasured, environment, log_progress
from bench.peers.job import Job

REQUIREMENTS = Path(__file__).parent / "requirements.txt"
OURS = frozenset({"footnote", "footnote_embedding", "footnote_http", "openai_sdk"})
"""Systems that run in Footnote's environment: the bare SDK in the version that Footnote uses."""
QUIET = {
    "HAYSTACK_TELEMETRY_ENABLED": "False",
    "HF_HUB_OFFLINE": "1",
    "LANGSMITH_TRACING": "false",
    "TOKENIZERS_PARALLELISM": "false",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "NO_PROXY": "127.0.0.1,localhost",
    "OPENAI_API_KEY": "none",
}


def make_environment(folder: Path) -> Path:
    """The environment's Python; installed once for each state of the requirements (about 6 GB, most of it txtai's torch)."""
    made = folder / f"peers-{hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()[:12]}"
    python = made / "bin" / "python"
    if not (made / "done").exists():
        log_progress("Installing the other systems into a separate environment; this is done once and takes about 6 GB.")
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(made)], check=True)
        install = [str(python), "-m", "pip", "--disable-pip-version-check", "--quiet", "install", "--no-deps", "--require-hashes"]
        if subprocess.run([*install, "-r", str(REQUIREMENTS)]).returncode:
            raise NotMeasured("The other systems could not be installed.")
        (made / "done").touch()
    return python


def run_system(system: str, part: str, job: Job, peers: Path) -> dict[str, Any]:
    """The output of `worker.py`; NotMeasured with the last line of its error."""
    python = sys.executable if system in OURS else str(peers)
    command = [python, "-W", "ignore", "-m", "bench.peers.worker", system, part, str(job.folder), job.lang, job.model_url]
    env = environment() | QUIET | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, env=env, cwd=ROOT)
    if done.returncode:
        raise NotMeasured(f"{system}, {part} on {job.name}: {done.stderr.strip().splitlines()[-1] if done.stderr.strip() else 'it died'}")
    measured: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return measured


@contextmanager
def stub_model() -> Iterator[str]:
    """The base URL of a stub model in a separate process."""
    command = [sys.executable, "-m", "bench.peers.stub_model"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
        finally:
            process.stdin.close()
