"""template.yaml, and what builds and deploys it, against the code that it runs."""

from __future__ import annotations

import json
import re
import tomllib
from importlib import import_module
from typing import Any

import pytest
import yaml

from footnote.adapters.dynamodb import cache, ledger_store
from footnote.ingest.retries import MOST_ATTEMPTS
from footnote.settings import Settings
from footnote.settings.marks import each_setting
from footnote.telemetry.metrics import metrics_of
from footnote_http.metrics import CloudWatchMeter
from footnote_local.lambda_service.functions import FUNCTIONS, Described
from footnote_local.server import ROUTES
from tests.template import COMMON, NAMES, PARAMETERS, RESOURCES, ROOT, TEMPLATE, function, inside, of_type
from tests.turns import make_turn

NOT_CACHED = "4135ea2d-6df8-44a3-9df3-4b5a84be39ad"
ALL_BUT_HOST = "b689b0a8-53d0-40ab-baf2-68738e2966ac"

# --- the functions -----------------------------------------------------------------------------


@pytest.mark.nightly  # in the gate `make sam` does it
@pytest.mark.slow("cfn-lint reads the schemas of all resources")
def test_the_template_is_valid() -> None:
    import cfnlint.api

    matches = cfnlint.api.lint_file(ROOT / "template.yaml", config={"regions": ["us-east-1", "eu-central-1"]})
    assert [f"{match.linenumber}: {match.rule.id} {match.message}" for match in matches] == []


def test_every_function_has_its_code_and_its_build() -> None:
    handlers = {name: properties["Handler"] for name, properties in of_type("AWS::Serverless::Function").items()}
    assert handlers == {
        "QueryFunction": "run.sh",
        "IngestFunction": "footnote_ingest.app.handler",
        "FeedbackFunction": "footnote_feedback.app.handler",
        "StatsFunction": "footnote_stats.app.handler",
    }
    build = (ROOT / "functions/Makefile").read_text()
    assert [name for name in handlers if f"build-{name}: function" not in build] == []
    assert "footnote_query.app:app" in (ROOT / "functions/query/run.sh").read_text()
    for module, name in [("query", "app"), ("ingest", "handler"), ("feedback", "handler"), ("stats", "handler")]:
        assert callable(getattr(import_module(f"footnote_{module}.app"), name))


def test_every_package_of_the_layer_is_built_into_it() -> None:
    copied = re.search(r"cp -R (.+) \"\$\(ARTIFACTS_DIR\)/python/\"", (ROOT / "layers/common/Makefile").read_text())
    assert sorted(copied[1].split()) == sorted(path.parent.name for path in (ROOT / "layers/common").glob("*/__init__.py"))


def test_functions_run_here_as_the_template_describes_them() -> None:
    described = {}
    for name in NAMES:
        merged = function(name)
        # What the template makes or asks for has no value here. The wrapper is how the runtime's image starts `run.sh`.
        variables = {key: value for key, value in merged["Environment"]["Variables"].items() if isinstance(value, str)}
        assert (variables.pop("AWS_LAMBDA_EXEC_WRAPPER", None) == "/opt/bootstrap") == (merged["Handler"] == "run.sh")
        described[name] = Described(merged["Handler"], merged["Timeout"], merged["MemorySize"], variables)
    assert described == FUNCTIONS


@pytest.mark.parametrize("llm", ["", ', "LLM__API_KEY": "k"'])
def test_the_secret_holds_values_of_settings(llm: str) -> None:
    template, given = RESOURCES["Secret"]["Properties"]["SecretString"]["Fn::Sub"]
    assert given["Llm"]["Fn::If"][1]["Fn::Sub"].replace("${LlmApiKey}", "k") == ', "LLM__API_KEY": "k"'
    made = json.loads(template.replace("${MongoUri}", "mongodb://db").replace("${Llm}", llm))
    assert made["DB__URI"] == "mongodb://db"
    assert set(made) <= {name for each in each_setting(Settings) for name in each.variables}
    assert (PARAMETERS["MongoUri"]["NoEcho"], PARAMETERS["LlmApiKey"]["NoEcho"]) == (True, True)


