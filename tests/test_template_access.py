"""What template.yaml lets the functions do, and whom they ask for vectors."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from pydantic_settings import EnvSettingsSource

from footnote.adapters.aws.embedder import BedrockEmbedder
from footnote.bootstrap import Core
from footnote.guard.limits import RateLimiter
from footnote.settings import AWS, Auth, Embedding, Settings
from tests.conftest import HandClock
from tests.template import NAMES, PARAMETERS, RESOURCES, TEMPLATE, function, inside, of_type, texts

MANY = {
    "${Ledger.Arn}/index/*": "the ledger's own indexes",
    "${Files.Arn}/*": "files have no names that are known before",
    "${Documents.Arn}/*": "nor have documents",
    "${Documents.Arn}/uploads/*": "nor have uploads",
    "arn:${AWS::Partition}:s3:::${SyncBucket}/*": "nor have files of a bucket that is synced",
    "${Domain}/${OpenSearchPrefix}*": "a collection's indexes are made with it",
    "${Domain}/${OpenSearchPrefix}-searched/_update/*": "a collection is noted under its own id",
    "arn:${AWS::Partition}:bedrock:*::foundation-model/*": "by way of one inference profile, which has several regions",
}
"""Resources with a wildcard that a function may use, and why."""


# --- permissions -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_function_may_do_what_it_must_and_no_more(name: str) -> None:
    policies = function(name)["Policies"]
    actions = [action for found in inside(policies, "Action") for action in texts(found)]
    assert actions
    assert [action for action in actions if "*" in action] == []
    resources = {text for found in inside(policies, "Resource") for text in texts(found) if "*" in text}
    assert resources <= set(MANY)


@pytest.mark.parametrize(
    ("name", "writes"),
    [("query", {"Cache"}), ("ingest", {"Cache", "Ledger"}), ("feedback", {"Cache"}), ("stats", {"Cache"})],
)
def test_tables_are_written_by_those_who_must(name: str, writes: set[str]) -> None:
    written = set()
    for statement in inside(function(name)["Policies"], "Statement"):
        for each in statement:
            if {"dynamodb:PutItem", "dynamodb:UpdateItem"} & set(texts(each.get("Action", ""))):
                written |= {text for text in texts(each["Resource"]) if text in ("Cache", "Ledger")}
    assert written == writes


def test_feedback_and_stats_find_sessions_and_nobody_elses_cached_values() -> None:
    known = {
        name: [
            (key, "dynamodb:PutItem" in texts(statement["Action"]))
            for statements in inside(function(name)["Policies"], "Statement")
            for statement in statements
            if statement["Resource"] == {"Fn::GetAtt": ["Cache", "Arn"]}
            for key in statement["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"]
        ]
        for name in ("feedback", "stats")
    }
    sessions_and_tries = [("session:*", False), ("rate:sign-in:*", True)]
    assert known == {"feedback": sessions_and_tries, "stats": [*sessions_and_tries, ("once:*", True)]}


def statements_of(name: str) -> list[dict[str, Any]]:
    """Of a function's policies, those that hold under a condition too."""
    found = [each for statements in inside(function(name)["Policies"], "Statement") for each in statements]
    return [next(part for part in each["Fn::If"] if "Sid" in part) if "Fn::If" in each else each for each in found]


def test_in_the_bucket_for_documents_a_function_writes_uploads_alone() -> None:
    """What others have dropped there stays as they wrote it."""
    allowed = [
        (name, action, text)
        for name in NAMES
        for statement in statements_of(name)
        for action in texts(statement["Action"])
        for text in texts(statement["Resource"])
        if "Documents" in text
    ]
    assert sorted(allowed) == [
        ("ingest", "s3:DeleteObject", "${Documents.Arn}/*"),
        ("ingest", "s3:GetObject", "${Documents.Arn}/*"),
        ("ingest", "s3:ListBucket", "Documents"),
        ("ingest", "s3:PutObject", "${Documents.Arn}/uploads/*"),
    ]


def test_only_buckets_of_this_account_may_fill_the_queue() -> None:
    """The name of S3 alone stands for the buckets of everybody in the world."""
    policies = of_type("AWS::SQS::QueuePolicy")
    allowed = [each for policy in policies.values() for each in policy["PolicyDocument"]["Statement"] if each["Effect"] == "Allow"]
    assert [(each["Principal"], each["Action"], each["Condition"]) for each in allowed] == [
        ({"Service": "s3.amazonaws.com"}, "sqs:SendMessage", {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}})
    ]


class CacheKeys:
    """Keys of a cache that were read and written."""

    def __init__(self) -> None:
        self.read: list[str] = []
        self.written: list[str] = []

    async def get(self, key: str) -> None:
        self.read.append(key)

    async def add(self, key: str, amount: int, ttl_s: float) -> int:
        self.written.append(key)
        return amount


