"""Finds blocks that are no content: page numbers, footers and notices that repeat, cookie banners, disclaimers of mails. Pure.

They stay in the text that people view, but are in no chunk. Of what repeats, the first stays in its chunk, so that nothing is lost; of the
lines at the top and the bottom of a man page none does, since they say what its file name and sections say. A table, a list, code, a
heading and a line that leads in to what follows are never left out, unless all of a block is “Page 3 of 12”. When in doubt, a block stays:
too much in a passage costs little, and what is in none cannot be found.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Literal

from footnote.ingest.parse.man_page import is_running_line, man_page_of
from footnote.types import Block, Parsed
from footnote.types.documents import UNITS

Boilerplate = Literal["page number", "running line", "notice", "web", "disclaimer", "quoted again"]

EDGE = 2
"""Blocks at the top and the bottom of a page that may be running headers and footers."""
LEAST_PAGES, LEAST_SHARE = 3, 0.45
"""A running line is on so many pages, and on this share of the pages from its first to its last."""
LONGEST_LINE, LONGEST_NOTICE, LONGEST_BANNER, LONGEST_DISCLAIMER = 200, 400, 600, 2000
"""Characters of a running line, of a notice, of a cookie banner, and of a mail's disclaimer."""
LEAST_QUOTED = 40
"""Characters of a paragraph of a mail that is left out if it was quoted before."""
MOST_BANNERS = 3
"""A page with more paragraphs about cookies is about cookies."""

