"""Questions about a collection as a whole name nothing to search for: “What are these documents about?”

Passages of a few of its documents replace the search results: first of documents for newcomers, recognised by their names, then of the
longest."""

from __future__ import annotations

import re

from footnote.ports import Index, Ledger
from footnote.retrieve.attached_alone import passages_of
from footnote.retrieve.lists import gate_of
from footnote.text.document_names import reading_rank
from footnote.text.message_kinds import message_kind
from footnote.types import BY_DOCUMENT, WORDED_LANGUAGES, Document, RankedList, Turn, make_chunk_id
from footnote.types.copies import replace

MOST_DOCUMENTS = 6
"""How many documents are taken."""
NO_PROSE = frozenset(("code", "json", "yaml", "xml", "csv", "xlsx", "xls", "xlsb", "ods"))
"""Formats of documents that are taken last."""
LISTED = 200
"""How many documents, the newest ones, it chooses from."""
LONGEST = 120
DOCUMENTS = (
    r"(?:(?:the|this|that|these|those|my|our|your|all|all the|all of the) )?"
    r"(?:documents?|docs?|files?|pages?|pdfs?|texts?|folder|collection|library|archive|knowledge base|material)"
)
DOCUMENTS_DE = (
    r"(?:(?:der|die|das|den|dem|diese[rnms]?|meine[rnms]?|unsere[rnms]?|alle[n]?|allen) )?"
    r"(?:dokumente[n]?|dateien|datei|dokument|unterlagen|seiten|texte[n]?|ordner|sammlung|wissensdatenbank)"
)
DOCUMENTS_KO = r"(?:(?:이|저|그|모든|전체|업로드한|올린) ?)?(?:문서|파일|자료|컬렉션|폴더|글)(?:들)?(?:에서?|에는|은|는|이|가|을|를|의)?"
ALONE = re.compile(
    r"what(?:'s| is) (?:this|it|all this|in here|here)(?: all)? about|what(?:'s| is) (?:all )?(?:in )?here"
    r"|(?:give|show) me an overview|overview|summary|summari[sz]e(?: everything| all)?"
    r"|worum geht(?: e|')?s(?: hier)?(?: (?:überhaupt|eigentlich))?|gib mir (?:bitte )?einen überblick|überblick|zusammenfassung"
    r"|(?:무슨|어떤) 내용(?:이야|이에요|인가요|입니까|이 있(?:어|나요|습니까))|개요|요약(?:해 ?(?:줘|주세요))?",
    re.IGNORECASE,
)
"""A question that may refer to the conversation."""
WHOLE = re.compile(
    rf"(?:so )?what (?:are|is|do|does) {DOCUMENTS} (?:all )?(?:about|cover|contain|say|talk about|deal with)"
    rf"|what(?:'s| is| do you have)? (?:all )?(?:in|inside) {DOCUMENTS}"
    rf"|(?:what|which) {DOCUMENTS} (?:do (?:you|we|i) (?:have|know)|are (?:there|here|available|included)|exist|can i ask about)(?: here)?"
    rf"|(?:what|which) (?:kinds?|sorts?|types?) of {DOCUMENTS} (?:do (?:you|we|i) have|are (?:there|these|here))"
    rf"|(?:what|which) (?:topics?|subjects?|themes?)(?: (?:are|is))? (?:(?:do|does) {DOCUMENTS} cover|(?:covered|there|discussed)"
    rf"(?: (?:in|by) {DOCUMENTS})?)"
    rf"|(?:please )?(?:list|name|show|show me) (?:all )?{DOCUMENTS}|(?:please )?summari[sz]e {DOCUMENTS}|summary of {DOCUMENTS}"
    rf"|(?:(?:please )?(?:can you )?(?:give|show) me )?(?:an? (?:short |brief )?)?(?:overview|summary|idea) (?:of|about) {DOCUMENTS}"
    r"|what (?:can|could|should) i ask(?: you| here)?(?: about)?|what do you know(?: about)?|what can you (?:tell me|answer)(?: about)?"
    r"|what (?:questions|things) can i ask(?: you| here)?|what can i (?:find|learn|read)(?: out)? here"
    rf"|(?:worum|um was) geht(?: e|')?s in {DOCUMENTS_DE}|wovon (?:handeln|handelt) {DOCUMENTS_DE}"
    rf"|was (?:steht|ist)(?: alles)? in {DOCUMENTS_DE}"
    r"|(?:welche|was für) (?:dokumente|dateien|unterlagen|themen|texte) (?:gibt es|hast du|haben (?:wir|sie)|kennst du|sind"
    rf" (?:das|da|hier))(?: hier| da)?|welche themen (?:behandeln|enthalten) {DOCUMENTS_DE}"
    rf"|(?:bitte )?fass(?:e)? {DOCUMENTS_DE} zusammen|zusammenfassung {DOCUMENTS_DE}"
    rf"|(?:gib mir )?(?:einen )?(?:kurzen )?überblick (?:über|zu) {DOCUMENTS_DE}"
    rf"|(?:bitte )?(?:zeige?|liste|nenne?)(?: mir)? {DOCUMENTS_DE}(?: auf)?"
    r"|was (?:kann|darf|soll) ich (?:dich |sie |hier )*(?:alles )?(?:fragen|finden)|was wei(?:ß|ss)t du(?: alles)?"
    r"|was wissen sie(?: alles)?"
    rf"|{DOCUMENTS_KO} ?(?:다 )?(?:무엇|뭐|무슨 내용|어떤 내용|무엇에|뭐에)(?:에)? ?(?:(?:대한|관한) )?(?:것|거|내용|문서|자료)?"
    r"(?:이야|야|이에요|예요|인가요|입니까|인지 알려 ?(?:줘|주세요)|이 있(?:어|나요|습니까))?"
    rf"|{DOCUMENTS_KO} ?(?:내용|개요)?[을를]? ?(?:간단히 |짧게 )?(?:요약|정리|소개|설명)(?:해 ?(?:줘|주세요)|해 ?줄래|해 ?주시겠어요)?"
    r"|(?:무슨|어떤) (?:문서|자료|파일|주제|내용)(?:들)?(?:이|가)? (?:있(?:어|어요|나요|습니까|는지 알려 ?(?:줘|주세요)))"
    r"|(?:무엇을|뭘|뭐를|무슨 질문을) (?:물어|질문할|물어볼|알)(?:볼| 볼)? ?수 ?있(?:어|어요|나요|습니까)",
    re.IGNORECASE,
)
"""A question that names the documents, or the available knowledge, and nothing else."""


