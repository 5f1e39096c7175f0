"""What a template may do: show the prompt's values, choose, and go through lists. A table says which parts of Jinja2 that is.

There are no calls, no arithmetic and no assignments, and an inner loop goes through something of the outer one's item: the work
grows no faster than the values, so a template that was accepted ends, and cannot grow without bound. What values there are, and
what parts they have, is read from the packaged templates.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from traceback import extract_tb
from typing import TYPE_CHECKING, Any, TypeVar

from jinja2 import StrictUndefined, TemplateError, TemplateSyntaxError, nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

from footnote.errors import BadRequest

if TYPE_CHECKING:
    from jinja2 import Template

T = TypeVar("T")

LONGEST = 20_000
"""Characters of a template."""
MOST_FILTERS = 3

PLAIN = (
    nodes.Output, nodes.TemplateData, nodes.Const, nodes.If, nodes.CondExpr, nodes.Test, nodes.Compare, nodes.Operand, nodes.And,
    nodes.Or, nodes.Not, nodes.Concat, nodes.List, nodes.Tuple,
)  # fmt: skip
"""Parts that are as harmless as what is in them."""
FILTERS = frozenset("capitalize count d default first int join last length lower round title tojson trim upper".split())
REFUSED: dict[type[nodes.Node], str] = {
    nodes.Call: "a prompt calls nothing; it only shows its values",
    nodes.Assign: "`set` is not allowed",
    nodes.AssignBlock: "`set` is not allowed",
    nodes.Macro: "`macro` is not allowed",
    nodes.CallBlock: "`call` is not allowed",
    nodes.Include: "a prompt is one text; it includes no other",
    nodes.Import: "a prompt is one text; it imports no other",
    nodes.FromImport: "a prompt is one text; it imports no other",
    nodes.Extends: "a prompt is one text; it extends no other",
    nodes.BinExpr: "arithmetic is not allowed",
    nodes.UnaryExpr: "arithmetic is not allowed",
}


@dataclass(slots=True)
class Shape:
    """Of a value: its parts by name, and the shape of its items where it is a list."""

    parts: dict[str, Shape] = field(default_factory=dict)
    item: Shape | None = None

    def example(self) -> Any:
        if self.item is not None:
            return [self.item.example(), self.item.example()]
        return {name: part.example() for name, part in self.parts.items()} if self.parts else "example"

    def paths(self, before: str = "") -> list[str]:
        """What can be shown: `documents[].text`."""
        found = []
        for name, part in sorted(self.parts.items()):
            path, inner = f"{before}{name}", part
            while inner.item is not None:
                path, inner = f"{path}[]", inner.item
            found += inner.paths(f"{path}.") or [path]
        return found


LOOP = Shape({name: Shape() for name in ("index", "index0", "revindex", "revindex0", "first", "last", "length")})


class _Refused(TemplateSyntaxError):
    def __init__(self, node: nodes.Node, reason: str) -> None:
        super().__init__(f"{reason}.", node.lineno or 1)


@cache
def _environment() -> ImmutableSandboxedEnvironment:
    environment = ImmutableSandboxedEnvironment(undefined=StrictUndefined, autoescape=False)
    environment.globals.clear()
    return environment


def compile_template(text: str) -> Template:
    return _guarded(lambda: _environment().from_string(text))


def learn_values(sources: Iterable[str]) -> Shape:
    """The values that these templates use."""
    known = Shape()
    for source in sources:
        _Reader(known, learning=True).read(_environment().parse(source))
    return known


def check_template(text: str, known: Shape) -> None:
    """BadRequest, with the line and the reason, for what could not be rendered each time."""
    if len(text) > LONGEST:
        raise BadRequest(f"The template has {len(text):,} characters; {LONGEST:,} are allowed.")
    if not text.strip() or re.search("[\ud800-\udfff]", text):
        raise BadRequest("The template is empty, or no text in Unicode.")
    _guarded(lambda: _Reader(known).read(_environment().parse(text)))
    template = compile_template(text)
    _guarded(lambda: template.render({name: part.example() for name, part in known.parts.items()}))


def _guarded(work: Callable[[], T]) -> T:
    try:
        return work()
    except TemplateSyntaxError as exc:
        raise BadRequest(f"Line {exc.lineno}: {exc.message}") from None
    except RecursionError:
        raise BadRequest("The template is nested too deeply.") from None
    except (TemplateError, ArithmeticError, LookupError, TypeError, ValueError) as exc:
        lines = [frame.lineno for frame in extract_tb(exc.__traceback__) if frame.filename == "<template>"]
        raise BadRequest(f"Line {lines[-1] if lines else 1}: with an example of its values it fails: {exc}.") from None


class _Reader:
    """Walks a template with what the names of its loops stand for. Learning, it takes what it meets for known."""

    def __init__(self, known: Shape, *, learning: bool = False) -> None:
        self._known = known
        self._learning = learning

    def read(self, template: nodes.Template) -> None:
        self._each(template.body, {}, None)

    def _each(self, found: Iterable[nodes.Node], scope: dict[str, Shape], item: str | None) -> None:
        for node in found:
            self._node(node, scope, item)

    def _node(self, node: nodes.Node, scope: dict[str, Shape], item: str | None) -> None:
        """`item`: the name of the innermost loop's."""
        match node:
            case nodes.Name() | nodes.Getattr() | nodes.Getitem():
                self._value(node, scope)
            case nodes.For():
                self._loop(node, scope, item)
            case nodes.Filter():
                self._filter(node)
                self._each(node.iter_child_nodes(), scope, item)
            case _ if isinstance(node, PLAIN):
                self._each(node.iter_child_nodes(), scope, item)
            case _:
                told = next((why for kind, why in REFUSED.items() if isinstance(node, kind)), "this part of Jinja2 is not allowed")
                raise _Refused(node, told)

    def _value(self, node: nodes.Node, scope: dict[str, Shape]) -> Shape:
        match node:
            case nodes.Name(name=name):
                return scope[name] if name in scope else self._part(node, self._known.parts, name, "the prompt")
            case nodes.Getattr(node=inner, attr=name):
                return self._part(node, self._value(inner, scope).parts, name, f"`{_path(inner)}`")
            case nodes.Getitem(node=inner, arg=nodes.Const(value=str() as name)):
                return self._part(node, self._value(inner, scope).parts, name, f"`{_path(inner)}`")
            case nodes.Getitem(node=inner, arg=nodes.Const(value=int())):
                return self._item(node, self._value(inner, scope), _path(inner))
        raise _Refused(node, "only values of the prompt and their parts can be named here")

    def _part(self, node: nodes.Node, parts: dict[str, Shape], name: str, whose: str) -> Shape:
        if self._learning:
            return parts.setdefault(name, Shape())
        if name not in parts:
            raise _Refused(node, f"{whose} has no value `{name}`; it has {', '.join(f'`{each}`' for each in sorted(parts)) or 'none'}")
        return parts[name]

    def _item(self, node: nodes.Node, shape: Shape, path: str) -> Shape:
        if shape.item is None:
            if not self._learning:
                raise _Refused(node, f"`{path}` is no list")
            shape.item = Shape()
        return shape.item

    def _loop(self, node: nodes.For, scope: dict[str, Shape], item: str | None) -> None:
        if (
            node.recursive
            or not isinstance(node.target, nodes.Name)
            or not isinstance(node.iter, nodes.Name | nodes.Getattr | nodes.Getitem)
        ):
            raise _Refused(node, "a loop is `for item in list`, of a list of the prompt")
        shape, path = self._value(node.iter, scope), _path(node.iter)
        if item is not None and re.split(r"[.\[]", path)[0] != item:
            raise _Refused(node, f"a loop inside another goes through a part of its `{item}`")
        inner = {**scope, node.target.name: self._item(node, shape, path), "loop": LOOP}
        self._each([*node.body, *([node.test] if node.test else [])], inner, node.target.name)
        self._each(node.else_, scope, item)

    def _filter(self, node: nodes.Filter) -> None:
        if node.name not in FILTERS:
            raise _Refused(node, f"the filter `{node.name}` is not allowed; these are: {', '.join(sorted(FILTERS))}")
        if node.node is None or (node.name == "join" and not isinstance(node.node, nodes.Name | nodes.Getattr | nodes.Getitem)):
            raise _Refused(node, f"`{node.name}` takes a value of the prompt")
        chain, inner = 1, node.node
        while isinstance(inner, nodes.Filter):
            chain, inner = chain + 1, inner.node  # type: ignore[assignment]
        if chain > MOST_FILTERS:
            raise _Refused(node, f"at most {MOST_FILTERS} filters can follow each other")


def _path(node: nodes.Node) -> str:
    match node:
        case nodes.Name():
            return str(node.name)
        case nodes.Getattr():
            return f"{_path(node.node)}.{node.attr}"
        case nodes.Getitem():
            return f"{_path(node.node)}[{getattr(node.arg, 'value', '…')!r}]"
    return "…"
