"""What is known of a setting beside its value: whether it changes at runtime, what it affects, and what AWS asks of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, SecretStr, TypeAdapter
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined, to_jsonable_python

Effect = Literal["search", "answer", "nothing"]
"""search: what is found, and so the answer too. answer: the answer alone. nothing: neither."""
Function = Literal["query", "ingest", "feedback", "stats"]
FUNCTIONS: tuple[Function, ...] = get_args(Function)


@dataclass(frozen=True, slots=True)
class Mark:
    """Of one setting. One that says nothing affects the answer and does not change at runtime."""

    changeable: bool = False
    """Whether an admin may change it at runtime. Never endpoints, secrets and who may sign in."""
    affects: Effect = "answer"
    """Results that are kept in a cache are not used again once a setting has changed that affects them."""
    foreign: bool = False
    """A secret that somebody else issues, and whose length they decide."""
    https: bool = False
    """An address that must be https in AWS."""
    not_in_aws: tuple[str, ...] = ()
    """Values with which no function starts in AWS."""
    needed_by: tuple[Function, ...] = ()
    """Functions that do not start in AWS without it: their data would lie in the function itself, and be lost with it."""


def setting(
    default: Any = PydanticUndefined,
    *,
    changeable: bool = False,
    affects: Effect = "answer",
    foreign: bool = False,
    https: bool = False,
    not_in_aws: tuple[str, ...] = (),
    needed_by: tuple[Function, ...] = (),
    **options: Any,
) -> Any:
    """A field with its mark; `options` are those of pydantic's `Field`."""
    mark: Any = Mark(changeable, affects, foreign, https, not_in_aws, needed_by)
    return Field(default, json_schema_extra={"mark": mark}, **options)


class Group(BaseModel):
    """Settings that belong together; their names begin with the group's. Its validator is built when a group is made by itself."""

    model_config = ConfigDict(frozen=True, defer_build=True)


@dataclass(frozen=True, slots=True)
class SettingInfo:
    """A setting, by its key: `llm.model`, or `index_name` outside of the groups."""

    key: str
    group: str
    """"" outside of the groups."""
    name: str
    field: FieldInfo

    @property
    def mark(self) -> Mark:
        extra = self.field.json_schema_extra
        found = extra.get("mark") if isinstance(extra, dict) else None
        return found if isinstance(found, Mark) else Mark()

    @property
    def variables(self) -> tuple[str, ...]:
        """Its names in the environment; the first one stands before the others."""
        alias = self.field.validation_alias
        return tuple(map(str, alias.choices)) if isinstance(alias, AliasChoices) else (self.key.replace(".", "__").upper(),)

    @property
    def choices(self) -> tuple[str, ...]:
        """The values that it may have; () = any of its type."""
        kind = self.field.annotation
        return get_args(kind) if get_origin(kind) is Literal else ()

    @property
    def adapter(self) -> TypeAdapter[Any]:
        """Checks a value: the type and the limits of the field."""
        kind, limits = self.field.annotation, self.field.metadata
        return TypeAdapter(Annotated[(kind, *limits)] if limits else kind)  # type: ignore[arg-type]

    @property
    def is_secret(self) -> bool:
        """Whether it is a secret or holds some."""
        return _holds_secret(self.field.annotation)

    def value(self, settings: BaseModel) -> Any:
        return getattr(self._holder(settings), self.name)

    def is_set(self, settings: BaseModel) -> bool:
        """Whether somebody gave it a value, be it the default."""
        return self.name in self._holder(settings).model_fields_set

    def _holder(self, settings: BaseModel) -> BaseModel:
        holder: BaseModel = getattr(settings, self.group) if self.group else settings
        return holder


def group_of(field: FieldInfo) -> type[Group] | None:
    """The settings that a field holds as a group; None = it is a setting itself."""
    kind = field.annotation
    return kind if isinstance(kind, type) and issubclass(kind, Group) else None


@cache
def each_setting(model: type[BaseModel]) -> tuple[SettingInfo, ...]:
    """Every setting, in the order of the code."""
    return tuple(_each(model))


@cache
def settings_by_key(model: type[BaseModel]) -> Mapping[str, SettingInfo]:
    """The same by their keys."""
    return {each.key: each for each in each_setting(model)}


def fingerprint(settings: BaseModel, *effects: Effect) -> str:
    """Of all settings with one of these effects: their values, and whether somebody set them, since some APIs have a default of
    their own. Of a secret only whether there is one."""
    values = {
        each.key: (each.value(settings), each.is_set(settings)) for each in each_setting(type(settings)) if each.mark.affects in effects
    }
    return hashlib.sha256(json.dumps(to_jsonable_python(values), sort_keys=True).encode()).hexdigest()[:32]


def _each(model: type[BaseModel]) -> Iterator[SettingInfo]:
    for name, field in model.model_fields.items():
        if group := group_of(field):
            yield from (SettingInfo(f"{name}.{inner}", name, inner, each) for inner, each in group.model_fields.items())
        else:
            yield SettingInfo(name, "", name, field)


def _holds_secret(kind: Any) -> bool:
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return any(_holds_secret(field.annotation) for field in kind.model_fields.values())
    return kind is SecretStr or any(map(_holds_secret, get_args(kind)))