PAGE_NUMBER = re.compile(
    r"\b(?:page|seite)\s*(?P<en>\d{1,4})(?:\s*(?:of|von|/)\s*(?P<all>\d{1,4}))?|페이지\s*(?P<before>\d{1,4})"
    r"|\b(?P<after>\d{1,4})\s*(?:쪽|페이지)|\b(?P<bare>\d{1,4})\s*/\s*(?P<total>\d{1,4})\b",
    re.IGNORECASE,
)
"""A page number within a running line."""
OF_ALL = re.compile(
    r"(?:page|seite)\s*\d{1,4}\s*(?:of|von|/)\s*\d{1,4}|페이지\s*\d{1,4}\s*/\s*\d{1,4}"
    r"|(?:총\s*)?\d{1,4}\s*(?:쪽|페이지)\s*중\s*\d{1,4}\s*(?:쪽|페이지)?",
    re.IGNORECASE,
)
"""A whole block that is a page number wherever it stands."""
ALONE = re.compile(
    r"[-–—\[(|]?\s*(?:(?:page|seite|p\.|s\.|페이지)\s*)?(?P<number>\d{1,4})\s*(?:(?:/|of|von)\s*(?P<total>\d{1,4}))?"
    r"\s*(?:쪽|페이지)?\s*[-–—\])|]?",
    re.IGNORECASE,
)
"""A whole block that may be a page number, and the number."""
NOTICE = re.compile(
    r"©|\bcopyright\s*(?:\(c\)|(?:19|20)\d\d)|\ball rights reserved\b|\binternal use only\b|\bdo not (?:distribute|copy)\b"
    r"|\b(?:strictly|company|proprietary (?:and|&)) confidential\b|\bconfidential(?:$|\s*[|·–—-])"
    r"|\bstreng vertraulich\b|\bvertraulich(?:$|\s*[|·–—-])|\balle rechte vorbehalten\b|\bnur für den (?:internen|dienst)"
    r"|대외비|기밀(?:$|\s*[|·–—-])|무단\s*(?:전재|복제|배포)|저작권자|재배포\s*금지",
    re.IGNORECASE,
)
"""What a notice of secrecy or copyright says. “Confidential” in a sentence is none: contracts repeat clauses."""
COOKIE = re.compile(r"\bcookies?\b|쿠키", re.IGNORECASE)
CONSENT = re.compile(
    r"\baccept|\bagree|\bconsent|\bby (?:continuing|using|browsing)|\bakzeptier|\bzustimm|\bstimmen sie|\beinverstanden"
    r"|동의|수락|계속\s*(?:이용|사용)",
    re.IGNORECASE,
)
TO_VISITOR = re.compile(
    r"\bwe (?:and our partners |also |only )?(?:use|set|store|would like to (?:use|set))\b|\b(?:this|our) (?:web ?)?(?:site|page) uses\b"
    r"|\bour use of cookies|\bby (?:continuing|browsing|clicking)\b|\bby using (?:our|this|the) (?:web|site|page|service)"
    r"|\bwir (?:verwenden|nutzen|benutzen|setzen|möchten)\b|\b(?:diese|unsere) (?:web)?(?:seite|site) (?:verwendet|nutzt|benutzt|setzt)\b"
    r"|\bmit (?:der|ihrer) (?:weiteren )?nutzung|\bstimmen sie|\bsind sie (?:damit )?einverstanden"
    r"|(?:이|본|저희|우리|당) ?(?:웹 ?)?(?:사이트|페이지)|당사는|저희는|계속 ?(?:이용|사용|방문)하",
    re.IGNORECASE,
)
"""A banner speaks of its own page to the one who visits it; a rule about cookies does not."""
ABOUT_PRIVACY = re.compile(r"cookie|privacy|datenschutz|쿠키|개인\s*정보", re.IGNORECASE)
WEB_LABEL = re.compile(
    r"skip to (?:the )?(?:main )?(?:content|navigation)|(?:back|go) to (?:the )?top|accept all(?: cookies)?|print this page"
    r"|share (?:this )?(?:page )?on (?:facebook|twitter|x|linkedin|whatsapp)"
    r"|(?:zum|direkt zum) (?:haupt)?inhalt(?: springen)?|(?:zurück )?nach oben|zum seitenanfang|alle(?: cookies)? akzeptieren"
    r"|diese seite drucken|(?:본문|주메뉴)(?:으로)?\s*바로\s*가기|맨\s*위로|모두\s*(?:동의|수락)(?:하기)?|(?:이\s*)?페이지\s*인쇄(?:하기)?",
    re.IGNORECASE,
)
OPENS_DISCLAIMER = re.compile(
    r"(?:(?:confidentiality notice|disclaimer|important|notice|note|vertraulichkeitshinweis|wichtiger hinweis|hinweis|haftungsausschluss"
    r"|알림|주의|면책 조항)\s?[:.!] ?)?"
    r"(?:(?:the |any )?(?:information|contents?) (?:contained |transmitted )?(?:in|with|by|of) )?this (?:e-?mail|message|communication)\b"
    r"|(?:der inhalt|die in|die informationen in) dieser (?:e-?mail|nachricht)\b|diese (?:e-?mail|nachricht)\b"
    r"|(?:본|이) ?(?:이?메일|메시지|전자우편)",
    re.IGNORECASE,
)
IS_SECRET = re.compile(
    r"\bconfidential|\bprivileged\b|\bintended (?:solely |only |exclusively )?for\b|\bintended recipient"
    r"|\bvertraulich|기밀|비밀|수신인|수신자",
    re.IGNORECASE,
)
"""What the first sentence of a disclaimer says of the mail."""
IF_NOT_FOR_YOU = re.compile(
    r"\brecipient|\baddressee|\bsender\b|\b(?:delete|destroy) (?:it|this|the (?:e-?mail|message)|all copies)|\bnotify us\b|\bin error\b"
    r"|\bdo not (?:print|copy|disclose|distribute|forward|disseminate)\b|^(?:thank you|vielen dank|감사합니다)\W*$"
    r"|\bunauthori[sz]ed|\bstrictly (?:prohibited|forbidden)"
    r"|empfänger|adressat|absender|\birrtümlich|\bunbefugt|\bunerlaubt|\bnicht gestattet"
    r"|(?:vernichten|löschen) sie (?:sie|diese|die (?:e-?mail|nachricht))"
    r"|수신인|수신자|발신인|발신자|잘못 (?:받|수신|전송|전달)|무단|폐기|삭제해",
    re.IGNORECASE,
)
"""What every other sentence of a disclaimer says."""
CLAUSE_END = re.compile(r"[.!?;:。] ")
QUOTE_MARKS = re.compile(r"^(?:>\s?)+", re.MULTILINE)
LABEL_ENDS = (":", "：")


