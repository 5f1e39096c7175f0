"""The forms in which models write references to numbered passages, in spite of their instructions: `[1]`, `[1, 2]`, `[1-3]`, `【1】`,
`【1†L5】`, `[Source 1]`, `(Source 1)`, `[Document 1]`, `[Dokument 1]`, `[문서 1]`. One table for all numbered styles."""

from __future__ import annotations

import re

LABEL = r"(?:sources?|quellen?|출처|documents?|dokumente?n?|문서)"
DASH = r"[-~\u2010-\u2015\u301c\uff5e]"
RANGE = re.compile(rf"(\d{{1,3}})(?:[^\S\n]*{DASH}[^\S\n]*(\d{{1,3}}))?")
_LABELLED = rf"{LABEL}[\s#:]*"
_ONE = rf"(?:{_LABELLED})?(?:[1-9]\d{{0,2}}\s*{DASH}\s*\d{{1,3}}|\d{{1,3}})"
_LIST = rf"{_ONE}(?:\s*[,;、，]\s*{_ONE})*\s*"
_FORMS = (rf"\[({_LIST})\](?!\()", rf"【({_LIST})(?:†[^】\n]{{0,60}})?】", rf"\((?={LABEL})({_LIST})\)")

NUMBERED = re.compile(rf"[ \t]?(?:{'|'.join(_FORMS)})", re.IGNORECASE)
"""A marker with the white space before it; its last group contains the references. `[1](` begins a link."""
UNFINISHED = re.compile(
    rf"(?<!\s)\s*+(?:\[[^\]]{{0,130}}\]?|【[^】]{{0,130}}】?)?(?:\((?:[^\W\d_]{{0,10}}|{_LABELLED}[^)\n]{{0,130}}\)?))?$", re.IGNORECASE
)
"""White space and a possible marker at the end of a stream; the text after the bracket decides."""


def numbers_in(references: str, most: int) -> list[int]:
    """The numbers in a marker, with those between the two of a range; none above `most`."""
    ranges = RANGE.findall(references)
    return [number for first, last in ranges for number in range(max(1, int(first)), min(int(last or first), most) + 1)]
