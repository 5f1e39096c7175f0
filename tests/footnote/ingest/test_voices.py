"""Files of voices: what a column holds, how dates and ratings are read, and that nothing is lost."""

from __future__ import annotations

import json
import mailbox
from pathlib import Path
from typing import Any

import pytest

from footnote.collections.names import Directory, dump_directory, load_directory
from footnote.ingest.aids import Helpers, find_aids
from footnote.ingest.chunk import chunk_document
from footnote.ingest.parse import parse
from footnote.ingest.parsed import pack, unpack
from footnote.ingest.sources import locate
from footnote.ingest.voices.columns import find_columns
from footnote.ingest.voices.values import is_day_first, read_date, read_rating
from footnote.types import Chunk, Collection, CollectionSettings, Parsed, StoredName
from tests.fakes import make_document

FIELDS = ("date", "channel", "product", "rating", "customer", "ticket")


async def read(text: str, name: str, /, **columns: str) -> tuple[list[Chunk], Parsed]:
    parsed = unpack(pack(parse(text.encode(), name)))
    aids, noted = await find_aids(make_document("d"), parsed, CollectionSettings("voices", columns=columns), 60, Helpers())
    chunks = chunk_document(make_document("d", metadata={"class": "a"}), noted, max_tokens=60, lang="en", aids=aids)
    return chunks, noted


def known(chunk: Chunk) -> dict[str, Any]:
    return {name: chunk.metadata[name] for name in FIELDS if name in chunk.metadata}


@pytest.mark.parametrize(
    ("header", "date", "lang"),
    [
        ("Ticket ID,Created At,Channel,Product,Rating,Customer,Comment", "2026-03-01", "en"),
        ("Ticketnummer,Erstellt am,Kanal,Produkt,Bewertung,Kundennummer,Kommentar", "01.03.2026", "de"),
        ("접수번호,작성일,채널,상품명,평점,고객번호,리뷰 내용", "2026년 3월 1일", "ko"),
    ],
)
async def test_columns_are_known_by_their_names_in_three_languages(header: str, date: str, lang: str) -> None:
    chunks, parsed = await read(
        f"{header}\nT-1,{date},Mail,Lamp,2,C-9,It came late and the box was broken.\nT-2,{date},Mail,Lamp,5,C-8,Fine.\n", "a.csv"
    )
    assert [chunk.text for chunk in chunks] == ["It came late and the box was broken.", "Fine."]
    assert known(chunks[0]) == {
        "date": "2026-03-01", "channel": "Mail", "product": "Lamp", "rating": 2.0, "customer": "C-9", "ticket": "T-1",
    }  # fmt: skip
    assert (chunks[0].metadata["voice"], chunks[1].metadata["voice"], chunks[0].metadata["class"]) == (1, 2, "a")
    assert parsed.reason is None


async def test_columns_without_telling_names_are_known_by_their_values() -> None:
    rows = "\n".join(f"2026-04-0{n},{n},The delivery came {n} days after the day that was promised." for n in range(1, 6))
    chunks, _ = await read(f"a,b,c\n{rows}\n", "a.csv")
    assert known(chunks[3]) == {"date": "2026-04-04", "rating": 4.0}
    assert chunks[3].text == "The delivery came 4 days after the day that was promised."


async def test_a_column_is_not_what_its_name_says_if_its_values_are_not() -> None:
    chunks, parsed = await read("Date,Rating,Text\nnever,good,It broke after a week.\nonce,bad,It is far too loud.\n", "a.csv")
    assert known(chunks[0]) == {}
    assert chunks[0].text == "It broke after a week.\nDate: never\nRating: good"
    assert parsed.reason is not None
    assert "No column was recognised as date or rating. Kept as text: “Date”, “Rating”." in parsed.reason


async def test_a_mapping_that_was_given_is_not_questioned() -> None:
    text = "Note,Received,Says\nA lamp,2026-03-01,5\nA chair,2026-03-02,4\n"
    chunks, parsed = await read(text, "a.csv", text="Note", rating="says", channel="Via")
    assert (chunks[0].text, known(chunks[0])) == ("A lamp", {"date": "2026-03-01", "rating": 5.0})
    assert parsed.reason is not None
    assert "The file has no column “Via”, which the collection's settings name." in parsed.reason


