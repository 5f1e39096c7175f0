"""Parses Markdown by converting it to HTML, so that embedded HTML is read too.

CommonMark, with GitHub's tables, task lists and alerts, footnotes, lists of definitions, and the notices of site generators: `!!! note`
(MkDocs) and `:::note` (Docusaurus, VuePress, Pandoc). What else site generators and note-taking programs add (Jekyll, Hugo, Eleventy, MDX,
Obsidian) is made plain outside code only, where the same characters are what the document is about.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from html import escape, unescape
from typing import TYPE_CHECKING, Any

from footnote.errors import UnreadableFile
from footnote.ingest.parse import front_matter, html
from footnote.ingest.parse.decode import decode
from footnote.ingest.parse.front_matter import FrontMatter
from footnote.types import Block, Pair, Parsed

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_KIND_AS_TITLE = re.compile(
    r'(?<=<div class="admonition )(\w+)([^>]*>\n)<p class="admonition-title">(?i:\1)</p>\n|<p class="markdown-alert-title">\w+</p>\n'
)
"""The title that a notice without one gets: what kind it is, which is no text of the document."""
_NOTICE = re.compile(r"\s*(?:\w[\w-]*|\{[^}]*\})\s*(?:\[(?P<bracketed>[^\]]*)\]|(?P<plain>[^{:]*))")
_CODE = r"""
    ^[ \t>]*(?P<fence>`{3,}|~{3,})[^\n]*\n(?:.*?\n)??[ \t>]*(?P=fence)[`~]*[ \t]*$
  | ^[ \t>]*(?:`{3,}|~{3,})[^\n]*\n.*\Z
  | (?P<ticks>`+)(?!`)(?:(?!\n[ \t]*\n).)+?(?<!`)(?P=ticks)(?!`)
  | <(?P<element>pre|code|script|style)\b.*?</(?P=element)>
"""
_WITHIN = r"(?:[^{\n]|\{(?!%)|\n(?![ \t]*\n)){0,1000}?"
_TAG = rf"\{{%(?!%){_WITHIN}%\}}|\{{\{{[<%]{_WITHIN}[>%]\}}\}}"
_MARK = r"[.\#][^\s{}]+"
_PARTS = re.compile(
    rf"""
    (?P<code>{_CODE})
  | \{{%-?[ \t]*raw[ \t]*-?%\}}(?P<raw>.*?)\{{%-?[ \t]*endraw[ \t]*-?%\}}
  | (?P<before>\]\([ \t]*)(?P<target>[^)\s{{]*(?:{_TAG}|\{{\{{[^\n]*?\}}\}})[^)\s]*)
  | (?P<label>^[ ]{{0,3}}\[[^\]\n]+\]:[ \t]*)(?P<definition>[^\s{{]*(?:{_TAG}|\{{\{{[^\n]*?\}}\}})\S*)
  | (?P<tag>{_TAG})
  | (?P<embed>!\[\[[^\[\]\n]+\]\])
  | \[\[(?P<page>[^\[\]|\n]+)(?:\|(?P<text>[^\[\]\n]+))?\]\]
  | (?P<attributes>(?<!:::)(?<!:::[ ])[ \t]*\{{(?::[ \t]*)?{_MARK}(?:[ \t]+(?:{_MARK}|[\w-]+=(?:"[^"\n]*"|[\w-]+)))*[ \t]*\}})
  | (?P<module>^(?:import[ \t]+[\w*{{}},\t ]+[ \t]from[ \t]+)['"][^'"\n]+['"];?[ \t]*$)
  | (?P<comment>\{{/\*.{{0,2000}}?\*/\}})
  | (?<![=\w])==(?=[^\s=])(?P<marked>[^=\n]+)(?<=[^\s=])==(?![=\w])
  | ^(?P<indent>[ \t]*)===[+!]?[ \t]+(?="[^"\n]+"[ \t]*$)
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
_ARGUMENT = re.compile(r"""(?:(?P<name>[\w-]+)[ \t]*[=:][ \t]*)?(?P<quote>["'])(?P<value>.*?)(?P=quote)""")
_WORD = re.compile(r"[^\s{}<>%\"'-][^\s{}<>%\"']*")
_IS_PATH = re.compile(r"^\S*/\S*$|^\S+\.[A-Za-z]\w{1,4}$")
_STATEMENTS = frozenset(
    "assign capture set if elsif elif else unless case when for block extends import from macro include include_relative render "
    "with layout cycle tablerow increment decrement".split()
)
"""Tags whose plain arguments are names and values of the template, no text."""


def parse(data: bytes) -> Parsed:
    """Parses Markdown."""
    text = decode(data)
    front = front_matter.read(text)
    body = text[front.end :] if front else text
    if front and not body.strip():
        raise UnreadableFile(
            "This file contains no text below its front matter.", "If it only redirects, leave it out; otherwise add its text."
        )
    parsed = html.parse_text(_KIND_AS_TITLE.sub(r"\1\2", _renderer().render(_untagged(body))))
    return _with_front_matter(parsed, front) if front else parsed


def _with_front_matter(parsed: Parsed, front: FrontMatter) -> Parsed:
    """The parsed text with the front matter as lines below its title."""
    title = unescape(front.title) or parsed.title
    if not front.lines:
        return replace(parsed, title=title)
    first = parsed.blocks[0] if parsed.blocks else None
    at = 1 if first is not None and first.kind == "heading" and first.level == 1 else 0
    blocks = (*parsed.blocks[:at], Block("list", "\n".join(f"- {line}" for line in front.lines)), *parsed.blocks[at:])
    pairs = tuple(pair if pair.end <= at else Pair(pair.first + 1, pair.end + 1) for pair in parsed.pairs)
    return replace(parsed, title=title, blocks=blocks, pairs=pairs)


@cache
def _renderer() -> MarkdownIt:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.admon import admon_plugin
    from mdit_py_plugins.container import container_plugin
    from mdit_py_plugins.deflist import deflist_plugin
    from mdit_py_plugins.footnote import footnote_plugin
    from mdit_py_plugins.tasklists import tasklists_plugin

    markdown = MarkdownIt("commonmark", {"alerts": True}).enable(["table", "strikethrough"])
    markdown.use(admon_plugin).use(deflist_plugin).use(footnote_plugin, inline=False).use(tasklists_plugin)
    markdown.use(container_plugin, name="notice", validate=lambda info, _: _NOTICE.match(info) is not None, render=_notice)
    markdown.add_render_rule("footnote_ref", _nothing)
    markdown.add_render_rule("footnote_anchor", _nothing)
    return markdown


def _notice(_: object, tokens: Sequence[Token], at: int, *__: Any) -> str:
    """The begin of a notice, with its title as a paragraph, or its end."""
    if tokens[at].nesting < 0:
        return "</div>\n"
    info = _NOTICE.match(tokens[at].info)
    title = ((info["bracketed"] or info["plain"]) if info else "").strip()
    return f"<div>\n<p>{escape(title)}</p>\n" if title else "<div>\n"


def _nothing(*_: Any) -> str:
    """A footnote's number says nothing below the text, and in an answer it looks like a citation."""
    return ""


def _untagged(text: str) -> str:
    """Markdown without the tags of templates, of which the text in their arguments stays (`{% channel "help" %}` → help); with ordinary
    links for theirs and for links of wikis (`[[page|text]]` → text); without lists of attributes (`{#id .class}`), imports and comments;
    with an admonition for each tab (`=== "Linux"`)."""
    return _PARTS.sub(_plain, text) if any(sign in text for sign in ("{", "[[", "==", "import ")) else text


def _plain(found: re.Match[str]) -> str:
    for name, write in _WRITERS.items():
        if found[name] is not None:
            return write(found)
    return ""


def _link(found: re.Match[str]) -> str:
    return found["before"] + _target(found["target"])


def _definition(found: re.Match[str]) -> str:
    return found["label"] + _target(found["definition"])


def _target(written: str) -> str:
    """The target of a link: in place of a tag its first argument, which is mostly a path."""
    return re.sub(_TAG, _path, re.sub(r"\{\{(?![<%])[^\n]*?\}\}", "", written)) or "#"


def _path(found: re.Match[str]) -> str:
    quoted = _ARGUMENT.search(found[0])
    words = _WORD.findall(found[0])
    path = quoted["value"] if quoted else words[1] if len(words) > 1 else ""
    return path.replace(" ", "%20").replace(")", "%29")


def _argument_text(found: re.Match[str]) -> str:
    """The arguments of a tag that people read: a value without a name that is no path, and a named one of several words."""
    first = _WORD.search(found["tag"])
    is_statement = first is not None and first[0] in _STATEMENTS
    said = [
        argument["value"]
        for argument in _ARGUMENT.finditer(found["tag"])
        if (" " in argument["value"].strip() if argument["name"] else not is_statement and not _IS_PATH.match(argument["value"]))
    ]
    return ", ".join(said)


def _page(found: re.Match[str]) -> str:
    return found["text"] or ("" if found["page"].strip("_").lower() == "toc" else found["page"])


_WRITERS: dict[str, Callable[[re.Match[str]], str]] = {
    "code": lambda found: found[0],
    "raw": lambda found: found["raw"],
    "target": _link,
    "definition": _definition,
    "tag": _argument_text,
    "page": _page,
    "marked": lambda found: found["marked"],
    "indent": lambda found: f"{found['indent']}!!! tab ",
}
"""Named groups of _PARTS and what replaces a match of each; all others are left out."""
