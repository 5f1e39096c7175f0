"""Public names have docstrings. `python -m tests.test_docstrings` lists those that lack one.

Counted are public module-level functions, public classes and their public methods. Methods of a class whose docstring
names the port that it implements ("`ports.Index` on SQLite.") are documented by the port.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PACKAGES = ("layers/common/footnote", "layers/common/footnote_http", "functions", "footnote_local")
LEAST_SHARE = 0.99
"""Raise it when the share has grown; `python -m tests.test_docstrings` prints the current one."""

PORT = re.compile(r"\bports\.[A-Z]\w+")
Function = (ast.FunctionDef, ast.AsyncFunctionDef)


class PublicName(NamedTuple):
    """A public definition: the path of its module, its line, its qualified name, and whether it has a docstring."""

    module: str
    line: int
    name: str
    documented: bool


def public_names() -> list[PublicName]:
    """All public definitions of the product's packages, in the order of their files."""
    files = sorted(file for package in PACKAGES for file in (ROOT / package).rglob("*.py"))
    return [name for file in files for name in names_in(file.read_text(), str(file.relative_to(ROOT)))]


def names_in(source: str, module: str) -> Iterator[PublicName]:
    """The public definitions of one module."""
    for node in ast.parse(source).body:
        if isinstance(node, (*Function, ast.ClassDef)) and is_public(node.name):
            documentation = ast.get_docstring(node)
            yield PublicName(module, node.lineno, node.name, documentation is not None)
            if isinstance(node, ast.ClassDef) and not PORT.search(documentation or ""):
                for each in node.body:
                    if isinstance(each, Function) and is_public(each.name):
                        yield PublicName(module, each.lineno, f"{node.name}.{each.name}", ast.get_docstring(each) is not None)


def is_public(name: str) -> bool:
    return not name.startswith("_")


def share(names: list[PublicName]) -> float:
    return sum(name.documented for name in names) / len(names)


def test_public_names_have_docstrings() -> None:
    names = public_names()
    worst = Counter(name.module for name in names if not name.documented).most_common(10)
    assert share(names) >= LEAST_SHARE, f"{share(names):.4f} of the public names have a docstring. Most are missing in {worst}"


def test_nested_and_private_functions_and_methods_of_ports_do_not_count() -> None:
    source = '''
def documented():
    """Does something."""
    def nested(): ...
def bare(): ...
def _private(): ...
class Store:
    """`ports.Store` in memory."""
    def read(self): ...
class Plain:
    async def run(self): ...
    def _step(self): ...
class _Hidden:
    def run(self): ...
'''
    assert [(name.name, name.documented) for name in names_in(source, "module.py")] == [
        ("documented", True),
        ("bare", False),
        ("Store", True),
        ("Plain", False),
        ("Plain.run", False),
    ]


if __name__ == "__main__":
    everything = public_names()
    for missing in everything:
        if not missing.documented:
            print(f"{missing.module}:{missing.line} {missing.name}")
    print(f"{share(everything):.4f} of {len(everything)} public names have a docstring; the test asks for {LEAST_SHARE}.")
