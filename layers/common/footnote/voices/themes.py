"""Themes: groups of voices about the same subject, each with a label, its size, its trend and examples.

Voices with a vector are grouped by their vectors, in any language; the others by their words, language by language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from footnote.text.tokens import content_terms
from footnote.types import Vector
from footnote.voices.clusters import cluster
from footnote.voices.counts import mean_rating
from footnote.voices.labels import WORDS_OF_LABEL, find_labels, words_of
from footnote.voices.vectors import by_vectors, by_words
from footnote.voices.voice import DAY_S, Voice, VoiceFilter

SHARE_WITH_VECTORS = 0.95
"""Vectors are used for a language once this share of its voices has one."""
READ = 2000
"""Number of characters of a voice that are examined."""
SMALLEST = 3
"""Voices of a theme; smaller groups are in none."""
EXAMPLES = 3
USUAL = (20, 400)
"""Characters of an example, if there is one."""
TREND_DAYS = 30
"""Length of the compared periods if none is given."""


By = Literal["vectors", "words", "both"]


@dataclass(frozen=True, slots=True)
class Theme:
    """`before`: its voices in the period of the same length before; None = there is no period to compare with. `now`: in the period; it
    differs from `size` where no period was asked for. `members`: ids of its voices, the most typical first."""

    theme_id: str
    label: str
    words: tuple[str, ...]
    size: int
    rating: float | None
    now: int
    before: int | None
    members: tuple[str, ...]
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Themes:
    """Themes by size. `rest`: voices in none."""

    themes: tuple[Theme, ...]
    voices: int
    rest: int
    by: By
    """`vectors`, `words` or `both`: what voices were compared by."""


def find_themes(voices: Sequence[Voice], vectors: Mapping[str, Vector], criteria: VoiceFilter) -> Themes:
    """`voices`: those that may be read. They are grouped over the filter's period and the one before, so that both have the same themes.
    `vectors`: voice id → its vector."""
    periods = _periods(voices, criteria)
    pool = sorted((voice for voice in voices if criteria.meets_all_but_time(voice)), key=lambda voice: voice.voice_id)
    pool = [voice for voice in pool if criteria.is_in_time(voice) or _within(voice, periods.before)]
    groups, nearness, used = _group(pool, vectors)
    words = [words_of(voice.text[:READ], voice.lang) for voice in pool]
    labels = find_labels(words, groups)
    members: dict[int, list[int]] = {}
    for i, group in enumerate(groups):
        if group >= 0 and labels.get(group):
            members.setdefault(group, []).append(i)
    merged: dict[str, list[int]] = {}
    for group, rows in members.items():
        merged.setdefault(" · ".join(labels[group][:WORDS_OF_LABEL]), []).extend(rows)
    named = {" · ".join(labels[group][:WORDS_OF_LABEL]): labels[group] for group in members}
    themes = [
        theme
        for label, rows in merged.items()
        if (theme := _theme(label, named[label], [(pool[i], nearness[i]) for i in rows], criteria, periods)) is not None
    ]
    themes.sort(key=lambda theme: (-theme.size, theme.label))
    total = sum(map(criteria.is_in_time, pool))
    return Themes(tuple(themes), total, total - sum(theme.size for theme in themes), used)


@dataclass(frozen=True, slots=True)
class _Periods:
    now: tuple[float, float] | None
    before: tuple[float, float] | None


def _periods(voices: Sequence[Voice], criteria: VoiceFilter) -> _Periods:
    """The period and the one before it. Without a first day, the last TREND_DAYS days with voices and as many before."""
    times = [voice.at for voice in voices if voice.at is not None]
    if not times:
        return _Periods(None, None)
    until = criteria.until if criteria.until is not None else max(times) + 1
    since = criteria.since if criteria.since is not None else until - TREND_DAYS * DAY_S
    return _Periods((since, until), (2 * since - until, since))


def _within(voice: Voice, period: tuple[float, float] | None) -> bool:
    return period is not None and voice.at is not None and period[0] <= voice.at < period[1]


def _group(pool: Sequence[Voice], vectors: Mapping[str, Vector]) -> tuple[list[int], list[float], By]:
    """(group of each voice, how typical it is of it, the basis of the comparison)."""
    import numpy as np

    by_language: dict[str, list[int]] = {}
    for i, voice in enumerate(pool):
        by_language.setdefault(voice.lang, []).append(i)
    with_vectors = [
        i
        for rows in by_language.values()
        if sum(pool[i].voice_id in vectors for i in rows) >= SHARE_WITH_VECTORS * len(rows)
        for i in rows
        if pool[i].voice_id in vectors
    ]
    parts = [("vectors", sorted(with_vectors))] if with_vectors else []
    left = set(range(len(pool))) - set(with_vectors)
    parts += [("words", kept) for lang in sorted(by_language) if (kept := [i for i in by_language[lang] if i in left])]
    groups, nearness, first = [-1] * len(pool), [0.0] * len(pool), 0
    for kind, rows in parts:
        if kind == "vectors":
            matrix = by_vectors(np.stack([vectors[pool[i].voice_id] for i in rows]))
        else:
            matrix = by_words([content_terms(pool[i].text[:READ], pool[i].lang) for i in rows])
        clusters = cluster(matrix)
        for i, group, near in zip(rows, clusters.groups.tolist(), clusters.nearness.tolist(), strict=True):
            groups[i], nearness[i] = (group + first if group >= 0 else -1), near
        first += clusters.centres
    by: By = "words" if not with_vectors else "both" if left else "vectors"
    return groups, nearness, by


def _theme(label: str, words: tuple[str, ...], rows: list[tuple[Voice, float]], criteria: VoiceFilter, periods: _Periods) -> Theme | None:
    inside = [(voice, near) for voice, near in rows if criteria.is_in_time(voice)]
    if len(inside) < SMALLEST:
        return None
    inside.sort(key=lambda row: (-row[1], row[0].voice_id))
    every = [voice for voice, _ in rows]
    return Theme(
        f"theme-{sha256(label.encode()).hexdigest()[:10]}",
        label,
        words,
        len(inside),
        mean_rating([voice for voice, _ in inside]),
        sum(_within(voice, periods.now) for voice in every),
        sum(_within(voice, periods.before) for voice in every) if periods.before else None,
        tuple(voice.voice_id for voice, _ in inside),
        _examples([voice for voice, _ in inside]),
    )


def _examples(voices: Sequence[Voice]) -> tuple[str, ...]:
    """The most typical voices with different texts, of a usual length if there are enough."""
    ordered = sorted(voices, key=lambda voice: not USUAL[0] <= len(voice.text) <= USUAL[1])
    examples: dict[str, str] = {}
    for voice in ordered:
        examples.setdefault(" ".join(voice.text.lower().split()), voice.voice_id)
        if len(examples) == EXAMPLES:
            break
    return tuple(examples.values())
