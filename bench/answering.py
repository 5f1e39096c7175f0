"""What optional parts around the answer gain and cost at most, with a scripted model.

    python -m bench.answering --data-sets FOLDER [--set squad2] [--limit 200]

`expand_documents`, `sandwich`: the passages of one article are a document. The share of questions whose judged passage the model is shown,
of three or ten hits, how many passages that are, and for how many questions it is the first or the last.

`ensemble_voting`, `critique`: the model answers with the sentence that holds the gold answer, or wrongly: with the answer of another
question in that sentence (unsupported), or with another sentence of the same passage (supported, but no answer). With voting, each
draft is wrong in ERRS of the cases. A revision is perfect (the right sentence), random (a sentence of another passage) or none (the same
again). The share of answers that hold a gold answer, and of those with an unsupported statement.

`answer_form`, `chain_of_thought`: the tokens that they add to the prompt. What a model makes of them cannot be scripted.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

from bench.figures import log_progress
from bench.whole_documents import fill
from footnote.answer.assess import find_support
from footnote.bootstrap import Core
from footnote.learn.golden import GoldenQuery, GoldenSet, load_golden
from footnote.ports import Delta, LanguageModel
from footnote.settings import LLM, Embedding, Settings
from footnote.text.sentences import split_sentences
from footnote.text.tokens import count_tokens
from footnote.types import Message, ModelSource, OptionName, Profile, Request, Turn
from footnote_local.evaluate import CALLER, build_index, holds_answer

PROFILE = Profile("bench", live=False, citation_style="numbered", prompt="answer_numbered")
ERRS = 0.3
"""Share of wrong drafts."""
DOCUMENT = re.compile(r'<document number="(\d+)"[^>]*>\n(.*?)\n</document>', re.DOTALL)
WRONG = ("unsupported", "supported")
VOTING: Mapping[str, Mapping[OptionName, bool]] = {"one draft": {}, "ensemble_voting": {"ensemble_voting": True}}


class Writer:
    """`ports.Models` and `ports.LanguageModel` that writes what it is told, and cites the passage that holds it."""

    name = "scripted"
    address = None
    source = ModelSource("configured")
    drafts: Sequence[tuple[str, str]] = ()
    """(the sentence to write, a text by which its passage is found), one for each call; the last one is repeated."""
    prompts: list[Sequence[Message]]

    def __init__(self) -> None:
        self.prompts = []

    async def pick(self, name: str | None) -> LanguageModel | None:
        return self

    async def stream(self, messages: Sequence[Message], **options: Any) -> AsyncIterator[Delta]:
        self.prompts.append(messages)
        said, known_by = self.drafts[min(len(self.prompts), len(self.drafts)) - 1] if self.drafts else ("I don't know.", "")
        number = next((number for number, text in DOCUMENT.findall(messages[-1].content) if known_by and known_by in text), None)
        yield Delta(f"{said.rstrip(' .')} [{number}]." if number else said)


async def ask(core: Core, writer: Writer, query: GoldenQuery, options: Mapping[OptionName, bool], limit: int = 10) -> Turn:
    """The turn of a question with these options, all others around the answer switched off."""
    writer.prompts = []
    off: dict[OptionName, bool] = dict.fromkeys(
        ("follow_up", "faq", "support_check", "injection_check", "reformulate", "paraphrases"), False
    )
    request = Request(query.text, "default", limit=limit, model=writer.name, options={**off, **options})
    return await core.answer.finish(core.new_turn(request, CALLER, PROFILE))


async def contexts(golden: GoldenSet, queries: Sequence[GoldenQuery]) -> AsyncIterator[dict[str, Any]]:
    """What the model is shown, with the options that decide it."""
    with tempfile.TemporaryDirectory() as folder:
        core = Core(Settings(footnote_data=Path(folder), llm=LLM(discover=False), embedding=Embedding(builtin=False)))
        core.__dict__["models"] = writer = Writer()
        known = await fill(core, golden)
        beginnings = {part: beginning for parts in known.values() for beginning, part in parts}
        try:
            for limit in (3, 10):
                for options in ((), ("expand_documents",), ("sandwich",), ("expand_documents", "sandwich")):
                    made = [
                        await _shown(
                            core, writer, query, [beginnings[doc_id] for doc_id in query.relevance], dict.fromkeys(options, True), limit
                        )
                        for query in queries
                    ]
                    held = [place for place, _ in made if place is not None]
                    yield {
                        "options": " + ".join(options) or "neither",
                        "hits": limit,
                        "held": len(held) / len(made),
                        "at_an_end": sum(place in (0, 1) for place in held) / max(1, len(held)),
                        "passages": fmean(count for _, count in made),
                    }
        finally:
            await core.close()


async def _shown(
    core: Core, writer: Writer, query: GoldenQuery, wanted: Sequence[str], options: Mapping[OptionName, bool], limit: int
) -> tuple[float | None, int]:
    """(where the first judged passage stands in the prompt: 0 = first, 1 = last, None = it is not shown; number of passages)."""
    await ask(core, writer, query, options, limit)
    texts = [" ".join(text.split()) for _, text in DOCUMENT.findall(writer.prompts[0][-1].content)] if writer.prompts else []
    at = next((at for at, text in enumerate(texts) if any(each in text for each in wanted)), None)
    return None if at is None else at / max(1, len(texts) - 1), len(texts)


async def drafts(golden: GoldenSet, queries: Sequence[GoldenQuery]) -> AsyncIterator[dict[str, Any]]:
    """What voting and revisions make of right and wrong drafts."""
    settings = Settings.model_validate({"llm": {"discover": False}})
    core, _ = await build_index(golden, settings, settings.data / "bench" / "eval", lambda *_: None)
    core.__dict__["models"] = writer = Writer()
    texts = {document.doc_id: document.text for document in golden.documents}
    cases = [case for query in queries if (case := Case.of(query, texts, golden))]
    try:
        for wrong in WRONG:
            for name, options in VOTING.items():
                draw = Random(7)
                written = [[case.wrong(wrong) if draw.random() < ERRS else case.right for _ in range(3)] for case in cases]
                yield {"case": f"{wrong} in {ERRS:.0%} of drafts", "option": name, **await _judge(core, writer, cases, written, options)}
        for first in ("right", *WRONG):
            for revision in ("not revised", "perfect", "random", "none"):
                revised = {"perfect": "right", "random": "random"}.get(revision, first)
                written = [[case.wrong(first), case.wrong(revised)] for case in cases]
                revises: Mapping[OptionName, bool] = {"critique": revision != "not revised"}
                yield {"case": f"{first} first", "option": revision, **await _judge(core, writer, cases, written, revises)}
    finally:
        await core.close()


class Case:
    """A question with the sentences that the model may write; each is (sentence, text of its passage)."""

    def __init__(self, query: GoldenQuery, right: tuple[str, str], others: Mapping[str, tuple[str, str]]) -> None:
        self.query, self.right, self._others = query, right, others

    @classmethod
    def of(cls, query: GoldenQuery, texts: Mapping[str, str], golden: GoldenSet) -> Case | None:
        """None if no sentence of a judged passage holds an answer, none does not, or one that should be wrong is right."""
        draw = Random(query.query_id)
        passage = texts[max(query.relevance, key=query.relevance.__getitem__)]
        sentences = [passage[start:end] for start, end in split_sentences(passage, "en")]
        right = next((each for each in sentences if holds_answer(each, query.answers, "en")), None)
        plain = [each for each in sentences if not holds_answer(each, query.answers, "en") and len(each) > 40]
        answer = next((each for each in query.answers if right and each in right), None)
        if right is None or answer is None or not plain:
            return None
        other = draw.choice([each.answers[0] for each in golden.queries if each.answers])
        foreign = draw.choice([text for text in texts.values() if text != passage])
        start, end = split_sentences(foreign, "en")[0]
        others = {"unsupported": right.replace(answer, other), "supported": draw.choice(plain), "random": foreign[start:end]}
        if any(holds_answer(each, query.answers, "en") for each in others.values()):
            return None
        return cls(query, (right, right), {name: (each, right) for name, each in others.items()})

    def wrong(self, kind: str) -> tuple[str, str]:
        """What the model writes; “right” is what it should."""
        return self._others.get(kind, self.right)


async def _judge(
    core: Core, writer: Writer, cases: Sequence[Case], written: Sequence[Sequence[tuple[str, str]]], options: Mapping[OptionName, bool]
) -> dict[str, Any]:
    """The shares of the answers that are right, and that have an unsupported statement. Questions without their passage count, too."""
    right, doubted = 0, 0
    for case, each in zip(cases, written, strict=True):
        writer.drafts = each
        turn = await ask(core, writer, case.query, options)
        said = turn.answer.text if turn.answer else ""
        right += holds_answer(said, case.query.answers, "en")
        doubted += turn.answer is not None and any(result.doubted for _, result in await find_support(turn, turn.answer, core.index))
    return {"questions": len(cases), "right": right / len(cases), "unsupported": doubted / len(cases)}


async def prompts(golden: GoldenSet, queries: Sequence[GoldenQuery]) -> AsyncIterator[dict[str, Any]]:
    """The tokens that options of the prompt add to it."""
    settings = Settings.model_validate({"llm": {"discover": False}})
    core, _ = await build_index(golden, settings, settings.data / "bench" / "eval", lambda *_: None)
    core.__dict__["models"] = writer = Writer()
    names: tuple[OptionName, ...] = ("answer_form", "chain_of_thought")
    try:
        for name in names:
            sizes = []
            for query in queries[:20]:
                for is_on in (False, True):
                    await ask(core, writer, query, {name: is_on})
                    sizes.append(sum(count_tokens(message.content) for message in writer.prompts[0]) * (1 if is_on else -1))
            yield {"option": name, "tokens": 2 * fmean(sizes)}
    finally:
        await core.close()


def shown(row: Mapping[str, Any]) -> str:
    """A row as text."""
    return "  ".join(f"{name} {value:.3f}" if isinstance(value, float) else f"{name} {value}" for name, value in row.items())


async def _main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.answering", description="Measures optional parts around the answer.")
    parser.add_argument("--data-sets", type=Path, default=os.environ.get("DATA_SETS"), metavar="FOLDER")
    parser.add_argument("--set", default="squad2", metavar="NAME", help="an English set with answers")
    parser.add_argument("--limit", type=int, default=200, help="questions")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.data_sets is None:
        parser.error("name the folder of test sets: --data-sets FOLDER")
    golden = load_golden(Path(options.data_sets) / options.set)
    queries = golden.queries[:: max(1, len(golden.queries) // options.limit)]
    for part in (contexts, drafts, prompts):
        log_progress(f"— {part.__name__}")
        async for row in part(golden, queries):
            print(json.dumps(row) if options.json else shown(row), flush=True)


if __name__ == "__main__":
    asyncio.run(_main())