def find_boilerplate(parsed: Parsed) -> Mapping[int, Boilerplate]:
    """Index of a block → why it is left out. Empty if nothing but headings would be left."""
    blocks = parsed.blocks
    found: dict[int, Boilerplate] = {}
    if UNITS.get(parsed.format) != "sheet":
        found |= dict.fromkeys(_page_numbers(blocks), "page number")
        found |= dict.fromkeys(_running_lines(blocks, only_below=UNITS.get(parsed.format) == "slide"), "running line")
    if parsed.format == "text" and (name := man_page_of([block.text for block in blocks[:1]])):
        found |= dict.fromkeys((i for i, text in _texts(blocks) if is_running_line(text, name)), "running line")
    found |= dict.fromkeys(_notices(blocks), "notice")
    if parsed.format in ("html", "eml", "msg"):
        found |= dict.fromkeys(_web(parsed), "web")
    if parsed.format in ("eml", "msg"):
        found |= dict.fromkeys((number for number, text in _texts(blocks) if _is_disclaimer(text)), "disclaimer")
        found |= dict.fromkeys(_quoted_again(blocks), "quoted again")
    is_left = any(number not in found and block.kind != "heading" and block.text.strip() for number, block in enumerate(blocks))
    return dict(sorted(found.items())) if is_left else {}


def _texts(blocks: Sequence[Block]) -> Iterator[tuple[int, str]]:
    """What can be boilerplate: (index, text) of paragraphs and captions, but for those that lead in to the next block."""
    for number, block in enumerate(blocks):
        text = block.text.strip()
        if block.kind in ("paragraph", "caption") and text and not text.endswith(LABEL_ENDS):
            yield number, text


def _pages(blocks: Sequence[Block]) -> Mapping[int, list[int]]:
    """Page → its blocks, in their order."""
    pages: dict[int, list[int]] = defaultdict(list)
    for number, block in enumerate(blocks):
        if block.page is not None and block.text.strip():
            pages[block.page].append(number)
    return pages


def _page_numbers(blocks: Sequence[Block]) -> Iterator[int]:
    """Blocks that are the number of a page: “Page 3 of 12” anywhere; a number alone if it counts along with the pages."""
    yield from (number for number, block in enumerate(blocks) if block.kind != "table" and OF_ALL.fullmatch(block.text.strip()))
    counting: dict[int, list[int]] = defaultdict(list)
    pages = _pages(blocks)
    last = max(pages, default=0)
    for page, on in pages.items():
        for number in {on[0], on[-1]} if len(on) > 1 else ():
            match = ALONE.fullmatch(" ".join(blocks[number].text.split())[:LONGEST_LINE])
            if match and blocks[number].kind == "paragraph" and int(match["total"] or last) >= last:
                counting[int(match["number"]) - page].append(number)
    yield from (each for numbers in counting.values() if len(numbers) >= LEAST_PAGES for each in numbers)


def _running_lines(blocks: Sequence[Block], *, only_below: bool) -> Iterator[int]:
    """All but the first of the lines that repeat at the same edge of many pages. `only_below`: a slide's first line is its title."""
    pages = _pages(blocks)
    last = max(pages, default=0)
    seen: dict[tuple[str, str], dict[int, int]] = defaultdict(dict)
    for page, on in pages.items():
        edges = dict.fromkeys(on[max(1, len(on) - EDGE) :], "bottom")
        if not only_below:
            edges |= dict.fromkeys(on[: max(0, min(EDGE, len(on) - EDGE))], "top")
        for number, edge in edges.items():
            block, text = blocks[number], " ".join(blocks[number].text.split())
            if block.kind not in ("paragraph", "caption") or len(text) > LONGEST_LINE or text.endswith(LABEL_ENDS):
                continue
            line = _without_number(text, page, last)
            if _has_number(line) or edge == "bottom" or " " in text:
                seen[edge, line].setdefault(number, page)
    opened = {page: next((each for each in on[:EDGE] if blocks[each].kind == "heading"), None) for page, on in pages.items()}
    following = dict(pairwise(pages))
    for (edge, line), numbers in seen.items():
        on = sorted(set(numbers.values()))
        if len(on) < LEAST_PAGES or len(on) < LEAST_SHARE * (on[-1] - on[0] + 1):
            continue
        if not _has_number(line):
            headings = [opened[following[page] if edge == "bottom" else page] for page in on if edge == "top" or page in following]
            if _open_sections(blocks, headings, before=numbers if edge == "top" else ()):
                continue
        yield from sorted(numbers)[1:]


