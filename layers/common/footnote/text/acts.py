"""Verbs that say the same of something that is to be done: “make a schedule” is what “Creating a schedule” describes. In English and
German; Korean terms are pairs of syllables, which hold no verb."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from footnote.text.tokens import content_terms

_ACTS = {
    "en": """make create add define | set setup configure | delete remove | change edit modify update adjust | start begin launch | stop end
    cancel quit | see view show display | find locate | buy purchase order | request apply | fix repair solve troubleshoot | send submit
    | move transfer | connect link | publish post | join enroll""",
    "de": """erstellen anlegen hinzufügen machen | löschen entfernen | ändern bearbeiten anpassen aktualisieren | beantragen anfordern
    bestellen | starten beginnen | beenden stoppen abbrechen | ansehen anzeigen | einrichten konfigurieren | verbinden koppeln
    | senden schicken abschicken""",
}


def same_acts(terms: Iterable[str], lang: str) -> Mapping[str, str]:
    """Other terms that say the same as one of `terms` → that one."""
    groups = _groups(lang)
    wanted = set(terms)
    return {other: term for group in groups for term in group if term in wanted for other in group if other not in wanted}


@cache
def _groups(lang: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(content_terms(group, lang)) for group in _ACTS.get(lang, "").split("|"))
