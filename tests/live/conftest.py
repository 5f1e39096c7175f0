"""Functions as AWS Lambda runs them: real runtimes in processes of their own, the service's stand-in around them.

Its loop runs in a thread, because these tests come after those of the browser, which keeps the main thread's.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
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
from tests.functions.conftest import body_of

Event = dict[str, Any]
OpenFunction = Callable[..., "Door"]
BUILD = pytest.StashKey[subprocess.Popen[str]]()
STARTS = pytest.StashKey[list[str]]()


# --- the Lambda Web Adapter is built while other tests run ---------------------------------------


def pytest_configure(config: pytest.Config) -> None:
    config.stash[STARTS] = []


def pytest_collection_finish(session: pytest.Session) -> None:
    wanted = any("adapter" in getattr(item, "fixturenames", ()) for item in session.items)
    if wanted and not session.config.option.collectonly and not web_adapter.find() and shutil.which("cargo"):
        command = ["nice", "-n", "5", *web_adapter.build_command()]
        session.config.stash[BUILD] = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )


def pytest_sessionfinish(session: pytest.Session) -> None:
    build = session.config.stash.get(BUILD, None)
    if build is not None and build.stderr is not None and not build.stderr.closed:  # nobody waited for it
        build.terminate()
        build.communicate()


@pytest.fixture(scope="session")
def adapter(pytestconfig: pytest.Config) -> None:
    """Waits until the adapter is built."""
    said = "Rust's cargo is not here"
    if (build := pytestconfig.stash.get(BUILD, None)) is not None:
        said = build.communicate()[1].strip()
    if web_adapter.find() is None:
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(f"There is no Lambda Web Adapter: {said}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for line in terminalreporter.config.stash[STARTS]:
        terminalreporter.write_line(line)


# --- functions ---------------------------------------------------------------------------------


@dataclass(slots=True)
class Door:
    """A function in its own execution environment."""

    service: Lambda
    portal: BlockingPortal

    def invoke(self, event: Event) -> Any:
        return self.portal.call(self._invoke, event)

    async def _invoke(self, event: Event) -> Any:
        reply = await self.service.invoke(json.dumps(event).encode())
        return json.loads(b"".join([part async for part in reply.body]))

    def fail(self, event: Event) -> Any:
        """What Lambda tells of an event that fails."""
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
    """What the functions find, seen from outside."""
    made = Core(Settings(footnote_data=tmp_path, embedding=Embedding(builtin=False), llm=LLM(discover=False)))
    yield made
    portal.call(made.close)


@pytest.fixture
def open_function(tmp_path: Path, portal: BlockingPortal, pytestconfig: pytest.Config) -> Iterator[OpenFunction]:
    """Functions on one data folder, without models but for those that their variables name."""
    opened: list[tuple[str, Lambda]] = []
    with ExitStack() as stack:

        def open_(name: str, **variables: str) -> Door:
            ours = {"FOOTNOTE_DATA": str(tmp_path), "EMBEDDING__BUILTIN": "false", "LLM__DISCOVER": "false"}
            service = Lambda(function(name, ours | variables))
            stack.enter_context(portal.wrap_async_context_manager(service))
            opened.append((name, service))
            return Door(service, portal)

        yield open_
    for name, service in opened:
        colds = [f"{report.init_ms:.0f} ms" for report in service.reports if report.init_ms is not None]
        pytestconfig.stash[STARTS] += [f"cold start of {name}: {cold}" for cold in colds]
