"""Which embedder makes the vectors of which collection.

Vectors of different embedders are never compared: a question is embedded by the embedder of the collection that it is asked of.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from footnote.collections.names import Directory
from footnote.errors import BadRequest
from footnote.ports import Embedder
from footnote.types import NO_EMBEDDER

NOT_CONFIGURED = (
    "There is no embedder “{}” here. Choose one of {}, or configure it with EMBEDDING__OTHERS; leave it out for the default one."
)


@dataclass(frozen=True, slots=True)
class Embedders:
    """The embedders of a deployment. `default`: of collections that name none; `named`: those that collections can name."""

    default: Embedder | None = None
    named: Mapping[str, Embedder] = field(default_factory=dict)

    @property
    def all(self) -> tuple[Embedder, ...]:
        """Each embedder once, the default one first. Those with the same name make the same vectors."""
        found: dict[str, Embedder] = {} if self.default is None else {self.default.name: self.default}
        for each in self.named.values():
            found.setdefault(each.name, each)
        return tuple(found.values())

    def used(self, directory: Directory) -> tuple[Embedder, ...]:
        """The default one, and those that collections name."""
        chosen = choices(directory)
        return Embedders(self.default, {name: each for name, each in self.named.items() if name in chosen}).all

    def of(self, choice: str | None) -> Embedder | None:
        """What makes the vectors of a collection with this setting. None = it is searched by words only, also because nothing of this
        name is configured."""
        return self.default if choice is None else self.named.get(choice)

    def asking(self, choice: str | None) -> Embedder | None:
        """What embeds the questions that such a collection is asked. If it has no vectors, that is the default one, which then compares
        the question with sentences and with other questions only."""
        return self.of(choice) or self.default

    def scope(self, name: str, directory: Directory) -> tuple[frozenset[str], frozenset[str] | None]:
        """(stored names of the collections that get no vectors by the embedder of this name, those that alone get some or None = all
        others). Collections without a record get those of the default one."""
        users = {stored for stored, each in directory.collections.items() if self._name_of(each.settings.embedder) == name}
        if name in {each.name for each in self.named.values()} and (self.default is None or self.default.name != name):
            return frozenset(), frozenset(users - directory.deleted)
        others = {stored for stored, each in directory.collections.items() if each.settings.embedder is not None} - users
        return directory.deleted | others, None

    def _name_of(self, choice: str | None) -> str | None:
        found = self.of(choice)
        return None if found is None else found.name


def choices(directory: Directory) -> dict[str, list[str]]:
    """Name of an embedder → the names of the collections that name it, both sorted. Deleted collections do not count."""
    users: dict[str, list[str]] = {}
    for stored, each in sorted(directory.collections.items(), key=lambda item: item[1].name):
        choice = each.settings.embedder
        if stored not in directory.deleted and choice not in (None, NO_EMBEDDER):
            users.setdefault(choice, []).append(each.name)
    return dict(sorted(users.items()))


def check_embedder(embedders: Embedders, choice: str | None) -> str | None:
    """The choice, if a collection can make it; else BadRequest."""
    if choice not in (None, NO_EMBEDDER, *embedders.named):
        raise BadRequest(NOT_CONFIGURED.format(choice, ", ".join((NO_EMBEDDER, *embedders.named))))
    return choice
