"""Parses LaTeX: headings, paragraphs and lists. Tables and formulas stay as they are written, and the document says so."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import islice
from unicodedata import normalize

from footnote.ingest.parse.decode import decode
from footnote.ingest.parse.plain import join_lines
from footnote.ingest.parse.title import usable_title
from footnote.types import Block, Parsed

_COMMENT = re.compile(r"^[ \t]*%[^\n]*\n|(?<!\\)%[^\n]*", re.MULTILINE)
_TITLE = re.compile(r"\\(title|author)\s*(?:\[[^\]]{0,500}\])?\s*\{((?:[^{}]|\{[^{}]{0,500}\}){1,1000})\}")
_PART = re.compile(
    r"\\(part|chapter|section|subsection|subsubsection|paragraph)\*?\s*(?:\[[^\]]{0,500}\])?\s*\{((?:[^{}]|\{[^{}]{0,500}\}){0,1000})\}"
    r"|\\begin\s*\{(verbatim|lstlisting|minted)\*?\}(?:\[[^\]\n]*\])?(?:\{\w+\})?"
)
_LEVELS = {"part": 1, "chapter": 1, "section": 2, "subsection": 3, "subsubsection": 4, "paragraph": 5}
_MATH = re.compile(
    r"\$\$.{0,5000}?\$\$|\$[^$\n]{1,1000}\$|\\begin\{(equation|align|gather|multline|eqnarray)\*?\}.{0,3000}?\\end\{\1\*?\}", re.DOTALL
)
_UNREAD = re.compile(r"\\begin\s*\{(?:tabular|longtable|equation|align|eqnarray|gather)|\\(?:input|include)\b|\$")
_SILENT = re.compile(
    r"(?:[~ ]{1,3}(?=\\(?:label|cite|ref|eqref)))?"
    r"\\(?:label|cite[a-zA-Z]*|ref|eqref|pageref|autoref|cref|Cref|vspace|hspace|includegraphics|bibliography|bibliographystyle|input|include"
    r"|usepackage|thispagestyle|pagestyle|setlength|newcommand|renewcommand|definecolor|begin|end)\*?\s*(?:\[[^\[\]]{0,500}\]|\{[^{}]{0,500}\})*"
)
_COMMAND = re.compile(r"\\(?:[a-zA-Z@]+\*?(?:\[[^\[\]]{0,500}\])?[ \t]*|[,;:! ])")
_ESCAPED = re.compile(r"\\([%&$#_{}])")
_MACRO = re.compile(r"\\(?:re)?newcommand\*?\s*\{?\\([A-Za-z]{1,50})\}?\s*\{([^{}\\]{1,200})\}")
_MOST_MACROS = 100
_QUANTITY = re.compile(r"\\(?:SI|qty)\s*(?:\[[^\]\n]{0,100}\])?\{([^{}]{0,100})\}\s*\{([^{}]{0,100})\}")
_ACCENTS = dict(zip("`'^~\"=.uvHckrd", map(chr, (768, 769, 770, 771, 776, 772, 775, 774, 780, 779, 807, 808, 778, 803)), strict=True))
"""What stands above or below a letter → the character that combines with it."""
_ACCENT = re.compile(r"""\\(?:([`'^~"=.])\s*|([uvHckrd])(?:\s+|(?=\{)))\{?\\?([A-Za-z])\}?""")
_LETTER = re.compile(r"\\(ss|ae|AE|oe|OE|aa|AA|o|O|l|L)(?![A-Za-z])(?:\{\}|[ ]+)?")
_LETTERS = dict(zip("ss ae AE oe OE aa AA o O l L".split(), "ß æ Æ œ Œ å Å ø Ø ł Ł".split(), strict=True))
_ITEM = re.compile(r"\s*\\item\b[ \t]*")
_SIGNS = (("~", " "), ("\\footnote{", " {"), ("---", "—"), ("--", "–"), ("``", "“"), ("''", "”"), ("\\\\", "\n"))


def parse(data: bytes) -> Parsed:
    """Parses LaTeX."""
    text = _written_out(_COMMENT.sub("", decode(data)))
    head = {found[1]: words for found in _TITLE.finditer(text) if (words := " ".join(_plain(found[2]).split()))}
    title = head.get("title", "")
    body = text.partition("\\begin{document}")[2].partition("\\end{document}")[0] or text
    blocks: list[Block] = [Block("heading", title, 1)] if title else []
    blocks += [Block("paragraph", head["author"])] if "author" in head else []
    at = 0
    while part := _PART.search(body, at):
        blocks += _texts(body[at : part.start()])
        at = part.end()
        if part[1] and (heading := _plain(part[2])):
            blocks.append(Block("heading", " ".join(heading.split()), _LEVELS[part[1]]))
        elif part[3]:
            end = body.find(f"\\end{{{part[3]}", at)
            code = body[at : end if end >= 0 else len(body)]
            at += len(code)
            blocks += [Block("code", code.strip("\n"))] if code.strip() else []
    parsed = Parsed((*blocks, *_texts(body[at:])), usable_title(title))
    if _UNREAD.search(body):
        parsed = replace(
            parsed,
            reason="Formulas and tables of this LaTeX file are read as they are written, and files that it includes are not read.",
            remedy="If they matter, add the PDF that is made of it instead.",
        )
    return parsed


def _written_out(text: str) -> str:
    """The text with letters for commands that write them, and the values of its own commands without arguments."""
    text = _ACCENT.sub(lambda found: normalize("NFC", found[3] + _ACCENTS[found[1] or found[2]]), text)
    text = _LETTER.sub(lambda found: _LETTERS[found[1]], text)
    text = _QUANTITY.sub(lambda found: f"{found[1]} {found[2].replace(chr(92), ' ').strip()}", text)
    macros = {found[1]: found[2] for found in islice(_MACRO.finditer(text), _MOST_MACROS)}
    if not macros:
        return text
    uses = re.compile(rf"(?<!command\{{)(?<!command)\\({'|'.join(macros)})(?![A-Za-z])")
    return uses.sub(lambda found: macros[found[1]], text)


def _texts(text: str) -> list[Block]:
    """Paragraphs and lists."""
    blocks: list[Block] = []
    for paragraph in re.split(r"\n\s*\n", _TITLE.sub("", text)):
        lead, *items = _ITEM.split(paragraph)
        if words := _plain(lead):
            blocks.append(Block("paragraph", join_lines([" ".join(line.split()) for line in words.split("\n") if line.strip()])))
        if lines := [f"- {' '.join(_plain(item).split())}" for item in items if _plain(item)]:
            if blocks and blocks[-1].kind == "list" and not words:
                lines.insert(0, blocks.pop().text)
            blocks.append(Block("list", "\n".join(lines)))
    return blocks


def _plain(text: str) -> str:
    """The text without commands. Formulas stay as they are written."""
    kept = list[str]()

    def keep(written: re.Match[str]) -> str:
        kept.append(written[0][1:] if _ESCAPED.fullmatch(written[0]) else written[0])
        return f"\0{len(kept) - 1}\0"

    text = _ESCAPED.sub(keep, _SILENT.sub("", _MATH.sub(keep, text)))
    for sign, shown in _SIGNS:
        text = text.replace(sign, shown)
    text = _COMMAND.sub("", text).replace("{", "").replace("}", "")
    return re.sub("\0(\\d+)\0", lambda number: kept[int(number[1])], text).strip()
