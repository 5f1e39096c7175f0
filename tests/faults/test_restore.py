"""The ledger is restored to an earlier moment, on the AWS engines: documents deleted since stay deleted, the rest becomes consistent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import boto3
import pytest

from footnote.adapters.dynamodb.ledger_restore import _items
from footnote.adapters.dynamodb.ledger_store import table_definition
from footnote.adapters.dynamodb.table import Table, make_client
from footnote.bootstrap import Core
from footnote.guard.identity import LOCAL
from footnote.ingest.integrity import drop_buckets, verify
from footnote_local.restore_ledger import main, restore
from tests.faults.aws_world import World, open_world
from tests.faults.test_crash_sweep import check_everything, list_all


@pytest.fixture
def world(opensearch_url: str, dynamodb_url: str, aws_url: str) -> Iterator[World]:
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("LAMBDA_TASK_ROOT", "/var/task")
        with open_world(opensearch_url, dynamodb_url, aws_url) as made:
            yield made


@pytest.fixture
def restored(world: World) -> Iterator[str]:
    """The name of an empty table for the restored ledger."""
    tables = boto3.client("dynamodb", endpoint_url=world.direct["dynamodb"])
    name = f"{world.name}-restored"
    tables.create_table(**table_definition(name))
    yield name
    tables.delete_table(TableName=name)
    tables.close()


def take(world: World, core: Core, key: str, text: str) -> None:
    world.put(key, text.encode())
    world.deliver(core)


def copy_ledger(world: World, name: str) -> None:
    """Copies the table as it is at this moment, as AWS does."""
    client = make_client(5.0, endpoint_url=world.direct["dynamodb"])
    for item in _items(Table(f"{world.name}-ledger", "", 5.0, client)):
        client.put_item(TableName=name, Item=item)
    client.close()


def delete(world: World, core: Core, key: str) -> None:
    """Deletes like an owner: the file stays in the bucket."""
    (doc_id,) = [document.doc_id for document in world.run(list_all(core)) if document.file_name == key]
    world.run(core.ingestor.delete(LOCAL, doc_id))


def reconcile(world: World, core: Core) -> list[str]:
    """Runs the hourly reconciliation → the kinds of its findings."""
    found: list[str] = []
    for _ in range(4):
        report = world.run(verify(core.bucket, drop_buckets(core.settings), core.embedder, repair=True, abandoned_s=0.0))
        found += [finding.kind for finding in report.findings]
        world.deliver(core)
    assert report.findings == ()
    return found


def test_documents_deleted_after_the_restore_point_stay_deleted_and_drops_return(world: World, restored: str) -> None:
    with world.core(proxied=False) as core:
        for key in ("kept", "gone", "removed", "changed"):
            take(world, core, f"{key}.txt", f"The {key} tower of version1 was painted.")
        copy_ledger(world, restored)
        delete(world, core, "gone.txt")
        world.delete("removed.txt")
        world.deliver(core)
        take(world, core, "changed.txt", "The changed tower of version2 was painted.")
        take(world, core, "later.txt", "The later tower of version1 was painted.")
        take(world, core, "brief.txt", "The brief tower of version1 was painted.")
        delete(world, core, "brief.txt")

        assert world.run(restore(core, restored)) == 2
        reconcile(world, core)

        def texts() -> Any:
            return sorted(chunk.text for chunk in world.run(core.index.sample(LOCAL, "default", 1000)))

        assert texts() == [
            "The changed tower of version2 was painted.",
            "The kept tower of version1 was painted.",
            "The later tower of version1 was painted.",
        ]
        assert {document.file_name: document.state for document in world.run(list_all(core))} == {
            "changed.txt": "READY", "kept.txt": "READY", "later.txt": "READY",
        }  # fmt: skip
        check_everything(world, core)


def test_a_restore_without_a_separate_table_says_what_it_needs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delenv("AWS__LEDGER_TABLE", raising=False)
    assert main(["ledger-restored"]) == 2
    monkeypatch.setenv("AWS__LEDGER_TABLE", "ledger")
    assert (main([]), main(["ledger"])) == (2, 2)
    assert capsys.readouterr().err.count("AWS__LEDGER_TABLE") == 3
