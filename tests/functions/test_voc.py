"""`/voc`: search, counts and themes over HTTP, for callers with different groups, and the product's own voices."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
import pytest_asyncio

from footnote.turn_records.make import make_record
from footnote.types import CollectionSettings, Feedback, Request
from tests.fakes import embed_all, work_all
from tests.functions.conftest import LOCAL
from tests.functions.people import World
from tests.turns import LIVE, make_turn, stored

pytestmark = pytest.mark.asyncio(loop_scope="module")

ROWS = [
    ("2026-03-0{n}", "web", "lamp", "1", "The delivery of my lamp came {n} days late."),
    ("2026-04-0{n}", "mail", "chair", "4", "The app crashes when I open page {n} of the list."),
]


def table(mark: str) -> bytes:
    rows = [",".join(value.format(n=n) for value in (*row[:4], f"{row[4]} {mark}")) for row in ROWS for n in range(1, 7)]
    return "\n".join(["Date,Channel,Product,Rating,Review", *rows]).encode()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def filled(world: World) -> World:
    """A collection with a table for everybody, and one for the staff."""
    await world.core.collections.create("reviews", CollectionSettings("voices"), title="", description="", by="me")
    for name, groups in (("open.csv", ["*"]), ("staff.csv", ["staff"])):
        file = {"file": (name, table("staffonly" if "staff" in groups else "open"))}
        data: dict[str, Any] = {"index_name": "reviews", "permission_groups": groups}
        assert (await world.ask("admin", "POST", "/ingest/file", files=file, data=data)).status_code == 202
    from footnote.ingest.parse import parse

    class Parser:
        async def parse(self, data: bytes, name: str) -> Any:
            return parse(data, name)

    world.core.ingestor.parser = Parser()
    await work_all(world.core)
    await embed_all(world.core)
    return world


async def search(world: World, person: str, **body: Any) -> dict[str, Any]:
    reply = await world.ask(person, "POST", "/voc/search", json=body)
    assert reply.status_code == 200, reply.text
    return reply.json()


async def get(world: World, person: str, path: str, **params: Any) -> dict[str, Any]:
    reply = await world.ask(person, "GET", path, params=params)
    assert reply.status_code == 200, reply.text
    return reply.json()


async def test_a_search_finds_rows_with_what_is_known_of_them(filled: World) -> None:
    found = await search(filled, "outsider", query="late delivery", limit=3)
    assert (found["collection"], found["has_more"], len(found["data"])) == ("reviews", True, 3)
    first = found["data"][0]
    assert first["text"].startswith("The delivery of my lamp came")
    assert (first["channel"], first["product"], first["rating"], first["title"]) == ("web", "lamp", 1.0, "open")
    assert first["id"].startswith(f"{first['doc_id']}#")
    assert first["score"] > 0


async def test_filters_and_pages_join_without_gaps(filled: World) -> None:
    chosen = {"channel": ["mail"], "rating_from": 4, "from": "2026-04-02", "to": "2026-04-04"}
    for query in ("", "page of the list"):
        found = await search(filled, "outsider", query=query, **chosen)
        assert {voice["date"][:10] for voice in found["data"]} == {"2026-04-02", "2026-04-03", "2026-04-04"}
        seen, after = [], None
        while True:
            page = await search(filled, "outsider", query=query, limit=2, after=after, **chosen)
            seen += [voice["id"] for voice in page["data"]]
            if not page["has_more"]:
                break
            after = page["last_id"]
        assert seen == [voice["id"] for voice in found["data"]]
    newest = await search(filled, "outsider")
    dates = [voice["date"] for voice in newest["data"]]
    assert dates == sorted(dates, reverse=True)
    assert (await search(filled, "outsider", after="nothing#000"))["data"] == []


@pytest.mark.parametrize(("person", "voices"), [("outsider", 12), ("member", 24), ("admin", 24)])
async def test_only_readable_voices_are_counted_and_grouped(filled: World, person: str, voices: int) -> None:
    counts = await get(filled, person, "/voc/counts", by="month")
    assert [(row["key"], row["voices"], row["rating"]) for row in counts["data"]] == [
        ("2026-03-01", voices / 2, 1.0),
        ("2026-04-01", voices / 2, 4.0),
    ]
    assert counts["voices"] == voices
    themes = await get(filled, person, "/voc/themes")
    assert sum(theme["voices"] for theme in themes["data"]) + themes["rest"] == voices
    texts = str(themes) + str(await search(filled, person, limit=100)) + str(await get(filled, person, "/voc/counts", by="theme"))
    assert ("staffonly" in texts) == (person != "outsider")
    assert all(theme["label"] and theme["examples"] for theme in themes["data"])


async def test_counts_by_every_key_sum_up(filled: World) -> None:
    for by in ("day", "week", "month", "channel", "product", "rating", "theme"):
        found = await get(filled, "outsider", "/voc/counts", by=by, product="lamp")
        assert sum(row["voices"] for row in found["data"]) == found["voices"] == 6


async def test_invalid_requests_say_why(filled: World) -> None:
    for params in ({"from": "2026-02-01", "to": "2026-01-01"}, {"rating_from": 5, "rating_to": 1}, {"by": "colour"}, {"from": "soon"}):
        assert (await filled.ask("member", "GET", "/voc/counts", params=params)).status_code == 422
    assert (await filled.ask("member", "GET", "/voc/themes", params={"rating_from": 9})).status_code == 422
    for day in ("9999-12-31", "3000-01-01", "1999-12-31", "0001-01-05"):
        for name, source in (("from", "collection"), ("to", "collection"), ("to", "product")):
            params = {name: day, "source": source}
            assert (await filled.ask("admin", "POST", "/voc/search", json=params)).status_code == 422
            for path in ("/voc/counts", "/voc/themes"):
                assert (await filled.ask("admin", "GET", path, params=params)).status_code == 422
    assert (await filled.ask("member", "POST", "/voc/search", json={"to": "2999-12-31"})).status_code == 200
    for path in ("/voc/counts", "/voc/themes"):
        assert (await filled.ask("stranger", "GET", path)).status_code == 401
    assert (await get(filled, "member", "/voc/counts", collection="nothing"))["data"] == []


async def test_collections_say_whether_they_hold_voices(filled: World) -> None:
    listed = (await get(filled, "outsider", "/collections"))["data"]
    assert {each["name"]: each["voices"] for each in listed}["reviews"] is True


async def test_a_deleted_file_is_no_longer_counted(filled: World) -> None:
    file = {"file": ("more.csv", table("more"))}
    made = await filled.ask("admin", "POST", "/ingest/file", files=file, data={"index_name": "reviews", "permission_groups": ["*"]})
    await work_all(filled.core)
    assert (await get(filled, "outsider", "/voc/counts"))["voices"] == 24
    await filled.ask("admin", "DELETE", f"/documents/{made.json()['doc_id']}", "/documents/{doc_id}")
    assert (await get(filled, "outsider", "/voc/counts"))["voices"] == 12
    assert "more" not in str(await get(filled, "outsider", "/voc/themes"))


async def test_the_products_own_voices_are_for_admins_and_leave_out_forbidden_questions(filled: World) -> None:
    core = filled.core
    asked = {"Where is the blue lamp?": "refused", "Who sells lamps?": "closest", "What does Kim earn?": "forbidden", "When was it?": None}
    for number, (question, outcome) in enumerate(asked.items()):
        turn = core.new_turn(Request(question, "default", room_id="r"), LOCAL, LIVE, trace_id=f"t{number}")
        record = make_record(turn, "done", now=filled.clock())
        record["outcome"] = outcome  # type: ignore[typeddict-item]
        await core.turns.save(record)
        rated = Feedback(
            f"t{number}", "local", "down", "It names no year", "It was 1894", comment="See the plaque", created_at=filled.clock()
        )
        await core.feedback.put(LOCAL, rated)
    found = await search(filled, "admin", source="product")
    mine = [voice for voice in found["data"] if voice["id"].split("|")[1].startswith("t")]
    assert sorted((voice["channel"], voice["text"].partition("\n")[0]) for voice in mine) == [
        ("feedback", "When was it?"), ("feedback", "Where is the blue lamp?"), ("feedback", "Who sells lamps?"),
        ("unanswered", "Where is the blue lamp?"), ("unanswered", "Who sells lamps?"),
    ]  # fmt: skip
    assert {voice["text"] for voice in mine if voice["text"].startswith("When")} == {
        "When was it?\nIt names no year\nSee the plaque\nIt was 1894"
    }
    assert (await search(filled, "admin", source="product", query="blue", channel=["unanswered"]))["data"][0][
        "text"
    ] == "Where is the blue lamp?"
    assert "earn" not in str(found) + str(await get(filled, "admin", "/voc/themes", source="product"))
    counts = await get(filled, "admin", "/voc/counts", source="product", by="channel")
    channels = {row["key"]: row["rating"] for row in counts["data"]}
    assert channels["feedback"] == 1.0
    for person in ("member", "owner", "outsider"):
        assert (await filled.ask(person, "POST", "/voc/search", json={"source": "product"})).status_code == 403
        for path in ("/voc/counts", "/voc/themes"):
            assert (await filled.ask(person, "GET", path, params={"source": "product"})).status_code == 403


async def test_own_voices_are_masked_and_those_like_forbidden_questions_are_withheld(filled: World) -> None:
    asked = {"Who has the number of ann@example.org?": "no_hits", "What does Lee weigh?": "forbidden", "What does Lee weigh": "closest"}
    await keep(filled, "m", asked, filled.clock())
    texts = [voice["text"] for voice in (await search(filled, "admin", source="product", limit=100))["data"]]
    assert [text for text in texts if "number of" in text] == ["Who has the number of [e-mail]?"]
    assert not [text for text in texts if "Lee" in text]


async def test_own_voices_are_those_of_the_wanted_period_by_default_of_366_days(filled: World) -> None:
    now = filled.clock()
    for days in (10, 365, 367, 700):
        await keep(filled, f"old{days}-", {f"Where was it {days} days ago?": "no_hits"}, now - days * 86_400)
    day = datetime.fromtimestamp(now - 370 * 86_400, UTC).date().isoformat()

    async def found(**wanted: Any) -> list[str]:
        voices = (await search(filled, "admin", source="product", limit=100, **wanted))["data"]
        return [voice["text"].split()[3] for voice in voices if "days ago" in voice["text"]]

    assert await found() == ["10", "365"]
    assert await found(**{"from": day}) == ["10", "365", "367"]
    assert await found(**{"from": "2000-01-01"}) == ["10", "365", "367", "700"]
    assert await found(to=day) == ["700"]


async def test_themes_of_the_products_own_voices_have_the_period_before(filled: World) -> None:
    day = 86_400
    await filled.core.turns.delete_all_of(LOCAL)
    for number in range(8):
        at = 1_600_000_000 + (1 if number < 5 else -3) * day
        await keep(filled, f"theme{number}-", {f"How do I reset my password on device {number}?": "no_hits"}, at)
    first, last = (datetime.fromtimestamp(1_600_000_000 + days * day, UTC).date().isoformat() for days in (0, 3))
    found = await get(filled, "admin", "/voc/themes", source="product", **{"from": first, "to": last})
    assert [(theme["voices"], theme["now"], theme["before"]) for theme in found["data"]] == [(5, 5, 3)]
    assert found["voices"] == 5


async def keep(world: World, prefix: str, asked: dict[str, Any], at: float) -> None:
    """Stored turns that ended so."""
    for number, (question, outcome) in enumerate(asked.items()):
        turn = make_turn(question, trace_id=f"{prefix}{number}", caller=LOCAL, lang="en", started_at=at)
        await world.core.turns.save({**stored(turn), "outcome": outcome})


async def test_a_forbidden_query_is_not_searched(filled: World) -> None:
    await filled.ask("admin", "PUT", "/forbidden-terms/lamp", "/forbidden-terms/{term}", json={})
    reply = await filled.ask("member", "POST", "/voc/search", json={"query": "lamp"})
    assert reply.status_code == 422
    await filled.ask("admin", "DELETE", "/forbidden-terms/lamp", "/forbidden-terms/{term}")
