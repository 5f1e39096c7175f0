"""LangChain: BM25 and an in-memory vector store, joined by the ensemble retriever with equal weights."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from langchain_classic.retrievers import EnsembleRetriever
from langchain_community.retrievers import BM25Retriever
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_openai import ChatOpenAI

from bench.peers.job import CHAT_PASSAGES, PROMPT, TOP, Chat, Job, Search


class Given(Embeddings):
    def __init__(self, job: Job) -> None:
        self._job = job

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self._job.vector_of_passage[text].tolist() for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self._job.vector_of_question[text].tolist()


def _retriever(job: Job, count: int) -> EnsembleRetriever:
    documents = [Document(page_content=text, metadata={"id": id_}) for id_, text in zip(job.ids, job.texts, strict=True)]
    words = BM25Retriever.from_documents(documents, k=count)
    meaning = InMemoryVectorStore.from_documents(documents, Given(job)).as_retriever(search_kwargs={"k": count})
    return EnsembleRetriever(retrievers=[words, meaning], weights=[0.5, 0.5])


def make_search(job: Job) -> Search:
    retriever = _retriever(job, TOP)

    async def search(question: str) -> Sequence[str]:
        return [document.metadata["id"] for document in retriever.invoke(question)[:TOP]]

    return search


def make_chat(job: Job) -> Chat:
    model = ChatOpenAI(model="stub", base_url=job.model_url, api_key="none")
    context = _retriever(job, CHAT_PASSAGES) | (lambda found: "\n\n".join(document.page_content for document in found[:CHAT_PASSAGES]))
    start = {"context": context, "question": RunnablePassthrough()}
    chain = start | ChatPromptTemplate.from_template(PROMPT) | model | StrOutputParser()

    async def chat(question: str) -> AsyncIterator[str]:
        async for piece in chain.astream(question):
            if piece:
                yield piece

    return chat
