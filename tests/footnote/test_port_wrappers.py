"""No class passes on methods that it does not name, or inherits the empty ones of a port: mypy then finds what a wrapper lacks."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from footnote import ports

ROOT = Path(__file__).parents[2]
PORTS = {name for name, port in vars(ports).items() if getattr(port, "_is_protocol", False)}


def faults_in(source: str) -> list[str]:
    """The classes that forward names, or inherit from a port without being one."""
    classes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ClassDef)]
    bases = {node.name: {base.id for base in node.bases if isinstance(base, ast.Name)} for node in classes}
    forwarding = [node.name for node in classes for each in node.body if getattr(each, "name", "") in ("__getattr__", "__getattribute__")]
    return forwarding + [name for name, inherited in bases.items() if inherited & PORTS and "Protocol" not in inherited]


def test_wrappers_define_their_methods() -> None:
    sources = [
        path.read_text("utf-8") for package in ("layers/common", "functions", "footnote_local") for path in (ROOT / package).rglob("*.py")
    ]
    assert [fault for source in sources if "ports" in source or "__getattr" in source for fault in faults_in(source)] == []


@pytest.mark.parametrize("written", ["class Kept(Index): ...", "class Kept:\n    def __getattr__(self, name): ..."])
def test_inherited_and_forwarded_methods_are_found(written: str) -> None:
    assert faults_in(written) == ["Kept"]
