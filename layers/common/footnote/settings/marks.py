"""Marks of settings: whether a setting can change at runtime, what it affects, and what it must be in AWS."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, SecretStr, TypeAdapter
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined, to_jsonable_python

from footnote.settings.aliases import ALIASES, aliases_of, variable_of

Effect = Literal["search", "answer", "nothing"]
"""search: search results, and therefore answers. answer: answers only. nothing: neither."""
Topic = Literal["answers", "search", "documents", "model", "access", "limits", "storage", "operation"]
"""What an admin is about to do: settings are listed by it. storage: privacy, too. limits: costs, too."""
Function = Literal["query", "ingest", "feedback", "stats"]
FUNCTIONS: tuple[Function, ...] = get_args(Function)


@dataclass(frozen=True, slots=True)
class Mark:
    """The mark of one setting. By default a setting affects the answer and cannot change at runtime."""

    changeable: bool = False
    """Whether an admin may change it at runtime. Never set for endpoints, secrets and authentication."""
    affects: Effect = "answer"
    """Cached results are not reused after a change of a setting that affects them."""
    foreign: bool = False
    """A secret that is issued by another party, so its length is not checked."""
    https: bool = False
    """A URL that must be https in AWS."""
    not_in_aws: tuple[str, ...] = ()
    """Values that keep functions from starting in AWS."""
    needed_by: tuple[Function, ...] = ()
    """Functions that do not start in AWS without it, because their data would be stored in the function and lost with it."""
    topic: Topic | None = None
    """None = that of its group."""


def setting(
    default: Any = PydanticUndefined,
    *,
    changeable: bool = False,
    affects: Effect = "answer",
    foreign: bool = False,
    https: bool = False,
    not_in_aws: tuple[str, ...] = (),
    needed_by: tuple[Function, ...] = (),
    topic: Topic | None = None,
    **options: Any,
) -> Any:
    """A pydantic field with a mark; `options` are passed to `Field`."""
    mark: Any = Mark(changeable, affects, foreign, https, not_in_aws, needed_by, topic)
    return Field(default, json_schema_extra={"mark": mark}, **options)


def mark_of(field: FieldInfo) -> Mark:
    """The field's mark, or the default mark."""
    extra = field.json_schema_extra
    found = extra.get("mark") if isinstance(extra, dict) else None
    return found if isinstance(found, Mark) else Mark()


class Group(BaseModel):
    """A group of settings. Their names start with the group's name. The validator is built when a group is first created on its own."""

    model_config = ConfigDict(frozen=True, defer_build=True)
    topic: ClassVar[Topic] = "operation"
    """Of the settings that do not name their own."""


@dataclass(frozen=True, slots=True)
class SettingInfo:
    """A setting and its key: `llm.model`, or `index_name` outside of the groups."""

    key: str
    group: str
    """Empty outside of the groups."""
    name: str
    field: FieldInfo
    topic: Topic

    @property
    def mark(self) -> Mark:
        """The setting's mark, or the default mark."""
        return mark_of(self.field)

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of its environment variables, in order of precedence."""
        return tuple(map(variable_of, (self.key, *aliases_of(self.key))))

    @property
    def choices(self) -> tuple[str, ...]:
        """The allowed values; () = any value of its type."""
        kind = self.field.annotation
        return get_args(kind) if get_origin(kind) is Literal else ()

    @property
    def adapter(self) -> TypeAdapter[Any]:
        """Validates a value against the field's type and limits."""
        kind, limits = self.field.annotation, self.field.metadata
        return TypeAdapter(Annotated[(kind, *limits)] if limits else kind)  # type: ignore[arg-type]

    @property
    def is_secret(self) -> bool:
        """Whether it is or contains a secret."""
        return _holds_secret(self.field.annotation)

    def value(self, settings: BaseModel) -> Any:
        """The value in these settings."""
        return getattr(self._holder(settings), self.name)

    def is_set(self, settings: BaseModel) -> bool:
        """Whether it was explicitly set, even to its default."""
        return self.name in self._holder(settings).model_fields_set

    def _holder(self, settings: BaseModel) -> BaseModel:
        holder: BaseModel = getattr(settings, self.group) if self.group else settings
        return holder


def group_of(field: FieldInfo) -> type[Group] | None:
    """The group that a field holds; None if the field is a setting itself."""
    kind = field.annotation
    return kind if isinstance(kind, type) and issubclass(kind, Group) else None


@cache
def each_setting(model: type[BaseModel]) -> tuple[SettingInfo, ...]:
    """All settings, in the order of the code."""
    return tuple(_each(model))


@cache
def settings_by_key(model: type[BaseModel]) -> Mapping[str, SettingInfo]:
    """All settings by key and by alias."""
    own = {each.key: each for each in each_setting(model)}
    return own | {alias: own[key] for alias, key in ALIASES.items() if key in own}


def fingerprint(settings: BaseModel, *effects: Effect) -> str:
    """Hash of all settings with one of these effects: their values, and whether they were set, since some APIs have their own
    defaults. Of a secret it only includes whether there is one."""
    values = {
        each.key: (each.value(settings), each.is_set(settings)) for each in each_setting(type(settings)) if each.mark.affects in effects
    }
    return hashlib.sha256(json.dumps(to_jsonable_python(values), sort_keys=True).encode()).hexdigest()[:32]


def _each(model: type[BaseModel]) -> Iterator[SettingInfo]:
    for name, field in model.model_fields.items():
        if group := group_of(field):
            yield from (_info(f"{name}.{inner}", name, inner, each, group) for inner, each in group.model_fields.items())
        else:
            yield _info(name, "", name, field, Group)


def _info(key: str, group: str, name: str, field: FieldInfo, holder: type[Group]) -> SettingInfo:
    return SettingInfo(key, group, name, field, mark_of(field).topic or holder.topic)


def _holds_secret(kind: Any) -> bool:
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return any(_holds_secret(field.annotation) for field in kind.model_fields.values())
    return kind is SecretStr or any(map(_holds_secret, get_args(kind)))