@pytest.mark.parametrize(("parameter", "text"), [("MongoUri", 'mongodb://a"b'), ("MongoUri", "mongodb://a\\b"), ("LlmApiKey", 'a"b')])
def test_no_parameter_can_break_out_of_the_secret(parameter: str, text: str) -> None:
    assert re.search(PARAMETERS[parameter]["AllowedPattern"], text) is None
    assert re.search(PARAMETERS["MongoUri"]["AllowedPattern"], "mongodb+srv://app:p%40w@db.example.org/?tls=true") is not None


def test_tokens_of_an_identity_provider_are_not_taken_from_anybody() -> None:
    """CloudFormation refuses the parameters before a function would refuse to start."""
    variables = function("feedback")["Environment"]["Variables"]
    given = {name: variables[f"AUTH__{name}"]["Ref"] for name in ("ISSUER", "AUDIENCE", "JWKS_URL", "ADMIN_GROUP")}
    assert given == {"ISSUER": "AuthIssuer", "AUDIENCE": "AuthAudience", "JWKS_URL": "AuthJwksUrl", "ADMIN_GROUP": "AuthAdminGroup"}
    rule = TEMPLATE["Rules"]["TokensAreMadeForUs"]
    assert rule["RuleCondition"] == {"Fn::Equals": [{"Ref": "AuthMode"}, "jwt"]}
    assert list(inside(rule["Assertions"], "Ref")) == ["AuthIssuer", "AuthAudience", "AuthJwksUrl"]


def test_tools_are_called_where_a_server_is_named() -> None:
    assert function("query")["Environment"]["Variables"]["MCP__MCP_ENABLED"] == {"Fn::If": ["HasMcpGateway", "true", "false"]}
    assert TEMPLATE["Conditions"]["HasMcpGateway"] == {"Fn::Not": [{"Fn::Equals": [{"Ref": "McpGateway"}, ""]}]}


def test_no_function_is_in_a_vpc() -> None:
    assert list(inside(RESOURCES, "VpcConfig")) == []
    assert "VpcConfig" not in COMMON


def test_schedules_send_what_the_functions_look_for() -> None:
    sent = {event["Name"]["Fn::Sub"]: json.loads(event["Input"]) for name in NAMES for event in inside(function(name), "Properties")}
    assert sent == {
        "${AWS::StackName}-verify": {
            "detail-type": "Scheduled Event",
            "source": "footnote.verify",
            "time": "<aws.scheduler.scheduled-time>",
        },
        "${AWS::StackName}-describe": {
            "detail-type": "Scheduled Event",
            "source": "footnote.describe",
            "time": "<aws.scheduler.scheduled-time>",
        },
        "${AWS::StackName}-sync": {
            "detail-type": "Scheduled Event",
            "source": "footnote.sync",
            "time": "<aws.scheduler.scheduled-time>",
        },
        "${AWS::StackName}-stats": {
            "detail-type": "Scheduled Event",
            "source": "footnote.stats",
            "time": "<aws.scheduler.scheduled-time>",
        },
    }


# --- addresses ---------------------------------------------------------------------------------


def test_cloudfront_has_the_servers_routes() -> None:
    config = RESOURCES["Distribution"]["Properties"]["DistributionConfig"]
    routes = {behaviour["PathPattern"]: behaviour["TargetOriginId"] for behaviour in config["CacheBehaviors"]}
    assert routes.pop("/web/*") == "query"
    assert routes == {path: name for prefix, name in ROUTES for path in (prefix, f"{prefix}/*")}
    assert config["DefaultCacheBehavior"]["TargetOriginId"] == "query"
    urls = {origin["Id"]: next(inside(origin["DomainName"], "Fn::GetAtt")) for origin in config["Origins"]}
    assert urls == {name: [f"{name.title()}FunctionUrl", "FunctionUrl"] for name in NAMES}


