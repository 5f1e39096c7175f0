"""`Collection`: what is recorded about a collection, and its settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from footnote.types.voices import Role

Chunker = Literal["structure", "fixed_size", "semantic", "table", "hierarchical", "voices"]
CHUNKERS: tuple[Chunker, ...] = get_args(Chunker)
"""How documents may be cut into passages. voices: each row, record or mail is one, the voice of a customer."""
KnowledgeKind = Literal["graph", "late_interaction", "summary_tree"]
KNOWLEDGE: tuple[KnowledgeKind, ...] = get_args(KnowledgeKind)
"""What a collection can build of its passages, beside words and vectors; each is an option of a turn, too."""
Maker = Literal["rules", "model"]
"""What builds it: rules = no language model."""
NO_EMBEDDER = "none"
"""The `embedder` of a collection that is searched by words only."""


@dataclass(frozen=True, slots=True)
class CollectionSettings:
    """The settings of a collection. They apply to documents that are processed from now on; `embedder` applies at once."""

    chunker: Chunker = "structure"
    embedder: str | None = None
    """None = the deployment's; NO_EMBEDDER = words only; else the name of a configured one."""
    languages: tuple[str, ...] = ()
    """The languages of its documents, the main one first; () = any. Language detection chooses among them: short texts, tables and
    lists of names are often taken for another language, whose words are then searched."""
    permission_groups: tuple[str, ...] = ()
    """The groups of documents that are added without groups; () = the deployment's default."""
    columns: Mapping[Role, str] = field(default_factory=dict)
    """For voices: date, rating, text … → the name of its column; columns that are not named are recognised."""
    knowledge: Mapping[KnowledgeKind, Maker] = field(default_factory=dict)
    """What is built of its passages; nothing by default."""


class StoredName(str):
    """The name of a collection in ledger and index. It never changes, unlike the collection's name and aliases."""

    __slots__ = ()


ATTACHED = StoredName("~attached")
"""The stored name of the collection of all files attached to conversations (`footnote.collections.attachments`). No name of a collection
leads to it."""


@dataclass(frozen=True, slots=True)
class Collection:
    """A collection with a record. One without a record has the default settings and is stored under its name."""

    stored: StoredName
    name: str
    aliases: tuple[str, ...] = ()
    """Other names that lead to it."""
    title: str = ""
    description: str = ""
    settings: CollectionSettings = field(default_factory=CollectionSettings)
    created_at: float = 0.0
    changed_at: float = 0.0
    deleted_at: float | None = None
    """None = it is not deleted."""
    is_purged: bool = False
    """Whether its documents are being removed, so that it can no longer be restored."""

    @property
    def names(self) -> tuple[str, ...]:
        """Its name and its aliases."""
        return (self.name, *self.aliases)
