"""What must hold before a function serves in AWS. A table of rules: each tells what breaks it, without the values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from pydantic import SecretStr

from footnote.settings import Settings

SHORTEST = 16
"""Characters of a secret that guards something of ours."""
FEWEST = 6
"""Different characters in it."""

WELL_KNOWN = re.compile(
    "0123456789|1234567890|12345678|123456|abcdef|admin|api|changeit|changeme|change|default|demo|dummy|example|footnote|guest|"
    "insecure|key|letmein|mongo|opensearch|passwd|password|pass|qwerty|replace|root|sample|secret|super|test|token|your|[^a-z0-9]"
)
"""What a secret that everybody knows is made of; in lower case."""

FOREIGN = ("LLM__API_KEY", "LLM__FALLBACK", "OPENAI_API_KEY", "DEP_TICKET", "EMBEDDING__API_KEY", "MCP__TOKEN")
"""Issued by others, who decide how long they are."""

PASSWORD = re.compile(r"^[^:/]+://[^:/@]*:([^/]*)@")
"""In a database's address."""

NEEDS: Mapping[str, tuple[str, ...]] = {
    "query": ("OPENSEARCH__URL", "DB__URI", "AWS__CACHE_TABLE", "AWS__LEDGER_TABLE"),
    "ingest": (
        "OPENSEARCH__URL", "DB__URI", "AWS__CACHE_TABLE", "AWS__LEDGER_TABLE", "AWS__FILES_BUCKET", "AWS__DROP_BUCKET", "AWS__QUEUE_URL",
    ),
    "feedback": ("DB__URI", "AWS__CACHE_TABLE"),
    "stats": ("DB__URI", "AWS__CACHE_TABLE"),
}  # fmt: skip
"""Function → settings without which its data would lie in the function itself, and be lost with it."""

Rule = Callable[[Settings, str], Iterator[str]]


class Misconfigured(Exception):
    """Why a function does not start. Fit to be logged: it names settings, never their values."""


def check_production(settings: Settings, function: str) -> None:
    """Misconfigured, with everything that is wrong, unless all rules hold."""
    wrong = [complaint for rule in RULES for complaint in rule(settings, function)]
    if wrong:
        raise Misconfigured(" ".join(wrong))


def somebody_signs_in(settings: Settings, function: str) -> Iterator[str]:
    if settings.auth.mode == "none":
        yield "AUTH__MODE is none: everybody would be the one local user. Set session, jwt or api_key."
    if settings.auth.mode == "api_key" and not settings.auth.api_keys:
        yield "AUTH__MODE is api_key, and AUTH__API_KEYS holds nobody."
    keys = [each.key.get_secret_value() for each in settings.auth.api_keys.values()]
    if settings.auth.mode == "api_key" and len(set(keys)) < len(keys):
        yield "Two users of AUTH__API_KEYS have the same key."
    if settings.auth.mode == "jwt":
        if not (settings.auth.issuer and settings.auth.audience):
            yield "AUTH__MODE is jwt, and AUTH__ISSUER or AUTH__AUDIENCE is not set: tokens made for others would do."
        if not (settings.auth.jwks_url or "").startswith("https://"):
            yield "AUTH__MODE is jwt, and AUTH__JWKS_URL is no https address."


def secrets_are_secret(settings: Settings, function: str) -> Iterator[str]:
    for name, value in secrets_of(settings):
        if name in FOREIGN:
            if not _unknown(value):
                yield f"{name} is empty or a placeholder."
        elif len(value) < SHORTEST or len(set(_unknown(value))) < FEWEST:
            yield f"{name} is empty, well known or too short: take at least {SHORTEST} random characters."


def others_are_asked_in_private(settings: Settings, function: str) -> Iterator[str]:
    for name, url in (("MCP__GATEWAY", settings.mcp.gateway), ("KDB__URL", settings.kdb.url)):
        if url and not url.startswith("https://"):
            yield f"{name} is no https address: what it is asked and answers could be read on the way."


def links_are_private(settings: Settings, function: str) -> Iterator[str]:
    if settings.public_url and not settings.public_url.startswith("https://"):
        yield "PUBLIC_URL is no https address: who opens a citation would send their session for everybody to read."


def data_lasts(settings: Settings, function: str) -> Iterator[str]:
    known = {"DB__URI": settings.db.address, "OPENSEARCH__URL": settings.opensearch.url}
    known |= {f"AWS__{name.upper()}": value for name, value in settings.aws}
    if missing := [name for name in NEEDS[function] if not known[name]]:
        yield f"Not set, and needed in AWS: {', '.join(missing)}."


RULES: tuple[Rule, ...] = (somebody_signs_in, secrets_are_secret, others_are_asked_in_private, links_are_private, data_lasts)


def secrets_of(settings: Settings) -> Iterator[tuple[str, str]]:
    """The secrets that are set and used: name of the setting → value. Of a database's address only its password counts."""
    for path, secret in _secrets_in(settings.model_dump()):
        name, value = "__".join(path[:2]).upper(), secret.get_secret_value()
        if (name == "OPENSEARCH__PASSWORD" and settings.opensearch.auth != "basic") or (
            name == "AUTH__API_KEYS" and settings.auth.mode != "api_key"
        ):
            continue
        if name == "DB__URI":
            password = PASSWORD.match(value)
            if password is None:
                continue
            value = unquote(password[1])
        yield name, value


def _secrets_in(values: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], SecretStr]]:
    for name, value in values.items():
        if isinstance(value, SecretStr):
            yield (*path, name), value
        elif isinstance(value, Mapping):
            yield from _secrets_in(value, (*path, name))


def _unknown(value: str) -> str:
    """What is left of a secret without the words that everybody knows."""
    return WELL_KNOWN.sub("", value.lower())
