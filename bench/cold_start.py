"""Measures cold starts of the built functions: `python -m bench.cold_start [--imports FUNCTION]`

The functions run at /var/task and /opt with local engines, as in tests/live/test_artifacts.py. The time counts from the start of
the first process: file system, Web Adapter, Python, imports, the secret, the session, and for query the search and a model that
answers at once.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from time import perf_counter
from typing import IO, NamedTuple

from bench.figures import Figure, NotMeasured, Setup, log_progress
from footnote_local.lambda_service import web_adapter
from footnote_local.lambda_service.function_url import read_http
from footnote_local.lambda_service.service import Lambda
from tests.engines.build import NotBuilt, build
from tests.engines.fixtures import given
from tests.engines.start import NotStarted, start
from tests.functions.conftest import sample_event
from tests.live import artifacts
from tests.live.artifact_site import Site, open_site
from tests.openai_server import chunk, sse

RUNS = 7
MOST_S = {"query": 2.0, "ingest": 1.0, "feedback": 1.0, "stats": 1.0}
EVENTS = {"query": "query_http_stream", "ingest": "ingest_http_get", "feedback": "feedback_http_get", "stats": "stats_http_get"}
ENGINES = ("opensearch", "dynamodb", "mongodb", "aws")
COMMAND = "python -m bench.cold_start"
TOP = 15
STDERR = 2


class Start(NamedTuple):
    """One cold start. `init_s`: until the function asked for its event. `first_s`: until the first byte of the response; `cpu_s`:
    processor time until then. `log`: its output."""

    first_s: float
    cpu_s: float
    init_s: float
    peak_mb: float
    log: str


def measure(setup: Setup) -> Iterator[Figure]:
    """Yields the fastest of RUNS, because other processes can only slow a run down."""
    for name, starts in asyncio.run(_measure()).items():
        log_progress(f"{name}: {', '.join(f'{start.first_s:.2f}' for start in starts)} s, at a load of {os.getloadavg()[0]:.1f}")
        word = "byte of its stream" if name == "query" else "reply"
        yield Figure(
            f"{name}: from process start to the first {word}", min(start.first_s for start in starts), "s", COMMAND, most=MOST_S[name]
        )
        yield Figure(f"{name}: processor time until then", min(start.cpu_s for start in starts), "s", COMMAND)
        yield Figure(f"{name}: from process start to the wait for events", min(start.init_s for start in starts), "s", COMMAND)
        yield Figure(f"{name}: peak memory of its processes", max(start.peak_mb for start in starts), "MB", COMMAND)


async def _measure() -> dict[str, list[Start]]:
    starts: dict[str, list[Start]] = {name: [] for name in EVENTS}
    async with _site() as site:
        for _ in range(RUNS + 1):  # interleaved, so that a slow moment of the machine affects all alike
            for name, found in starts.items():
                found.append(await _start(site, name))
    return {name: found[1:] for name, found in starts.items()}  # the first one warms the file cache


async def _start(site: Site, name: str, **changes: str) -> Start:
    event = sample_event(EVENTS[name])
    event["headers"]["authorization"] = f"Bearer {site.token}"
    with _caught() as log:
        async with Lambda(site.function(name, **changes)) as service:
            before, began = set(_descendants()), perf_counter()
            reply = await read_http(await service.invoke(json.dumps(event).encode()))
            first = await anext(reply.body)
            first_s = perf_counter() - began
            cpu_s = sum(_cpu_s(process) for process in set(_descendants()) - before)
            if reply.status != 200 or not first:
                raise NotMeasured(f"{name} replied {reply.status}.")
            async for _ in reply.body:
                pass
            await service.finish()
            peak_mb = sum(_peak_mb(process) for process in set(_descendants()) - before)
        log.seek(0)
        return Start(first_s, cpu_s, (service.reports[0].init_ms or 0) / 1000, peak_mb, log.read().decode(errors="replace"))


@contextmanager
def _caught() -> Iterator[IO[bytes]]:
    """Captures our standard error, which contains the function's log."""
    with TemporaryFile() as log:
        ours = os.dup(STDERR)
        os.dup2(log.fileno(), STDERR)
        try:
            yield log
        finally:
            os.dup2(ours, STDERR)
            os.close(ours)


def _descendants(process: str = "self") -> Iterator[str]:
    for children in Path(f"/proc/{process}/task").glob("*/children"):
        for child in children.read_text().split():
            yield child
            yield from _descendants(child)


def _cpu_s(process: str) -> float:
    """Processor time, including children that have ended."""
    ticks = Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].split()[11:15]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def _peak_mb(process: str) -> float:
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{process}/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


@asynccontextmanager
async def _site() -> AsyncIterator[Site]:
    """A site with one document and a scripted model. NotMeasured if something is missing."""
    if why := artifacts.forbidden() or artifacts.missing():
        raise NotMeasured(why)
    if web_adapter.find() is None:
        raise NotMeasured("There is no Lambda Web Adapter: run `make adapter`.")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        addresses = {name: given(name) or _engine(stack, name) for name in ENGINES}
        async with open_site(artifacts.lay_out(folder), **addresses) as site:
            site.model.replies["/v1/chat/completions"] = sse(chunk(content="Send DELETE."))
            site.world.put("handbooks/guide.md", b"To delete a document, send DELETE to its address.")
            with _caught():
                async with Lambda(site.function("ingest")) as ingest:
                    await site.read_queue(ingest)
            yield site


def _engine(stack: ExitStack, name: str) -> str:
    try:
        if name != "aws":
            build(name)
        engine = start(name)
    except (NotBuilt, NotStarted) as exc:
        raise NotMeasured(str(exc)) from exc
    stack.callback(engine.stop)
    return engine.url


def show_imports(name: str) -> None:
    """Prints the packages with the longest import times until the first response, including those loaded on first use."""

    async def profile() -> list[str]:
        async with _site() as site:
            return [(await _start(site, name, PYTHONPROFILEIMPORTTIME="1")).log for _ in range(RUNS)]

    def imports(log: str) -> list[tuple[str, float, float]]:
        rows = re.findall(r"^import time: +(\d+) \| +(\d+) \| +(\S+)$", log, re.MULTILINE)
        return [(module.partition(".")[0], int(own) / 1000, int(ms) / 1000) for own, ms, module in rows]

    rows = min((imports(log) for log in asyncio.run(profile())), key=lambda rows: sum(own_ms for _, own_ms, _ in rows))
    print(f"{name}: {len(rows)} modules in {sum(own_ms for _, own_ms, _ in rows):.0f} ms")
    print(f"{'package':24}{'alone':>8}  ms{'with what it imports':>24}  ms")
    packages = {package: max(ms for other, _, ms in rows if other == package) for package, _, _ in rows}
    for package, most_ms in sorted(packages.items(), key=lambda item: -item[1])[:TOP]:
        print(f"{package:24}{sum(own_ms for other, own_ms, _ in rows if other == package):8.0f}{most_ms:28.0f}")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog=COMMAND, description="Measures cold starts of the built functions.")
    parser.add_argument("--imports", choices=list(EVENTS), metavar="FUNCTION", help=f"the import profile of one of {', '.join(EVENTS)}")
    options = parser.parse_args(arguments)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_DEFAULT_REGION"):
        os.environ.setdefault(name, "us-east-1" if name.endswith("REGION") else "test")
    try:
        if options.imports:
            show_imports(options.imports)
        else:
            for figure in measure(Setup(None, Path("data") / "bench")):
                print(f"{figure.name:58} {figure.asked:>10} {figure.measured:>10}", flush=True)
    except NotMeasured as exc:
        print(exc, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
