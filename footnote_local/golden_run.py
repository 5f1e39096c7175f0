"""`footnote eval --golden`: asks the stored golden cases of a collection, and compares the results with earlier ones.

Every case is asked through the regular pipeline, with the case's groups, at temperature 0 and without hints from feedback. Nothing is
stored, counted or cached."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from footnote.bootstrap import Core
from footnote.errors import BadRequest
from footnote.learn.golden_cases import GoldenCase, contains, load_case, locate
from footnote.learn.ranking_metrics import mean_interval
from footnote.ports import read_all
from footnote.types import Caller, Request, Turn, tier_of
from footnote_local.evaluate import Progress
from footnote_query.dialects.trd.ask import HELD

CHECKER = Caller("golden", sees_all=True)
ENOUGH = 20
"""Number of cases from which an interval is meaningful."""
FORMAT = 1
ANOTHER = "Choose another baseline, or write one with --save."
SHOWN = 80
"""Characters of a question that names a case."""


@dataclass(frozen=True, slots=True)
class CaseResult:
    """The result of a case. `score`: share of its expectations, 0 to 1; `passed`: all required ones are met; `why`: the missing ones;
    `gone`: public ids of expected passages that no longer exist."""

    case_id: str
    question: str
    passed: bool
    score: float
    why: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()


async def run_golden(core: Core, collection: str | None, progress: Progress) -> dict[str, Any]:
    """The report of all cases of a collection, by default INDEX_NAME. BadRequest if it has none."""
    await core.refresh()
    name = collection or core.settings.index_name
    names = await core.collections.names_of(name)
    records = await read_all(lambda after: core.records.list("golden", limit=200, after=after))
    cases = [case for case in map(load_case, records) if case.collection in names]
    if not cases:
        stored = ", ".join(sorted({load_case(record).collection for record in records})) or "none"
        raise BadRequest(
            f"There are no golden cases for the collection “{name}” (collections with cases: {stored}). Add some under Feedback on the"
            " page, or with POST /golden."
        )
    results = []
    for number, case in enumerate(cases, start=1):
        results.append(await run_case(core, case))
        progress("asking golden cases", number, len(cases))
    mean, low, high = mean_interval([result.score for result in results])
    report: dict[str, Any] = {
        "format": FORMAT,
        "collection": name,
        "cases": len(results),
        "passed": sum(result.passed for result in results),
        "score": round(mean, 4),
        "results": [asdict(result) for result in results],
    }
    if len(results) >= ENOUGH:
        report["score_interval"] = [round(low, 4), round(high, 4)]
    return report


async def run_case(core: Core, case: GoldenCase) -> CaseResult:
    """Asks a case, and judges the answer."""
    caller = Caller("golden", frozenset(case.permission_groups))
    request = Request(case.question, case.collection, temperature=0.0, is_test=True, options={"feedback_hints": False})
    turn = await core.answer.finish(core.new_turn(request, caller, HELD))
    tier = tier_of(turn.outcome)
    if case.expects == "refusal":
        refused = tier == "nothing"
        return CaseResult(case.case_id, case.question, refused, float(refused), () if refused else ("it is answered",))
    located = await locate(case.passages, CHECKER, index=core.index, ledger=core.ledger)
    hit_ids = frozenset(hit.chunk.public_id for hit in turn.evidence.hits)
    cited = frozenset(citation.hit.chunk.public_id for citation in turn.answer.citations) if turn.answer else frozenset()
    gone = tuple(place.passage.chunk_id for place in located if place.state == "gone")
    text = _text_of(turn)
    checks = {"there is no answer": tier == "answer"}
    if located:
        checks["no expected passage is cited"] = any(place.chunk_ids & cited for place in located)
        for place in located:
            if place.state != "gone":
                checks[f"passage {place.passage.chunk_id} is not found"] = bool(place.chunk_ids & hit_ids)
    checks |= {f"the answer lacks “{fact}”": contains(text, fact) for fact in case.facts}
    checks |= {f"passage {chunk_id} no longer exists": False for chunk_id in gone}
    why = tuple(said for said, passed in checks.items() if not passed)
    optional = tuple(said for said in why if said.endswith("is not found") and len(located) > 1)  # one that is cited is enough
    return CaseResult(case.case_id, case.question, len(why) == len(optional), sum(checks.values()) / len(checks), why, gone)


def _text_of(turn: Turn) -> str:
    return turn.answer.text if turn.answer else ""


def load_baseline(path: Path) -> Mapping[str, Any]:
    """A saved report. BadRequest if the file is not one."""
    try:
        report: dict[str, Any] = json.loads(path.read_text("utf-8"))
        if report["format"] != FORMAT:
            raise ValueError(report["format"])
        {result["case_id"]: (result["passed"], result["score"], result["question"]) for result in report["results"]}
    except FileNotFoundError as exc:
        raise BadRequest(f"There is no baseline {path}. Write one first with --save {path}.") from exc
    except (OSError, ValueError, KeyError, TypeError) as exc:
        raise BadRequest(f"{path} is not a report of `footnote eval --golden --save`.") from exc
    return report


def compare(report: Mapping[str, Any], baseline: Mapping[str, Any]) -> dict[str, Any]:
    """The changes since the baseline, cases as {case_id, question, why}. `dropped`: a case broke, or the mean score of at least ENOUGH
    common cases is certainly lower. BadRequest for a baseline of another collection, or without a common case."""
    if (earlier := baseline.get("collection")) != report.get("collection"):
        raise BadRequest(f"The baseline is of the collection “{earlier}”, not of “{report.get('collection')}”. {ANOTHER}")
    before = {result["case_id"]: result for result in baseline["results"]}
    now = {result["case_id"]: result for result in report["results"]}
    if before.keys().isdisjoint(now):
        raise BadRequest(f"The baseline and this run have no case in common, so nothing can be compared. {ANOTHER}")
    common = [case_id for case_id in now if case_id in before]
    broken = [now[case_id] for case_id in common if before[case_id]["passed"] and not now[case_id]["passed"]]
    fixed = [now[case_id] for case_id in common if now[case_id]["passed"] and not before[case_id]["passed"]]
    mean, low, high = mean_interval([now[case_id]["score"] - before[case_id]["score"] for case_id in common])
    enough = len(common) >= ENOUGH
    changes = {
        "broken": [_named(result) for result in broken],
        "fixed": [_named(result) for result in fixed],
        "new": [_named(result) for result in now.values() if result["case_id"] not in before],
        "deleted": [_named(result) for result in before.values() if result["case_id"] not in now],
        "score_change": round(mean, 4),
        "dropped": bool(broken) or (enough and high < 0),
    }
    return changes | ({"score_change_interval": [round(low, 4), round(high, 4)]} if enough else {})


def _named(result: Mapping[str, Any]) -> dict[str, Any]:
    return {name: result[name] for name in ("case_id", "question", "why")}


def sentences(report: Mapping[str, Any]) -> list[str]:
    """The lines to print."""
    interval = report.get("score_interval")
    bounds = f", 95 % interval {interval[0]} to {interval[1]}" if interval else ""
    lines = [f"{report['passed']} of {report['cases']} golden cases of {report['collection']} pass (score {report['score']}{bounds})."]
    lines += [_line("fails", result) for result in report["results"] if not result["passed"]]
    if gone := [f"{chunk_id} ({_short(result['question'])})" for result in report["results"] for chunk_id in result["gone"]]:
        lines.append(f"Expected passages that no longer exist: {', '.join(gone)}.")
    changes = report.get("changes")
    if changes is None:
        return [*lines, "No baseline was given, so nothing is compared. Write one with --save FILE, compare with --baseline FILE."]
    for name in ("broken", "fixed", "new", "deleted"):
        lines += [_line(name, result) for result in changes[name]]
    interval = changes.get("score_change_interval")
    bounds = f", 95 % interval {interval[0]:+} to {interval[1]:+}" if interval else ""
    lines.append(
        f"Since the baseline: {len(changes['broken'])} broken, {len(changes['fixed'])} fixed, {len(changes['new'])} new,"
        f" {len(changes['deleted'])} deleted; score {changes['score_change']:+}{bounds}."
    )
    return lines


def _line(name: str, result: Mapping[str, Any]) -> str:
    why = f": {'; '.join(result['why'])}" if result["why"] else ""
    return f"{name:8} {result['case_id']}  {_short(result['question'])}{why}"


def _short(question: str) -> str:
    line = " ".join(question.split())
    return line if len(line) <= SHOWN else f"{line[: SHOWN - 1]}…"
