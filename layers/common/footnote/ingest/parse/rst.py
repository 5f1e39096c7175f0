"""Parses reStructuredText, as docutils and Sphinx write it.

docutils reads it and makes a web page of it, which is read like any other. What only Sphinx knows is kept as text: the words of a role,
the arguments and the content of a directive."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from footnote.ingest.parse import html
from footnote.ingest.parse.decode import decode
from footnote.ingest.parse.plain import parse_text
from footnote.types import Parsed

LONGEST_LINE = 10_000
"""Characters. docutils takes quadratic time for marks in a paragraph, and reads nothing where a line is longer than this."""
_SETTINGS = {
    "_disable_config": True,
    "embed_stylesheet": False,
    "file_insertion_enabled": False,
    "halt_level": 5,  # never
    "initial_header_level": 2,
    "input_encoding": "unicode",
    "line_length_limit": LONGEST_LINE,
    "math_output": "LaTeX",
    "raw_enabled": False,
    "report_level": 5,
    "stylesheet_path": "",
    "syntax_highlight": "none",
    "toc_backlinks": False,
}
_DROPPED = frozenset(
    """contents toctree include literalinclude index highlight highlightlang default-domain currentmodule module role default-role title
    rst-class class tabularcolumns sectionauthor codeauthor graphviz digraph graph uml mermaid plot ifconfig sectnum section-numbering
    header footer target-notes testsetup testcleanup""".split()
)
"""Directives that say nothing to a reader."""
_WITHOUT_ARGUMENTS = frozenset(("only", "glossary", "productionlist", "tabs", "tab-set", "hlist", "grid", "details"))
"""Directives whose arguments say nothing to a reader."""
_VERSIONS = {
    "versionadded": "Added in version",
    "versionchanged": "Changed in version",
    "versionremoved": "Removed in version",
    "deprecated": "Deprecated since version",
}
"""What Sphinx writes before the version."""
_CODE = frozenset("code code-block sourcecode prompt parsed-literal doctest testcode testoutput ipython console".split())
_METADATA = re.compile(r"\s*(?::(?:orphan|tocdepth|nocomments|nosearch):[^\n]*\n\s*)+")
"""Of Sphinx, above the title."""
_TARGET = re.compile(r"\s<[^<>]*>\s*\Z")
_PROJECT = re.compile(r"\A[a-z][\w.]*:(?=[\w/-])")
"""Another project whose page a reference names."""
_REFERENCE = re.compile(r"(`?)([^`]+)\1__?")
_LABELS = frozenset(("ref", "numref", "doc", "term", "any"))
_PATHS = frozenset(("doc", "download"))
_NUMBERED = frozenset(("pep", "rfc", "cve", "cwe"))


def parse(data: bytes) -> Parsed:
    """Parses reStructuredText. Text that docutils cannot read is read as plain text."""
    from docutils.core import publish_doctree, publish_from_doctree

    text = decode(data)
    if max(map(len, text.split("\n"))) > LONGEST_LINE:
        return parse_text(text)
    if metadata := _METADATA.match(text):
        text = text[metadata.end() :]
    try:
        with _accepting_unknown():
            tree = publish_doctree(text, settings_overrides=_SETTINGS)
        _tidy(tree)
        page = publish_from_doctree(tree, writer="html5", settings_overrides=_SETTINGS | {"output_encoding": "unicode"})
    except RecursionError:
        return parse_text(text)
    parsed = html.parse_text(page)
    return replace(parsed, title=html.first_heading(parsed.blocks))


def _tidy(tree: Any) -> None:
    """Removes messages about errors, marks of links that lead nowhere, fields without a text, and the word above a notice."""
    from docutils import nodes

    for node in list(tree.findall(nodes.problematic)):
        match = _REFERENCE.fullmatch(node.astext())
        node.parent.replace(node, nodes.Text(_TARGET.sub("", match[2]) if match else node.astext()))
    for node in list(tree.findall(nodes.system_message)):
        node.parent.remove(node)
    for node in list(tree.findall(nodes.field)):
        if not node[1].astext().strip():
            node.parent.remove(node)
    for node in list(tree.findall(nodes.Admonition)):
        if not isinstance(node, nodes.admonition):  # that has a title of its own
            node.replace_self(nodes.container("", *node.children))


@contextmanager
def _accepting_unknown() -> Iterator[None]:
    """Makes docutils keep the text of directives and roles that it does not know. Its look-up functions are global; Sphinx replaces them,
    too."""
    from docutils.parsers.rst import directives, roles

    before = directives.directive, roles.role
    directives.directive, roles.role = _directive_or_text(directives.directive), _role_or_text(roles.role)
    try:
        yield
    finally:
        directives.directive, roles.role = before


def _directive_or_text(known: Any) -> Any:
    from docutils import nodes
    from docutils.parsers.rst import Directive, directives

    class AnyOption(dict[str, Any]):
        """Options of Sphinx and its extensions are read, and not used."""

        def __missing__(self, name: str) -> Any:
            return directives.unchanged

    class Drop(Directive):
        optional_arguments, final_argument_whitespace, has_content, option_spec = 1, True, True, AnyOption(any=None)

        def run(self) -> list[Any]:
            return []

    class Code(Drop):
        def run(self) -> list[Any]:
            code = "\n".join(self.content)
            return [nodes.literal_block(code, code)] if code else []

    class KeepText(Drop):
        def run(self) -> list[Any]:
            kept = nodes.container()
            name = self.name.lower()
            if self.arguments and name not in _WITHOUT_ARGUMENTS:
                words, _ = self.state.inline_text(f"{_VERSIONS.get(name, '')} {self.arguments[0]}".strip(), self.lineno)
                kept += nodes.paragraph("", "", *words)
            self.state.nested_parse(self.content, self.content_offset, kept)
            return [kept]

    def find(name: str, language: Any, document: Any) -> tuple[Any, Sequence[Any]]:
        plain = name.lower()
        if plain in _DROPPED or plain.startswith("auto"):
            return Drop, []
        if plain in _CODE:
            return Code, []
        found, messages = known(name, language, document)
        if found is None:
            return KeepText, []
        if options := getattr(found, "option_spec", None):
            found = type(name, (found,), {"option_spec": AnyOption(options)})
        return found, messages

    return find


def _role_or_text(known: Any) -> Any:
    from docutils import nodes
    from docutils.utils import unescape

    def keep_text(role: str, rawtext: str, text: str, *_: Any, **__: Any) -> tuple[list[Any], list[Any]]:
        kind, words = role.lower().rpartition(":")[2], unescape(text)
        if named := _TARGET.sub("", words):
            words = named if named != words else _name_of(words, kind)
        return [nodes.inline(rawtext, words)], []

    def find(name: str, language: Any, line: int, reporter: Any) -> tuple[Any, Sequence[Any]]:
        if name.lower() in _NUMBERED:
            return keep_text, []
        found, messages = known(name, language, line, reporter)
        return (found, messages) if found is not None else (keep_text, [])

    return find


def _name_of(target: str, kind: str) -> str:
    """What a reference without words is called."""
    if kind in _NUMBERED:
        return f"{kind.upper()} {target}"
    if kind in _LABELS or kind == "option":
        target = _PROJECT.sub("", target)
    if kind in _PATHS:
        target = target.rstrip("/").rpartition("/")[2]
    if kind in _LABELS:
        return re.sub(r"[-_]+", " ", target)
    if kind == "menuselection":
        return target.replace("-->", "→")
    return target[1:].rpartition(".")[2] if target.startswith("~") else target.removeprefix("!")