def may_be_about_collection(turn: Turn) -> bool:
    """The documents answer, and the question is about all of them; about those of the collection, if no files are attached."""
    may_be = turn.request.mode == "rag" and turn.reading.scope.attached is None
    if turn.lang in WORDED_LANGUAGES:
        return may_be and asks_about_collection(turn.asked, goes_on=bool(turn.conversation.exchanges))
    return may_be and message_kind(turn) == "collection"


async def note_collection(turn: Turn) -> Turn:
    """Sets `scope.collection` of the reading."""
    scope = replace(turn.reading.scope, collection=True)
    return replace(turn, reading=replace(turn.reading, scope=scope)).with_notes(about_collection={})


def is_about_collection(turn: Turn) -> bool:
    """The question is about the collection, and nothing was found for it earlier."""
    return turn.reading.scope.collection and not turn.evidence.is_complete


async def take_documents(turn: Turn, *, index: Index, ledger: Ledger) -> Turn:
    """Puts passages from all parts of some documents in place of the search results."""
    name = (await index.view(turn.caller, turn.request.collection)).name or turn.request.collection
    page = await ledger.list(turn.caller, collection=name, limit=LISTED)
    first = {make_chunk_id(document.doc_id, document.active_generation, 0): document for document in page.data if document.chunks}
    seen = await gate_of(turn, index)(list(first))
    taken = sorted((document for chunk_id, document in first.items() if chunk_id in seen), key=_order)
    taken = taken[: min(MOST_DOCUMENTS, turn.plan.limit)]
    if not taken:
        return turn
    items = passages_of(taken, turn.plan.limit)
    lists = tuple(RankedList(BY_DOCUMENT, query.text, items) for query in turn.answered)
    return replace(turn.with_notes(about_collection={"documents": len(taken)}), evidence=replace(turn.evidence, lists=lists))


def _order(document: Document) -> tuple[bool, int, int, str]:
    return document.format in NO_PROSE, reading_rank(f"{document.file_name} {document.title}"), -document.chunks, document.doc_id


def asks_about_collection(question: str, *, goes_on: bool = False) -> bool:
    """Whether the question is about all documents. `goes_on`: there are earlier exchanges, to which “What is this about?” may refer."""
    said = " ".join(question.replace("’", "'").strip(" \t\n.,!?？。~").split())
    return len(said) <= LONGEST and (WHOLE.fullmatch(said) is not None or (not goes_on and ALONE.fullmatch(said) is not None))
