"""The bare openai SDK with a prompt of the same size: a lower bound for every system that uses it. It does not search."""

from __future__ import annotations

from collections.abc import AsyncIterator

from openai import AsyncOpenAI

from bench.peers.job import CHAT_PASSAGES, PROMPT, Chat, Job


def make_chat(job: Job, model: str = "stub", prompt: str = PROMPT) -> Chat:
    client = AsyncOpenAI(base_url=job.model_url, api_key="none", max_retries=0)
    context = "\n\n".join(job.texts[:CHAT_PASSAGES])

    async def chat(question: str) -> AsyncIterator[str]:
        content = prompt.format(context=context, question=question)
        stream = await client.chat.completions.create(model=model, stream=True, messages=[{"role": "user", "content": content}])
        async for chunk in stream:
            if chunk.choices and chunk.choices[0].delta.content:
                yield chunk.choices[0].delta.content

    return chat