def test_cloudfront_signs_and_hands_everything_on_but_keeps_nothing_of_it() -> None:
    config = RESOURCES["Distribution"]["Properties"]["DistributionConfig"]
    assert {origin["OriginAccessControlId"]["Ref"] for origin in config["Origins"]} == {"SignedOrigin"}
    signed = RESOURCES["SignedOrigin"]["Properties"]["OriginAccessControlConfig"]
    assert (signed["OriginAccessControlOriginType"], signed["SigningBehavior"]) == ("lambda", "always")
    for behaviour in [config["DefaultCacheBehavior"], *config["CacheBehaviors"]]:
        assert behaviour["ViewerProtocolPolicy"] == "redirect-to-https"
        assert behaviour["ResponseHeadersPolicyId"] == {"Ref": "SecureHeaders"}
        if behaviour.get("PathPattern") != "/web/*":
            assert (behaviour["CachePolicyId"], behaviour["OriginRequestPolicyId"]) == (NOT_CACHED, ALL_BUT_HOST)
            assert len(behaviour["AllowedMethods"]) == 7
            assert behaviour["FunctionAssociations"][0]["FunctionARN"] == {"Fn::GetAtt": ["ForwardedHost", "FunctionARN"]}


@pytest.mark.parametrize("name", NAMES)
def test_a_function_has_an_address_for_cloudfront_and_one_for_api_clients(name: str) -> None:
    title = name.title()
    streams = {"InvokeMode": "RESPONSE_STREAM"} if name == "query" else {}
    assert function(name)["FunctionUrlConfig"] == {"AuthType": "AWS_IAM", **streams}
    api = RESOURCES[f"{title}ApiUrl"]["Properties"]
    assert (api["AuthType"], api["Qualifier"], api.get("InvokeMode")) == ("NONE", "api", streams.get("InvokeMode"))
    allowed = {
        (str(each["FunctionName"]["Ref"]), each["Action"], each.get("FunctionUrlAuthType"), each.get("InvokedViaFunctionUrl"))
        for each in of_type("AWS::Lambda::Permission").values()
        if each["FunctionName"]["Ref"].startswith(title)
    }
    assert allowed == {
        (f"{title}Function.Alias", "lambda:InvokeFunctionUrl", "AWS_IAM", None),
        (f"{title}Function.Alias", "lambda:InvokeFunction", None, True),
        (f"{title}Api", "lambda:InvokeFunctionUrl", "NONE", None),
        (f"{title}Api", "lambda:InvokeFunction", None, True),
    }


def test_only_our_distribution_uses_the_addresses_that_cloudfront_signs_for() -> None:
    for each in of_type("AWS::Lambda::Permission").values():
        if each["FunctionName"]["Ref"].endswith("Function.Alias"):
            assert each["Principal"] == "cloudfront.amazonaws.com"
            assert each["SourceArn"]["Fn::Sub"].endswith(":distribution/${Distribution}")


@pytest.mark.parametrize(
    ("origins", "taken"),
    [
        ("", True),
        ("https://chat.example.org", True),
        ("https://a.example.org,https://b.example.org:8443", True),
        ("*", False),
        ("https://*.example.org", False),
        ("http://chat.example.org", False),
        ("https://chat.example.org/", False),
    ],
)
def test_other_origins_are_named_one_by_one(origins: str, taken: bool) -> None:
    parameter = PARAMETERS["AllowedOrigins"]
    assert (re.search(parameter["AllowedPattern"], origins) is not None) == taken
    assert parameter["Default"] == ""
    assert all(value == {"Ref": "AllowedOrigins"} for key in ("AllowOrigins", "AllowedOrigins") for value in inside(RESOURCES, key))


# --- what lasts --------------------------------------------------------------------------------


