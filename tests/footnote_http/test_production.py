"""Configurations that the functions refuse to start with in AWS."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from footnote.settings import AWS, DB, KDB, LLM, MCP, ApiKey, Auth, Embedding, Fallback, OpenSearch, Price, Settings
from footnote.settings.marks import FUNCTIONS
from footnote_http.production import Misconfigured, check_production

STRONG = "q7Vd2mZr9TbXw4Ke"
KEYS = Auth(mode="api_key", api_keys={"ann": ApiKey(key=STRONG)})
WHOLE: dict[str, Any] = {
    "auth": KEYS,
    "db": DB(uri=f"mongodb+srv://app:{STRONG}@cluster.example.org/?w=majority"),
    "opensearch": OpenSearch(url="https://search.example.org", auth="aws"),
    "aws": AWS(
        cache_table="cache", ledger_table="ledger", files_bucket="files", drop_bucket="drops", queue_url="https://sqs.example.org/1/ingest"
    ),
}

NO_SIGN_IN = "AUTH__MODE is none, which is not allowed in AWS. Set session, api_key or jwt."


def complaint(function: str = "query", **changes: Any) -> str:
    with pytest.raises(Misconfigured) as caught:
        check_production(Settings(**{**WHOLE, **changes}), function)
    return str(caught.value)


def assert_accepted(function: str = "query", **changes: Any) -> None:
    """Nothing is refused; and that it was looked at shows in what is refused without sign-in, which is that alone."""
    check_production(Settings(**{**WHOLE, **changes}), function)
    assert complaint(function, **{**changes, "auth": Auth()}) == NO_SIGN_IN


@pytest.mark.parametrize(("url", "refused"), [("http://docs.example.org", True), ("https://docs.example.org", False), ("", False)])
def test_links_lead_to_an_https_address(url: str, refused: bool) -> None:
    if refused:
        assert complaint(public_url=url).startswith("PUBLIC_URL is not an https URL:")
    else:
        assert_accepted(public_url=url)


@pytest.mark.parametrize(
    "url",
    [
        "docs.example.org",
        "ftp://docs.example.org",
        "https://docs.example.org/sub?path",
        "https://docs.example.org/a#b",
        "https://",
        "https://a b",
    ],
)
def test_the_base_url_of_links_must_be_a_url(url: str) -> None:
    with pytest.raises(ValidationError):
        Settings(**WHOLE, public_url=url)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("auth", [KEYS, Auth(mode="session")])
def test_a_complete_configuration_is_accepted(function: str, auth: Auth) -> None:
    assert_accepted(function, auth=auth)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_configuration_without_sign_in_is_refused(function: str) -> None:
    assert complaint(function, auth=Auth()) == NO_SIGN_IN


def test_api_keys_without_users_are_refused() -> None:
    assert complaint(auth=Auth(mode="api_key")) == "AUTH__MODE is api_key, but AUTH__API_KEYS is empty."


def test_a_key_stands_for_one_user() -> None:
    key = ApiKey(key="Zv8Q-mT1r-XbLw-9Kd2-hP5s")
    assert complaint(auth=Auth(mode="api_key", api_keys={"ann": key, "bob": key})) == "Two users of AUTH__API_KEYS have the same key."


JWT = Auth(mode="jwt", issuer="https://id.example.org", audience="footnote", jwks_url="https://id.example.org/keys")


def test_tokens_of_an_identity_provider_for_our_audience_are_accepted() -> None:
    assert_accepted("feedback", auth=JWT)


@pytest.mark.parametrize("missing", ["issuer", "audience"])
@pytest.mark.parametrize("value", [None, ""])
def test_tokens_for_another_audience_are_refused(missing: str, value: str | None) -> None:
    assert complaint(auth=JWT.model_copy(update={missing: value})) == (
        "AUTH__MODE is jwt, but AUTH__ISSUER or AUTH__AUDIENCE is not set: tokens for other services would be accepted."
    )


@pytest.mark.parametrize(
    ("url", "wrong"),
    [
        (None, "AUTH__MODE is jwt, but AUTH__JWKS_URL is not set."),
        ("", "AUTH__MODE is jwt, but AUTH__JWKS_URL is not set."),
        ("http://id.example.org/keys", "AUTH__JWKS_URL is not an https URL: traffic would not be encrypted."),
        ("file:///tmp/keys", "AUTH__JWKS_URL is not an https URL: traffic would not be encrypted."),
    ],
)
def test_the_keys_of_an_identity_provider_come_by_https(url: str | None, wrong: str) -> None:
    assert complaint(auth=JWT.model_copy(update={"jwks_url": url})) == wrong


@pytest.mark.parametrize(
    ("url", "refused"), [("http://tools.example.org/mcp", True), ("https://tools.example.org/mcp", False), ("", False)]
)
def test_other_systems_are_asked_by_https(url: str, refused: bool) -> None:
    if refused:
        assert complaint(mcp=MCP(gateway=url)).startswith("MCP__GATEWAY is not an https URL")
        assert complaint(kdb=KDB(url=url)).startswith("KDB__URL is not an https URL")
    else:
        assert_accepted(mcp=MCP(gateway=url), kdb=KDB(url=url))


WEAK = [
    "changeme", "secret", "password", "test", "short7Vd2mZr9T", "changeme-changeme", "your-secret-key-here", "super_secret_password",
    "aaaaaaaaaaaaaaaaaaaa", "12345678901234567890", "PasswordPassword1",
]  # fmt: skip


@pytest.mark.parametrize("value", WEAK)
def test_a_key_that_can_be_guessed_is_refused_and_not_repeated(value: str) -> None:
    said = complaint(auth=Auth(mode="api_key", api_keys={"ann": ApiKey(key=STRONG), "bob": ApiKey(key=value)}))
    assert said == "AUTH__API_KEYS is empty, well known or too short: use at least 16 random characters."


@pytest.mark.parametrize("value", ["", *WEAK])
def test_a_database_behind_a_password_that_can_be_guessed_is_refused(value: str) -> None:
    said = complaint("stats", db=DB(uri=f"mongodb://app:{value}@db.example.org:27017/x"))
    assert said == "DB__URI is empty, well known or too short: use at least 16 random characters."


@pytest.mark.parametrize(
    "uri", ["mongodb://db.example.org/x", "mongodb+srv://db.example.org/?authMechanism=MONGODB-AWS", "mongodb://cn%3Dapp@db/x"]
)
def test_a_database_that_asks_for_no_password_has_none_to_be_guessed(uri: str) -> None:
    assert_accepted(db=DB(uri=uri))


def test_the_characters_of_a_password_count_as_the_database_reads_them() -> None:
    said = complaint(db=DB(uri="mongodb://app:%70%61%73%73%77%6F%72%64@db.example.org/x"))
    assert said.startswith("DB__URI is empty, well known or too short")


@pytest.mark.parametrize(("auth", "refused"), [("basic", True), ("aws", False), ("none", False)])
def test_a_password_counts_where_it_is_used(auth: Any, refused: bool) -> None:
    search = OpenSearch(url="https://search.example.org", auth=auth, user="app", password="changeme")
    if refused:
        assert complaint(opensearch=search).startswith("OPENSEARCH__PASSWORD is empty")
    else:
        assert_accepted(opensearch=search)


@pytest.mark.parametrize("value", ["", "changeme", "your-api-key"])
def test_a_placeholder_is_no_key_of_a_model(value: str) -> None:
    assert complaint(llm=LLM(api_key=value), embedding=Embedding(api_key=value)) == (
        "LLM__API_KEY is empty or a placeholder. EMBEDDING__API_KEY is empty or a placeholder."
    )


@pytest.mark.parametrize("value", ["", "changeme", "your-token"])
def test_a_placeholder_is_no_key_of_another_endpoint_or_a_tool_server(value: str) -> None:
    llm = LLM(prices={"m": Price(input=1, output=2)}, fallback=Fallback(base_url="https://b.example.org/v1", model="m", api_key=value))
    assert complaint(llm=llm, mcp=MCP(token=value)) == ("LLM__FALLBACK is empty or a placeholder. MCP__TOKEN is empty or a placeholder.")


def test_secrets_of_other_systems_may_be_short_or_missing() -> None:
    fallback = Fallback(base_url="https://b.example.org/v1", model="m", api_key="sk-x1")
    assert_accepted(llm=LLM(fallback=fallback), mcp=MCP(token="tk-x1"))
    assert_accepted(llm=LLM(fallback=fallback.model_copy(update={"api_key": None})))


@pytest.mark.parametrize(
    "given",
    [{"llm": LLM(api_key="sk-x1")}, {"openrouter_api_key": "sk-x1"}, {"dep_ticket": "tk-x1"}],
    ids=lambda given: next(iter(given)),
)
def test_the_length_of_a_models_key_is_not_checked(given: dict[str, Any]) -> None:
    assert_accepted(**given)


@pytest.mark.parametrize(
    ("function", "names"),
    [
        ("query", "OPENSEARCH__URL, DB__URI, AWS__CACHE_TABLE, AWS__LEDGER_TABLE"),
        (
            "ingest",
            "OPENSEARCH__URL, DB__URI, AWS__CACHE_TABLE, AWS__LEDGER_TABLE, AWS__FILES_BUCKET, AWS__DROP_BUCKET, AWS__QUEUE_URL",
        ),
        ("feedback", "DB__URI, AWS__CACHE_TABLE, AWS__LEDGER_TABLE"),
        ("stats", "DB__URI, AWS__CACHE_TABLE, AWS__LEDGER_TABLE"),
    ],
)
def test_settings_that_would_store_data_in_the_function_are_named(function: str, names: str) -> None:
    nothing = {"db": DB(), "opensearch": OpenSearch(), "aws": AWS()}
    assert complaint(function, **nothing) == f"Required in AWS, but not set: {names}."


def test_an_empty_setting_counts_as_unset() -> None:
    assert complaint(opensearch=OpenSearch(url="")) == "Required in AWS, but not set: OPENSEARCH__URL."


def test_all_errors_are_reported_at_once() -> None:
    said = complaint(auth=Auth(), db=DB(uri="mongodb://app:test@db.example.org"), aws=AWS())
    assert [name for name in ("AUTH__MODE", "DB__URI", "AWS__CACHE_TABLE") if name not in said] == []
