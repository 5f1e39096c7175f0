"""A verifier, which may be another company's service, sees only passages that the caller may read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from footnote.bootstrap import Core
from footnote.settings import LLM, Embedding, Settings, Verifying
from footnote.types import Caller, Profile, Request
from tests.contracts.backends_verify import BASES, PATHS, REPLIES
from tests.fakes import FakeModel, FakeModels, make_document, put_document
from tests.openai_server import serving

QUESTION = "When was the bridge over the river built?"
PROFILE = Profile("test", live=False, citation_style="numbered", prompt="answer_numbered")
READERS = {"open": "*", "crimson": "red", "azure": "blue"}
"""A word of the document → the group that may read it."""


@pytest.mark.parametrize("shape", PATHS)
@pytest.mark.parametrize(
    ("caller", "words"),
    [
        (Caller("bob", frozenset({"blue"})), {"open", "azure"}),
        (Caller("eve", frozenset()), {"open"}),
        (Caller("root", sees_all=True), set(READERS)),
    ],
)
async def test_a_verifier_sees_what_the_caller_may_read_and_nothing_else(
    shape: Any, caller: Caller, words: set[str], tmp_path: Path
) -> None:
    async with serving() as server:
        server.replies[PATHS[shape]] = lambda sent: REPLIES[shape]((), sent)
        models = FakeModels(FakeModel([["A bridge over the river was built in 1894."]]))
        verifier = Verifying(base_url=server.url + BASES[shape], shape=shape)
        settings = Settings(footnote_data=tmp_path, llm=LLM(discover=False), embedding=Embedding(builtin=False), verifier=verifier)
        core = Core(settings, models=models)
        for word, group in READERS.items():
            await put_document(
                core.generations, make_document(word, groups=[group]), [f"The {word} bridge over the river was built in 1894."]
            )
        await core.answer.finish(core.new_turn(Request(QUESTION, "default", limit=5), caller, PROFILE))
        await core.close()
        sent = " ".join(str(body) for _, _, body in server.requests)
    assert {word for word in READERS if f"The {word} bridge" in sent} == words
