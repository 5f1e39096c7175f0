"""The docs hold what the code does: every setting, route, event and command."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from math import prod
from pathlib import Path

import pytest
from typer.main import get_command

from footnote.live_settings import LiveSettings
from footnote.pipeline import ANSWER
from footnote.settings import Settings
from footnote.steps import steps_of
from footnote_local import openapi, package_drawing
from footnote_local.cli import app as cli
from footnote_local.settings_page import render
from footnote_local.turn_drawing import DRAWING, draw
from tests.template import TEMPLATE

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
ALARMS = [resource for resource in TEMPLATE["Resources"].items() if resource[1]["Type"] == "AWS::CloudWatch::Alarm"]
ROUTES: dict[str, dict[str, object]] = json.loads(openapi.FILE.read_text("utf-8"))["paths"]
PRODUCT = re.compile(r"((?:[\d.]+ × )+[\d.]+) = (\d+\.\d+)")
LINK = re.compile(r"\]\(([^)#:]*)(?:#([^)]*))?\)")


def test_the_page_of_settings_is_made_from_the_settings() -> None:
    assert (DOCS / "settings.md").read_text("utf-8") == render(), "run: python -m footnote_local.settings_page"


def test_the_openapi_document_is_made_from_the_routes() -> None:
    assert openapi.FILE.read_text("utf-8") == openapi.render(), "run: python -m footnote_local.openapi"


def test_the_drawing_of_a_turn_is_made_from_the_tables() -> None:
    assert DRAWING.read_text("utf-8") == draw(), "run: python -m footnote_local.turn_drawing"


def test_the_drawing_of_the_packages_is_made_from_the_contracts_and_the_docstrings() -> None:
    assert package_drawing.DRAWING.read_text("utf-8") == package_drawing.draw(), "run: python -m footnote_local.package_drawing"


def test_the_drawing_of_the_packages_names_every_package_and_module() -> None:
    drawn = set(re.findall(r'class="n"[^>]*>([a-z_]+)</text>', package_drawing.DRAWING.read_text("utf-8")))
    core = {
        path.stem for path in (ROOT / "layers/common/footnote").iterdir() if path.stem.strip("_") == path.stem and path.suffix != ".typed"
    }
    programs = {path.parent.name for path in ROOT.glob("functions/*/*/__init__.py")} | {"footnote_local", "footnote_http"}
    assert len(core) >= 20
    assert drawn == core | programs


def test_the_page_on_architecture_explains_every_package() -> None:
    text = (DOCS / "architecture.md").read_text("utf-8")
    rows = re.findall(r"^\| ((?:`[a-z_]+`(?:, )?)+) \|", text.split("## How a turn runs")[0], re.MULTILINE)
    explained = {name for row in rows for name in re.findall(r"`([a-z_]+)`", row)}
    core = {
        path.stem for path in (ROOT / "layers/common/footnote").iterdir() if path.stem.strip("_") == path.stem and path.suffix != ".typed"
    }
    programs = {path.parent.name for path in ROOT.glob("functions/*/*/__init__.py")} | {"footnote_local", "footnote_http"}
    assert explained == core | programs


def test_the_page_on_architecture_lists_every_decision() -> None:
    linked = re.findall(r"\(decisions/([\w.-]+)\)", (DOCS / "architecture.md").read_text("utf-8"))
    assert linked == sorted(path.name for path in (DOCS / "decisions").glob("*.md"))


def test_the_drawing_names_every_step_of_every_table() -> None:
    names = {step.name for step in steps_of(ANSWER)}
    drawn = set(re.findall(r"[a-z_]+", " ".join(re.findall(r">([^<]+)</text>", DRAWING.read_text("utf-8")))))
    assert len(names) >= 35
    assert names - drawn == set()


def test_limits_that_a_setting_changes_are_its_defaults() -> None:
    known = {setting.key: setting.default for setting in LiveSettings(Settings()).all()}
    rows = re.findall(r"^\| .+ \| ([\d,]+)[^|]*\| `([A-Z_]+__[A-Z_]+)` \|$", (DOCS / "limits.md").read_text("utf-8"), re.MULTILINE)
    assert len(rows) >= 6
    for value, name in rows:
        assert int(value.replace(",", "")) == known[name.lower().replace("__", ".")], name


@pytest.mark.parametrize("route", [f"{method.upper()} {path}" for path, methods in ROUTES.items() for method in methods])
def test_every_route_is_in_the_docs(route: str) -> None:
    assert f"`{route}`" in (DOCS / "api.md").read_text("utf-8")


@pytest.mark.parametrize("command", sorted(get_command(cli).commands))  # type: ignore[attr-defined]
def test_every_command_and_option_is_in_the_docs(command: str) -> None:
    text = (DOCS / "cli.md").read_text("utf-8")
    assert f"### footnote {command}\n" in text
    section = text.split(f"### footnote {command}\n")[1].split("\n### ")[0].split("\n## ")[0]
    options = [name for option in get_command(cli).commands[command].params for name in option.opts if name.startswith("--")]  # type: ignore[attr-defined]
    common = {"--json", "--help", "--data"}
    assert [name for name in options if name not in common and name not in section] == []


@pytest.mark.parametrize("kind", ["step", "node", "think", "token", "done", "error"])
def test_every_event_of_a_stream_is_in_the_docs(kind: str) -> None:
    assert f"`{kind}`" in (DOCS / "api.md").read_text("utf-8")


def test_every_parameter_and_output_of_the_template_is_in_the_docs() -> None:
    text = (DOCS / "deploy.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| (.+?) \|", text, re.MULTILINE))
    told = {name: str(parameter.get("Default", "")) for name, parameter in TEMPLATE["Parameters"].items()}
    assert rows == {name: f"`{default}`" if default else "–" for name, default in told.items()}
    named = set(re.findall(r"[(`]output (\w+)", text)) | set(re.findall(r"`(\w+Url)`", text))
    assert named - set(TEMPLATE["Outputs"]) - set(TEMPLATE["Parameters"]) == set()


@pytest.mark.parametrize("alarm", [name for name, _ in ALARMS])
def test_every_alarm_is_in_the_docs(alarm: str) -> None:
    assert f"`{alarm}`" in (DOCS / "operations.md").read_text("utf-8")


def test_reserved_concurrency_and_alarms_match_the_docs() -> None:
    text = (DOCS / "deploy.md").read_text("utf-8")
    metrics = sum(sum("MetricStat" in metric for metric in alarm["Properties"].get("Metrics", ())) or 1 for _, alarm in ALARMS)
    assert f"alarms: {len(ALARMS)}, over {metrics} metrics" in text
    capped = ("QueryConcurrency", "IngestConcurrency", "FeedbackConcurrency", "StatsConcurrency")
    assert f"reserve {sum(TEMPLATE['Parameters'][name]['Default'] for name in capped)} of" in text


def test_the_costs_are_added_up_right() -> None:
    text = (DOCS / "deploy.md").read_text("utf-8")
    products = PRODUCT.findall(text)
    assert [
        (terms, told) for terms, told in products if f"{prod(map(float, terms.split(' × '))):.{len(told.split('.')[1])}f}" != told
    ] == []

    _, rest, questions, _ = re.split(r"^\*\*(?=At rest|Per 1,000)", text, flags=re.MULTILINE)
    staging, production = (sum(column) for column in zip(*(costs(row) for row in rest.split("\n") if len(costs(row)) == 2), strict=True))
    assert f"| **together** | **{staging:.2f}** | **{production:.2f}** |" in rest
    aws, with_model = (sum(map(sum, map(costs, part.split("\n")))) for part in (questions.split("**AWS**")[0], questions))
    assert f"**{aws:.2f}**" in questions
    assert f"| **with the model** | **{with_model:.2f}** |" in questions


def costs(line: str) -> list[float]:
    return [float(told) for _, told in PRODUCT.findall(line)]


def test_the_messages_of_the_troubleshooting_page_are_those_that_appear() -> None:
    text = (DOCS / "troubleshooting.md").read_text("utf-8")
    cells = [line.split(" | ")[0] for line in text.split("\n") if line.startswith("| ")]
    quoted = [message for cell in cells for message in re.findall(r"(?<!\*)\*([^*]+)\*", cell)]
    assert len(quoted) >= 35
    said = "\n".join([*texts_in_code(), (ROOT / "Makefile").read_text("utf-8")])
    assert [each for each in quoted if any(piece.strip() not in said for piece in each.split("…"))] == []


def texts_in_code() -> Iterator[str]:
    """What the code says: its strings, pieces of one that are written apart joined, and the page's texts."""
    for folder in ("layers", "functions", "footnote_local"):
        for path in (ROOT / folder).rglob("*.py"):
            yield from (
                node.value
                for node in ast.walk(ast.parse(path.read_text("utf-8")))
                if isinstance(node, ast.Constant) and isinstance(node.value, str)
            )
    yield from (path.read_text("utf-8") for path in (ROOT / "functions/query/footnote_query/web/i18n").glob("en*.js"))


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda page: str(page.name))
def test_a_page_says_who_reads_it_and_what_they_can_do_then(page: Path) -> None:
    people = "(users|integrators|operators|contributors|everyone)"
    assert re.match(rf"# .+\n\n\*For {people}(, {people})*( and {people})?: after this page you can .+\.\*\n\n", page.read_text("utf-8"))


def test_every_page_is_in_the_index_of_the_readme() -> None:
    linked = set(re.findall(r"\(docs/([\w-]+\.md)", (ROOT / "README.md").read_text("utf-8").split("## Documentation")[1]))
    assert {page.name for page in DOCS.glob("*.md")} - linked == set()


def test_every_footnote_command_in_the_docs_exists() -> None:
    known = set(get_command(cli).commands)  # type: ignore[attr-defined]
    pages = [*ROOT.glob("*.md"), *DOCS.rglob("*.md")]
    used = {name for page in pages for name in re.findall(r"(?:`|bin/|^)footnote ([a-z]+)\b", page.read_text("utf-8"), re.MULTILINE)}
    assert len(used) >= 15
    assert used - known == set()


@pytest.mark.parametrize("page", [*sorted(ROOT.glob("*.md")), *sorted(DOCS.rglob("*.md"))], ids=lambda page: str(page.name))
def test_links_lead_somewhere(page: Path) -> None:
    lost = []
    for place, anchor in LINK.findall(page.read_text("utf-8")):
        target = (page.parent / place) if place else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            lost.append(f"{place}#{anchor}")
    assert lost == []


def anchors(page: Path) -> set[str]:
    """As GitHub makes them of headings."""
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
