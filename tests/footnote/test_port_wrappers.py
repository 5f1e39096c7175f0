"""What wraps a port has every method of the port itself: it neither hands on what it does not know, nor inherits an empty one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from footnote import ports

ROOT = Path(__file__).parents[2]
PACKAGES = ("layers/common", "functions", "footnote_local")
FORWARDING = {"__getattr__", "__getattribute__"}
NAMED = re.compile(r"footnote\.ports|__getattr")
METHODS: dict[str, frozenset[str]] = {
    name: frozenset(member for member in dir(port) if not member.startswith("_"))
    for name, port in vars(ports).items()
    if getattr(port, "_is_protocol", False)
}
"""Port → its methods."""


class Wrapper(NamedTuple):
    """A class that is created with a port and has most of its methods. `own`: what its body defines."""

    name: str
    port: str
    own: frozenset[str]


def wrappers_in(classes: Iterable[ast.ClassDef]) -> Iterator[Wrapper]:
    for node in classes:
        own = names_in(node)
        yield from (Wrapper(node.name, port, own) for port in wrapped_by(node) if len(own & METHODS[port]) * 2 > len(METHODS[port]))


def classes_in(source: str) -> Iterator[ast.ClassDef]:
    return (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ClassDef))


def names_in(node: ast.ClassDef) -> frozenset[str]:
    functions = {each.name for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)}
    fields = {each.target.id for each in node.body if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)}
    return frozenset(functions | fields)


def wrapped_by(node: ast.ClassDef) -> set[str]:
    """The ports that the class is created with."""
    made = [each.args for each in node.body if isinstance(each, ast.FunctionDef) and each.name == "__init__"]
    given = [each.annotation for args in made for each in (*args.args, *args.kwonlyargs, args.vararg) if each and each.annotation]
    given += [each.annotation for each in node.body if isinstance(each, ast.AnnAssign)]
    return set(re.findall(r"\w+", " ".join(map(ast.unparse, given)))) & METHODS.keys()


@pytest.fixture(scope="module")
def classes() -> list[ast.ClassDef]:
    """The product's, of the modules that name a port or forward names: to parse all takes seconds."""
    sources = [path.read_text("utf-8") for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
    return [node for source in sources if NAMED.search(source) for node in classes_in(source)]


@pytest.fixture(scope="module")
def wrappers(classes: list[ast.ClassDef]) -> list[Wrapper]:
    return list(wrappers_in(classes))


def missing(wrapper: Wrapper) -> list[str]:
    return sorted(METHODS[wrapper.port] - wrapper.own)


def test_the_wrappers_of_ports_are_found(wrappers: list[Wrapper]) -> None:
    assert {(wrapper.name, wrapper.port) for wrapper in wrappers} >= {
        ("VisibleIndex", "IndexStore"), ("VisibleLedger", "Ledger"), ("AttachedIndex", "Index"), ("ReplayedSearches", "Index"),
        ("ReplayedModels", "Models"), ("ReplayedReranker", "Reranker"), ("ResilientModels", "Models"), ("CircuitBreakerCache", "Cache"),
    }  # fmt: skip


def test_a_wrapper_defines_every_method_of_its_port(wrappers: list[Wrapper]) -> None:
    assert {(wrapper.name, wrapper.port): lacks for wrapper in wrappers if (lacks := missing(wrapper))} == {}


def test_no_class_hands_on_methods_that_it_does_not_know(classes: list[ast.ClassDef]) -> None:
    assert {node.name for node in classes if names_in(node) & FORWARDING} == set()


def test_a_new_method_of_a_port_is_missed_in_each_wrapper(wrappers: list[Wrapper], monkeypatch: pytest.MonkeyPatch) -> None:
    for port in {wrapper.port for wrapper in wrappers}:
        monkeypatch.setitem(METHODS, port, METHODS[port] | {"newest"})
    assert [wrapper.name for wrapper in wrappers if missing(wrapper) != ["newest"]] == []


def test_a_method_that_is_inherited_from_the_port_counts_as_missing() -> None:
    written = "class Kept(Index):\n    def __init__(self, index: Index) -> None: ...\n" + "".join(
        f"    async def {name}(self): ...\n" for name in sorted(METHODS["Index"] - {"sample"})
    )
    (wrapper,) = wrappers_in(classes_in(written))
    assert missing(wrapper) == ["sample"]
