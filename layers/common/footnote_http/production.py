"""What must hold before a function serves in AWS. A table of rules: each tells what breaks it, without the values. What they ask of
single settings stands in the settings' marks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from pydantic import SecretStr

from footnote.settings import Settings
from footnote.settings.marks import each_setting

SHORTEST = 16
"""Characters of a secret that guards something of ours."""
FEWEST = 6
"""Different characters in it."""

WELL_KNOWN = re.compile(
    "0123456789|1234567890|12345678|123456|abcdef|admin|api|changeit|changeme|change|default|demo|dummy|example|footnote|guest|"
    "insecure|key|letmein|mongo|opensearch|passwd|password|pass|qwerty|replace|root|sample|secret|super|test|token|your|[^a-z0-9]"
)
"""What a secret that everybody knows is made of; in lower case."""

PASSWORD = re.compile(r"^[^:/]+://[^:/@]*:([^/]*)@")
"""In a database's address."""

EACH = each_setting(Settings)
Rule = Callable[[Settings, str], Iterator[str]]


class Misconfigured(Exception):
    """Why a function does not start. Fit to be logged: it names settings, never their values."""


def check_production(settings: Settings, function: str) -> None:
    """Misconfigured, with everything that is wrong, unless all rules hold."""
    wrong = [complaint for rule in RULES for complaint in rule(settings, function)]
    if wrong:
        raise Misconfigured(" ".join(wrong))


def values_are_allowed(settings: Settings, function: str) -> Iterator[str]:
    for each in EACH:
        if (value := each.value(settings)) in each.mark.not_in_aws:
            allowed = [choice for choice in each.choices if choice not in each.mark.not_in_aws]
            yield f"{each.variables[0]} is {value}: that is not allowed in AWS. Set {', '.join(allowed[:-1])} or {allowed[-1]}."


def somebody_signs_in(settings: Settings, function: str) -> Iterator[str]:
    if settings.auth.mode == "api_key" and not settings.auth.api_keys:
        yield "AUTH__MODE is api_key, and AUTH__API_KEYS holds nobody."
    keys = [each.key.get_secret_value() for each in settings.auth.api_keys.values()]
    if settings.auth.mode == "api_key" and len(set(keys)) < len(keys):
        yield "Two users of AUTH__API_KEYS have the same key."
    if settings.auth.mode == "jwt":
        if not (settings.auth.issuer and settings.auth.audience):
            yield "AUTH__MODE is jwt, and AUTH__ISSUER or AUTH__AUDIENCE is not set: tokens made for others would do."
        if not settings.auth.jwks_url:
            yield "AUTH__MODE is jwt, and AUTH__JWKS_URL is not set."


def secrets_are_secret(settings: Settings, function: str) -> Iterator[str]:
    foreign = {each.variables[0] for each in EACH if each.mark.foreign}
    for name, value in secrets_of(settings):
        if name in foreign:
            if not _unknown(value):
                yield f"{name} is empty or a placeholder."
        elif len(value) < SHORTEST or len(set(_unknown(value))) < FEWEST:
            yield f"{name} is empty, well known or too short: take at least {SHORTEST} random characters."


def addresses_are_https(settings: Settings, function: str) -> Iterator[str]:
    for each in EACH:
        if each.mark.https and (url := each.value(settings)) and not url.startswith("https://"):
            yield f"{each.variables[0]} is no https address: what is sent could be read on the way."


def data_lasts(settings: Settings, function: str) -> Iterator[str]:
    needed = [each for each in EACH if function in each.mark.needed_by]
    # A database's host and port do as well as its URI.
    if missing := [each.variables[0] for each in needed if not (settings.db.address if each.key == "db.uri" else each.value(settings))]:
        yield f"Not set, and needed in AWS: {', '.join(missing)}."


RULES: tuple[Rule, ...] = (values_are_allowed, somebody_signs_in, secrets_are_secret, addresses_are_https, data_lasts)


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