@pytest.mark.parametrize("bucket", ["Documents", "Files"])
def test_a_bucket_is_private_encrypted_and_keeps_versions(bucket: str) -> None:
    properties = RESOURCES[bucket]["Properties"]
    assert set(properties["PublicAccessBlockConfiguration"].values()) == {True}
    assert properties["VersioningConfiguration"] == {"Status": "Enabled"}
    assert list(inside(properties["BucketEncryption"], "SSEAlgorithm")) == ["aws:kms"]
    (denied,) = RESOURCES[f"{bucket}Policy"]["Properties"]["PolicyDocument"]["Statement"]
    assert (denied["Effect"], denied["Condition"]) == ("Deny", {"Bool": {"aws:SecureTransport": "false"}})
    assert ("NotificationConfiguration" in properties) == (bucket == "Documents")


def test_a_file_is_not_given_to_another_while_somebody_may_still_read_it() -> None:
    queue, dead = RESOURCES["IngestQueue"]["Properties"], RESOURCES["IngestDeadLetters"]["Properties"]
    assert queue["VisibilityTimeout"] >= 6 * function("ingest")["Timeout"]
    assert queue["RedrivePolicy"] == {"deadLetterTargetArn": {"Fn::GetAtt": ["IngestDeadLetters", "Arn"]}, "maxReceiveCount": MOST_ATTEMPTS}
    (source,) = dead["RedriveAllowPolicy"]["sourceQueueArns"]
    assert source["Fn::Sub"].endswith(":" + queue["QueueName"]["Fn::Sub"])
    reader = RESOURCES["IngestQueueReader"]["Properties"]
    assert reader["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert reader["ScalingConfig"] == {"MaximumConcurrency": {"Ref": "QueueConcurrency"}}
    assert PARAMETERS["IngestConcurrency"]["Default"] > PARAMETERS["QueueConcurrency"]["Default"]


def test_an_upload_is_there_as_long_as_a_message_about_it_may_wait() -> None:
    """Of dropped files, which are the only copy, nothing expires but versions that were replaced."""
    queues = [RESOURCES[name]["Properties"]["MessageRetentionPeriod"] for name in ("IngestQueue", "IngestDeadLetters")]
    assert queues == [14 * 86_400] * 2
    rules = RESOURCES["Documents"]["Properties"]["LifecycleConfiguration"]["Rules"]
    assert [(rule["Prefix"], rule["ExpirationInDays"]) for rule in rules if "ExpirationInDays" in rule] == [("uploads/", 15)]
    assert list(inside(rules, "NoncurrentDays")) == [30]


def test_pages_of_other_origins_send_files_to_one_bucket_and_read_from_the_other() -> None:
    assert list(inside(RESOURCES["Documents"], "AllowedMethods")) == [["POST"]]
    assert list(inside(RESOURCES["Files"], "AllowedMethods")) == [["GET", "HEAD"]]


@pytest.mark.parametrize(("table", "definition"), [("Cache", cache), ("Ledger", ledger_store)])
def test_a_table_is_the_one_that_its_adapter_describes(table: str, definition: Any) -> None:
    properties = RESOURCES[table]["Properties"]
    described = {key: value for key, value in definition.table_definition("").items() if key != "TableName"}
    assert {key: properties[key] for key in described} == described
    assert properties["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    assert properties["SSESpecification"]["SSEType"] == "KMS"


def test_expired_values_go_and_the_ledger_stays() -> None:
    ttl = RESOURCES["Cache"]["Properties"]["TimeToLiveSpecification"]
    assert ttl == {"AttributeName": cache.TTL_ATTRIBUTE, "Enabled": True}
    assert RESOURCES["Ledger"]["UpdateReplacePolicy"] == "Retain"
    assert RESOURCES["Ledger"]["Properties"]["DeletionProtectionEnabled"] == {"Fn::If": ["ProtectsLedger", True, False]}


def test_only_data_survives_a_failed_first_deployment() -> None:
    policies = {name: resource["DeletionPolicy"] for name, resource in RESOURCES.items() if "DeletionPolicy" in resource}
    stays = {name: policy for name, policy in policies.items() if policy != "Delete"}
    assert stays == dict.fromkeys(["Documents", "Files", "Ledger", "Key"], "RetainExceptOnCreate")
    assert PARAMETERS["ProtectLedger"]["Default"] == "false"  # CloudFormation could not take a protected table back


def test_a_new_account_can_deploy() -> None:
    """It has ten concurrent executions, and none of them can be reserved."""
    for name in NAMES:
        reserved = {"Fn::If": ["ReservesConcurrency", {"Ref": f"{name.title()}Concurrency"}, {"Ref": "AWS::NoValue"}]}
        assert function(name)["ReservedConcurrentExecutions"] == reserved
    assert TEMPLATE["Conditions"]["ReservesConcurrency"] == {"Fn::Equals": [{"Ref": "ReserveConcurrency"}, "true"]}
    assert PARAMETERS["ReserveConcurrency"]["Default"] == "false"
    assert list(inside(RESOURCES, "ProvisionedConcurrencyConfig")) == []


def test_an_index_in_production_has_a_majority_when_a_zone_fails() -> None:
    """One node, or three in three zones; in production three more of their own lead."""
    cluster = RESOURCES["SearchDomain"]["Properties"]["ClusterConfig"]
    assert PARAMETERS["OpenSearchNodes"]["AllowedValues"] == [1, 3]
    assert cluster["ZoneAwarenessConfig"] == {"Fn::If": ["HasThreeNodes", {"AvailabilityZoneCount": 3}, {"Ref": "AWS::NoValue"}]}
    assert cluster["ZoneAwarenessEnabled"] == {"Fn::If": ["HasThreeNodes", True, False]}
    assert cluster["DedicatedMasterEnabled"] == {"Fn::If": ["HasMasters", True, False]}
    assert cluster["DedicatedMasterCount"]["Fn::If"][:2] == ["HasMasters", 3]
    assert TEMPLATE["Conditions"]["HasMasters"] == {"Fn::And": [{"Condition": "HasThreeNodes"}, {"Condition": "IsProduction"}]}
    production = tomllib.loads((ROOT / "samconfig.toml").read_text())["production"]["deploy"]["parameters"]["parameter_overrides"]
    assert {"Stage=production", "OpenSearchNodes=3"} <= set(production)


def test_names_that_an_account_has_once_hold_the_region() -> None:
    kinds = (
        "AWS::CloudFront::OriginAccessControl",
        "AWS::CloudFront::Function",
        "AWS::CloudFront::CachePolicy",
        "AWS::CloudFront::ResponseHeadersPolicy",
    )
    names = [next(inside(properties, "Name"))["Fn::Sub"] for kind in kinds for properties in of_type(kind).values()]
    assert len(names) == len(set(names)) == 4
    assert [name for name in names if not name.startswith("${AWS::StackName}-${AWS::Region}-")] == []
    assert {resource["Type"] for resource in RESOURCES.values() if resource["Type"].startswith("AWS::CloudFront::")} == {
        *kinds,
        "AWS::CloudFront::Distribution",
    }


def test_a_function_that_feeds_its_own_queue_is_not_stopped_as_an_endless_loop() -> None:
    """Lambda ends a chain of 16 calls; the vectors of a long file take more."""
    loops = {name: function(name).get("RecursiveLoop", "Terminate") for name in NAMES}
    assert loops == {"query": "Terminate", "ingest": "Allow", "feedback": "Terminate", "stats": "Terminate"}


# --- alarms and deployments --------------------------------------------------------------------


def test_every_alarm_watches_something_that_is_there_and_tells_somebody() -> None:
    owners = {"AWS/Lambda": "AWS::Serverless::Function", "AWS/SQS": "AWS::SQS::Queue"}
    seen = set()
    for alarm in of_type("AWS::CloudWatch::Alarm").values():
        assert alarm["AlarmActions"] == [{"Fn::If": ["OwnTopic", {"Ref": "AlarmTopic"}, {"Ref": "AlarmTopicArn"}]}]
        for metric in [alarm] if "MetricName" in alarm else list(inside(alarm["Metrics"], "Metric")):
            (dimension,) = metric["Dimensions"]
            owner = dimension["Value"]
            if metric["Namespace"] in owners:
                owner = owner.get("Ref") or owner["Fn::GetAtt"][0]
                assert RESOURCES[owner]["Type"] == owners[metric["Namespace"]]
            seen.add((str(owner), str(metric["MetricName"])))
    each = {(f"{name.title()}Function", metric) for name in NAMES for metric in ("Errors", "Throttles", "Url5xxCount")}
    assert seen == each | {
        ("QueryFunction", "Duration"),
        ("IngestDeadLetters", "ApproximateNumberOfMessagesVisible"),
        ("IngestQueue", "ApproximateAgeOfOldestMessage"),
        ("query", "Blocked"),
        ("query", "Unsaved"),
        ("query", "Degraded"),
    }


def test_the_alarms_on_turns_watch_metrics_that_the_query_function_writes(capsys: pytest.CaptureFixture[str]) -> None:
    variables = function("query")["Environment"]["Variables"]
    CloudWatchMeter(variables["POWERTOOLS_SERVICE_NAME"]).measure(metrics_of(make_turn("?", outcome="blocked"), 0.0))
    told = json.loads(capsys.readouterr().out)
    (directive,) = told["_aws"]["CloudWatchMetrics"]
    written = {metric["Name"] for metric in directive["Metrics"]}
    for alarm in of_type("AWS::CloudWatch::Alarm").values():
        if alarm.get("Namespace") == directive["Namespace"]:
            assert alarm["MetricName"] in written
            assert directive["Dimensions"] == [[dimension["Name"] for dimension in alarm["Dimensions"]]]
            assert all(told[dimension["Name"]] == dimension["Value"] for dimension in alarm["Dimensions"])


@pytest.mark.parametrize("name", NAMES)
def test_a_new_version_that_fails_is_taken_back(name: str) -> None:
    assert function(name)["DeploymentPreference"]["Alarms"] == [{"Ref": f"{name.title()}Errors"}, {"Ref": "ServerErrors"}]
    assert COMMON["DeploymentPreference"]["Type"] == {"Fn::If": ["IsProduction", "Canary10Percent5Minutes", "AllAtOnce"]}
    assert function(name)["AutoPublishAliasAllProperties"] is True
    # API clients get it when the others have had it for a while.
    assert RESOURCES[f"{name.title()}Api"]["DependsOn"] == f"{name.title()}FunctionAliaslive"


def test_the_build_is_for_what_is_deployed() -> None:
    defaults = dict(re.findall(r"^(\w+) \?= (\S+)$", (ROOT / "build.mk").read_text(), re.MULTILINE))
    assert defaults["ARCHITECTURE"] == PARAMETERS["Architecture"]["Default"]
    assert "python" + defaults["PYTHON_VERSION"] == PARAMETERS["Runtime"]["Default"]


def test_stages_set_parameters_that_there_are() -> None:
    stages = tomllib.loads((ROOT / "samconfig.toml").read_text())
    for stage in ("staging", "production"):
        values = dict(each.split("=") for each in stages[stage]["deploy"]["parameters"]["parameter_overrides"])
        assert values["Stage"] == stage
        assert set(values) <= set(PARAMETERS)
        assert [value for name, value in values.items() if value not in map(str, PARAMETERS[name].get("AllowedValues", [value]))] == []


def test_every_check_that_is_skipped_has_its_reason() -> None:
    text = (ROOT / ".checkov.yaml").read_text()
    skipped = yaml.safe_load(text)["skip-check"]
    assert skipped == sorted(set(skipped), key=lambda check: int(check.rpartition("_")[2]))
    assert len(re.findall(r"^  - CKV_AWS_\d+ # \w.+", text, re.MULTILINE)) == len(skipped)
