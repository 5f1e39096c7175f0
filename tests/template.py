"""template.yaml as the tests read it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[1]


class Loader(yaml.CSafeLoader):
    """With the short forms of CloudFormation's functions. cfn-lint, which has these, too, takes half a second to load."""


def called(loader: Loader, name: str, node: yaml.Node) -> dict[str, Any]:
    """`!Sub x` → `{"Fn::Sub": "x"}`"""
    value: Any = None
    match node:
        case yaml.ScalarNode():
            value = loader.construct_scalar(node)
        case yaml.SequenceNode():
            value = loader.construct_sequence(node, deep=True)
        case yaml.MappingNode():
            value = loader.construct_mapping(node, deep=True)
    if name == "GetAtt":
        value = value.split(".", 1)
    return {name if name in ("Ref", "Condition") else f"Fn::{name}": value}


Loader.add_multi_constructor("!", called)
TEMPLATE: dict[str, Any] = yaml.load((ROOT / "template.yaml").read_text("utf-8"), Loader)
PARAMETERS, RESOURCES, COMMON = TEMPLATE["Parameters"], TEMPLATE["Resources"], TEMPLATE["Globals"]["Function"]
NAMES = ["query", "ingest", "feedback", "stats"]


def of_type(kind: str) -> dict[str, Any]:
    return {name: resource["Properties"] for name, resource in RESOURCES.items() if resource["Type"] == kind}


def function(name: str) -> dict[str, Any]:
    """A function's properties with what all have."""
    own = RESOURCES[f"{name.title()}Function"]["Properties"]
    variables = COMMON["Environment"]["Variables"] | own["Environment"]["Variables"]
    return {**COMMON, **own, "Environment": {"Variables": variables}}


def inside(value: Any, key: str) -> Iterator[Any]:
    """Everything under `key`, however deep."""
    if isinstance(value, dict):
        for name, item in value.items():
            if name == key:
                yield item
            yield from inside(item, key)
    elif isinstance(value, list):
        for item in value:
            yield from inside(item, key)


def texts(value: Any) -> Iterator[str]:
    """Every text in a value, those inside of functions such as Fn::Sub too."""
    if isinstance(value, str):
        yield value
    else:
        for item in value.values() if isinstance(value, dict) else value:
            yield from texts(item)