async def test_unreadable_rows_are_reported_and_kept() -> None:
    text = (
        "Date,Stars,Review,Size\n"
        + "".join(f"2026-03-0{n},{n},A review with number {n} in it.,XL\n" for n in range(1, 6))
        + "soon,9/5,Last.,S\n"
    )
    chunks, parsed = await read(text, "a.csv")
    assert chunks[5].text == "Last.\nSize: S\nDate: soon\nStars: 9/5"
    assert chunks[5].metadata["said"] == len("Last.")
    assert parsed.reason == (
        "6 voices were read (date = “Date”, rating = “Stars”, text = “Review”). 1 of 6 rows have a date that cannot be read; it is kept as "
        "text. 1 of 6 rows have a rating that cannot be read; it is kept as text. Kept as text: “Size”."
    )
    assert parsed.remedy is not None


async def test_every_word_of_a_table_has_its_place() -> None:
    chunks, parsed = await read("Title,Review,Colour,Score\nToo late,It came | late.,red,2\n,Fine,blue,5\n,,green,1\n", "a.csv")
    assert [chunk.text for chunk in chunks] == ["Too late\nIt came \\| late.\nColour: red", "Fine\nColour: blue", "Colour:\n\ngreen"]
    assert chunks[0].headings == ("Too late",)
    marked = "".join(parsed.blocks[mark.block].text[mark.start : mark.end] for mark in locate(chunks[0], parsed.blocks).marks)
    assert "".join(marked.split()) == "Toolate" + "Itcame\\|late." + "red"


async def test_json_lines_are_voices_with_long_and_nested_values() -> None:
    long = "The app closes whenever I open the list of orders. " * 5
    lines = [
        {"id": 7, "created_at": "2026-03-01T10:00:00+02:00", "stars": "4/5", "body": long, "user": {"name": "Kim"}, "app": "Shop"},
        {"id": 8, "created_at": 1772359200, "stars": 1, "body": "It forgets my cart.", "app": "Shop"},
    ]
    chunks, _ = await read("\n".join(map(json.dumps, lines)), "a.jsonl")
    first, *_, last = chunks
    assert known(first) == {"date": "2026-03-01T08:00:00+00:00", "rating": 4.0, "ticket": "7", "product": "Shop", "customer": "Kim"}
    assert known(last)["date"] == "2026-03-01T10:00:00+00:00"
    assert (last.text, last.metadata["voice"]) == ("It forgets my cart.", 2)
    short, _ = await read(json.dumps([{"text": "Too loud.", "rating": 2}, {"text": "Too slow.", "rating": 1}]), "a.json")
    assert [(chunk.text, chunk.metadata["rating"]) for chunk in short] == [("Too loud.", 2.0), ("Too slow.", 1.0)]


async def test_each_mail_of_a_mailbox_is_a_voice_with_sender_and_date(tmp_path: Path) -> None:
    box = mailbox.mbox(tmp_path / "in.mbox")
    for number in (1, 2):
        mail = mailbox.mboxMessage()
        mail["Subject"], mail["From"], mail["To"] = f"Broken lamp {number}", "kim@example.com", "help@example.com"
        mail["Date"] = f"Sun, 0{number} Mar 2026 10:00:00 +0100"
        mail.set_payload("The lamp is broken.\n\nFrom: my brother\n\nPlease send another one.")
        box.add(mail)
    box.close()
    chunks, parsed = await read((tmp_path / "in.mbox").read_text(), "in.mbox")
    assert len(parsed.records) == 2
    assert [known(chunk) for chunk in chunks] == [
        {"channel": "mail", "date": f"2026-03-0{number}T09:00:00+00:00", "customer": "kim@example.com"} for number in (1, 2)
    ]
    assert chunks[1].text.startswith("Broken lamp 2\n\nThe lamp is broken.")
    alone, _ = await read("Subject: Late\nFrom: kim@example.com\nDate: Sun, 1 Mar 2026 10:00:00 +0000\n\nIt came late.\n", "a.eml")
    assert [(chunk.text, known(chunk)["date"]) for chunk in alone] == [("Late\n\nIt came late.", "2026-03-01T10:00:00+00:00")]


