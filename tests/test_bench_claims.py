"""The measurement of the support check; its figures are not tested here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.claims import main


def test_claims_are_counted_by_what_people_said_of_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    passages = ["The old bridge in Bergen was built by Anna Krogh in 1894.", "The ferry leaves every hour."]
    rows = [
        {"claim": "The old bridge was built in 1894.", "label": "supported", "passages": passages},
        {"claim": "The ferry leaves every hour.", "label": "supported", "passages": passages},
        {"claim": "The old bridge was built in 1994.", "label": "unsupported", "passages": passages},
        {"claim": "The tea is green.", "label": "partial", "passages": passages},
    ]
    (tmp_path / "bridges.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main([str(tmp_path)]) == 0
    assert [line.split("  ")[0] + " " + line.split()[-2] for line in capsys.readouterr().out.splitlines()] == [
        "bridges: 1 unsupported claims, doubted 100.0",
        "bridges: 2 supported claims, doubted 0.0",
        "bridges: balanced accuracy 100.0",
        "bridges: 1 unsupported claims, cited 0.0",
        "bridges: 2 supported claims, cited 100.0",
    ]
