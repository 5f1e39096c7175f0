"""One execution environment: a function's processes and the APIs that they call."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from asyncio.subprocess import Process
from contextlib import AsyncExitStack, suppress
from time import perf_counter
from typing import Any

from footnote_local.lambda_service.invocation import Function, FunctionError, Invocation
from footnote_local.lambda_service.runtime_api import REGION, RuntimeApi
from footnote_local.lambda_service.wire import listening

INIT_S = 10.0
"""Timeout of the init phase. A slower start gets the function's own timeout, as in AWS."""
SHUTDOWN_S = 2.0
OUR_STDERR = 2
"""A function's output goes to our standard error; standard output is for its response."""


class Environment:
    """Serves one event after the other. Between events its processes are frozen, so nothing runs after a response."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._api = RuntimeApi(function)
        self._processes: list[Process] = []
        self._resources = AsyncExitStack()

    async def start(self) -> float | None:
        """Starts the processes. → milliseconds until the runtime asked for its first event; None if already started."""
        if self._processes:
            return None
        began = perf_counter()
        timeout_s = max(INIT_S, self._function.timeout_s)
        port = await self._resources.enter_async_context(listening(self._api.handle))
        variables = _variables(self._function, port)
        if self._function.extensions:
            for command in self._function.extensions:
                await self._spawn(command, variables)
            await self._until(self._api.registered, timeout_s, "Extension.InitError")
        await self._spawn(self._function.command, variables)
        await self._until(self._api.idle, timeout_s, "Runtime.InitError")
        return (perf_counter() - began) * 1000

    async def run(self, invocation: Invocation) -> None:
        """Serves an event, until the runtime asks for the next one. After a FunctionError the environment cannot be used again."""
        self._signal(signal.SIGCONT)
        self._api.give(invocation)
        await self._until(self._api.idle, self._function.timeout_s, "Sandbox.Timedout", f"RequestId: {invocation.request_id} Error: ")
        self._signal(signal.SIGSTOP)

    async def stop(self) -> None:
        """Shuts down as AWS does: extensions get a SHUTDOWN event, and the runtime a SIGTERM and two seconds."""
        if self._function.extensions and self._processes:
            self._signal(signal.SIGCONT)
            self._api.shutdown.set()
            runtime = self._processes[-1]
            with suppress(ProcessLookupError):
                runtime.terminate()
            # Unlike AWS, does not wait for extensions: the Web Adapter runs until it is killed.
            with suppress(TimeoutError):
                await asyncio.wait_for(runtime.wait(), SHUTDOWN_S)
        await self.kill()

    async def kill(self) -> None:
        """Kills all processes."""
        self._signal(signal.SIGKILL)
        for process in self._processes:
            await process.wait()
        await self._resources.aclose()

    async def _spawn(self, command: tuple[str, ...], variables: dict[str, str]) -> None:
        # A process group can be frozen with its children. Same session, so that the kernel ends it if we are killed.
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                cwd=self._function.root,
                env=variables,
                stdin=subprocess.DEVNULL,
                stdout=OUR_STDERR,
                stderr=OUR_STDERR,
                process_group=0,
            )
        except OSError as exc:
            self._api.fail(FunctionError.of("Runtime.InvalidEntrypoint", f"{command[0]} cannot be started: {exc.strerror}"))
            raise self._api.failure.result() from exc
        self._processes.append(process)
        watch = asyncio.create_task(self._watch(process))
        self._resources.push_async_callback(_cancel, watch)

    async def _watch(self, process: Process) -> None:
        code = await process.wait()
        ended = f"signal {-code}" if code < 0 else f"exit status {code}"
        self._api.fail(FunctionError.of("Runtime.ExitError", f"Runtime exited: {ended}"))

    async def _until(self, event: asyncio.Event, timeout_s: float, error_type: str, prefix: str = "") -> None:
        """Waits for `event`. FunctionError if the processes fail first or the timeout expires."""
        waiting = asyncio.create_task(event.wait())
        try:
            either: set[asyncio.Future[Any]] = {waiting, self._api.failure}
            await asyncio.wait(either, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
        finally:
            await _cancel(waiting)
        if not event.is_set():
            self._api.fail(FunctionError.of(error_type, f"{prefix}Task timed out after {timeout_s:.2f} seconds"))
            raise self._api.failure.result()

    def _signal(self, number: signal.Signals) -> None:
        for process in self._processes:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, number)


async def _cancel(task: asyncio.Task[Any]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def _variables(function: Function, port: int) -> dict[str, str]:
    """https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html#configuration-envvars-runtime"""
    return {
        "LANG": "en_US.UTF-8",
        "TZ": ":UTC",
        "FOOTNOTE_LOCAL": "1",  # else functions refuse to use a data folder
        **function.variables,
        "_HANDLER": function.handler,
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_EXECUTION_ENV": f"AWS_Lambda_python{sys.version_info.major}.{sys.version_info.minor}",
        "AWS_LAMBDA_FUNCTION_NAME": function.name,
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(function.memory_mb),
        "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
        "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
        "AWS_LAMBDA_LOG_GROUP_NAME": f"/aws/lambda/{function.name}",
        "AWS_LAMBDA_LOG_STREAM_NAME": "local",
        "AWS_LAMBDA_RUNTIME_API": f"127.0.0.1:{port}",
        "LAMBDA_TASK_ROOT": str(function.root),
    }
