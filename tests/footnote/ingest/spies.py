"""Ports that tell of their calls, and calls that fail."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any


class Killed(BaseException):
    """Simulates the end of the process; no code under test may catch it."""


class FailOnce:
    """What `Spied` ports tell their calls to: the one at this place, from 0, fails."""

    def __init__(self, at: int, error: type[BaseException]) -> None:
        self._at, self._error, self.calls = at, error, 0

    async def __call__(self, call: str, is_after: bool) -> None:
        self.calls += 1
        if self.calls == self._at + 1:
            raise self._error("now")


class Spied:
    """Wraps a port and reports each call, before and after its effect."""

    def __init__(self, name: str, port: Any, tell: Callable[[str, bool], Awaitable[None]]) -> None:
        self._name, self._port, self._tell = name, port, tell

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._port, name)
        if not callable(found) or name == "close":
            return found

        async def call(*args: Any, **options: Any) -> Any:
            await self._tell(f"{self._name}.{name}", False)
            result = await found(*args, **options)
            await self._tell(f"{self._name}.{name}", True)
            return result

        async def go_through(*args: Any, **options: Any) -> AsyncIterator[Any]:
            await self._tell(f"{self._name}.{name}", False)
            for item in [item async for item in found(*args, **options)]:
                yield item
            await self._tell(f"{self._name}.{name}", True)

        return go_through if "AsyncIterator" in str(inspect.signature(found).return_annotation) else call


@contextmanager
def dying(ingestor: Any, call: str) -> Iterator[None]:
    """Meanwhile the process ends after each such call of a port, e.g. `ledger.renew`."""
    name = call.partition(".")[0]
    port = getattr(ingestor, name)

    async def kill(made: str, is_after: bool) -> None:
        if is_after and made == call:
            raise Killed

    setattr(ingestor, name, Spied(name, port, kill))
    yield
    setattr(ingestor, name, port)
