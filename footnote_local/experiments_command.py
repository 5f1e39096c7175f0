"""`footnote experiments`: creates, replays, starts, shows, stops and deletes experiments."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from footnote_local.terminal import Commands, Exit, leave, say, show_json
from footnote_local.with_core import DataOption, JsonOption, run_with_core

if TYPE_CHECKING:
    from footnote.bootstrap import Core
    from footnote_query.experiment_replay import IntervalBody, ReplayBody
    from footnote_query.experiments import ExperimentDetails

app = typer.Typer(cls=Commands, no_args_is_help=True, help="Compare prompts, retrievers and rerankers by the ratings of users.")

NameArgument = Annotated[str, typer.Argument(help="Name of the experiment.", metavar="NAME")]


@app.command("list")
def list_(data: DataOption = None, as_json: JsonOption = False) -> None:
    """List all experiments."""
    from footnote.learn.experiments import dump_arm, list_experiments

    experiments = run_with_core(data, lambda core: list_experiments(core.records), reads=True)
    if as_json:
        rows = [
            {
                "name": experiment.name,
                "state": experiment.state,
                "assignment": experiment.kind,
                "arms": list(map(dump_arm, experiment.arms)),
            }
            for experiment in experiments
        ]
        show_json({"experiments": rows})
        return
    for experiment in experiments:
        print(f"{experiment.name:32} {experiment.state:8} {experiment.kind:7} {', '.join(arm.name for arm in experiment.arms)}")
    if not experiments:
        say("There are no experiments.")


@app.command()
def create(
    file: Annotated[Path, typer.Argument(help="The experiment as JSON, as in the body of POST /experiments.", metavar="FILE.json")],
    start: Annotated[bool, typer.Option("--start", help="Start it at once.")] = False,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Create an experiment. Each arm is checked against what is configured."""
    from footnote_query.experiments import create as create_experiment

    new = read_experiment(file)
    new = new.model_copy(update={"start": new.start or start})
    _show(run_with_core(data, lambda core: create_experiment(core, _local(), new)), as_json)


@app.command()
def show(name: NameArgument, data: DataOption = None, as_json: JsonOption = False) -> None:
    """Show an experiment and its results so far."""
    from footnote_query.experiments import describe

    _show(run_with_core(data, lambda core: describe(core, _local(), name), reads=True), as_json)


@app.command()
def replay(
    name: NameArgument,
    days: Annotated[int, typer.Option(help="Feedback of so many days up to now.", min=1, max=366)] = 90,
    turns: Annotated[int, typer.Option(help="At most so many rated turns, those rated last.", min=1, max=1000)] = 200,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Have every arm answer questions that were rated before. Nothing is stored or counted."""
    from footnote_local.terminal import progress_bar
    from footnote_query.experiment_replay import replay as replay_experiment

    async def work(core: Core) -> ReplayBody:
        await core.refresh()
        with progress_bar() as bar:
            return await replay_experiment(core, _local(), name, days, turns, bar)

    replay_body = run_with_core(data, work)
    if as_json:
        show_json(replay_body.model_dump())
        return
    for line in replayed(replay_body):
        print(line)


@app.command()
def start(name: NameArgument, data: DataOption = None, as_json: JsonOption = False) -> None:
    """Start an experiment, or go on with a stopped one."""
    from footnote_query.experiments import start as start_experiment

    _show(run_with_core(data, lambda core: start_experiment(core, _local(), name)), as_json)


@app.command()
def stop(name: NameArgument, data: DataOption = None, as_json: JsonOption = False) -> None:
    """Stop an experiment. Its results are kept."""
    from footnote_query.experiments import stop as stop_experiment

    _show(run_with_core(data, lambda core: stop_experiment(core, _local(), name)), as_json)


@app.command()
def delete(name: NameArgument, data: DataOption = None) -> None:
    """Delete an experiment with its results."""
    from footnote_query.experiments import remove

    run_with_core(data, lambda core: remove(core, _local(), name))
    say("The experiment is deleted.")


def read_experiment(file: Path) -> Any:
    """The experiment in a file, a `NewExperiment`. Exits with the faults."""
    from pydantic import ValidationError

    from footnote_query.experiments import NewExperiment

    try:
        return NewExperiment.model_validate_json(file.expanduser().read_text("utf-8"))
    except (OSError, UnicodeDecodeError):
        say("footnote: The file cannot be read.")
    except ValidationError as exc:
        wrong = ["".join([".".join(map(str, error["loc"])), ": ", error["msg"]]) for error in exc.errors(include_input=False)]
        say(f"footnote: {'; '.join(wrong)}")
    leave(Exit.USAGE)


def _local() -> Any:
    from footnote.guard.identity import LOCAL

    return LOCAL


def _show(experiment: ExperimentDetails, as_json: bool) -> None:
    if as_json:
        show_json(experiment.model_dump())
        return
    for line in sentences(experiment):
        print(line)


def sentences(experiment: ExperimentDetails) -> Iterator[str]:
    """The lines to print: the arms with their results, and the verdict."""
    where = experiment.collection or "all collections"
    yield f"{experiment.name}: {experiment.state}, {experiment.assignment}, {experiment.traffic:.0%} of the users, {where}"
    for arm, result in zip(experiment.arms, experiment.results, strict=True):
        changes = json.dumps(arm.model_dump(exclude_defaults=True, exclude={"name", "share"}), ensure_ascii=False)
        yield f"  {arm.name}: {changes if changes != '{}' else 'no changes'}"
        rate = result.rate
        rated = f"{rate.rate:.1%} positive ({rate.low:.1%} to {rate.high:.1%})" if rate.rate is not None else "no rating that counts"
        yield (
            f"    share {result.share:.0%} · {result.turns} turns of {result.users} users · {result.ups} up, {result.downs} down"
            f" · {rate.ratings} count · {rated}"
        )
    verdict = experiment.verdict
    yield f"{verdict.winner} is better than the rest" if verdict.winner else "Undecided"
    yield f"p = {verdict.p_value:.3g}, valid at any time"


def replayed(replay_body: ReplayBody) -> Iterator[str]:
    """The lines to print of a replay: each arm's metrics, and what differs from the first arm for certain."""
    left_out = ", ".join(f"{count} {reason}" for reason, count in replay_body.left_out.items() if count)
    yield f"{replay_body.name}: {replay_body.liked} good and {replay_body.disliked} bad answers replayed" + (
        f"; left out: {left_out}" if left_out else ""
    )
    for arm in replay_body.arms if replay_body.liked or replay_body.disliked else ():
        yield f"  {arm.arm}"
        for measure in arm.measures:
            value, change = measure.value, measure.change
            line = f"    {measure.metric:10} {value.mean:.3f} ({value.low:.3f} to {value.high:.3f})"
            if change is not None:
                line += f"  change {change.mean:+.3f} ({change.low:+.3f} to {change.high:+.3f}){'  *' if _is_certain(change) else ''}"
            yield line
        if arm.lost:
            yield f"    finds less of good answers: {', '.join(arm.lost)}"
    if any(measure.change and _is_certain(measure.change) for arm in replay_body.arms for measure in arm.measures):
        yield "* differs from the first arm: the 95 % interval does not include 0"


def _is_certain(change: IntervalBody) -> bool:
    return not change.low <= 0 <= change.high
