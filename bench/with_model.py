"""Asks labelled questions of a language model through the product, and the same questions without one.

    footnote ingest FOLDER/docs --data DATA
    python -m bench.with_model FOLDER=DATA … --endpoint http://127.0.0.1:8080/v1 [--model NAME] [--limit 20] [--half test] [--live]
        [--sheet answers.jsonl]

FOLDER holds `labels.jsonl`. Of a label are read: `question`, `kind` (`answerable`, `unanswerable`; others are left out), and the patterns
`key` and `part`, for a text that is right, or right but lacking something that matters. Every second question of a folder is of the half
`test`. The endpoint is any with OpenAI's chat completions. The profile is that of `/ask`, with `--live` of `/ask/stream`, but the model
has as long to its first token as to its last.

A question counts once, by what its reader is shown: an answer that is right, partly right or wrong, the closest passages with or without
what the key names, or a refusal. A text that was streamed with quotes below it is among the closest passages. Any answer to an
unanswerable question is wrong. `holds it`: what is shown holds the answer, or a part. `invented`: wrong answers that a model wrote.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any

from bench.figures import log_progress
from bench.labelled import CALLER, Label, read_labels
from footnote.bootstrap import Core
from footnote.events import Done, Failed, Token
from footnote.learn.ranking_metrics import percentile
from footnote.settings import Settings
from footnote.types import Profile, Request, Turn, tier_of
from footnote_query.dialects.trd.ask import HELD

PROFILE = replace(HELD, first_token_s=None, options={**HELD.options, "answer_cache": False})


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a question. `shown`: as in the module's docstring; first_s: seconds to the first text; tokens: (read, written)."""

    shown: str
    by_model: bool
    cited: bool
    replaced: bool
    """A model was asked, and the documents were quoted instead."""
    warnings: tuple[str, ...]
    seconds: float
    first_s: float
    tokens: tuple[int, int]
    text: str
    rejected: str
    """What the model wrote that was not shown."""


