"""The agent: a model that searches and calls tools in rounds.

A round is one reply of the model. The tools it requests are called concurrently and their results are sent back to it. This
repeats until it answers or no rounds are left; the last round offers no tools, so that the model has to answer. Text of up to
HELD characters before a tool call is treated as thinking; longer text has been streamed by then and stays in the answer.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from time import perf_counter

from footnote.answer.budget import budget_of, exchanges_shown
from footnote.answer.citation_styles import cite
from footnote.answer.converse import history_messages
from footnote.answer.generate import chosen
from footnote.answer.repetition import RepetitionGuard
from footnote.answer.stream_filters import StreamFilter, ThinkFilter, filter_for
from footnote.answer.today import today
from footnote.answer.toolbox import Search, Toolbox, ToolResult
from footnote.answer.voice_tool import VoiceTool
from footnote.errors import FootnoteError, ModelTimeout, ModelUnavailable, Unavailable
from footnote.events import Answering, Event, StepFinished, StepStarted, Think, Token, ToolCalled
from footnote.model_calls import WITHHELD, pick, read_reply
from footnote.ports import Delta, LanguageModel, Models, Tool, Tools
from footnote.ports.tool_arguments import find_search, scope_of
from footnote.prompts import Prompts
from footnote.settings import LLM, MCP, Conversation
from footnote.steps import was_stopped
from footnote.types import Answer, Cut, Message, RankedList, Span, Stage, ToolCall, Turn
from footnote.types.copies import replace

HELD = 200
"""Characters of a reply held back until it is known whether a tool call follows."""
MAX_CALLS = 8
"""Tool calls executed per round; the model is asked to repeat the others."""


async def run_agent(
    turn: Turn,
    *,
    models: Models,
    tools: Tools | None,
    searcher: Search,
    voice_tool: VoiceTool,
    prompts: Prompts,
    mcp: MCP,
    llm: LLM,
    conversation: Conversation,
) -> AsyncIterator[Event | Turn]:
    """Runs the rounds and streams the answer.

    Sets `turn.answer`, `turn.evidence.hits` (what its searches found and it may cite) and `turn.trace.tool_messages` (the calls
    and results before the answer). Raises ModelUnavailable if there is no model or it fails, ModelTimeout if all rounds together
    exceed the limit for the whole answer.
    """
    model = await pick(models, turn.plan.model)
    work = _Work(turn, model, llm)
    remote: Sequence[Tool] = ()
    if tools is not None and mcp.mcp_enabled:
        try:
            remote = await _list(tools, turn, mcp)
        except Unavailable:  # the documents can still be searched without them
            work.degraded = True
    voices_in = await _voices_in(voice_tool, turn, work)
    box = Toolbox(turn, remote, tools=tools, search=searcher, timeout_s=mcp.limit_s, voices=voice_tool, voices_in=voices_in)
    markers = filter_for(turn.profile.citation_style, box.hits)
    rules = None if voices_in is not None else turn.conversation.system  # a saved prompt may hold the day
    if rules is None:
        day = "" if voices_in is None else turn.began.date().isoformat()
        rules = prompts.render("agent", turn.lang, {"tools": bool(remote), "voices": day})
    if turn.profile.room_prompt and turn.conversation.system is None:
        turn = replace(turn, conversation=replace(turn.conversation, system=rules, keeps_system=True))
    messages = [Message("system", rules), *_conversation(turn, llm, conversation, prompts)]
    offered, rounds = box.offered, mcp.rounds
    while True:
        reply = _Reply(hold=HELD if offered else 0)
        try:
            async for event in work.ask(reply, [*messages, *work.said], offered, markers):
                yield event
        except asyncio.CancelledError:
            if not (work.shown and was_stopped()):
                raise
            reply = replace(reply, calls=(), cut="stopped")
        except ModelUnavailable as exc:
            if isinstance(exc, ModelTimeout) or work.said or reply.text or not offered:
                raise
            offered = ()  # the model or its server may not support tools: search once and put the results into the prompt
            async for event in work.call(box, [ToolCall(name, name, json.dumps({"query": turn.asked})) for name in box.searches]):
                yield event
            results = "\n\n".join(said.content for said in work.said)
            work.said.clear()
            messages[-1] = replace(messages[-1], content=f"{results}\n\n{messages[-1].content}")
            work.degraded = True
            continue
        if not reply.calls or not offered:
            break
        rounds -= 1
        offered = box.offered if rounds else ()
        work.said.append(Message("assistant", reply.text, tool_calls=reply.calls))
        async for event in work.call(box, reply.calls):
            yield event
    if rest := markers.flush():
        yield Token(rest)
    if not reply.text.strip() and reply.cut != "stopped":
        raise ModelUnavailable(WITHHELD[reply.cut])
    text, citations = cite("".join(work.shown).strip(), box.hits, turn.profile.citation_style, turn.lang, question=turn.asked)
    record = replace(
        turn.trace,
        tool_messages=tuple(work.said),
        spans=(*turn.trace.spans, *work.spans),
        degraded=turn.trace.degraded or work.degraded,
    )
    evidence = replace(turn.evidence, lists=work.found, hits=tuple(box.hits))
    answer = Answer(text.rstrip(), citations, model=model.name, cut=reply.cut)
    yield replace(turn, evidence=evidence, answer=answer, trace=record)


@dataclass(slots=True)
class _Reply:
    """A reply while it is read. `hold`: number of characters to hold back."""

    hold: int
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    cut: Cut | None = None


@dataclass(slots=True)
class _Work:
    """State of one agent run: messages, shown text, spans and search results."""

    turn: Turn
    model: LanguageModel
    llm: LLM
    said: list[Message] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    found: tuple[RankedList, ...] = ()
    """Ranked lists of its searches in the index."""
    degraded: bool = False
    started: float = field(default_factory=perf_counter)
    steps: dict[str, int] = field(default_factory=dict)

    async def ask(self, reply: _Reply, messages: Sequence[Message], offered: Sequence[Tool], markers: StreamFilter) -> AsyncIterator[Event]:
        """Runs one round. All rounds share the limit for the whole answer."""
        profile, total_s = self.turn.profile, self.llm.total_timeout_s
        left = total_s - (perf_counter() - self.started)
        if left <= 0:
            raise ModelTimeout(f"The language model and its tools took longer than {total_s:g} s.")
        name, begun = self._begin("round"), perf_counter()
        yield StepStarted(name, Stage.ANSWER)
        yield Answering()
        stream = read_reply(
            self.model,
            messages,
            temperature=chosen(self.turn.request.temperature, self.llm, "temperature", profile.temperature),
            max_tokens=chosen(self.turn.request.max_tokens, self.llm, "max_completion_tokens", budget_of(self.turn, self.llm).answer),
            tools=offered,
            first_token_s=min(self.llm.first_token_s(profile.first_token_s), left),
            total_s=left,
        )
        async with aclosing(stream):
            async for event in self._read(stream, reply, markers):
                yield event
        yield self._end(name, begun, "ok", calls=len(reply.calls))

    async def _read(self, stream: AsyncIterator[Delta], reply: _Reply, markers: StreamFilter) -> AsyncIterator[Event]:
        pending, thoughts, repetition = "", ThinkFilter(), RepetitionGuard()
        async for delta in stream:
            thought, said = thoughts.feed(delta.text)
            if thought := delta.thinking + thought:
                yield Think(thought)
            reply.text += said
            pending += said
            reply.calls += delta.tool_calls
            reply.cut = delta.cut or reply.cut
            if pending and len(reply.text) > reply.hold:
                if ready := self._show(pending, markers):
                    yield Token(ready)
                pending = ""
            if repetition.feed(delta.thinking + delta.text):
                reply.cut = "repetition"
                break
        thought, said = thoughts.flush()
        reply.text += said
        pending += said
        if reply.calls and len(reply.text) <= reply.hold:
            thought, pending = thought + pending, ""
        elif reply.calls:
            pending += "\n\n"
        if thought.strip():
            yield Think(thought)
        if pending and (ready := self._show(pending, markers)):
            yield Token(ready)

    def _show(self, text: str, markers: StreamFilter) -> str:
        self.shown.append(text)
        return markers.feed(text)

    async def call(self, box: Toolbox, tool_calls: Sequence[ToolCall]) -> AsyncIterator[Event]:
        """Runs the tool calls concurrently; appends the result messages in the order of the calls."""
        names = [self._begin(f"tool:{_known(box, tool_call)}") for tool_call in tool_calls[:MAX_CALLS]]
        begun = perf_counter()
        for name, tool_call in zip(names, tool_calls, strict=False):
            yield StepStarted(name, Stage.ANSWER)
            yield ToolCalled(_known(box, tool_call))
        tasks = {asyncio.create_task(box.call(tool_call)): name for tool_call, name in zip(tool_calls, names, strict=False)}
        pending = set(tasks)
        try:
            while pending:
                done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    called = task.result()
                    shows = {} if called.found is None else {"passages": len(called.found.evidence.hits)}
                    yield self._end(tasks[task], begun, called.status, **shows)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        results = [task.result() for task in tasks]
        results += [ToolResult("Too many calls at once. Call it again.", "failed")] * (len(tool_calls) - len(results))
        for tool_call, called in zip(tool_calls, results, strict=True):
            self.degraded |= called.status == "skipped" or (called.found is not None and called.found.trace.degraded)
            self.found += called.found.evidence.lists if called.found is not None else ()
            self.said.append(Message("tool", box.show(tool_call, called), tool_call_id=tool_call.call_id, name=tool_call.name))

    def _begin(self, name: str) -> str:
        """The step's name, numbered from its second occurrence on (`round#2`)."""
        self.steps[name] = self.steps.get(name, 0) + 1
        return f"{name}#{self.steps[name]}" if self.steps[name] > 1 else name

    def _end(self, name: str, begun: float, status: str, **detail: int) -> StepFinished:
        ms = (perf_counter() - begun) * 1000
        self.spans.append(Span(name, ms, status, detail))
        return StepFinished(name, ms, status, detail, stage=Stage.ANSWER)


def _known(box: Toolbox, tool_call: ToolCall) -> str:
    """The tool's name; `unknown` for a name that the model made up."""
    return tool_call.name if box.knows(tool_call.name) else "unknown"


async def _voices_in(voices: VoiceTool, turn: Turn, work: _Work) -> str | None:
    """The collection of voices for this turn; None = there is none, or it is currently unknown."""
    try:
        return await voices.collection(turn)
    except FootnoteError:
        work.degraded = True
        return None


async def _list(tools: Tools, turn: Turn, mcp: MCP) -> Sequence[Tool]:
    """The remote tools without the remote search, which `search_documents` already covers."""
    scope = scope_of(turn.request, turn.caller)
    available = await tools.list(scope)
    search = find_search(available, mcp.search_tool, scope)
    return [tool for tool in available if tool is not search]


def _conversation(turn: Turn, llm: LLM, conversation: Conversation, prompts: Prompts) -> list[Message]:
    day = today(turn, prompts)
    if not turn.conversation.exchanges:
        return [Message("user", f"{day}\n\n{turn.asked}")]
    earlier = history_messages(exchanges_shown(turn, conversation), budget_of(turn, llm).conversation)
    return [*earlier, Message("user", f"{day}\n\n{turn.request.question}")]