def _open_sections(blocks: Sequence[Block], headings: Sequence[int | None], before: Iterable[int]) -> bool:
    """Whether there is a heading for every line, and each is another one: then the line is part of their sections, as a warning that
    ends the page of each product is. `before`: the lines that the headings have to stand above, if any."""
    found = [heading for heading in headings if heading is not None]
    if len(found) < len(headings) or any(heading > number for heading, number in zip(found, sorted(before), strict=False)):
        return False
    return len({blocks[heading].text.strip().casefold() for heading in found}) == len(found)


def _without_number(text: str, page: int, pages: int) -> str:
    """The text without case; the number of its page is replaced by how far it is from `page`, other numbers stay. “2/3” is the number
    of a page only if there are no more `pages` than that."""

    def shift(match: re.Match[str]) -> str:
        if match["total"] and int(match["total"]) < pages:
            return match[0]
        number = match["en"] or match["before"] or match["after"] or match["bare"]
        return f"#{int(number) - page}/{match['all'] or match['total'] or ''}"

    return PAGE_NUMBER.sub(shift, text).casefold()


def _has_number(line: str) -> bool:
    """Whether a line without its page number had one, and letters besides."""
    return "#" in line and any(map(str.isalpha, line))


def _notices(blocks: Sequence[Block]) -> Iterator[int]:
    """All but the first of a notice of secrecy or copyright that is there at least three times."""
    seen: dict[str, list[int]] = defaultdict(list)
    for number, text in _texts(blocks):
        if len(text) <= LONGEST_NOTICE and NOTICE.search(text):
            seen[" ".join(text.split()).casefold()].append(number)
    for numbers in seen.values():
        yield from numbers[1:] if len(numbers) >= LEAST_PAGES else ()


def _web(parsed: Parsed) -> Iterator[int]:
    """Labels of a page's controls, and banners that ask for consent to cookies, unless the page is about those."""
    texts = list(_texts(parsed.blocks))
    yield from (number for number, text in texts if WEB_LABEL.fullmatch(text))
    about = [number for number, text in texts if COOKIE.search(text)]
    headings = [parsed.title, *(block.text for block in parsed.blocks if block.kind == "heading")]
    if len(about) <= MOST_BANNERS and not any(map(ABOUT_PRIVACY.search, headings)):
        texts_of = dict(texts)
        yield from (number for number in about if len(texts_of[number]) <= LONGEST_BANNER and _asks_for_consent(texts_of[number]))


def _asks_for_consent(text: str) -> bool:
    return CONSENT.search(text) is not None and TO_VISITOR.search(text) is not None


def _is_disclaimer(text: str) -> bool:
    """Whether all of a mail's paragraph is about who may read the mail: its first sentence says so, and each other one what to do with it.
    One with a number, such as a date, says something else besides."""
    flat = " ".join(text.split())
    if len(flat) > LONGEST_DISCLAIMER or any(map(str.isdigit, flat)) or not (opening := OPENS_DISCLAIMER.match(flat)):
        return False
    first, *others = CLAUSE_END.split(flat[opening.end() :])
    said = [each for each in others if each.strip()]
    about = [IS_SECRET.search(each) or IF_NOT_FOR_YOU.search(each) for each in said]
    return IS_SECRET.search(first) is not None and all(about) and any(map(IF_NOT_FOR_YOU.search, (first, *said)))


def _quoted_again(blocks: Sequence[Block]) -> Iterator[int]:
    """Paragraphs of a mail, signatures among them, that stand in it before."""
    seen: set[str] = set()
    for number, text in _texts(blocks):
        plain = " ".join(QUOTE_MARKS.sub("", text).split())
        if len(plain) >= LEAST_QUOTED and plain in seen:
            yield number
        seen.add(plain)
