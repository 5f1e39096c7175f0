"""Plans a sync: compares the files of a source with what the ledger holds of them, and writes nothing.

A file counts as unchanged if its size and fingerprint are as before. Only of other files the content is compared, and only
where it may decide something: a file with the same content was touched or restored, and a file with the content that another
name has lost was renamed. A document follows its content: files that swap names keep their documents.

    file                                                    result
    new, or its content is new at this name                 added or changed
    content that another name had and has no more           renamed: the document keeps its id
    no longer listed, or its content was replaced by that   removed, unless another file has the same content
    cannot be read, or is in a folder that cannot be listed skipped: an earlier document stays as it is
    document deleted by a user                              unchanged: it is added again when the file changes
    its document is for other readers than the options say  withdrawn before anything is added: all of them are added anew, and
                                                            one whose file is skipped is removed
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from footnote.errors import NotFound, UnreadableFile
from footnote.ingest.sync_state import Options, Seen, key_of, origin_prefix, read_version, see
from footnote.ledger import Origins
from footnote.ports import MOST_REDIRECTED, Entry, Ledger, Source
from footnote.types import SYSTEM, Document

Progress = Callable[[str, int, int], None]
"""Arguments: what is being done, how many files are done, how many there are."""

MOST_REMOVED = 0.1
"""Share of a source's documents that a sync removes without being asked."""


class Known(NamedTuple):
    """What the ledger holds of a file."""

    doc_id: str
    seen: Seen


@dataclass(slots=True)
class SyncPlan:
    """What a sync is going to do, by the keys of the files."""

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    renames: list[list[tuple[str, str]]] = field(default_factory=list)
    """(old key, new key), in the order in which they are done; those of one list at once, because they swap names."""
    removed: list[str] = field(default_factory=list)
    """Keys whose content is gone. The key may be listed above as well, with other content."""
    unchanged: int = 0
    skipped: dict[str, str] = field(default_factory=dict)
    """Key, or a folder that ends with a slash → why it was not read."""
    touched: dict[str, Seen] = field(default_factory=dict)
    """Unchanged files with another fingerprint, which is to be remembered."""
    seen: dict[str, Seen] = field(default_factory=dict)
    """New key of each renamed file → its state."""
    refused: dict[str, UnreadableFile] = field(default_factory=dict)
    """Key → why nobody but admins may read it here, also of those that were FAILED before."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Key → what people call it, where that differs and may be shown."""
    heirs: dict[str, str] = field(default_factory=dict)
    """Key that loses its document → another key with the same document, which is shown under that name from now on."""
    freed: list[str] = field(default_factory=list)
    """Changed keys whose document stays with a renamed file. They lose it before that: else it could be read again under their name."""
    known: Mapping[str, Known] = field(default_factory=dict)
    """All of them except the withdrawn ones."""
    held: Mapping[str, str] = field(default_factory=dict)
    """Key → id of the document that it had before the sync."""
    withdrawn: list[str] = field(default_factory=list)
    """Keys whose documents are for other readers than those of the options."""
    ending: frozenset[str] = frozenset()
    """Ids of the documents that are going to be deleted, also of those that are added anew for other readers."""
    documents: int = 0
    """Documents of the source before the sync."""
    lost: int = 0
    """Documents that are going to be deleted and not added anew."""

    def shown(self, key: str) -> str:
        """The key, with its name."""
        return f"{self.names[key]} ({key})" if key in self.names else key

    @property
    def renamed(self) -> list[tuple[str, str]]:
        """(old key, new key) of all renames."""
        return [pair for pairs in self.renames for pair in pairs]

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to do."""
        return not (self.added or self.changed or self.renames or self.removed or self.touched)

    @property
    def is_drastic(self) -> bool:
        """Whether so many documents are going to be deleted that somebody has to agree."""
        return self.lost > MOST_REMOVED * self.documents


async def read_known(origins: Origins, address: str) -> dict[str, Known]:
    """Key → what the ledger holds of the source's files."""
    held = await origins.under(origin_prefix(address))
    return {key_of(address, origin): Known(each.doc_id, read_version(each.version)) for origin, each in held.items()}


async def make_plan(
    ledger: Ledger,
    origins: Origins,
    source: Source,
    options: Options,
    max_bytes: int,
    progress: Progress = lambda what, done, total: None,
) -> SyncPlan:
    """Plans a sync. Errors as in `Source.entries`."""
    held = await read_known(origins, source.address)
    withdrawn = {key for key, each in held.items() if await _has_other_readers(ledger, each, options)}
    known = {key: each for key, each in held.items() if key not in withdrawn}
    plan, files = SyncPlan(known=known, held={key: each.doc_id for key, each in held.items()}), {}
    async for entry in source.entries():
        if isinstance(entry, Entry):
            files[entry.key] = entry
        else:
            plan.skipped[entry.prefix] = entry.reason
        progress("listing", len(files), max(len(held), len(files)))
    kept = {key for key in known if key not in files and any(key.startswith(prefix) for prefix in plan.skipped)}
    gone = known.keys() - files.keys() - kept
    fresh = {key: entry for key, entry in files.items() if not _is_unchanged(entry, known.get(key), options)}
    plan.unchanged = len(files) - len(fresh)
    comparison = _Comparison(source, options, max_bytes, plan, progress)
    await comparison.compare(fresh, gone)
    moved = {old for old, _ in plan.renamed}
    left = sorted(known.keys() - set(plan.removed) - moved)
    before = {each.doc_id for each in held.values()}
    plan.documents = len(before)
    plan.ending = frozenset(before - {known[key].doc_id for key in (*left, *moved)})
    again = withdrawn & set(plan.added)
    plan.lost = len(plan.ending - {held[key].doc_id for key in again})
    replaced = set(plan.changed) - comparison.kept
    others = {known[key].doc_id: key for key in left if key not in replaced}
    losing = [key for key in (*plan.removed, *replaced) if key in known and key not in moved]
    plan.heirs = {key: others[known[key].doc_id] for key in losing if known[key].doc_id in others}
    follow = {known[key].doc_id for key in moved}
    plan.freed = sorted(key for key in losing if key in replaced and key not in plan.heirs and known[key].doc_id in follow)
    plan.withdrawn = sorted(withdrawn)
    plan.added = [key for key in plan.added if key not in again]
    plan.changed = sorted({*plan.changed, *again})
    plan.removed = sorted({*plan.removed, *(withdrawn - again)})
    return plan