@pytest.mark.parametrize("name", ["feedback", "stats"])
async def test_a_function_reads_and_writes_the_keys_of_the_cache_that_its_role_may(name: str, tmp_path: Path, clock: HandClock) -> None:
    keys = CacheKeys()
    settings = Settings(footnote_data=tmp_path, aws=AWS(cache_table="cache"), auth=Auth(mode="session"), embedding=Embedding(builtin=False))
    core = Core(settings, clock=clock)
    core.cache, core.limiter = cast(Any, keys), RateLimiter(cast(Any, keys), clock)
    app = import_module(f"footnote_{name}.app").create_app(lambda: core)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://footnote.test") as client:
        assert (await client.get("/ready")).json()["parts"]["cache"] == "ok"
        unknown = await client.request("POST" if name == "feedback" else "GET", f"/{name}", headers={"api-key": "guess"})
        assert unknown.status_code == 401
    await core.close()
    assert (len(keys.read), len(keys.written)) == (2, 1)  # /ready, the session; the failed sign-in
    for used, action in ((keys.read, "dynamodb:GetItem"), (keys.written, "dynamodb:UpdateItem")):
        allowed = [
            pattern
            for statements in inside(function(name)["Policies"], "Statement")
            for statement in statements
            if action in texts(statement["Action"]) and "Condition" in statement
            for pattern in statement["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"]
        ]
        assert [key for key in used if not any(fnmatchcase(key, pattern) for pattern in allowed)] == []


def test_only_the_account_itself_may_do_everything_with_the_key() -> None:
    broad = [
        (name, statement["Sid"])
        for name, resource in RESOURCES.items()
        for statements in inside(resource["Properties"], "Statement")
        for statement in statements
        if statement.get("Effect") == "Allow" and any("*" in text for text in texts(statement["Action"]))
    ]
    assert broad == [("Key", "TheAccountDecides")]


# --- vectors -----------------------------------------------------------------------------------

ACCOUNT = {"AWS::Partition": "aws", "AWS::Region": "eu-central-1", "AWS::AccountId": "123456789012"}


def resolved(value: Any, parameters: dict[str, str]) -> Any:
    """A value as CloudFormation makes it, of references to parameters alone."""
    if isinstance(value, list):
        return [resolved(each, parameters) for each in value]
    if not isinstance(value, dict):
        return value
    if "Ref" in value:
        return parameters.get(value["Ref"], value)
    if isinstance(value.get("Fn::Sub"), str):
        return re.sub(r"\$\{([\w:]+)\}", lambda found: str(parameters.get(found[1], found[0])), value["Fn::Sub"])
    return {name: resolved(each, parameters) for name, each in value.items()}


def with_defaults(**given: str) -> dict[str, str]:
    return {**ACCOUNT, **{name: str(parameter.get("Default", "")) for name, parameter in PARAMETERS.items()}, **given}


@pytest.mark.parametrize("name", ["query", "ingest"])
def test_the_default_stack_makes_vectors_in_every_language(name: str, tmp_path: Path) -> None:
    variables = resolved(function(name)["Environment"]["Variables"], with_defaults())
    source = EnvSettingsSource(Settings)
    source.env_vars = {key.lower(): value for key, value in variables.items() if isinstance(value, str) and key != "FOOTNOTE_DATA"}
    embedder = Core(Settings(**source(), footnote_data=tmp_path)).embedder
    assert isinstance(embedder, BedrockEmbedder)
    assert (embedder.name, embedder.languages) == ("amazon.titan-embed-text-v2:0/1024", None)
    assert embedder.dimension in embedder._family().lengths


@pytest.mark.parametrize("name", ["query", "ingest"])
@pytest.mark.parametrize(
    ("model", "kind"),
    [
        ("amazon.titan-embed-text-v2:0", "eu-central-1::foundation-model"),
        ("eu.cohere.embed-v4:0", "eu-central-1:123456789012:inference-profile"),
    ],
)
def test_a_function_may_ask_its_model_by_itself_or_by_an_inference_profile(name: str, model: str, kind: str) -> None:
    statements = [each for found in inside(function(name)["Policies"], "Statement") for each in found]
    conditional = [each["Fn::If"] for each in resolved(statements, with_defaults(EmbeddingModel=model)) if "Fn::If" in each]
    itself, through = (each for condition, each, _ in conditional if condition == "EmbedsInBedrock")
    assert {each["Action"] for each in (itself, through)} == {"bedrock:InvokeModel"}
    assert f"arn:aws:bedrock:{kind}/{model}" in itself["Resource"]
    # The model itself, in any region that the profile has, but only where the request names the profile.
    assert fnmatchcase("arn:aws:bedrock:eu-west-3::foundation-model/cohere.embed-v4:0", through["Resource"])
    profile = f"arn:aws:bedrock:eu-central-1:123456789012:inference-profile/{model}"
    assert through["Condition"] == {"StringEquals": {"bedrock:InferenceProfileArn": profile}}


def test_vectors_have_one_source() -> None:
    rules = TEMPLATE["Rules"]
    assert list(inside(rules["AnEndpointIsToldWhichVectors"]["Assertions"], "Fn::Contains")) == [
        [["", PARAMETERS["EmbeddingModel"]["Default"]], {"Ref": "EmbeddingModel"}]
    ]
    assert PARAMETERS["EmbeddingProvider"]["Default"] == "bedrock"
    assert str(PARAMETERS["EmbeddingDimension"]["Default"]) in next(inside(rules["BedrockIsToldWhichVectors"], "Fn::Contains"))[0]
