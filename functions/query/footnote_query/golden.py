"""`/golden`: the golden set, for admins: questions with what must come of them, against which `footnote eval --golden` checks a change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import Query, Response
from pydantic import BaseModel, ConfigDict, Field

from footnote.errors import BadRequest, NotFound
from footnote.guard.audit import audit
from footnote.learn.golden_cases import (
    ExpectedPassage,
    Expects,
    GoldenCase,
    State,
    expect,
    facts_in,
    load_case,
    locate,
    read_passages,
    save_case,
)
from footnote.ports import FeedbackFilter
from footnote.text.pii import mask_pii
from footnote.turn_records.read import documents_of, question_of
from footnote.turn_records.readable import readable_documents
from footnote.types import EVERYONE, Caller, Feedback, Page, TurnRecord
from footnote_http.app import Limit
from footnote_http.callers import AdminOf, CoreOf
from footnote_http.openapi import problems
from footnote_http.pages import PageBody
from footnote_http.routes import Router
from footnote_query.admin import ADMINS
from footnote_query.known_collections import check_collection

if TYPE_CHECKING:
    from footnote.bootstrap import Core

router = Router("Administration", responses=ADMINS)
NO_TURN = "There is no such turn that was rated, or it depends on documents that you may not read."
Text = Annotated[str, Field(min_length=1, max_length=500)]
PAGE = 200


class GoldenRequest(BaseModel):
    """A case: of a rated turn, or of one's own (`trace_id`), or written (`question` and `index_name`). What is not sent is taken from the
    turn and the feedback on it. Personal data is masked in all texts."""

    model_config = ConfigDict(str_strip_whitespace=True)

    trace_id: str | None = Field(None, min_length=1, max_length=100)
    question: str | None = Field(None, min_length=1, max_length=8000)
    index_name: str | None = Field(None, min_length=1, max_length=64)
    expects: Expects = Field("answer", description="refusal: the question must not be answered.")
    passages: list[Text] | None = Field(
        None,
        max_length=20,
        description="Ids of passages of which one must be cited. Default: of the feedback, or of a good answer.",
    )
    answer: str | None = Field(None, max_length=20_000, description="A good answer, for people. Default: the proposed one, or a good one.")
    facts: list[Text] | None = Field(
        None,
        max_length=20,
        description="Texts that the answer must contain. Default: of a correction without passages, the proposed answer if it is short,"
        " else its figures.",
    )
    permission_groups: list[Text] | None = Field(
        None, max_length=50, description="The groups to ask with. Default: those of the expected documents."
    )
    note: str = Field("", max_length=2000)


class ExpectedBody(BaseModel):
    """An expected passage, as it is now."""

    chunk_id: str
    doc_id: str
    title: str | None = Field(description="Of its document; null if that is gone or not readable by you.")
    state: State = Field(description="kept; moved: its text is in other passages of its document; gone, or not readable by you.")


class GoldenBody(BaseModel):
    """A golden case."""

    case_id: str
    collection: str
    expects: Expects
    withheld: bool = Field(description="True: it may quote documents that are gone or that you may not read; its texts are not shown.")
    question: str
    answer: str | None
    facts: list[str]
    note: str
    passages: list[ExpectedBody]
    permission_groups: list[str]
    trace_id: str | None
    author: str
    changed_at: float


class GoldenPage(PageBody):
    """A page of golden cases."""

    data: list[GoldenBody]


@router.get("/golden", name="list_golden")
async def list_golden(
    admin: AdminOf,
    core: CoreOf,
    index_name: str | None = None,
    trace_id: Annotated[str | None, Query(max_length=100, description="Only cases made from this turn.")] = None,
    limit: Limit = 50,
    after: str | None = None,
) -> GoldenPage:
    """Lists the golden cases."""
    names = None if index_name is None else await core.collections.names_of(index_name)
    found: list[GoldenCase] = []
    more = True
    while more and len(found) <= limit:
        page = await core.records.list("golden", limit=PAGE, after=after)
        cases = [load_case(record) for record in page.data]
        cases = [case for case in cases if names is None or case.collection in names]
        found += [case for case in cases if trace_id in (None, case.trace_id)]
        more, after = page.has_more, page.last_id
    data = tuple(found[:limit])
    bodies = [await _body(case, admin, core) for case in data]
    return GoldenPage.of(Page(tuple(bodies), len(found) > limit, data[-1].case_id if data else None), lambda body: body)


@router.post("/golden", name="add_golden", status_code=201, responses=problems({404: "There is no such turn"}))
async def add_golden(request: GoldenRequest, admin: AdminOf, core: CoreOf) -> GoldenBody:
    """Stores a case. One of the same question, collection and groups is replaced, so the request may be repeated."""
    case = await _case(request, admin, core)
    facts = {"collection": case.collection, "expects": case.expects, "passages": len(case.passages)}
    await audit(core.records, admin, "golden.set", case.case_id, now=core.clock(), **facts)
    return await _body(await save_case(core.records, case, by=admin.user_id), admin, core)


@router.delete("/golden/{case_id}", name="delete_golden", status_code=204, responses=problems({404: "There is no such case"}))
async def delete_golden(case_id: str, admin: AdminOf, core: CoreOf) -> Response:
    """Deletes a case."""
    if await core.records.get("golden", case_id) is None:
        raise NotFound("There is no such golden case.")
    await audit(core.records, admin, "golden.delete", case_id, now=core.clock())
    await core.records.delete("golden", case_id)
    return Response(status_code=204)


async def _case(request: GoldenRequest, admin: Caller, core: Core) -> GoldenCase:
    record, given = await _turn(request.trace_id, admin, core) if request.trace_id else (None, None)
    question = request.question or (question_of(record) if record else None)
    collection = request.index_name or (record["collection"] if record else None)
    if question is None or collection is None:
        raise BadRequest("Send `trace_id`, or `question` and `index_name`.")
    await check_collection(core, collection)
    good = record is not None and (given is None or given.rating == "up")
    named: list[str] = request.passages or []
    answer, facts = request.answer, request.facts
    if request.expects == "answer" and record is not None:
        if request.passages is None:
            cited = [reference["chunk_id"] for reference in record["result"]["references"]] if good else []
            named = list(given.selected_citations) if given and given.selected_citations else cited
        if answer is None:
            answer = (given.proposed_answer if given else None) or (record["result"]["final_response"] if good else None)
        if facts is None and not named and given and given.proposed_answer:
            facts = list(facts_in(given.proposed_answer))
    passages = await _passages(named, admin, core)
    if request.expects == "answer" and not (passages or facts):
        raise BadRequest("Say what an answer must have: `passages` that it must cite, or `facts` that it must contain.")
    documents = dict.fromkeys(each.doc_id for each in passages)
    groups = request.permission_groups
    if groups is None:
        readers = [(await core.ledger.get(admin, doc_id)).permission_groups for doc_id in documents]
        groups = sorted({group for each in readers if EVERYONE not in each for group in each})
    return GoldenCase(
        question=mask_pii(question),
        collection=collection,
        expects=request.expects,
        passages=passages,
        answer=mask_pii(answer) if answer else None,
        facts=tuple(map(mask_pii, facts or ())),
        permission_groups=tuple(sorted(set(groups))),
        note=mask_pii(request.note),
        trace_id=request.trace_id,
        documents=tuple(dict.fromkeys([*documents, *(documents_of(record) if record else ())])),
    )


async def _turn(trace_id: str, admin: Caller, core: Core) -> tuple[TurnRecord, Feedback | None]:
    """A rated turn with the newest feedback on it, or a turn of the admin's own."""
    rated = (await core.feedback.list(admin, FeedbackFilter(trace_id=trace_id), 1)).data
    record, given = (rated[0].record, rated[0].feedback) if rated else (await core.turns.get(admin, trace_id), None)
    documents = frozenset(documents_of(record))
    if not documents <= await readable_documents(documents, admin, core.ledger):
        raise NotFound(NO_TURN)
    return record, given


