"""Checks that a function's settings are safe for AWS. RULES is a table of functions that yield complaints, without values.
Requirements on single settings are declared in the settings' marks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from pydantic import SecretStr

from footnote.settings import Settings
from footnote.settings.marks import each_setting

SHORTEST = 16
"""Minimum length of a secret of our own."""
FEWEST = 6
"""Minimum number of different characters in it."""

WELL_KNOWN = re.compile(
    "0123456789|1234567890|12345678|123456|abcdef|admin|api|changeit|changeme|change|default|demo|dummy|example|footnote|guest|"
    "insecure|key|letmein|mongo|opensearch|passwd|password|pass|qwerty|replace|root|sample|secret|super|test|token|your|[^a-z0-9]"
)
"""Parts of well-known secrets, in lower case."""

PASSWORD = re.compile(r"^[^:/]+://[^:/@]*:([^/]*)@")
"""The password in a database URI."""

EACH = each_setting(Settings)
Rule = Callable[[Settings, str], Iterator[str]]


class Misconfigured(Exception):
    """The function cannot start. Safe to log: the message names settings, never their values."""


def check_production(settings: Settings, function: str) -> None:
    """Raises Misconfigured with all violations of RULES."""
    wrong = [complaint for rule in RULES for complaint in rule(settings, function)]
    if wrong:
        raise Misconfigured(" ".join(wrong))


def values_are_allowed(settings: Settings, function: str) -> Iterator[str]:
    """No setting has a value that is forbidden in AWS."""
    for each in EACH:
        if (value := each.value(settings)) in each.mark.not_in_aws:
            allowed = [choice for choice in each.choices if choice not in each.mark.not_in_aws]
            yield f"{each.variables[0]} is {value}, which is not allowed in AWS. Set {', '.join(allowed[:-1])} or {allowed[-1]}."


def sign_in_is_configured(settings: Settings, function: str) -> Iterator[str]:
    """The sign-in mode has all its settings."""
    if settings.auth.mode == "api_key" and not settings.auth.api_keys:
        yield "AUTH__MODE is api_key, but AUTH__API_KEYS is empty."
    keys = [each.key.get_secret_value() for each in settings.auth.api_keys.values()]
    if settings.auth.mode == "api_key" and len(set(keys)) < len(keys):
        yield "Two users of AUTH__API_KEYS have the same key."
    if settings.auth.mode == "jwt":
        if not (settings.auth.issuer and settings.auth.audience):
            yield "AUTH__MODE is jwt, but AUTH__ISSUER or AUTH__AUDIENCE is not set: tokens for other services would be accepted."
        if not settings.auth.jwks_url:
            yield "AUTH__MODE is jwt, but AUTH__JWKS_URL is not set."


def secrets_are_strong(settings: Settings, function: str) -> Iterator[str]:
    """Secrets are set; our own are long and not well known."""
    foreign = {each.variables[0] for each in EACH if each.mark.foreign}
    for name, value in secrets_of(settings):
        if name in foreign:
            if not _unknown(value):
                yield f"{name} is empty or a placeholder."
        elif len(value) < SHORTEST or len(set(_unknown(value))) < FEWEST:
            yield f"{name} is empty, well known or too short: use at least {SHORTEST} random characters."


def urls_are_https(settings: Settings, function: str) -> Iterator[str]:
    """URLs of other services use https."""
    for each in EACH:
        if each.mark.https and (url := each.value(settings)) and not url.startswith("https://"):
            yield f"{each.variables[0]} is not an https URL: traffic would not be encrypted."


def stores_are_configured(settings: Settings, function: str) -> Iterator[str]:
    """The settings that this function needs in AWS are set."""
    needed = [each for each in EACH if function in each.mark.needed_by]
    # A database's host and port are as good as its URI.
    if missing := [each.variables[0] for each in needed if not (settings.db.address if each.key == "db.uri" else each.value(settings))]:
        yield f"Required in AWS, but not set: {', '.join(missing)}."


RULES: tuple[Rule, ...] = (values_are_allowed, sign_in_is_configured, secrets_are_strong, urls_are_https, stores_are_configured)


def secrets_of(settings: Settings) -> Iterator[tuple[str, str]]:
    """(setting, value) of each secret that is set and used. Of a database URI only the password is a secret."""
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
    """The secret without its well-known parts."""
    return WELL_KNOWN.sub("", value.lower())
