"""The parts of the API's replies that are used. What decides who may read a page is required: a reply without it is an error."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from footnote.ports import Restriction


class _Reply(BaseModel):
    model_config = ConfigDict(defer_build=True)


class _Version(_Reply):
    number: int


class _Space(_Reply):
    key: str = Field(min_length=1)


class _Storage(_Reply):
    value: str


class _Body(_Reply):
    storage: _Storage


class _Content(_Reply):
    id: str = Field(pattern=r"^[0-9]+$")


class _User(_Reply):
    username: str | None = None
    key: str | None = Field(None, alias="userKey")


class _Group(_Reply):
    name: str


class _Users(_Reply):
    results: list[_User]
    size: int = 0


class _Groups(_Reply):
    results: list[_Group]
    size: int = 0


class _Readers(_Reply):
    user: _Users
    group: _Groups

    @property
    def restriction(self) -> Restriction | None:
        """None = everyone who may view the space. A restriction may hold users that the account cannot see."""
        if not (self.user.results or self.group.results or self.user.size or self.group.size):
            return None
        users = (user.username or user.key for user in self.user.results)
        return Restriction(frozenset(group.name for group in self.group.results), frozenset(filter(None, users)))


class _Read(_Reply):
    restrictions: _Readers


class _Operations(_Reply):
    read: _Read


class Restricted(_Reply):
    """A page, or a page above it, with its restrictions."""

    restrictions: _Operations


class _Label(_Reply):
    name: str


class _Labels(_Reply):
    results: list[_Label]


class _Metadata(_Reply):
    labels: _Labels


class Described(Restricted, _Content):
    """A page or blog post without its text."""

    type: Literal["page", "blogpost"]
    title: str
    version: _Version
    space: _Space
    metadata: _Metadata
    ancestors: list[_Content]

    @property
    def restriction(self) -> Restriction | None:
        """Its own."""
        return self.restrictions.read.restrictions.restriction


class Page(Described):
    """A page or blog post."""

    body: _Body


class _Extensions(_Reply):
    media_type: str = Field("", alias="mediaType")
    file_size: int = Field(0, alias="fileSize")


class _Download(_Reply):
    download: str


class File(_Reply):
    """An attachment."""

    id: str = Field(pattern=r"^(att)?[0-9]+$")
    title: str
    version: _Version
    extensions: _Extensions
    links: _Download = Field(alias="_links")


class Space(_Space):
    """A space."""


class Files(_Reply):
    """The first attachments of a page."""

    results: list[File]
    limit: int


class _Children(_Reply):
    attachment: Files


class Entry(Described):
    """A page or blog post in the list of its space."""

    children: _Children


class _Next(_Reply):
    next: str | None = None


class List(_Reply):
    """A part of a list. `links.next`: the rest."""

    results: list[dict[str, Any]]
    links: _Next = Field(default_factory=_Next, alias="_links")