def alone(folder: Path, limit: int | None, half: str | None) -> list[Label]:
    """The questions of a folder that stand alone, at most `limit`, spread evenly over it; `half`: dev or test, every second one."""
    labels = [label for label in read_labels(folder) if label.kind != "follow-up"]
    count = min(limit or len(labels), len(labels))
    spread = [labels[at * len(labels) // count] for at in range(count)]
    return spread if half is None else spread[("dev", "test").index(half) :: 2]


async def ask(core: Core, label: Label, profile: Profile) -> Outcome:
    """Asks a question. An error of the turn counts as a refusal."""
    began = perf_counter()
    first: float | None = None
    async for event in core.answer.run(core.new_turn(Request(label.question, is_test=True), CALLER, profile)):
        if isinstance(event, Token) and first is None:
            first = perf_counter() - began
        if isinstance(event, Done | Failed):
            seconds = perf_counter() - began
            return _outcome(event.turn, label, seconds, seconds if first is None else first)
    raise AssertionError("a turn ends with Done or Failed")


def _outcome(turn: Turn, label: Label, seconds: float, first_s: float) -> Outcome:
    answer, tier, used = turn.answer, tier_of(turn.outcome), turn.trace.usage
    text = answer.text if answer else ""
    by_model = answer is not None and not answer.extractive and answer.model is not None
    if answer is None or tier == "nothing":
        shown = "refused"
    elif tier == "answer":
        shown = label.judge(text)
    else:
        passages = "\n".join(citation.hit.chunk.text for citation in answer.citations)
        shown = "closest without" if label.judge(f"{text}\n{passages}") == "wrong" else "closest with"
    return Outcome(
        shown,
        by_model,
        cited=by_model and answer is not None and bool(answer.citations),
        replaced=turn.plan.model is not None and answer is not None and answer.extractive,
        warnings=answer.warnings if answer else (),
        seconds=seconds,
        first_s=first_s,
        tokens=(used.prompt_tokens, used.completion_tokens),
        text=text,
        rejected=str(turn.trace.notes.get("rejected_answer", "")),
    )


def figures(labels: Sequence[Label], outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Counts of questions; seconds; tokens a question."""
    pairs = list(zip(labels, outcomes, strict=True))
    answerable = Counter(outcome.shown for label, outcome in pairs if label.key)
    none = Counter(outcome.shown for label, outcome in pairs if not label.key)
    seconds, first = [outcome.seconds for outcome in outcomes], [outcome.first_s for outcome in outcomes]
    return {
        "answerable": sum(answerable.values()),
        **{name: answerable[name] for name in ("right", "partly", "wrong", "closest with", "closest without", "refused")},
        "holds it": sum(answerable[name] for name in ("right", "partly", "closest with")),
        "unanswerable": sum(none.values()),
        "answered though unanswerable": none["wrong"],
        "invented": sum(outcome.by_model and outcome.shown == "wrong" for outcome in outcomes),
        "by the model": sum(outcome.by_model for outcome in outcomes),
        "cited": sum(outcome.cited for outcome in outcomes),
        "replaced by quotes": sum(outcome.replaced for outcome in outcomes),
        "seconds p50": round(percentile(seconds, 0.5), 2),
        "seconds p95": round(percentile(seconds, 0.95), 2),
        "first text p50": round(percentile(first, 0.5), 2),
        "first text p95": round(percentile(first, 0.95), 2),
        "tokens read": round(sum(outcome.tokens[0] for outcome in outcomes) / max(1, len(outcomes))),
        "tokens written": round(sum(outcome.tokens[1] for outcome in outcomes) / max(1, len(outcomes))),
    }


def _settings(data: Path, **llm: Any) -> Settings:
    return Settings.model_validate({"llm": {"discover": False, "base_url": None, "api_key": None, **llm}, "footnote_data": data})


def _rows(names: Iterable[str]) -> Iterator[tuple[Path, Path]]:
    for name in names:
        folder, _, data = name.partition("=")
        yield Path(folder).expanduser(), Path(data).expanduser()


async def _main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.with_model", description="Asks labelled questions with a model and without.")
    parser.add_argument("folders", nargs="+", metavar="FOLDER=DATA", help="labels, and the data folder of its ingested documents")
    parser.add_argument("--endpoint", required=True, metavar="URL", help="with OpenAI's chat completions, ending in /v1")
    parser.add_argument("--model", metavar="NAME", help="default: the first that the endpoint lists")
    parser.add_argument("--limit", type=int, help="questions of each folder; default: all")
    parser.add_argument("--half", choices=["dev", "test"])
    parser.add_argument("--live", action="store_true", help="stream, as /ask/stream does")
    parser.add_argument("--sheet", type=Path, metavar="FILE", help="write each answer, as it comes, for readers")
    options = parser.parse_args()
    profile = replace(PROFILE, live=options.live)
    asked: list[Label] = []
    outcomes: Mapping[str, list[Outcome]] = {"with the model": [], "without a model": []}
    for folder, data in _rows(options.folders):
        labels = alone(folder, options.limit, options.half)
        cores = {
            "with the model": Core(_settings(data, base_url=options.endpoint, model=options.model)),
            "without a model": Core(_settings(data)),
        }
        made: dict[str, list[Outcome]] = {name: [] for name in cores}
        try:
            for number, label in enumerate(labels, start=1):
                for name, core in cores.items():
                    outcome = await ask(core, label, profile)
                    made[name].append(outcome)
                    if options.sheet:
                        row = {"folder": folder.name, "how": name, "question": label.question, "key": label.key, **_row(outcome)}
                        with options.sheet.open("a", encoding="utf-8") as sheet:
                            sheet.write(json.dumps(row, ensure_ascii=False) + "\n")
                log_progress(f"{folder.name}: {number} of {len(labels)}")
        finally:
            for core in cores.values():
                await core.close()
        for name, each in made.items():
            print(folder.name, f"{name}:", json.dumps(figures(labels, each)), flush=True)
            outcomes[name].extend(each)
        asked += labels
    for name, each in outcomes.items():
        print("all", f"{name}:", json.dumps(figures(asked, each)), flush=True)


def _row(outcome: Outcome) -> dict[str, Any]:
    return {name: getattr(outcome, name) for name in Outcome.__slots__}


if __name__ == "__main__":
    asyncio.run(_main())
