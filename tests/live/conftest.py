"""Functions as AWS Lambda runs them: real runtimes in separate processes, driven by a local emulation of the Lambda service.

The event loop runs in a thread: the browser tests, which run first, keep the main thread's loop.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal

from footnote.bootstrap import Core
from footnote.settings import LLM, Embedding, Settings
from footnote_local.lambda_service import web_adapter
from footnote_local.lambda_service.functions import function
from footnote_local.lambda_service.invocation import FunctionError
from footnote_local.lambda_service.service import Lambda
from tests.background import await_build, in_ci, run_folder, start_build
from tests.functions.conftest import body_of
from tests.live import artifacts
from tests.live.artifacts import Layout, lay_out

Event = dict[str, Any]
OpenFunction = Callable[..., "RunningFunction"]
COLD_STARTS = "cold-starts"
"""In the run's folder: a line for each."""


# --- the Lambda Web Adapter and, in CI, the functions are built while other tests run -------------


def pytest_collection_finish(session: pytest.Session) -> None:
    if session.config.option.collectonly:
        return
    wanted = {fixture for item in session.items for fixture in getattr(item, "fixturenames", ())}
    if "adapter" in wanted and not web_adapter.find() and shutil.which("cargo"):
        start_build("adapter", web_adapter.build_command())
    if "layout" in wanted and in_ci() and artifacts.missing():
        start_build("functions", artifacts.MAKE)


@pytest.fixture(scope="session")
def adapter() -> None:
    """Waits until the adapter is built."""
    said = await_build("adapter") if shutil.which("cargo") else "Rust's cargo is not here"
    if web_adapter.find() is None:
        (pytest.fail if in_ci() else pytest.skip)(f"There is no Lambda Web Adapter: {said}")


@pytest.fixture(scope="session")
def layout(adapter: None, tmp_path_factory: pytest.TempPathFactory) -> Layout:
    """Waits until the functions are built, and lays them out as on Lambda."""
    said = await_build("functions")
    if why := artifacts.forbidden() or artifacts.missing():
        (pytest.fail if in_ci() else pytest.skip)(f"{why}\n{said}".strip())
    return lay_out(tmp_path_factory.mktemp("lambda"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    report_file = run_folder() / COLD_STARTS
    for line in report_file.read_text().splitlines() if report_file.exists() else ():
        terminalreporter.write_line(line)


# --- functions ---------------------------------------------------------------------------------


@dataclass(slots=True)
class RunningFunction:
    """A function in its own execution environment."""

    service: Lambda
    portal: BlockingPortal

    def invoke(self, event: Event) -> Any:
        return self.portal.call(self._invoke, event)

    async def _invoke(self, event: Event) -> Any:
        reply = await self.service.invoke(json.dumps(event).encode())
        return json.loads(b"".join([part async for part in reply.body]))

    def fail(self, event: Event) -> Any:
        """The error that Lambda returns for an event that fails."""
        with pytest.raises(FunctionError) as caught:
            self.invoke(event)
        return json.loads(caught.value.payload)

    def http(self, event: Event) -> tuple[int, Any]:
        """Status and body of a reply that is JSON."""
        reply = self.invoke(event)
        return reply["statusCode"], body_of(reply)


@pytest.fixture(scope="session")
def portal() -> Iterator[BlockingPortal]:
    with start_blocking_portal() as portal:
        yield portal


@pytest.fixture
def core(tmp_path: Path, portal: BlockingPortal) -> Iterator[Core]:
    """A core on the data folder of the functions."""
    made = Core(Settings(footnote_data=tmp_path, embedding=Embedding(builtin=False), llm=LLM(discover=False)))
    yield made
    portal.call(made.close)


@pytest.fixture
def open_function(tmp_path: Path, portal: BlockingPortal) -> Iterator[OpenFunction]:
    """Opens functions on one data folder, with no models except those named in their variables."""
    opened: list[tuple[str, Lambda]] = []
    with ExitStack() as stack:

        def open_(name: str, **variables: str) -> RunningFunction:
            ours = {"FOOTNOTE_DATA": str(tmp_path), "EMBEDDING__BUILTIN": "false", "LLM__DISCOVER": "false"}
            service = Lambda(function(name, ours | variables))
            stack.enter_context(portal.wrap_async_context_manager(service))
            opened.append((name, service))
            return RunningFunction(service, portal)

        yield open_
    report_cold_starts(opened)


def report_cold_starts(opened: Sequence[tuple[str, Lambda]]) -> None:
    with (run_folder() / COLD_STARTS).open("a") as report_file:
        for name, service in opened:
            report_file.writelines(
                f"cold start of {name}: {report.init_ms:.0f} ms\n" for report in service.reports if report.init_ms is not None
            )
