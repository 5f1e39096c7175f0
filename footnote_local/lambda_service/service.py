"""Runs a function's events one at a time."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from time import perf_counter
from types import TracebackType

from footnote_local.lambda_service.environment import Environment
from footnote_local.lambda_service.invocation import MAX_PAYLOAD, Function, FunctionError, Invocation, Reply, TooLarge


@dataclass(frozen=True, slots=True)
class Report:
    """Durations of one event in milliseconds."""

    request_id: str
    run_ms: float
    init_ms: float | None
    """Cold start; None = the environment was already running."""


class Lambda:
    """One function in one execution environment, which serves one event at a time.

    The environment is created for the first event, and again after a timeout, a process exit or an init error. A client
    that disconnects does not stop the function.
    """

    def __init__(self, function: Function) -> None:
        self._function = function
        self._waiting: asyncio.Queue[Invocation] = asyncio.Queue()
        self.reports: list[Report] = []

    async def __aenter__(self) -> Lambda:
        self._serving = asyncio.create_task(self._serve())
        return self

    async def __aexit__(self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None) -> None:
        if exc is None:
            await self.finish()
        self._serving.cancel()
        await asyncio.gather(self._serving, return_exceptions=True)

    async def invoke(self, event: bytes) -> Reply:
        """Returns the response as soon as it begins. TooLarge; FunctionError if it never begins."""
        if len(event) > MAX_PAYLOAD:
            raise TooLarge
        invocation = Invocation(event)
        self._waiting.put_nowait(invocation)
        return await invocation.reply

    async def finish(self) -> None:
        """Waits until all events are done."""
        await self._waiting.join()

    async def _serve(self) -> None:
        environment = Environment(self._function)
        try:
            while True:
                invocation = await self._waiting.get()
                try:
                    init_ms = await environment.start()
                    began = perf_counter()
                    await environment.run(invocation)
                    self.reports.append(Report(invocation.request_id, (perf_counter() - began) * 1000, init_ms))
                    invocation.end(
                        FunctionError.of("Runtime.NoReply", "The runtime asked for the next event without responding to this one.")
                    )
                except FunctionError as error:
                    invocation.end(error)
                    await environment.kill()
                    environment = Environment(self._function)
                self._waiting.task_done()
        finally:
            await environment.stop()
