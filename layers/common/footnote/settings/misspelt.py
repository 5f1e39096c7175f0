"""Variables of the environment that were meant for a setting and are none."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import SequenceMatcher, get_close_matches
from functools import cache

from pydantic import BaseModel

from footnote.settings.marks import each_setting, group_of

OTHERS = frozenset("FOOTNOTE_SECRET FOOTNOTE_LOCAL FOOTNOTE_SEED".split())
"""Names that Footnote reads and that are no settings."""
OWN = "FOOTNOTE_"
TESTS = ("FOOTNOTE_TEST_", "FOOTNOTE_DEEP", "FOOTNOTE_SHARD", "FOOTNOTE_RECORD", "FOOTNOTE_SCREENSHOTS")
"""Names that the project's tests read."""
GROUPS_OF_OTHERS = frozenset({"AUTH", "AWS", "CACHE", "DB", "LIMITS"})
"""Groups by whose names variables of other programs begin, too: `AWS_REGION`, `DB_NAME`."""
LIKE, ALIKE = 0.75, 0.9
"""How similar the setting must be that is named for a variable with one of our prefixes, and for any other variable."""
SETTINGS_PAGE = "docs/settings.md lists the settings."


def misspelt_names(model: type[BaseModel], environ: Mapping[str, str]) -> dict[str, str | None]:
    """Name → the setting that was probably meant; None = none is similar. Of names without a prefix of ours, only those that are very
    similar to a setting."""
    known = frozenset(variable for each in each_setting(model) for variable in each.variables)
    groups = {name.upper() for name, field in model.model_fields.items() if group_of(field)}
    found: dict[str, str | None] = {}
    for name in sorted(environ):
        upper = name.upper()
        if upper in known | OTHERS | groups or upper.startswith(TESTS) or any(upper.startswith(f"{each}__") for each in known):
            continue
        group, _, rest = upper.partition("__")
        if upper.startswith(OWN):
            ours = frozenset(each.removeprefix(OWN) for each in known | OTHERS if each.startswith(OWN))
            nearest = _nearest(upper.removeprefix(OWN), ours, LIKE)
            found[name] = nearest and f"{OWN}{nearest}"
        elif rest and group in groups:
            found[name] = _nearest(upper, known, LIKE)
        elif meant := _without_prefix(upper, known, groups):
            found[name] = meant
    return found


def not_a_setting(name: str, meant: str | None) -> str:
    """A sentence about a misspelt name."""
    return f"{name} is no setting, so it has no effect. {f'Did you mean {meant}?' if meant else SETTINGS_PAGE}"


def _without_prefix(name: str, known: frozenset[str], groups: set[str]) -> str | None:
    """The setting that a name without a prefix of ours is meant for: `LLM_MODEL`, `EMBEDING__MODEL`, `RETRIVER`."""
    first = name.split("_")[0]
    if first in GROUPS_OF_OTHERS:
        return None
    doubled = name.replace("_", "__", 1)
    if first in groups and "__" not in name and doubled in known:
        return doubled
    nearest = _nearest(name, known, ALIKE)
    return nearest if nearest and nearest.split("_")[0] not in GROUPS_OF_OTHERS else None


@cache
def _nearest(name: str, known: frozenset[str], least: float) -> str | None:
    close = get_close_matches(name, sorted(known), 3, least)
    return max(close, key=lambda each: (SequenceMatcher(None, name, each).ratio(), -len(each)), default=None)
