"""Makes plain what site generators and note-taking programs add to Markdown: templates, MDX and Obsidian's marks.

All of it outside code and equations only, where the same characters are what the document is about."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from footnote.ingest.parse import script_values
from footnote.ingest.parse.records import is_table, table_of

_CODE = r"""
    ^[ \t>]*(?P<fence>`{3,}|~{3,})[^\n]*\n(?:.*?\n)??[ \t>]*(?P=fence)[`~]*[ \t]*$
  | ^[ \t>]*(?:`{3,}|~{3,})[^\n]*\n.*\Z
  | (?P<ticks>`+)(?!`)(?:(?!\n[ \t]*\n).)+?(?<!`)(?P=ticks)(?!`)
  | <(?P<element>pre|code|script|style)\b.*?</(?P=element)>
  | \$\$(?:(?!\n[ \t]*\n).){1,4000}?\$\$
  | (?<![\w$\\])\$(?=[^\s$])[^$\n]{1,1000}?(?<=[^\s$\\])\$(?![\w$])
"""
_WITHIN = r"(?:[^{\n]|\{(?!%)|\n(?![ \t]*\n)){0,1000}?"
_TAG = rf"\{{%(?!%){_WITHIN}%\}}|\{{\{{[<%]{_WITHIN}[>%]\}}\}}"
_BRACED = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]{0,1000}\}){0,1000}\}){0,1000}\}"
"""An expression of JavaScript, with braces in it."""
_PROP = rf"""\s+(?:[A-Za-z_][\w:.-]*(?:=(?:"[^"]{{0,2000}}"|'[^']{{0,2000}}'|{_BRACED}))?|{_BRACED})"""
_MARK = r"[.\#][^\s{}]+"
_TO_END = r"[^\0]{0,20000}?(?=\n[ \t]*\n(?![ \t\])}])|\n(?:im|ex)port[ \t]|\Z)"
"""To the end of a statement of JavaScript: an empty line, unless what follows is indented or closes a bracket, or the next statement."""
_PARTS = re.compile(
    rf"""
    (?=[\s>`~<{{\]\[!=%^$(]|(?<![^\n]))(?:  # in the middle of a word or line, most characters begin nothing
    (?P<code>{_CODE})
  | \{{%-?[ \t]*raw[ \t]*-?%\}}(?P<raw>.*?)\{{%-?[ \t]*endraw[ \t]*-?%\}}
  | (?P<before>\]\([ \t]*)(?P<target>[^)\s{{]*(?:{_TAG}|\{{\{{[^\n]*?\}}\}})[^)\s]*)
  | (?P<label>^[ ]{{0,3}}\[[^\]\n]+\]:[ \t]*)(?P<definition>[^\s{{]*(?:{_TAG}|\{{\{{[^\n]*?\}}\}})\S*)
  | (?P<tag>{_TAG})
  | !\[\[(?P<embed>[^\[\]|\n]+)(?:\|(?P<alt>[^\[\]\n]+))?\]\]
  | \[\[(?P<page>[^\[\]|\n]+)(?:\|(?P<text>[^\[\]\n]+))?\]\](?!\()
  | (?P<attributes>(?<!:::)(?<!:::[ ])[ \t]*\{{(?::[ \t]*)?{_MARK}(?:[ \t]+(?:{_MARK}|[\w-]+=(?:"[^"\n]*"|[\w-]+)))*[ \t]*\}})
  | (?P<module>^import[ \t]+(?:(?:[\w$*,\t ]*\{{[^{{}}'"]{{0,4000}}\}}|[\w$*{{}},\t ]+)[ \t]*from[ \t]+)?['"][^'"\n]+['"];?[ \t]*(?://.*?)?$)
  | ^export[ \t]+(?:
        (?:const|let|var)[ \t]+(?P<constant>[\w$]+)[ \t]*=(?P<exported>{_TO_END})
      | (?P<statement>(?:(?:default[ \t]+)?(?:async[ \t]+)?(?:function\b[ \t]*[\w$]*[ \t]*\(|class\b[ \t]*[\w$]*[ \t]*(?:extends\b|\{{))
        |default[ \t]+(?:[\w$]+[ \t]*[;(]|[({{])|\{{|\*[ \t]*from\b){_TO_END}))
  | (?P<begins>^[ \t]*)?</?[A-Z][\w.]*(?P<props>(?:{_PROP}){{0,60}})\s*/?>
  | (?<![\w%])%%(?!%)(?P<note>.{{1,4000}}?)%%(?![\w%])
  | (?P<anchor>(?:^|(?<![ \t])[ \t]+)\^(?=[\w-]*[A-Za-z])[\w-]{{2,64}}[ \t]*$)
  | ^(?P<item>[ \t>]*(?:[-*+][ \t]+)?)(?P<field>[^\s:`|\[\]<>(-][^:`|\[\]<>\n]{{0,60}})::[ \t]+(?=\S)
  | [\[(](?P<name>\w[\w -]{{0,40}})::[ \t]+(?P<value>[^\[\]()\n]{{1,400}})[\])]
  | ^(?P<quote>(?:[ \t]*>)+)[ \t]*\[!(?P<kind>[\w-]+)(?:\|[^\]\n]*)?\][+-]?[ \t]*(?P<titled>[^\n]*)$
  | \{{(?P<expression>[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*)\}}
  | (?P<comment>\{{/\*.{{0,2000}}?\*/\}})
  | (?<![=\w])==(?=[^\s=])(?P<marked>[^=\n]+)(?<=[^\s=])==(?![=\w])
  | ^(?P<indent>[ \t]*)===[+!]?[ \t]+(?="[^"\n]+"[ \t]*$)
    )
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
_SIGNS = ("{", "[[", "==", "import ", "export ", "%%", "::", "^", "<", "[!")
_TEXTS = frozenset(("title", "label", "alt", "summary", "caption", "description"))
"""Properties of components that are text, as the attributes of HTML with these names are. Others are if they have several words."""
_LIST = re.compile(rf"\s([A-Za-z_][\w-]*)=\{{(\s*\[(?:[^{{}}]|{_BRACED}){{0,2000}}\]\s*)\}}")
"""A property whose value is a list."""
_STYLES = frozenset(("class", "className", "style", "d", "points", "viewBox", "sizes", "srcSet"))
_LONGEST_OBJECT = 5_000
_ARGUMENT = re.compile(r"""(?:(?P<name>[\w-]+)[ \t]*[=:][ \t]*)?(?P<quote>["'])(?P<value>.*?)(?P=quote)""")
_WORD = re.compile(r"[^\s{}<>%\"'-][^\s{}<>%\"']*")
_IS_PATH = re.compile(r"^\S*/\S*$|^\S+\.[A-Za-z]\w{1,4}$")
_STATEMENTS = frozenset(
    "assign capture set if elsif elif else unless case when for block extends import from macro include include_relative render "
    "with layout cycle tablerow increment decrement".split()
)
"""Tags whose plain arguments are names and values of the template, no text."""


def plain(text: str) -> tuple[str, bool]:
    """(Markdown that is plain, whether it has components and thus is MDX).

    It is without the tags of templates, of which the text in their arguments stays (`{% channel "help" %}` → help), and those of components
    (`<Tab label="Linux">` → Linux); with ordinary links for theirs and for links of wikis (`[[page|text]]` → text); without lists of
    attributes (`{#id .class}`), modules, comments and anchors (`^id`); with a colon for that of fields (`owner:: Ann`), the title of a
    callout as a paragraph, and an admonition for each tab (`=== "Linux"`). The values that a page exports stand where it names them
    (`{limit}`)."""
    has_components = False
    constants = _constants(text) if "export " in text else {}

    def written(found: re.Match[str]) -> str:
        nonlocal has_components
        has_components = has_components or found["props"] is not None
        return _constant(found, constants) if found["expression"] else _plain(found)

    return (_PARTS.sub(written, text) if any(sign in text for sign in _SIGNS) else text), has_components


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
    return found["text"] or ("" if found["page"].strip("_").lower() == "toc" else _place(found["page"]))


def _place(target: str) -> str:
    """A page and the heading in it that a link names, without the id of a paragraph."""
    return " > ".join(filter(None, re.sub(r"#\^[\w-]*$", "", target.rstrip("\\")).split("#")))


def _embed(found: re.Match[str]) -> str:
    """The text for an image, or the name of the note that is shown there."""
    alt = found["alt"]
    if alt and not re.fullmatch(r"\d+(?:x\d+)?", alt):
        return f"![{alt}](<>)"
    return "" if "." in found["embed"] else _place(found["embed"])


def _exported(found: re.Match[str]) -> str:
    """The texts of an object that a module exports, such as the page's title and description."""
    value = found["exported"].strip()
    if not value.startswith("{") or "=>" in value:
        return ""
    pairs = [pair for pair in _ARGUMENT.finditer(value[:_LONGEST_OBJECT]) if pair["name"] and pair["value"].strip()]
    return "\n".join(f"- {pair['name']}: {' '.join(pair['value'].split())}" for pair in pairs)


def _constants(text: str) -> dict[str, Any]:
    """The values that a page exports, by their names."""
    exported = (found for found in _PARTS.finditer(text) if found["constant"])
    return {found["constant"]: value for found in exported if (value := script_values.read(found["exported"])) is not None}


def _constant(found: re.Match[str], constants: dict[str, Any]) -> str:
    """The exported value that an expression names; one that is not known stays as it is written."""
    value: Any = constants
    for name in found["expression"].split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, str) else found[0]


def _component(found: re.Match[str]) -> str:
    """The texts in a component's properties: in paragraphs of their own where its tag begins a line, and lists of records as tables."""
    tables: list[str] = []
    props = _LIST.sub(lambda prop: _table(prop, tables), found["props"])
    said = [
        prop["value"]
        for prop in _ARGUMENT.finditer(props)
        if prop["name"] in _TEXTS or (" " in prop["value"].strip() and prop["name"] not in _STYLES)
    ]
    text = ": ".join(said)
    if tables:
        return "\n\n" + "\n\n".join(filter(None, (text, *tables))) + "\n\n"
    if found["begins"] is None:
        return f"{text} " if text else ""
    return f"\n{text}\n\n" if text else "\n"


def _table(found: re.Match[str], tables: list[str]) -> str:
    """Adds the records that a property holds, as a table, or a single one as a list; a property that holds anything else stays."""
    value = script_values.read(found[2])
    if not is_table(value) or not all(isinstance(text, str) for record in value for text in record.values()):
        return found[0]
    table = table_of(value)
    tables.append(table.text if table else "\n".join(f"- {key}: {text}" for record in value for key, text in record.items() if text))
    return ""


def _callout(found: re.Match[str]) -> str:
    """The title of a callout as a paragraph; one without a title has its kind, which is no text of the document."""
    title, quote = found["titled"].strip(), found["quote"]
    return quote if not title or title.lower() == found["kind"].lower() else f"{quote} {_PARTS.sub(_plain, title)}\n{quote}"


_WRITERS: dict[str, Callable[[re.Match[str]], str]] = {
    "code": lambda found: found[0],
    "raw": lambda found: found["raw"],
    "target": _link,
    "definition": _definition,
    "tag": _argument_text,
    "embed": _embed,
    "page": _page,
    "exported": _exported,
    "props": _component,
    "field": lambda found: f"{found['item']}{found['field']}: ",
    "name": lambda found: f"{found['name']}: {found['value']}",
    "kind": _callout,
    "marked": lambda found: found["marked"],
    "indent": lambda found: f"{found['indent']}!!! tab ",
}
"""Named groups of _PARTS and what replaces a match of each; all others are left out."""