async def _has_other_readers(ledger: Ledger, known: Known, options: Options) -> bool:
    if known.seen.options == options.digest:
        return False
    document = await find_document(ledger, known.doc_id)
    return document is not None and document.permission_groups != frozenset(options.groups)


async def find_document(ledger: Ledger, doc_id: str) -> Document | None:
    """The document, None if it was deleted."""
    try:
        return await ledger.get(SYSTEM, doc_id)
    except NotFound:
        return None


def _is_unchanged(entry: Entry, known: Known | None, options: Options) -> bool:
    if known is None or not entry.fingerprint:
        return False
    seen = known.seen
    return seen.stored and (seen.fingerprint, seen.options) == (entry.fingerprint, options.digest) and entry.size in (None, seen.size)


@dataclass(slots=True)
class _Comparison:
    """Compares the content of `fresh` files, those that are new or may have changed, with the content that names have lost."""

    source: Source
    options: Options
    max_bytes: int
    plan: SyncPlan
    progress: Progress
    kept: set[str] = field(default_factory=set)
    """Fresh files with the content that they had."""

    async def compare(self, fresh: dict[str, Entry], gone: Collection[str]) -> None:
        plan, known = self.plan, self.plan.known
        # With other options a file becomes another document, so its earlier one cannot follow it.
        free = {key for key in {*gone, *(fresh.keys() & known.keys())} if known[key].seen.options == self.options.digest}
        sizes = {None, *(known[key].seen.size for key in free)} if free else set()
        seen: dict[str, Seen] = {}
        for done, (key, entry) in enumerate(sorted(fresh.items())):
            self.progress("comparing", done, len(fresh))
            if entry.size is not None and entry.size > self.max_bytes:
                plan.skipped[key] = f"The file has {entry.size / 2**20:.1f} MB; {self.max_bytes // 2**20} MB are allowed."
            elif entry.size in sizes and (found := await self._read(key)) is not None:
                seen[key] = found
        fresh = {key: entry for key, entry in fresh.items() if key not in plan.skipped}
        same = {key for key in free & seen.keys() if seen[key].digest == known[key].seen.digest}
        kept = self.kept = same & fresh.keys()
        plan.unchanged += sum(known[key].seen.stored for key in kept)
        plan.touched = {key: seen[key] for key in sorted(kept) if known[key].seen.stored and seen[key] != known[key].seen}
        plan.changed = sorted(key for key in kept if not known[key].seen.stored)
        moves = self._moves({key: seen[key].digest for key in seen.keys() - kept if key in fresh}, free - kept - plan.skipped.keys())
        self._order(moves)
        moved = {old for old, _ in plan.renamed}  # a name in `moved` and in `placed` has other content, and no document is lost
        placed = {new for _, new in plan.renamed}
        plan.seen = {new: seen[new] for new in placed}
        for key in sorted(fresh.keys() - kept - placed):
            (plan.changed if key in known and key not in moved else plan.added).append(key)
        plan.changed.sort()
        plan.removed = sorted((set(gone) | (placed & known.keys())) - moved)

    async def _read(self, key: str) -> Seen | None:
        try:
            return see(*await self.source.read(key, self.max_bytes), self.options)
        except UnreadableFile as exc:
            self.plan.skipped[key] = exc.reason
        except NotFound:  # removed since it was listed
            self.plan.skipped[key] = "The file was removed or renamed while it was compared. The next sync sees its new state."
        return None

    def _moves(self, digests: Mapping[str, str], free: Collection[str]) -> dict[str, str]:
        """Old key → new key of renamed files."""
        lost: dict[str, list[str]] = defaultdict(list)
        for key in sorted(free, reverse=True):
            lost[self.plan.known[key].seen.digest].append(key)
        return dict(sorted((lost[digest].pop(), key) for key, digest in sorted(digests.items()) if lost[digest]))

    def _order(self, moves: dict[str, str]) -> None:
        """A chain of renames is done from its end, so that each name is free when it is taken. A circle is done at once; of one
        that is too long for that, one file becomes a new document."""
        while moves:
            chain = [next(iter(moves))]
            while chain[-1] in moves and moves[chain[-1]] != chain[0]:
                chain.append(moves[chain[-1]])
            pairs = [(old, moves.pop(old)) for old in chain if old in moves]
            if pairs[-1][1] == pairs[0][0]:
                if len(pairs) <= MOST_REDIRECTED:
                    self.plan.renames.append(pairs)
                    continue
                pairs.pop()
            self.plan.renames += ([pair] for pair in reversed(pairs))
