"""Validates prompt templates. A template may show the prompt's values, use conditions, and loop over lists.

Only a subset of Jinja2 is allowed: no calls, no arithmetic, no assignments, and an inner loop only over a part of the
outer loop's item. So a valid template terminates, in time linear in its values. Which values a prompt has, and which parts
they have, is learned from the packaged templates.
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
"""Nodes that are allowed if their children are."""
FILTERS = frozenset("capitalize count d default first int join last length lower round title tojson trim upper".split())
REFUSED: dict[type[nodes.Node], str] = {
    nodes.Call: "calls are not allowed; a prompt only shows its values",
    nodes.Assign: "`set` is not allowed",
    nodes.AssignBlock: "`set` is not allowed",
    nodes.Macro: "`macro` is not allowed",
    nodes.CallBlock: "`call` is not allowed",
    nodes.Include: "`include` is not allowed",
    nodes.Import: "`import` is not allowed",
    nodes.FromImport: "`import` is not allowed",
    nodes.Extends: "`extends` is not allowed",
    nodes.BinExpr: "arithmetic is not allowed",
    nodes.UnaryExpr: "arithmetic is not allowed",
}


@dataclass(slots=True)
class Shape:
    """The shape of a value: its parts by name or, if it is a list, the shape of its items."""

    parts: dict[str, Shape] = field(default_factory=dict)
    item: Shape | None = None

    def example(self) -> Any:
        """An example value of this shape; lists have two items."""
        if self.item is not None:
            return [self.item.example(), self.item.example()]
        return {name: part.example() for name, part in self.parts.items()} if self.parts else "example"

    def paths(self, before: str = "") -> list[str]:
        """The values that a template can show, as `documents[].text`."""
        paths = []
        for name, part in sorted(self.parts.items()):
            path, inner = f"{before}{name}", part
            while inner.item is not None:
                path, inner = f"{path}[]", inner.item
            paths += inner.paths(f"{path}.") or [path]
        return paths


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
    """Compiles a template for the sandbox. BadRequest for a syntax error."""
    return _guarded(lambda: _environment().from_string(text))


def learn_values(sources: Iterable[str]) -> Shape:
    """The shape of the values that these templates use."""
    shape = Shape()
    for source in sources:
        _Reader(shape, learning=True).read(_environment().parse(source))
    return shape


def check_template(text: str, shape: Shape) -> None:
    """BadRequest, with line and reason, for a template that is not allowed or could fail to render."""
    if len(text) > LONGEST:
        raise BadRequest(f"The template has {len(text):,} characters; {LONGEST:,} are allowed.")
    if not text.strip() or re.search("[\ud800-\udfff]", text):
        raise BadRequest("The template is empty or not valid Unicode.")
    _guarded(lambda: _Reader(shape).read(_environment().parse(text)))
    template = compile_template(text)
    _guarded(lambda: template.render({name: part.example() for name, part in shape.parts.items()}))


def _guarded(work: Callable[[], T]) -> T:
    try:
        return work()
    except TemplateSyntaxError as exc:
        raise BadRequest(f"Line {exc.lineno}: {exc.message}") from None
    except RecursionError:
        raise BadRequest("The template is nested too deeply.") from None
    except (TemplateError, ArithmeticError, LookupError, TypeError, ValueError) as exc:
        lines = [frame.lineno for frame in extract_tb(exc.__traceback__) if frame.filename == "<template>"]
        raise BadRequest(f"Line {lines[-1] if lines else 1}: rendering with example values fails: {exc}.") from None


class _Reader:
    """Walks a template and resolves its names. With `learning`, unknown names are added to `shape` instead of refused."""

    def __init__(self, shape: Shape, *, learning: bool = False) -> None:
        self._known = shape
        self._learning = learning

    def read(self, template: nodes.Template) -> None:
        self._each(template.body, {}, None)

    def _each(self, children: Iterable[nodes.Node], scope: dict[str, Shape], item: str | None) -> None:
        for node in children:
            self._node(node, scope, item)

    def _node(self, node: nodes.Node, scope: dict[str, Shape], item: str | None) -> None:
        """`item`: the name of the innermost loop's item."""
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
                reason = next((why for kind, why in REFUSED.items() if isinstance(node, kind)), "this part of Jinja2 is not allowed")
                raise _Refused(node, reason)

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
        raise _Refused(node, "only the prompt's values and their parts can be used here")

    def _part(self, node: nodes.Node, parts: dict[str, Shape], name: str, whose: str) -> Shape:
        if self._learning:
            return parts.setdefault(name, Shape())
        if name not in parts:
            raise _Refused(node, f"{whose} has no value `{name}`; it has {', '.join(f'`{part}`' for part in sorted(parts)) or 'none'}")
        return parts[name]

    def _item(self, node: nodes.Node, shape: Shape, path: str) -> Shape:
        if shape.item is None:
            if not self._learning:
                raise _Refused(node, f"`{path}` is not a list")
            shape.item = Shape()
        return shape.item

    def _loop(self, node: nodes.For, scope: dict[str, Shape], item: str | None) -> None:
        if (
            node.recursive
            or not isinstance(node.target, nodes.Name)
            or not isinstance(node.iter, nodes.Name | nodes.Getattr | nodes.Getitem)
        ):
            raise _Refused(node, "a loop must be `for item in list`, over a list of the prompt")
        shape, path = self._value(node.iter, scope), _path(node.iter)
        if item is not None and re.split(r"[.\[]", path)[0] != item:
            raise _Refused(node, f"an inner loop must go over a part of `{item}`")
        inner = {**scope, node.target.name: self._item(node, shape, path), "loop": LOOP}
        self._each([*node.body, *([node.test] if node.test else [])], inner, node.target.name)
        self._each(node.else_, scope, item)

    def _filter(self, node: nodes.Filter) -> None:
        if node.name not in FILTERS:
            raise _Refused(node, f"the filter `{node.name}` is not allowed; allowed are {', '.join(sorted(FILTERS))}")
        if node.node is None or (node.name == "join" and not isinstance(node.node, nodes.Name | nodes.Getattr | nodes.Getitem)):
            raise _Refused(node, f"`{node.name}` must be applied to a value of the prompt")
        chain, inner = 1, node.node
        while isinstance(inner, nodes.Filter):
            chain, inner = chain + 1, inner.node  # type: ignore[assignment]
        if chain > MOST_FILTERS:
            raise _Refused(node, f"at most {MOST_FILTERS} filters can be chained")


def _path(node: nodes.Node) -> str:
    match node:
        case nodes.Name():
            return str(node.name)
        case nodes.Getattr():
            return f"{_path(node.node)}.{node.attr}"
        case nodes.Getitem():
            return f"{_path(node.node)}[{getattr(node.arg, 'value', '…')!r}]"
    return "…"