async def test_a_voice_longer_than_a_passage_counts_once() -> None:
    chunks, _ = await read(f"Review,Stars\n{'It came late and nobody answered. ' * 40},1\nFine.,5\n", "a.csv")
    assert len(chunks) > 2
    assert [chunk.metadata.get("part") for chunk in chunks if chunk.metadata["voice"] == 1] == [None, *range(2, len(chunks))]
    assert chunks[-1].metadata["voice"] == 2


async def test_another_file_is_one_voice() -> None:
    chunks, _ = await read("Dear all,\n\nthe lamp is broken.", "letter.txt")
    assert [(chunk.text, chunk.metadata["voice"], chunk.level) for chunk in chunks] == [("Dear all,\n\nthe lamp is broken.", 1, 2)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-03-01", "2026-03-01"), ("2026/3/1 9:05", "2026-03-01T09:05:00+00:00"), ("20260301", "2026-03-01"),
        ("2026-03-01T10:00:00Z", "2026-03-01T10:00:00+00:00"), ("2026-03-01 10:00:00.123+09:00", "2026-03-01T01:00:00+00:00"),
        ("1.3.26", "2026-03-01"), ("01.03.2026, 14:30 Uhr", "2026-03-01T14:30:00+00:00"), ("1. März 2026", "2026-03-01"),
        ("2026. 3. 1.", "2026-03-01"), ("2026년 3월 1일 14:30", "2026-03-01T14:30:00+00:00"), ("March 1st, 2026", "2026-03-01"),
        ("1 Mar 2026", "2026-03-01"), ("3/1/2026 2:05 PM", "2026-03-01T14:05:00+00:00"), ("13/1/2026", "2026-01-13"),
        ("1772359200", "2026-03-01T10:00:00+00:00"), ("1772359200000", "2026-03-01T10:00:00+00:00"),
        ("31.2.2026", None), ("yesterday", None), ("12", None), ("1.5", None), ("May 2026", None), ("", None), ("1e999", None),
    ],
)  # fmt: skip
def test_dates(text: str, expected: str | None) -> None:
    assert read_date(text, day_first=False) == expected


def test_day_and_scale_are_decided_by_all_rows_of_a_table() -> None:
    rows = [["3/4/2026", "4", f"The lamp number {n} is bright."] for n in range(600)]
    early = find_columns(["Date", "Rating", "Review"], rows, {}, "en")
    late = find_columns(["Date", "Rating", "Review"], [*rows, ["13/4/2026", "9", "Bright!"], ["1/4/2026", "2026", "Dark."]], {}, "en")
    assert (early.day_first, early.scale, late.day_first, late.scale) == (False, 5.0, True, 10.0)


def test_a_column_with_a_thirteenth_day_decides_what_comes_first() -> None:
    assert [is_day_first(column, "en") for column in (["3/4/2026"], ["3/4/2026", "13/4/2026"], ["3/4/2026", "4/13/2026"])] == [
        False,
        True,
        False,
    ]
    assert is_day_first(["3/4/2026"], "de")
    assert (read_date("3/4/2026", day_first=True), read_date("3/4/2026", day_first=False)) == ("2026-04-03", "2026-03-04")


@pytest.mark.parametrize(
    ("text", "scale", "expected"),
    [
        ("4", 5, 4.0), ("4,5", 5, 4.5), ("8", 10, 4.0), ("8/10", 5, 4.0), ("★★★☆☆", 5, 3.0), ("4 out of 5 stars", 5, 4.0), ("3점", 5, 3.0),
        ("4 von 5 Sternen", 5, 4.0), ("90 %", 100, 4.5), ("9/5", 5, None), ("good", 5, None), ("-1", 5, None), ("6", 5, None),
        ("1/0", 5, None),
    ],
)  # fmt: skip
def test_ratings(text: str, scale: float, expected: float | None) -> None:
    assert read_rating(text, scale) == expected


def test_the_mapping_of_a_collection_is_stored() -> None:
    kept = Collection(StoredName("reviews"), "reviews", settings=CollectionSettings("voices", columns={"date": "Erstellt"}))
    stored = json.loads(json.dumps(dump_directory(Directory({"reviews": kept}))))
    assert load_directory(stored, 1).collections["reviews"] == kept
    del stored["collections"]["reviews"]["settings"]["columns"]  # written by an earlier version
    assert load_directory(stored, 1).settings("reviews").columns == {}