async def _passages(named: list[str], admin: Caller, core: Core) -> tuple[ExpectedPassage, ...]:
    """The passages of these ids. BadRequest for one that does not exist or that the admin may not read; the first passage of a document
    that is named without one."""
    found: dict[str, ExpectedPassage] = {}
    for chunk_id in named:
        doc_id, mark, _ = chunk_id.rpartition("#")
        chunks = await read_passages(doc_id if mark else chunk_id, admin, index=core.index, ledger=core.ledger)
        matching = [chunk for chunk in chunks if not mark or chunk.public_id == chunk_id]
        if not matching:
            raise BadRequest(f"There is no passage {chunk_id} that you may read. Choose another, or send `facts`.")
        found[matching[0].public_id] = expect(matching[0])
    return tuple(found.values())


async def _body(case: GoldenCase, admin: Caller, core: Core) -> GoldenBody:
    withheld = not set(case.documents) <= await readable_documents(case.documents, admin, core.ledger)
    located = await locate(case.passages, admin, index=core.index, ledger=core.ledger)
    titles = {doc_id: await _title(doc_id, admin, core) for doc_id in {passage.doc_id for passage in case.passages}}
    return GoldenBody(
        case_id=case.case_id,
        collection=case.collection,
        expects=case.expects,
        withheld=withheld,
        question="" if withheld else case.question,
        answer=None if withheld else case.answer,
        facts=[] if withheld else list(case.facts),
        note="" if withheld else case.note,
        passages=[
            ExpectedBody(chunk_id=each.passage.chunk_id, doc_id=each.passage.doc_id, title=titles[each.passage.doc_id], state=each.state)
            for each in located
        ],
        permission_groups=list(case.permission_groups),
        trace_id=case.trace_id,
        author=case.author,
        changed_at=case.changed_at,
    )


async def _title(doc_id: str, admin: Caller, core: Core) -> str | None:
    try:
        return (await core.ledger.get(admin, doc_id)).title
    except NotFound:
        return None
