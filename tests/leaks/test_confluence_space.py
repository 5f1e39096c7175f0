"""No page of a synced space is seen by a person who may not read it in Confluence, though its version never changes."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from footnote.adapters.confluence import wiki as adapter
from footnote.adapters.confluence.wiki_replies import Entry
from footnote.bootstrap.sources import make_sync, open_source
from footnote.ingest import wiki_versions
from footnote.ingest.sync_state import Options
from footnote.ingest.wiki import WikiPages
from footnote.ingest.wiki_space import SpaceSync
from footnote.types import Document, StoredName
from tests.leaks.mutants import Change, Mutant, giving, seed
from tests.leaks.test_confluence import MUTANTS as OF_PAGES
from tests.leaks.test_confluence import SETS, SPACES, Wiki, open_wiki
from tests.nightly import DEEP


async def unnoted(document: Document) -> None:
    pass


async def sync(made: Wiki, *, agreed: bool = True) -> None:
    """Syncs both spaces. Without agreement, deletions are left out."""
    for space in SPACES:
        run = make_sync(open_source(f"confluence:{space}", made.core.wiki_pages), made.core.ingestor, Options(StoredName("default"), ()))
        assert isinstance(run, SpaceSync)
        plan = await run.plan()
        await run.withdraw(unnoted)
        await made.check_all(complete=False, opens=DEEP)
        if not agreed:
            run.spare(plan)
        await run.apply(plan)
    await made.check_all(complete=False, opens=DEEP)
    await made.work()


async def restrict_while_spaces_are_synced(folder: Path) -> None:
    """Restricts pages at each level, lifts it, and moves pages below restricted ones. Nothing of that is a new version."""
    async with AsyncExitStack() as stack:
        made = await open_wiki(folder, stack)
        red, blue, both, green = SETS[1:]
        before = [(None, None, None), (red, None, None), (None, blue, None), (None, None, red), (both, blue, None), (red, None, blue)]
        after = [(red, None, None), (None, None, None), (None, blue, red), (green, None, None), (both, None, blue), (blue, None, blue)]
        for round_, rules in enumerate((before, after, before)):
            for number, levels in enumerate(rules, 1):
                made.put(number, "RED" if number == 6 else "ALL", levels)
            await sync(made, agreed=round_ != 1)
            await made.check_all(complete=True)
            await sync(made)
            await made.check_all(complete=True)
        made.confluence.pages["30"].parent = "40"  # below a page that is for both, and one for blue
        made.confluence.pages["12"].parent = "21"  # below one for red
        made.rules["32"] = ("ALL", [both, *before[2]])
        made.rules["12"] = ("ALL", [red, None, None])
        await sync(made)
        await made.check_all(complete=True)
        hidden = made.confluence.hidden = {"22", "42"}
        await sync(made)
        for page_id in hidden:
            made.rules[page_id] = ("ALL", [frozenset({"nobody"})])
        await made.check_all(complete=True)


@pytest.mark.slow("everybody asks after every change of a space")
async def test_no_page_of_a_space_is_seen_by_more_people_than_in_confluence(tmp_path: Path) -> None:
    await restrict_while_spaces_are_synced(tmp_path)


# --- mutants -------------------------------------------------------------------------------------


def _reading(model: Any, change: Any) -> Change:
    return lambda check: lambda wanted, found: change(check(wanted, found)) if wanted is model else check(wanted, found)


def _without_own(page: Any) -> Any:
    readers = page.restrictions.read.restrictions
    for names in (readers.user, readers.group):
        names.results, names.size = [], 0
    return page


def _without_above(page: Any) -> Any:
    return page.model_copy(update={"ancestors": []})


def _whoever_reads(version: Any) -> Any:
    return lambda number, facts, readers: version(number, facts, ())


OF_SPACES: dict[str, Mutant] = {
    "a list's restrictions are not looked at": ((adapter, "_check", _reading(Entry, _without_own)),),
    "a list's pages have none above": ((adapter, "_check", _reading(Entry, _without_above)),),
    "a version does not tell the readers": ((wiki_versions, "_version", _whoever_reads),),
    "what has other readers waits for its turn": ((SpaceSync, "withdraw", giving(None)),),
    "documents stay when their page is restricted": ((WikiPages, "narrow", giving(None)),),
    "what is gone stays": ((SpaceSync, "_look_for", giving(None)),),
}
MUTANTS = OF_PAGES | OF_SPACES
"""The gate finds those of pages when single pages are added."""


@pytest.mark.nightly
@pytest.mark.parametrize("name", MUTANTS)
async def test_a_seeded_defect_is_found(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seed(monkeypatch, MUTANTS[name])
    with pytest.raises(AssertionError, match=r" saw | did not find "):
        await restrict_while_spaces_are_synced(tmp_path)
