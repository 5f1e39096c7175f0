"""A correction tells a user nothing of documents that they may not read."""

from __future__ import annotations

from pathlib import Path

import pytest

from footnote.adapters.sqlite import index
from footnote.adapters.sqlite.index import SqliteIndex
from footnote.bootstrap import Core
from footnote.guard.identity import LOCAL
from footnote.settings import LLM, Embedding, Settings
from footnote.types import Caller, Profile, Request
from tests.fakes import make_document, put_document
from tests.leaks.mutants import Mutant, giving, seed, sees_all

PROFILE = Profile("test", live=False, citation_style="numbered", prompt="answer_numbered")
READER = Caller("bob", frozenset({"blue"}))
TYPOS = ("Who pays the salarry of the captain?", "Where is the harbbour of the captain?")
CORRECTED = ["Who pays the salary of the captain?", "Where is the harbour of the captain?"]
OPEN = "The captain pays the crew. The salary of the captain is paid monthly."
HIDDEN = ["The salarry of the captain is secret.", "The harbour of the captain is on the left."]
MUTANTS: dict[str, Mutant] = {
    "terms are known without groups": ((index, "_known_terms", lambda known: lambda at, caller, *rest: known(at, LOCAL, *rest)),),
    "words are read without groups": ((SqliteIndex, "read", sees_all), (index, "_visible_acls", giving(None))),
}


async def asked(folder: Path, *, hidden: bool, caller: Caller = READER) -> list[str]:
    """What is asked instead of each question, where passages with the near words are hidden from the reader or do not exist."""
    core = Core(Settings(footnote_data=folder, llm=LLM(discover=False), embedding=Embedding(builtin=False)))
    await put_document(core.generations, make_document("open", groups=("blue",)), [OPEN])
    if hidden:
        for number, text in enumerate(HIDDEN):
            await put_document(core.generations, make_document(f"closed{number}", groups=("red",)), [text])
    turns = [await core.retrieve.finish(core.new_turn(Request(typo), caller, PROFILE, trace_id="")) for typo in TYPOS]
    await core.close()
    return [turn.asked for turn in turns]


async def differs(folder: Path) -> bool:
    return await asked(folder / "with", hidden=True) != await asked(folder / "without", hidden=False)


async def test_corrections_are_the_same_whether_or_not_hidden_documents_exist(tmp_path: Path) -> None:
    assert await asked(tmp_path / "with", hidden=True) == [CORRECTED[0], TYPOS[1]]
    assert not await differs(tmp_path)


async def test_who_may_read_them_is_corrected_by_their_words(tmp_path: Path) -> None:
    assert await asked(tmp_path, hidden=True, caller=LOCAL) == [TYPOS[0], CORRECTED[1]]  # somebody wrote the first that way


@pytest.mark.parametrize("name", MUTANTS)
async def test_a_seeded_defect_is_found(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seed(monkeypatch, MUTANTS[name])
    assert await differs(tmp_path)
