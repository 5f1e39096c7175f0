"""The four functions as in template.yaml, without resources and parameters; a test keeps the two in sync."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from footnote.errors import Unavailable
from footnote_local.lambda_service import web_adapter
from footnote_local.lambda_service.invocation import Function


@dataclass(frozen=True, slots=True)
class Described:
    """A function's configuration in the template."""

    handler: str
    timeout_s: int
    memory_mb: int
    variables: Mapping[str, str]


EVERYWHERE = {
    "POWERTOOLS_LOG_LEVEL": "INFO",
    "FOOTNOTE_DATA": "/tmp/footnote",  # noqa: S108 - the only folder that a function may write to
    "LLM__DISCOVER": "false",
    "EMBEDDING__BUILTIN": "false",
}
SEARCH = {"OPENSEARCH__AUTH": "aws"}
ADAPTER = {"AWS_LWA_INVOKE_MODE": "response_stream", "AWS_LWA_PORT": "8080", "AWS_LWA_READINESS_CHECK_PATH": "/health"}
FUNCTIONS = {
    "query": Described("run.sh", 150, 2048, {**EVERYWHERE, **SEARCH, **ADAPTER, "POWERTOOLS_SERVICE_NAME": "query"}),
    "ingest": Described("footnote_ingest.app.handler", 300, 2048, {**EVERYWHERE, **SEARCH, "POWERTOOLS_SERVICE_NAME": "ingest"}),
    "feedback": Described("footnote_feedback.app.handler", 30, 1024, {**EVERYWHERE, "POWERTOOLS_SERVICE_NAME": "feedback"}),
    "stats": Described("footnote_stats.app.handler", 120, 1024, {**EVERYWHERE, "POWERTOOLS_SERVICE_NAME": "stats"}),
}


def function(name: str, environment: Mapping[str, str]) -> Function:
    """The function in this checkout. `environment` overrides its own variables. Unavailable if a part of the runtime is missing."""
    described = FUNCTIONS[name]
    root = Path(str(find_spec(f"footnote_{name}").origin)).parents[1]  # type: ignore[union-attr]
    # `python` must be this interpreter.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    variables = {**described.variables, **environment, "PATH": path}
    if described.handler == "run.sh":
        variables["AWS_LWA_PORT"] = str(_free_port())  # in AWS each environment has all ports to itself
        command: tuple[str, ...] = ("sh", str(root / described.handler))
        extensions: tuple[tuple[str, ...], ...] = ((str(_adapter()),),)
    else:
        if find_spec("awslambdaric") is None:
            raise Unavailable("The Python runtime of Lambda is not installed. Install it: pip install awslambdaric")
        command, extensions = (sys.executable, "-m", "awslambdaric", described.handler), ()
    return Function(name, described.handler, command, root, described.timeout_s, described.memory_mb, variables, extensions)


def _adapter() -> Path:
    program = web_adapter.find()
    if program is None:
        raise Unavailable(
            f"The Lambda Web Adapter, which this function needs, is missing. Build it: {' '.join(web_adapter.build_command())}"
        )
    return program


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
        return port
