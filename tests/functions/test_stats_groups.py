"""`GET /stats` by collection, outcome, hour, question and document; as CSV; from roll-ups."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from typing import Any

import pytest

from footnote.bootstrap import Core
from footnote.learn.rollups import store_rollups
from footnote.turn_records.days import DAY_S
from footnote.types import Answer, Caller, Citation, Feedback
from footnote_stats.app import SCHEDULE, create_app
from footnote_stats.export import to_csv
from tests.conftest import HandClock
from tests.fakes import make_hit, work_all
from tests.functions.conftest import LOCAL, OpenClient, as_caller
from tests.functions.test_stats import HOUR, JAN_15, save
from tests.turns import ME, make_turn, stored

PERIOD = {"from": "2026-01-14", "to": "2026-01-15"}


async def asked(
    core: Core, clock: HandClock, trace_id: str, question: str, outcome: str | None, at: float = JAN_15, **changes: Any
) -> None:
    answer = Answer("…", model="m")
    await save(core, clock, trace_id, at, question=question, outcome=outcome, **{"answer": answer, **changes})


async def groups(open_client: OpenClient, by: str, caller: Caller = LOCAL, **params: str) -> list[tuple[dict[str, Any], int]]:
    reply = await (await open_client(as_caller(caller, create_app))).get("/stats", params={**PERIOD, "by": by, **params})
    assert reply.status_code == 200, reply.text
    return [(group["key"], group["figures"]["turns"]) for group in reply.json()["data"]]


@pytest.fixture(params=["live", "rolled up"])
async def after(request: pytest.FixtureRequest, core: Core, clock: HandClock) -> Any:
    """Rolls up what is there, in one of the two cases."""

    async def roll() -> None:
        clock.now = max(clock.now, JAN_15 + 2 * DAY_S)
        if request.param == "rolled up":
            assert await store_rollups(SCHEDULE, clock.now, statistics=core.statistics)
            assert all(day.is_fresh for day in await core.statistics.rolled_days(SCHEDULE, "2026-01-14", "2026-01-15"))

    return roll


async def test_turns_are_grouped_by_how_they_ended(core: Core, clock: HandClock, open_client: OpenClient, after: Any) -> None:
    for number, outcome in enumerate(("closest", "closest", None, "forbidden", "cached")):
        await asked(core, clock, f"t{number}", "Why?", outcome)
    await save(core, clock, "failed", JAN_15, 100, "error")
    await after()
    shown = await groups(open_client, "outcome")
    assert shown == [({"outcome": name}, n) for name, n in {"answered": 1, "cached": 1, "closest": 2, "error": 1, "forbidden": 1}.items()]
    total = (await (await open_client(create_app)).get("/stats", params=PERIOD)).json()["total"]
    tiers = {name: total[name] for name in ("answered", "closest", "refusals", "forbidden", "errors")}
    assert tiers == {"answered": 2, "closest": 2, "refusals": 1, "forbidden": 1, "errors": 1}


async def test_a_collection_counts_by_its_current_name_for_admins_for_others_as_asked(
    core: Core, clock: HandClock, open_client: OpenClient, after: Any
) -> None:
    for trace_id, collection in (("t1", "town"), ("t2", "city"), ("t3", "default")):
        turn = make_turn(trace_id=trace_id, caller=ME, collection=collection, started_at=JAN_15)
        await core.turns.save(stored(turn))
    await core.collections.open("town", by="local")
    await core.collections.edit("town", lambda town: replace(town, name="city"), by="local")
    await after()
    assert await groups(open_client, "collection") == [({"collection": "city"}, 2), ({"collection": "default"}, 1)]
    assert await groups(open_client, "collection", ME) == [({"collection": name}, 1) for name in ("city", "default", "town")]
    assert await groups(open_client, "day", collection="town") == [({"day": "2026-01-15"}, 2)]
    assert await groups(open_client, "collection", ME, collection="city") == [({"collection": "city"}, 1)]
    assert await groups(open_client, "day", collection="unknown") == []


async def test_by_hour_turns_are_read_one_by_one(core: Core, clock: HandClock, open_client: OpenClient, after: Any) -> None:
    for number, at in enumerate((0, HOUR - 1, 5 * HOUR)):
        await asked(core, clock, f"t{number}", "Why?", None, JAN_15 + at)
    await after()
    assert await groups(open_client, "hour") == [({"hour": "2026-01-15T00"}, 2), ({"hour": "2026-01-15T05"}, 1)]


async def test_unanswered_questions_that_ask_the_same_are_one_and_no_forbidden_is_listed(
    core: Core, clock: HandClock, open_client: OpenClient
) -> None:
    for number, (question, outcome) in enumerate(
        (
            ("How long is the bridge?", "closest"),
            ("How long is the bridge, please?", "no_hits"),
            ("Who built it?", "refused"),
            ("Who paid?", None),
            ("What does Ann earn?", "forbidden"),
            ("What does Ann earn?", "no_hits"),
            ("What is blocked?", "blocked"),
        )
    ):
        await asked(core, clock, f"t{number}", question, outcome, JAN_15 + number, lang="en")
    assert await groups(open_client, "question") == [
        ({"question": "How long is the bridge, please?", "lang": "en", "outcome": "no_hits"}, 2),
        ({"question": "Who built it?", "lang": "en", "outcome": "refused"}, 1),
    ]
    assert await groups(open_client, "question", collection="other") == []


async def test_personal_data_in_an_unanswered_question_is_masked(core: Core, clock: HandClock, open_client: OpenClient) -> None:
    await asked(core, clock, "t1", "Who is ann@example.org?", "no_hits", JAN_15, lang="en")
    assert await groups(open_client, "question") == [({"question": "Who is [e-mail]?", "lang": "en", "outcome": "no_hits"}, 1)]


async def test_an_unanswered_question_is_shown_to_readers_of_its_finds_and_to_its_asker(
    core: Core, clock: HandClock, open_client: OpenClient
) -> None:
    document = await core.ingestor.accept(LOCAL, b"Pay.", file_name="pay.txt", collection="default", permission_groups=["hr"])
    for number, (question, doc_id) in enumerate((("Who is paid most?", document.doc_id), ("Who left?", "deleted"), ("Who came?", None))):
        hits = () if doc_id is None else (make_hit("…", doc_id),)
        await asked(core, clock, f"t{number}", question, "closest", JAN_15 + number, lang="en", hits=hits, caller=ME)
    boss, head = Caller("boss", role="admin"), Caller("head", frozenset({"hr"}), role="admin")
    for admin, expected in ((boss, ["Who came?"]), (head, ["Who came?", "Who is paid most?"])):
        assert [key["question"] for key, _ in await groups(open_client, "question", admin)] == expected
    own = Caller(ME.user_id, role="admin")
    assert [key["question"] for key, _ in await groups(open_client, "question", own)] == ["Who came?", "Who left?", "Who is paid most?"]


async def test_documents_that_are_cited_come_before_those_that_are_not(
    core: Core, clock: HandClock, open_client: OpenClient, after: Any
) -> None:
    ids = []
    for name in ("often.txt", "once.txt", "never.txt", "secret.txt"):
        groups_ = ["red"] if name == "secret.txt" else ["*"]
        document = await core.ingestor.accept(LOCAL, name.encode(), file_name=name, collection="default", permission_groups=groups_)
        ids.append(document.doc_id)
    await work_all(core)
    cited = [ids[0], ids[0], ids[1], ids[3]]
    for number, doc_id in enumerate(cited):
        hit = make_hit("Yes.", doc_id)
        await asked(core, clock, f"t{number}", "Why?", None, answer=Answer("Yes [1].", (Citation(1, hit, "Yes."),)), caller=ME)
    await core.feedback.put(ME, Feedback("t0", "me", "down"))
    await after()
    admin = as_caller(Caller("boss", role="admin"), create_app)
    reply = await (await open_client(admin)).get("/stats", params={**PERIOD, "by": "document"})
    shown = [(row["key"]["document"], *row["figures"].values()) for row in reply.json()["data"]]
    assert shown == [(ids[0], 2, 0, 1), (ids[1], 1, 0, 0), (ids[2], 0, 0, 0)]
    assert [len(await groups(open_client, "document", collection=name)) for name in ("default", "other")] == [4, 0]


@pytest.mark.parametrize("by", ["question", "document"])
async def test_questions_and_documents_are_for_admins(by: str, open_client: OpenClient) -> None:
    reply = await (await open_client(as_caller(ME, create_app))).get("/stats", params={"by": by})
    assert (reply.status_code, reply.json()["detail"]) == (403, "This requires the admin role.")


@pytest.mark.parametrize("ask", [{"params": {"format": "csv"}}, {"headers": {"accept": "text/csv"}}])
async def test_as_csv_a_table_has_the_same_figures_and_runs_no_formula(
    ask: dict[str, Any], core: Core, clock: HandClock, open_client: OpenClient
) -> None:
    await save(core, clock, "t1", JAN_15, room_id='=HYPERLINK("x")', answer=Answer("Yes.", model="m"))
    await save(core, clock, "t2", JAN_15, room_id="r, 2", answer=Answer("Yes.", model="m"))
    client = await open_client(create_app)
    reply = await client.get("/stats", params={**PERIOD, "by": "room", **ask.get("params", {})}, headers=ask.get("headers"))
    assert reply.headers["content-type"] == "text/csv; charset=utf-8"
    assert reply.headers["content-disposition"] == 'attachment; filename="footnote-room-2026-01-14-2026-01-15.csv"'
    head, *rows = csv.reader(io.StringIO(reply.text.removeprefix("\ufeff")))
    body = (await client.get("/stats", params={**PERIOD, "by": "room"})).json()
    assert head == ["user", "room", *body["data"][0]["figures"]]
    assert [row[1] for row in rows] == ['\'=HYPERLINK("x")', "r, 2"]
    assert [float(row[2]) for row in rows] == [1, 1]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@a", "\t=1", "\r=1"])
def test_a_text_that_would_be_a_formula_is_none(text: str) -> None:
    ((field,),) = csv.reader(io.StringIO(to_csv([[text]]).removeprefix("\ufeff"), newline=""))
    assert field == f"'{text}"


def test_numbers_stay_numbers() -> None:
    assert to_csv([["a", 1, -0.5, None]]) == "\ufeffa,1,-0.5,\r\n"
