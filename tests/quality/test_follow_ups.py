"""Without a language model: what a follow-up names anew replaces what was named, and a new topic in a word or two is a new topic."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

import footnote
from footnote.bootstrap import Core
from footnote.guard.identity import LOCAL
from footnote.settings import LLM, Settings
from footnote.types import Request
from footnote_query.dialects.trd.ask import HELD

DOCUMENTS = {
    "fees-2021.md": "# Berth fees 2021\n\nValid in 2021.\n\n## Berths\n\nA berth costs 310 euros a season.\n\n## Water\n\nWater is free.",
    "fees-2022.md": "# Berth fees 2022\n\nValid in 2022.\n\n## Berths\n\nA berth costs 345 euros a season.\n\n## Water\n\nWater is paid.",
    "sauna.md": "# Sauna\n\nThe sauna is heated on Fridays.\n\n# Rowing course\n\nThe rowing course begins in May.",
    "eintritt.md": "# Eintritt\n\n## Hunde\n\nFür Hunde beträgt der Eintritt 3 Euro.\n\n## Katzen\n\nFür Katzen beträgt er 5 Euro.",
    "garderobe.md": "# Garderobe\n\nMäntel werden im Keller abgegeben. Eine Marke kostet 70 Cent.",
    "요금.md": "# 대관 요금\n\n## 강당\n\n강당 대관 요금은 8만 원입니다.\n\n## 회의실\n\n회의실 대관 요금은 3만 원입니다.",
    "분실물.md": "# 분실물\n\n분실물은 안내 데스크에서 7일 동안 보관합니다.",
}
YEAR, DOGS, HALL = "What does a berth cost in 2021?", "Wie hoch ist der Eintritt für Hunde?", "강당 대관 요금은 얼마예요?"


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Core]:
    folder = tmp_path_factory.mktemp("follow-ups")
    (folder / "docs").mkdir()
    for name, text in DOCUMENTS.items():
        (folder / "docs" / name).write_text(text, encoding="utf-8")
    with footnote.open(folder / "data", llm__discover=False) as library:
        library.ingest(folder / "docs")
    made = Core(Settings(footnote_data=folder / "data", llm=LLM(discover=False)))

    async def embed() -> None:
        while await made.ingestor.embed_some(32):
            pass

    asyncio.run(embed())
    yield made
    asyncio.run(made.close())


@pytest.mark.parametrize(
    ("before", "question", "says"),
    [
        (YEAR, "And in 2022?", "345 euros"),
        (DOGS, "Und für Katzen?", "5 Euro"),
        (HALL, "회의실은요?", "3만 원"),
        (YEAR, "Sauna?", "The sauna is heated on Fridays."),
        (YEAR, "What about the sauna?", "The sauna is heated on Fridays."),
        (YEAR, "rowing course", "The rowing course begins in May."),
        (DOGS, "Garderobe?", "Mäntel werden im Keller abgegeben."),
        (HALL, "분실물", "7일 동안 보관합니다."),
    ],
)
async def test_intended_reading_of_a_follow_up_is_answered_first(core: Core, before: str, question: str, says: str) -> None:
    room = f"{before} {question}"
    await core.answer.finish(core.new_turn(Request(before, "default", room_id=room), LOCAL, HELD))
    turn = await core.answer.finish(core.new_turn(Request(question, "default", room_id=room), LOCAL, HELD))
    first = turn.answer.citations[0]
    assert (turn.outcome, says in first.hit.chunk.text, says in turn.answer.text) == (None, True, True)
