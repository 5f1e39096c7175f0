"""Settings from Secrets Manager."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Callable, Iterator
from traceback import format_exception
from typing import Any

import pytest

from footnote_http.production import Misconfigured, secrets_of
from footnote_http.secrets import load_settings

Store = Callable[[str], str]
HUSH = "q7Vd2mZr9TbXw4Ke"


@pytest.fixture
def store(aws_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """Stores a secret, sets FOOTNOTE_SECRET to it, and returns its ARN."""
    import boto3

    for name in ("LLM__API_KEY", "LLM__MODEL", "DB__URI", "DB__NAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_ENDPOINT_URL_SECRETS_MANAGER", aws_url)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    client: Any = boto3.client("secretsmanager")
    made = []

    def store(text: str) -> str:
        arn = client.create_secret(Name=f"footnote-{uuid.uuid4().hex}", SecretString=text)["ARN"]
        made.append(arn)
        monkeypatch.setenv("FOOTNOTE_SECRET", arn)
        return str(arn)

    yield store
    for arn in made:
        client.delete_secret(SecretId=arn, ForceDeleteWithoutRecovery=True)
    client.close()


def test_the_values_of_the_secret_are_settings(store: Store) -> None:
    keys = {"ann": {"key": HUSH, "groups": ["staff"]}}
    arn = store(json.dumps({"LLM__API_KEY": HUSH, "DB__URI": f"mongodb://app:{HUSH}@db/x", "AUTH__API_KEYS": keys}))
    made = load_settings()
    assert (made.llm.api_key.get_secret_value(), made.db.address) == (HUSH, f"mongodb://app:{HUSH}@db/x")
    assert (made.auth.api_keys["ann"].key.get_secret_value(), made.auth.api_keys["ann"].groups) == (HUSH, ["staff"])
    assert os.environ["FOOTNOTE_SECRET"] == arn
    assert "LLM__API_KEY" not in os.environ  # children of this process inherit none of it


def test_a_setting_with_parts_is_an_object_in_the_secret(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LLM__FALLBACK", "LLM__PRICES", "LLM__ALLOWED_MODELS", "MCP__TOKEN"):
        monkeypatch.delenv(name, raising=False)
    fallback = {"base_url": "https://b.example.org/v1", "model": "small", "api_key": HUSH}
    prices = {"gpt-4o-mini": {"input": 0.15, "output": 0.6}}
    store(json.dumps({"LLM__FALLBACK": fallback, "LLM__PRICES": prices, "LLM__ALLOWED_MODELS": ["small"], "MCP__TOKEN": HUSH}))
    made = load_settings()
    assert (made.llm.fallback.model, made.llm.prices["gpt-4o-mini"].output, made.llm.allowed_models) == ("small", 0.6, ["small"])
    assert list(secrets_of(made)) == [("LLM__FALLBACK", HUSH), ("MCP__TOKEN", HUSH)]


def test_the_environment_overrides_single_values_of_the_secret(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store(json.dumps({"LLM__API_KEY": HUSH, "LLM__MODEL": "theirs", "DB__NAME": "theirs"}))
    monkeypatch.setenv("LLM__MODEL", "ours")
    made = load_settings()
    assert (made.llm.model, made.llm.api_key.get_secret_value(), made.db.name) == ("ours", HUSH, "theirs")


def test_a_secret_that_is_not_there_stops_the_start(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOOTNOTE_SECRET", "nowhere")
    with pytest.raises(Misconfigured, match="The secret named by FOOTNOTE_SECRET cannot be read"):
        load_settings()


def test_a_service_that_is_not_there_stops_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOOTNOTE_SECRET", "ours")
    monkeypatch.setenv("AWS_ENDPOINT_URL_SECRETS_MANAGER", "http://127.0.0.1:1")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    monkeypatch.setattr("footnote_http.secrets.TRIES", 1)
    with pytest.raises(Misconfigured, match="cannot be read"):
        load_settings()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (HUSH, "is not JSON."),
        (f'["{HUSH}"]', "is not a JSON object"),
        (json.dumps({"LLM__TEMPERATURE": HUSH}), "LLM__TEMPERATURE: Input should be a valid number"),
        (json.dumps({"AUTH__API_KEYS": HUSH}), "AUTH__API_KEYS: It must be a JSON object, such as AUTH__API_KEYS='{"),
        (json.dumps({"AUTH__API_KEYS": {"ann": {"key": HUSH, "role": HUSH}}}), "AUTH__API_KEYS__ANN__ROLE: "),
    ],
)
def test_an_invalid_secret_stops_the_start_and_is_not_quoted(store: Store, text: str, said: str) -> None:
    store(text)
    with pytest.raises(Misconfigured) as caught:
        load_settings()
    assert said in str(caught.value)
    assert HUSH not in "".join(format_exception(caught.value))


def test_without_a_secret_only_the_environment_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FOOTNOTE_SECRET", raising=False)
    monkeypatch.setenv("INDEX_NAME", "laws")
    assert load_settings().index_name == "laws"


def test_a_misspelt_name_in_environment_or_secret_is_logged(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("RAG__TOPK", "7")
    store(json.dumps({"LLM__MODLE": HUSH}))
    load_settings()
    assert [record.message for record in caplog.records if record.name == "footnote_http.secrets"] == [
        "LLM__MODLE is no setting, so it has no effect. Did you mean LLM__MODEL?",
        "RAG__TOPK is no setting, so it has no effect. Did you mean RAG__TOP_K?",
    ]
