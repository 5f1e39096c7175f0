"""Events in, replies out, one at a time."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from time import perf_counter
from types import TracebackType

from footnote_local.lambda_service.environment import Environment
from footnote_local.lambda_service.invocation import MAX_PAYLOAD, Function, FunctionError, Invocation, Reply, TooLarge


@dataclass(frozen=True, slots=True)
class Report:
    """Of one event, in milliseconds."""

    request_id: str
    run_ms: float
    init_ms: float | None
    """None: the environment was there already."""


class Lambda:
    """One function in one execution environment, which serves one event at a time.

    The environment is made for the first event and again after it broke: by a time limit, by a process that ended,
    by an error on start. Whether somebody still reads a reply makes no difference to the function.
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
        """The reply, as soon as it begins. TooLarge, or FunctionError when it never does."""
        if len(event) > MAX_PAYLOAD:
            raise TooLarge
        invocation = Invocation(event)
        self._waiting.put_nowait(invocation)
        return await invocation.reply

    async def finish(self) -> None:
        """Waits until the function is done with every event that it was sent."""
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
                    invocation.end(FunctionError.of("Runtime.NoReply", "The runtime asked for the next event before it answered this one."))
                except FunctionError as error:
                    invocation.end(error)
                    await environment.kill()
                    environment = Environment(self._function)
                self._waiting.task_done()
        finally:
            await environment.stop()
