"""Checks an experiment before it is stored: whether this deployment can do what each arm asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from footnote.errors import BadRequest
from footnote.learn.experiments import MOST_ARMS, Experiment
from footnote.ports import Embedder, Records
from footnote.prompts import LANGUAGES, prompt_names
from footnote.settings import Settings
from footnote.settings.marks import settings_by_key
from footnote.types import OPTIONS, Arm

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


async def check_experiment(experiment: Experiment, *, settings: Settings, embedder: Embedder | None, records: Records) -> None:
    """Raises BadRequest with all that is wrong. That its collection exists is not checked."""
    wrong = list(_shape(experiment))
    for arm in experiment.arms:
        wrong += [f"arm {arm.name}: {problem}" for problem in (*_plan(arm, settings, embedder), *await _prompts(arm, records))]
    if wrong:
        raise BadRequest("; ".join(wrong) + ".")


def _shape(experiment: Experiment) -> Iterator[str]:
    names = [arm.name for arm in experiment.arms]
    for name in (experiment.name, *names):
        if not NAME.fullmatch(name):
            yield f"“{name[:40]}” is no name: use up to 40 lower-case letters, digits and hyphens"
    if len(set(names)) != len(names):
        yield "two arms have the same name"
    if not 2 <= len(names) <= MOST_ARMS:
        yield f"an experiment has 2 to {MOST_ARMS} arms"
    if not 0 < experiment.traffic <= 1:
        yield "the share of traffic is above 0 and at most 1"
    if any(share <= 0 for share in experiment.shares) or abs(sum(experiment.shares) - 1) > 1e-6:
        yield "the shares of the arms are above 0, and their sum is 1"


def _plan(arm: Arm, settings: Settings, embedder: Embedder | None) -> Iterator[str]:
    for name, is_on in arm.options.items():
        option = OPTIONS.get(name)
        if option is None or not option.requestable:
            names = ", ".join(sorted(option_name for option_name, its in OPTIONS.items() if its.requestable))
            yield f"there is no option “{name[:40]}” that an arm may switch; there are: {names}"
        elif is_on and name in settings.rag.switched_off:
            yield f"{name} cannot be switched on: RAG__SWITCHED_OFF names it"
        elif is_on and option.ceiling and not any(_value(key, settings) for key in option.ceiling):
            variable = settings_by_key(type(settings))[option.ceiling[0]].variables[0]
            yield f"{name} cannot be switched on: {variable} is not set"
    if embedder is None and (arm.retriever == "knn" or arm.alpha or arm.strategy == "DENSE_ONLY"):
        yield "it searches by vectors, and there is no embedder: run `make setup`, or set EMBEDDING__BASE_URL"
    if arm.alpha is not None and not 0 <= arm.alpha <= 1:
        yield "alpha is between 0 and 1"


async def _prompts(arm: Arm, records: Records) -> list[str]:
    wrong = []
    for key, version in arm.prompts.items():
        name, _, lang = key.rpartition(".")
        if name not in prompt_names() or lang not in LANGUAGES:
            wrong.append(f"there is no prompt “{key[:60]}”; `footnote prompts list` shows them, as <name>.<language>")
        elif version and await records.get("prompt_version", f"{key}:{version:09d}") is None:
            wrong.append(f"prompt {key} has no version {version}; save it first, for example with `footnote prompts set`")
    return wrong


def _value(key: str, settings: Settings) -> object:
    return settings_by_key(type(settings))[key].value(settings)
