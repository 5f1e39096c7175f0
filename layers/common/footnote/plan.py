"""Plans a turn before it runs: which of its optional parts are on, and what decided it.

Later layers override earlier ones: default ← default level ← API ← settings that are set ← arm of an experiment ← requested
level ← requested options. Ceilings then switch options off: a setting of the admin, or an answer that is streamed. Whether a part
is configured (`Step.needs`) and whether the turn requires it (`Step.when`) is only decided when its row runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING

from footnote.types import Arm, Profile, Request, Retriever
from footnote.types.copies import replace
from footnote.types.plan import LEVELS, OPTIONS, Choice, IntelligenceLevel, Option, OptionName, Plan

if TYPE_CHECKING:
    from footnote.settings import Settings
    from footnote.settings.marks import SettingInfo

DEFAULT_LEVEL: IntelligenceLevel = "standard"


def make_plan(request: Request, profile: Profile, settings: Settings) -> Plan:
    """The plan of a turn before its first step."""
    if request.options or request.level:
        choices = {name: _choose(name, option, request, profile, settings) for name, option in OPTIONS.items()}
    else:
        choices = _usual_choices(request, profile, settings)
    level, because = (request.level, "request") if request.level else (DEFAULT_LEVEL, "default")
    return Plan(
        choices,
        level,
        because,
        retriever=retriever_of(request.retriever or profile.retriever, settings),
        limit=profile.limit if request.limit is None else request.limit,
        levels=(2,) if request.levels is None else request.levels,
        model=request.model,
        given_pool=profile.pool_size,
    )


_usual: dict[str, tuple[Profile, Settings, dict[OptionName, Choice]]] = {}
"""By the name of a profile: the choices that `_usual_choices` last made, and from what."""


def _usual_choices(request: Request, profile: Profile, settings: Settings) -> dict[OptionName, Choice]:
    """The choices for a request that makes none itself. Settings never change, so they are made once for each API."""
    kept = _usual.get(profile.name)
    if kept is None or kept[0] is not profile or kept[1] is not settings:
        made = {name: _choose(name, option, request, profile, settings) for name, option in OPTIONS.items()}
        kept = _usual[profile.name] = (profile, settings, made)
    return kept[2]


def change_plan(plan: Plan, arm: Arm, because: str, request: Request, profile: Profile, settings: Settings) -> Plan:
    """The plan as an arm of an experiment changes it. `because`: the reason to give for it."""
    changed = dict(plan.choices)
    for name in {*(LEVELS[arm.level] if arm.level else ()), *arm.options}:
        changed[name] = _choose(name, OPTIONS[name], request, profile, settings, (arm, because))
    level, level_because = (arm.level, because) if arm.level and request.level is None else (plan.level, plan.level_because)
    retriever = retriever_of(arm.retriever, settings) if arm.retriever else plan.retriever
    return replace(plan, choices=changed, level=level, level_because=level_because, retriever=retriever)


def limit_of(profile: Profile, settings: Settings) -> int:
    """Number of passages for a request that names none."""
    return settings.rag.top_k if is_set("rag.top_k", settings) else profile.limit


def retriever_of(retriever: Retriever, settings: Settings) -> Retriever:
    """What a search for `retriever` runs: cc is what `rag.fusion` says."""
    return "rrf" if retriever == "cc" and settings.rag.fusion == "rrf" else retriever


def is_set(key: str, settings: Settings) -> bool:
    """Whether somebody set the setting with this key."""
    return _setting(key).is_set(settings)


Given = tuple[Arm, str]
"""An arm, and the reason to give for it."""


def _choose(name: OptionName, option: Option, request: Request, profile: Profile, settings: Settings, given: Given | None = None) -> Choice:
    *_, chosen = _layers(name, option, request, profile, settings, given)
    ceiling = _ceiling(name, option, profile, settings)
    return Choice(False, ceiling if chosen.is_on else chosen.because, is_fixed=True) if ceiling else chosen


def _ceiling(name: OptionName, option: Option, profile: Profile, settings: Settings) -> str | None:
    """Why the option is off whatever was chosen; None = it is not."""
    ceilings = [_setting(key) for key in option.ceiling]
    if ceilings and not any(ceiling.value(settings) for ceiling in ceilings):
        first = ceilings[0]
        return f"{first.variables[0]} is {'false' if first.value(settings) is False else 'not set'}"
    if name in settings.rag.switched_off:
        return f"{_setting('rag.switched_off').variables[0]} names it"
    return "the answer is shown while it is written" if option.buffered_only and profile.live else None


def _layers(
    name: OptionName, option: Option, request: Request, profile: Profile, settings: Settings, given: Given | None
) -> Iterator[Choice]:
    """The decision of each layer, lowest first; the last one counts."""
    yield Choice(option.is_on, "default" if option.is_on else "off by default")
    if option.requestable and name in LEVELS[DEFAULT_LEVEL]:
        yield Choice(LEVELS[DEFAULT_LEVEL][name], f"level {DEFAULT_LEVEL}")
    if name in profile.options:
        yield Choice(profile.options[name], f"the API {profile.name}")
    setting = _deciding().get(name)
    if setting is not None and (setting.group or name in profile.settings) and setting.is_set(settings):
        yield Choice(bool(setting.value(settings)), f"{setting.variables[0]} is {str(setting.value(settings)).lower()}", is_fixed=True)
    if option.requestable and name in settings.rag.switched_on:
        yield Choice(True, f"{_setting('rag.switched_on').variables[0]} names it", is_fixed=True)
    if given is not None:
        arm, because = given
        if option.requestable and arm.level and name in LEVELS[arm.level]:
            yield Choice(LEVELS[arm.level][name], because)
        if option.requestable and name in arm.options:
            yield Choice(arm.options[name], because, is_fixed=True)
    if option.requestable and request.level and name in LEVELS[request.level]:
        yield Choice(LEVELS[request.level][name], f"level {request.level}")
    if option.requestable and name in request.options:
        yield Choice(request.options[name], "request", is_fixed=True)


@cache
def _deciding() -> Mapping[str, SettingInfo]:
    """Option → the setting that has its name."""
    from footnote.settings import Settings
    from footnote.settings.marks import each_setting

    return {each.name: each for each in each_setting(Settings) if each.name in OPTIONS}


@cache
def _setting(key: str) -> SettingInfo:
    from footnote.settings import Settings
    from footnote.settings.marks import settings_by_key

    return settings_by_key(Settings)[key]
