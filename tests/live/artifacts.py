"""The output of `make artifacts`, laid out as on Lambda: the function at /var/task, layers at /opt, the runtime's own packages at
/var/runtime."""

from __future__ import annotations

import platform
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from footnote_local.lambda_service import web_adapter
from footnote_local.lambda_service.functions import FUNCTIONS
from footnote_local.lambda_service.invocation import Function

ROOT = Path(__file__).parents[2]
BUILD = ROOT / ".aws-sam" / "build"
SANDBOX = Path(__file__).parent / "sandbox.sh"
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
MAKE = ["make", "artifacts", f"ARCHITECTURE={platform.machine().replace('aarch64', 'arm64')}", f"PYTHON_VERSION={PYTHON}"]

SOURCES = ("functions", "layers", "template.yaml", "build.mk", "footnote_local/artifacts.py")
RUNTIME = (
    "awslambdaric", "snapshot-restore-py", "simplejson", "boto3", "botocore", "s3transfer", "jmespath", "python-dateutil", "six", "urllib3",
)  # fmt: skip
"""Distributions that Lambda's Python brings along."""

SERVICE = {
    "PATH": "/var/lang/bin:/usr/local/bin:/usr/bin:/bin:/opt/bin",
    "LD_LIBRARY_PATH": "/var/lang/lib:/lib64:/usr/lib64:/var/runtime:/var/runtime/lib:/var/task:/var/task/lib:/opt/lib",
    "LAMBDA_RUNTIME_DIR": "/var/runtime",
}
"""What the service sets beside what its stand-in does."""

BOOTSTRAP = '#!/bin/bash\nexec -- "${LAMBDA_TASK_ROOT}/${_HANDLER}"\n'
"""/opt/bootstrap of the Web Adapter's layer: starts the function's own server where Lambda would start its runtime."""


def missing() -> str | None:
    """Why there is nothing to run; None if this checkout is built for this Python."""
    hint = f"Run `{' '.join(MAKE)}`."
    made = BUILD / "template.yaml"
    if not made.exists():
        return f"The functions are not built. {hint}"
    if not list((BUILD / "CommonLayer/python/footnote/__pycache__").glob(f"*.cpython-{PYTHON.replace('.', '')}.pyc")):
        return f"The functions are built for another Python. {hint}"
    if any(path.stat().st_mtime > made.stat().st_mtime for path in _sources()):
        return f"The functions were changed after they were built. {hint}"
    return None


def _sources() -> Iterable[Path]:
    for name in SOURCES:
        path = ROOT / name
        yield from (
            (inner for inner in path.rglob("*") if inner.is_file() and "__pycache__" not in inner.parts) if path.is_dir() else (path,)
        )


def forbidden() -> str | None:
    """Why this process may not create mount namespaces; None if it may."""
    if shutil.which("unshare") is None:
        return "Mount namespaces are Linux's, and `unshare` of util-linux makes them."
    done = subprocess.run(["unshare", "--mount", "true"], capture_output=True, text=True, check=False)
    return f"Only root may have file systems of its own: {done.stderr.strip()}" if done.returncode else None


@dataclass(frozen=True, slots=True)
class Layout:
    """Folders shared by the functions. `adapter`: the Web Adapter's layer; `runtime`: /var/runtime."""

    adapter: Path
    runtime: Path
    scratch: Path

    def command(self, name: str, command: Sequence[str]) -> tuple[str, ...]:
        """Wraps the command so that it runs in the function's own file system. All processes of a function share one /tmp."""
        scratch = self.scratch / name
        (scratch / "root").mkdir(parents=True, exist_ok=True)
        (scratch / "tmp").mkdir(exist_ok=True)
        (scratch / "tmp").chmod(0o1777)
        layers = [BUILD / "CommonLayer", *([self.adapter] if name == "query" else [])]
        folders = [_folder(name), self.runtime, sys.base_prefix, scratch, *layers]
        return ("unshare", "--mount", "sh", str(SANDBOX), *map(str, folders), "--", *command)

    def function(self, name: str, variables: Mapping[str, str]) -> Function:
        """`variables`: those of the template and the endpoints of AWS."""
        described = FUNCTIONS[name]
        known = {**variables, **SERVICE}
        if wrapper := variables.get("AWS_LAMBDA_EXEC_WRAPPER"):
            known |= {"PYTHONPATH": "/var/runtime", "AWS_LWA_PORT": str(_free_port())}  # in AWS each environment has its own ports
            command, extensions = self.command(name, [wrapper]), (self.command(name, ["/opt/extensions/lambda-adapter"]),)
        else:
            known["PYTHONPATH"] = "/opt/python:/var/runtime"
            command, extensions = self.command(name, ["/var/lang/bin/python3", "-m", "awslambdaric", described.handler]), ()
        return Function(name, described.handler, command, _folder(name), described.timeout_s, described.memory_mb, known, extensions)


def lay_out(folder: Path) -> Layout:
    """Needs the build and the Web Adapter."""
    layout = Layout(folder / "adapter", folder / "runtime", folder / "scratch")
    program = web_adapter.find()
    assert program is not None
    (layout.adapter / "extensions").mkdir(parents=True)
    shutil.copy(program, layout.adapter / "extensions" / "lambda-adapter")
    (layout.adapter / "bootstrap").write_text(BOOTSTRAP)
    (layout.adapter / "bootstrap").chmod(0o755)
    for name in RUNTIME:
        for file in distribution(name).files or ():
            if ".." not in file.parts:  # programs are installed next to the packages
                (layout.runtime / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(file.locate(), layout.runtime / file)
    return layout


def variables(name: str, known: Mapping[str, str]) -> dict[str, str]:
    """A function's variables from the template. `known`: the values of its references; parameters have their defaults."""
    template = _template()
    parameters = {name: parameter["Default"] for name, parameter in template["Parameters"].items() if "Default" in parameter}
    own = template["Resources"][f"{name.title()}Function"]["Properties"]["Environment"]["Variables"]
    wanted = template["Globals"]["Function"]["Environment"]["Variables"] | own
    return {str(key): _resolve(value, parameters | known) for key, value in wanted.items()}


@cache
def _template() -> Any:
    from cfnlint.decode import cfn_yaml  # takes a second

    return cfn_yaml.load(str(BUILD / "template.yaml"))


CHOSEN = {"OwnSecret": True, "OwnDomain": False, "HasMcpGateway": False}
"""Conditions of the template: a secret of the stack's own, an OpenSearch that was there before, no tools."""


def _resolve(value: Any, known: Mapping[str, Any]) -> str:
    match value:
        case {"Ref": name}:
            return str(known[name])
        case {"Fn::If": [condition, then, otherwise]}:
            return _resolve(then if CHOSEN[condition] else otherwise, known)
        case _:
            return str(value)


def _folder(name: str) -> Path:
    return BUILD / f"{name.title()}Function"


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]
