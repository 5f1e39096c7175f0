"""Parses contacts (.vcf): each under its name, with a line for each number, address and whatever else people look for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from footnote.errors import UnreadableFile
from footnote.ingest.parse.content_lines import Component, Line, read_components
from footnote.ingest.parse.decode import decode
from footnote.ingest.parse.plain import parse_text
from footnote.types import Block, Parsed

_NAMES = {
    "NICKNAME": "Nickname", "ORG": "Organization", "TITLE": "Title", "ROLE": "Role", "TEL": "Phone", "EMAIL": "E-mail", "IMPP": "Chat",
    "X-SOCIALPROFILE": "Profile", "ADR": "Address", "URL": "Website", "BDAY": "Birthday", "ANNIVERSARY": "Anniversary",
    "RELATED": "Related", "X-ABRELATEDNAMES": "Related", "LANG": "Language", "CATEGORIES": "Groups", "MEMBER": "Member",
}  # fmt: skip
"""Property → what it is called, in the order in which they are shown."""
_KINDS = {
    "cell": "mobile",
    "home": "home",
    "work": "work",
    "fax": "fax",
    "pager": "pager",
    "iphone": "mobile",
    "main": "main",
    "car": "car",
}
"""A type that tells a number or an address from the others → what it is called."""
_SCHEME = re.compile(r"^(?:tel|mailto|xmpp|sip|skype):", re.IGNORECASE)
_DATE = re.compile(r"(\d{4}|--)-?(\d\d)-?(\d\d)(?:T.*)?")


def parse(data: bytes) -> Parsed:
    """Parses contacts; a file without any is read as plain text."""
    cards = [component for component in read_components(data) if component.name == "VCARD"]
    if not cards:
        return parse_text(decode(data))
    blocks = tuple(block for card in cards for block in _card(card))
    if not blocks:
        raise UnreadableFile("These contacts have neither names nor numbers.", "Check that it was saved completely and add it again.")
    return Parsed(blocks, blocks[0].text if len(cards) == 1 and blocks[0].kind == "heading" else "")


def _card(card: Component) -> Iterator[Block]:
    labels = {line.group: line.text.removeprefix("_$!<").removesuffix(">!$_") for line in card.every("X-ABLABEL") if line.group}
    lines = [f"- {fact}" for name in _NAMES for line in card.every(name) if (fact := _fact(line, labels.get(line.group, "")))]
    notes = [paragraph.strip() for line in card.every("NOTE") for paragraph in re.split(r"\n\s*\n", line.text)]
    name = " ".join(card.text("FN").split()) or _full_name(card) or " ".join(card.text("ORG").replace(";", " ").split())
    if name:
        yield Block("heading", name, 1)
    if lines:
        named = [f"- Name: {name}"] if name else []  # so that the record can be told without its heading
        yield Block("list", "\n".join(dict.fromkeys((*named, *lines))))
    for note in filter(None, notes):
        yield Block("paragraph", note)


def _full_name(card: Component) -> str:
    """Prefix, given and further names, family name, suffix."""
    line = card.first("N")
    family, given, further, prefix, suffix = [*(line.parts(";") if line else []), *[""] * 5][:5]
    return " ".join(filter(None, (prefix, given, further, family, suffix)))


def _fact(line: Line, label: str) -> str:
    """A line such as `Phone (work, mobile): 030 1234`."""
    match line.name:
        case "ADR":
            value = ", ".join(filter(None, (" ".join(part.split()) for part in line.parts(";"))))
        case "ORG" | "CATEGORIES" | "NICKNAME":
            value = ", ".join(filter(None, line.parts(";" if line.name == "ORG" else "[;,]")))
        case "BDAY" | "ANNIVERSARY":
            found = _DATE.fullmatch(line.text)
            value = "-".join(part for part in found.groups() if part != "--") if found else line.text
        case _:
            value = "" if line.value.lower().startswith("urn:") else _SCHEME.sub("", line.text)
    value = " ".join(value.split())
    types = re.split(r"[,;]", line.parameters.get("TYPE", "").lower())
    kinds = [label] if label else list(dict.fromkeys(_KINDS[each] for each in types if each in _KINDS))
    which = f" ({', '.join(kinds)})" if kinds else ""
    return f"{_NAMES[line.name]}{which}: {value}" if value else ""
