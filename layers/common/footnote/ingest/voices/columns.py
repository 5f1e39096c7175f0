"""Which column of a table holds what: by its name in English, German or Korean, else by its values."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from footnote.ingest.voices.values import OF, STARS, is_day_first, read_date, read_rating, scale_of
from footnote.types.voices import ROLES, Role

NAMES: Mapping[Role, frozenset[str]] = {
    "date": frozenset(
        """date at time timestamp datetime created createdat createddate creationdate createdon createdtime submitted submittedat posted
        postedat published publisheddate publishedat reviewdate reviewdatetime reviewtime reviewedat receivedat received opened openedat
        ticketdate dateofpurchase reviewcreatedat datum erstellt erstelltam erstellungsdatum eingang eingangsdatum eingegangen
        eingegangenam angelegt angelegtam gemeldetam bewertungsdatum zeitpunkt zeitstempel uhrzeit 날짜 일자 일시 작성일 작성일자
        작성일시 등록일 등록일자 등록일시 접수일 접수일자 접수일시 생성일 게시일 리뷰일자 문의일 문의일자""".split()
    ),
    "rating": frozenset(
        """rating ratings score scores star stars starrating reviewrating reviewscore overall csat satisfaction satisfactionrating
        customersatisfactionrating nps bewertung sterne sternebewertung note punkte punktzahl zufriedenheit 평점 별점 점수 만족도 평가
        별점수""".split()
    ),
    "channel": frozenset(
        """channel source platform store medium via origin sourcetype ticketchannel publishedplatform kanal quelle plattform eingangskanal
        herkunft kontaktweg 채널 경로 플랫폼 출처 접수채널 접수경로 유입경로 매체 스토어""".split()
    ),
    "product": frozenset(
        """product products productname producttitle productpurchased app appname appid item itemname model service brand category
        produkt produktname artikel artikelname modell dienst 제품 제품명 상품 상품명 모델 모델명 서비스 앱 품목""".split()
    ),
    "customer": frozenset(
        """customer customerid customername client clientid user userid username author authorname authorid reviewer reviewername
        reviewerid from sender email customeremail requester kunde kundin kundennummer kundenid kundenname nutzer nutzername
        benutzer benutzername autor verfasser absender 고객 고객명 고객번호 고객아이디 작성자 사용자 이용자 닉네임 회원 보낸사람
        아이디""".split()
    ),
    "ticket": frozenset(
        """ticket ticketid ticketnumber ticketno id key case caseid casenumber issue issueid reviewid number no nr uuid guid vorgang
        vorgangsnummer ticketnummer fallnummer nummer laufendenummer 티켓 티켓번호 접수번호 문의번호 번호 리뷰번호 순번""".split()
    ),
    "title": frozenset(
        """title subject headline summary reviewtitle ticketsubject issuetitle titel betreff thema überschrift zusammenfassung 제목
        리뷰제목 문의제목""".split()
    ),
    "text": frozenset(
        """text review reviewtext reviewbody reviewcontent comment comments message body content description feedback complaint
        complaints details ticketdescription ticketbody issue narrative verbatim opinion document query question kommentar rezension
        rezensionstext nachricht beschreibung inhalt anliegen freitext meldung beschwerde bewertungstext text_de 내용 리뷰 리뷰내용
        후기 의견 댓글 문의 문의내용 상담내용 본문 불만 불만내용 코멘트 메시지""".split()
    ),
}
SIGNS = re.compile(r"[\W_]+")
ENOUGH = 0.8
"""The share of a column's values that must be a date or a rating for a column of that name to be one."""
CERTAIN = 0.95
"""The same where the name tells nothing."""
SAMPLE = 500
"""Rows by whose values a column's role is decided. What comes first in a date and the scale of ratings depend on all rows."""
LONG = 20
"""Characters, on average, of a column that is a text by its values."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Role → index of its column. `others`: the columns that are none of these, by index."""

    of: Mapping[Role, int]
    others: tuple[int, ...] = ()
    day_first: bool = False
    scale: float = 5.0
    missing: tuple[str, ...] = field(default=())
    """Columns that the collection's settings name and that the file does not have."""


