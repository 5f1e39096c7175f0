"""`/collections/{collection}/knowledge` for admins: what a collection builds beside words and vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated

from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field

from footnote.errors import BadRequest
from footnote.guard.audit import audit
from footnote.ingest.knowledge import asks_model
from footnote.types import KNOWLEDGE, Caller, Collection, KnowledgeKind, Maker, ModelUsage, Usage
from footnote_http.callers import AdminOf, CoreOf
from footnote_http.routes import Router
from footnote_query.admin import ADMINS
from footnote_query.collection_changes import MISSING, find_collection

if TYPE_CHECKING:
    from footnote.bootstrap import Core

router = Router("Administration", responses=ADMINS)

KINDS = "`graph`, `late_interaction`, `summary_tree`."
BY_MODEL = "`model`: a language model names entities and relations, and writes summaries."


class Estimate(BaseModel):
    """What building what is left will take."""

    passages: int
    prompt_tokens: int = Field(description="Of a language model; 0 = none is asked.")
    completion_tokens: int
    cost: float | None = Field(description="In the currency of the prices; null = the price is unknown.")
    seconds: float | None = Field(description="null = unknown: the model has not been asked about documents yet.")


class KindState(BaseModel):
    """How far a kind of knowledge is built."""

    kind: KnowledgeKind
    made_by: Maker | None = Field(description="null = it is off.")
    built: int = Field(description="Passages that have it.")
    total: int = Field(description="Passages of the collection.")
    obstacle: str = Field("", description="Why it cannot be built here.")
    estimate: Estimate


class KnowledgeBody(BaseModel):
    """What a collection builds beside words and vectors."""

    data: list[KindState]


class KnowledgeChange(BaseModel):
    """What is to be built."""

    model_config = ConfigDict(extra="forbid")

    kinds: list[KnowledgeKind] = Field(list(KNOWLEDGE), min_length=1, description=f"{KINDS} Left out = all.")
    made_by: Maker | None = Field(None, description=f"{BY_MODEL} Left out = what builds it now, or rules.")


Built = Mapping[KnowledgeKind, Maker]
"""What a collection builds, and what makes it."""
MakerQuery = Annotated[Maker | None, Query(description="What obstacles and estimates are for. Default: what builds it now, or rules.")]
Kinds = Annotated[list[KnowledgeKind], Query(min_length=1, description=KINDS)]


@router.get("/collections/{collection}/knowledge", name="get_knowledge", responses=MISSING)
async def get_knowledge(collection: str, admin: AdminOf, core: CoreOf, made_by: MakerQuery = None) -> KnowledgeBody:
    """What a collection builds, how far it is, and what the rest will take."""
    return await state(core, collection, made_by)


@router.post("/collections/{collection}/knowledge", name="build_knowledge", responses=MISSING)
async def build_knowledge(collection: str, body: KnowledgeChange, admin: AdminOf, core: CoreOf) -> KnowledgeBody:
    """Has the collection build these kinds, now and for documents that are added later. It is done in the background; answers use what is
    there."""
    return await switch_on(core, admin, collection, body)


@router.delete("/collections/{collection}/knowledge", name="drop_knowledge", responses=MISSING)
async def drop_knowledge(collection: str, admin: AdminOf, core: CoreOf, kinds: Kinds) -> KnowledgeBody:
    """Uses and builds these kinds no more. What was built is removed in the background."""
    return await switch_off(core, admin, collection, kinds)


async def state(core: Core, name: str, made_by: Maker | None = None) -> KnowledgeBody:
    """The state of each kind; obstacles and estimates are for `made_by`, or for what builds it now. NotFound."""
    stored = (await find_collection(core, name)).stored
    rows = []
    for each in await core.knowledge_builder.states(stored, made_by):
        made = await core.knowledge_builder.estimate(stored, each.kind, made_by or each.made_by or "rules")
        used = ModelUsage(None, Usage(*made.tokens))
        estimate = Estimate(
            passages=made.passages,
            prompt_tokens=made.tokens[0],
            completion_tokens=made.tokens[1],
            cost=core.settings.llm.cost([used]),
            seconds=made.seconds,
        )
        rows.append(KindState(**asdict(each), estimate=estimate))
    return KnowledgeBody(data=rows)


async def switch_on(core: Core, admin: Caller, name: str, wanted: KnowledgeChange) -> KnowledgeBody:
    """Has the collection build these kinds, but those that it cannot. NotFound; BadRequest if it can build none of them."""
    before = await find_collection(core, name)
    states = await core.knowledge_builder.states(before.stored, wanted.made_by)
    obstacles = {each.kind: each.obstacle for each in states if each.kind in wanted.kinds}
    new: Built = {kind: _maker(kind, wanted.made_by or before.settings.knowledge.get(kind)) for kind, why in obstacles.items() if not why}
    if not new:
        raise BadRequest(" ".join(dict.fromkeys(obstacles.values())))
    await audit(
        core.records, admin, "collection.build", before.name, now=core.clock(), kinds=sorted(new), made_by=sorted(set(new.values()))
    )
    await _change(core, admin, name, lambda now: {**now, **new})
    return await state(core, name)


async def switch_off(core: Core, admin: Caller, name: str, kinds: list[KnowledgeKind]) -> KnowledgeBody:
    """Has the collection neither use nor build these kinds. NotFound."""
    before = await find_collection(core, name)
    await audit(core.records, admin, "collection.drop_knowledge", before.name, now=core.clock(), kinds=kinds)
    await _change(core, admin, name, lambda now: {kind: maker for kind, maker in now.items() if kind not in kinds})
    return await state(core, name)


def _maker(kind: KnowledgeKind, maker: Maker | None) -> Maker:
    return "model" if maker and asks_model(kind, maker) else "rules"


async def _change(core: Core, admin: Caller, name: str, change: Callable[[Built], Built]) -> None:
    def changed(now: Collection) -> Collection:
        return replace(now, settings=replace(now.settings, knowledge=change(now.settings.knowledge)))

    await core.collections.edit(name, changed, by=admin.user_id)
