"""Recognises what introduces no document: captions of figures and tables, and sentences with paths or addresses, of the web, of mail or
of a house. By patterns, in English, German and Korean."""

from __future__ import annotations

import re

_NUMBER = r"\d+(?:[.-]\d+)*[a-z]?"
CAPTION = re.compile(
    r"[\s*_#<\[(【〈>]*(?:"
    r"(?:fig(?:ure|s?\b)?|table|tab\b|chart|diagram|plate|listing|exhibit|image|photo(?:graph)?|picture|illustration|map|scheme"
    r"|abb(?:ildung|\b)|tabelle|bild|foto|grafik|diagramm|karte|schaubild|übersicht)"
    rf"[.\s]*{_NUMBER}(?:\s*[:.)\]|–—-](?!\d)|(?=[^.!?]*$))"
    rf"|(?:그림|표|사진|도표|도|차트|그래프)\s*{_NUMBER}(?:\s*[:.)\]>】〉|–—-]|\s|$)"
    r"|(?:photo|image|picture|illustration|foto|bild|abbildung|grafik)s?(?: (?:credits?|courtesy of|by|von))?\s*[:©]"
    r"|(?:사진|이미지|그림)\s*(?:제공|출처)?\s*[=:©]"
    r")",
    re.IGNORECASE,
)
"""A label with a number, followed by a mark or by words that end in none: “Figure 3 shows the lamp.” is a sentence."""
_OPENS = r"(?:^|[\s\"'`(\[<„“‘«=:])"
PATH = re.compile(
    rf"{_OPENS}(?:~?/|\.{{1,2}}[/\\]|[A-Za-z]:[/\\]|\\\\)[\w.@~-]"
    r"|[\w.-]+[/\\](?:[\w.-]+[/\\])*[\w-]+\.[A-Za-z]\w{0,4}\b"
    r"|[\w-]*[_.][\w.-]*[/\\][\w-]|[\w-]+[/\\](?:[\w-]+[/\\])+(?:\s|$|[`\"')])"
)
"""/etc/hosts, ~/notes, ./run, C:\\\\data, src/main.py, my_app/core, docs/guides/; not and/or, km/h, 2023/24."""
ADDRESS = re.compile(
    r"\w://|\bwww\.\w|\bmailto:|[\w.+-]+@[\w-]+\.\w"
    r"|\b(?:[a-z0-9-]+\.)+[a-z]{2,}/[\w#?]|\b(?:\d{1,3}\.){3}\d{1,3}\b"
    r"|(?:stra(?:ß|ss)e|str\.|gasse|allee|platz|[a-zäöüß]weg|ufer|damm)\s+\d{1,4}\b|(?:^|[,\n])\s*(?:D-)?\d{5}\s+[A-ZÄÖÜ][a-zäöüß]"
    r"|\b\d{1,5}[a-z]?,?\s+(?:[A-Z][\w.'’-]+\s+){1,3}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Drive|Square|Boulevard|Blvd|Way|Court|Quay|Place)\b"
    r"|\bP\.?\s?O\.?\s?Box\s+\d|\bPostfach\s+\d"
    r"|[가-힣]+(?:시|도|군|구|읍|면|동)\s+\S*[가-힣\d]+(?:로|길)\s?\d+",
)
"""https://…, ann@example.org, 10.0.0.1, Hafenstraße 5, 20457 Hamburg, 12 Quay Street, 테헤란로 12."""


LONGEST = 1000
"""Characters that are looked at."""


def is_caption(text: str) -> bool:
    """Whether the text begins as a caption."""
    return CAPTION.match(text[:LONGEST]) is not None


def names_place(text: str) -> bool:
    """Whether the text has a path or an address."""
    return PATH.search(text[:LONGEST]) is not None or ADDRESS.search(text[:LONGEST]) is not None