def find_columns(header: Sequence[str], rows: Sequence[Sequence[str]], given: Mapping[Role, str], lang: str) -> Columns:
    """`header`, `rows`: texts. `given`: role → the name of its column, which is not questioned."""
    width = len(header)
    values = [_column(rows[:SAMPLE], i) for i in range(width)]
    names = [_plain(name) for name in header]
    of: dict[Role, int] = {}
    missing: list[str] = []
    for role in ROLES:
        if role in given:
            at = next((i for i, name in enumerate(header) if name.strip() == given[role].strip()), None)
            at = names.index(_plain(given[role])) if at is None and _plain(given[role]) in names else at
            if at is None:
                missing.append(given[role])
            else:
                of[role] = at

    def free() -> list[int]:
        return [i for i in range(width) if i not in of.values()]

    for role in ROLES:
        fits = [i for i in free() if role not in of and names[i] in NAMES[role] and CHECKS[role](values[i]) >= ENOUGH]
        if fits:
            of[role] = max(fits, key=lambda i: (sum(map(len, values[i])), -i)) if role == "text" else fits[0]
    if "date" not in of and (dated := [i for i in free() if len(values[i]) > 1 and _dates(values[i]) >= CERTAIN]):
        of["date"] = dated[0]
    if "rating" not in of and (rated := [i for i in free() if _is_scale(values[i])]):
        of["rating"] = rated[0]
    if "text" not in of:
        texts = [i for i in free() if len(rows) == 0 or (_mean(values[i]) >= LONG and len(set(values[i])) > len(values[i]) / 2)]
        if texts:
            of["text"] = max(texts, key=lambda i: sum(map(len, values[i])))
        elif "title" in of:
            of["text"] = of.pop("title")
        elif width - len(of) == 1:
            of["text"] = free()[0]
    return Columns(
        of,
        tuple(free()),
        is_day_first(_column(rows, of["date"]), lang) if "date" in of else False,
        scale_of(_column(rows, of["rating"])) if "rating" in of else 5.0,
        tuple(missing),
    )


def _column(rows: Sequence[Sequence[str]], i: int) -> list[str]:
    """Its values that are not empty."""
    return [row[i].strip() for row in rows if i < len(row) and row[i].strip()]


def _plain(name: str) -> str:
    return SIGNS.sub("", name).casefold()


def _share(values: Sequence[str], test: Callable[[str], bool]) -> float:
    return sum(map(test, values)) / len(values) if values else 0.0


def _dates(values: Sequence[str]) -> float:
    return _share(values, lambda value: read_date(value, day_first=True) is not None)


def _ratings(values: Sequence[str]) -> float:
    scale = scale_of(values)
    return _share(values, lambda value: read_rating(value, scale) is not None)


def _is_scale(values: Sequence[str]) -> bool:
    """Whether a column without a telling name holds ratings: “4/5”, stars, or nothing but the numbers 1 to 5."""
    if len(values) < 3:
        return False
    written = _share(values, lambda value: STARS.fullmatch(value) is not None or OF.fullmatch(value) is not None)
    steps = set(values)
    return written >= CERTAIN or (steps <= set("12345") and len(steps) >= 4)


def _any(values: Sequence[str]) -> float:
    return 1.0


def _mean(values: Sequence[str]) -> float:
    return sum(map(len, values)) / len(values) if values else 0.0


def _short(values: Sequence[str]) -> float:
    """The share of names: a channel or a product of a hundred characters is none."""
    return _share(values, lambda value: len(value) <= 100)


def _words(values: Sequence[str]) -> float:
    """The share of texts: a column of numbers or dates is none."""
    return _share(values, lambda value: any(map(str.isalpha, value))) if values else 1.0


CHECKS: Mapping[Role, Callable[[Sequence[str]], float]] = {
    "date": _dates,
    "rating": _ratings,
    "channel": _short,
    "product": _short,
    "customer": _any,
    "ticket": _short,
    "title": _words,
    "text": _words,
}
"""Role → the share of a column's values that can be that."""
