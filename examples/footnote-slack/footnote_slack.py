"""A Slack bot that answers from Footnote's documents: in channels where it is mentioned, and in direct messages."""

from __future__ import annotations

import os
import re
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from html import escape, unescape
from typing import Any, NamedTuple
from urllib.parse import quote

import httpx
from slack_bolt import App
from slack_bolt.adapter.asgi import SlackRequestHandler
from slack_sdk import WebClient
from slack_sdk.http_retry.builtin_handlers import RateLimitErrorRetryHandler

ANSWER_S = 300
PIECES = re.compile(r".{1,3900}(?=\n|$)|.{1,3900}", re.DOTALL)
"""Slack replaces a message by at most 4,000 characters."""
MARKDOWN = re.compile(r"(```.*?```|`[^`\n]+`)|\*\*([^\n]+?)\*\*|^#+ +([^\n]+)$|^( *)[-*] ", re.DOTALL | re.MULTILINE)


def make_api() -> SlackRequestHandler:
    """The ASGI app. Reads the environment variables listed in the README; KeyError without one that is required, BoltError if Slack
    refuses the bot's token."""
    env, url = os.environ, os.environ["FOOTNOTE_URL"]
    footnote = Footnote(url, env.get("FOOTNOTE_PUBLIC_URL", url), env.get("FOOTNOTE_TOKEN"), env.get("FOOTNOTE_COLLECTION", "default"))
    slack = WebClient(env["SLACK_TOKEN"], base_url=env.get("SLACK_API_URL", WebClient.BASE_URL))
    slack.retry_handlers.append(RateLimitErrorRetryHandler(max_retry_count=2))
    # Bolt acknowledges an event before a thread handles it.
    app = App(client=slack, signing_secret=env["SLACK_SIGNING_SECRET"], listener_executor=ThreadPoolExecutor(32))
    begun: deque[str] = deque(maxlen=1000)

    def respond(body: dict[str, Any], event: dict[str, Any], bot_user_id: str) -> None:
        if body["event_id"] in begun:  # Slack sends an event again if it did not get the acknowledgement
            return
        begun.append(body["event_id"])
        channel, thread = event["channel"], event.get("thread_ts", event["ts"])
        waiting = slack.chat_postMessage(channel=channel, thread_ts=thread, text="Searching the documents…")
        answer = footnote.ask(question_of(event["text"], bot_user_id), f"slack-{channel}-{thread}")
        first, *more = PIECES.findall(answer)
        slack.chat_update(channel=channel, ts=waiting["ts"], text=first)
        for piece in more:
            slack.chat_postMessage(channel=channel, thread_ts=thread, text=piece.strip(), unfurl_links=False)

    def respond_if_direct(body: dict[str, Any], event: dict[str, Any], bot_user_id: str) -> None:
        if event.get("channel_type") == "im" and not {"subtype", "bot_id"} & event.keys():  # no edits, joins or other bots
            respond(body, event, bot_user_id)

    app.event("app_mention")(respond)
    app.event("message")(respond_if_direct)
    return SlackRequestHandler(app)


def question_of(text: str, bot_user_id: str) -> str:
    """The words of a message: without the mention of the bot, and with links and channels by their names."""
    return unescape(re.sub(r"<(?:[^>|]*\|)?([^>|]*)>", r"\1", text.replace(f"<@{bot_user_id}>", ""))).strip()


class Footnote(NamedTuple):
    """Where to ask. `public_url`: the address that links begin with. `token`: None where there is no sign-in."""

    url: str
    public_url: str
    token: str | None
    collection: str

    def ask(self, question: str, room_id: str) -> str:
        """The answer, or why there is none, in Slack's markup."""
        asked = {"query_text": question, "index_name": self.collection, "permission_groups": [], "room_id": room_id}
        headers = {"authorization": f"Bearer {self.token}"} if self.token else {}
        try:
            reply = httpx.post(
                f"{self.url.rstrip('/')}/ask", json=asked | {"citation_style": "numbered"}, headers=headers, timeout=ANSWER_S
            )
            if reply.status_code == 401:
                return "I am not signed in to Footnote: my `FOOTNOTE_TOKEN` is missing, wrong or expired."
            return self.as_slack(reply.json()) if reply.is_success else escape(reply.json()["detail"], quote=False)
        except httpx.TimeoutException:
            return f"Footnote has not answered within {ANSWER_S // 60} minutes. Please ask again later."
        except httpx.TransportError:
            return "Footnote cannot be reached. Please ask again later, or tell those who run it."
        except (ValueError, LookupError, TypeError):  # no reply of Footnote's: from a proxy
            return f"Footnote replied with an error ({reply.status_code}). Please ask again later."

    def as_slack(self, reply: dict[str, Any]) -> str:
        """A reply of `/ask`: each marker is a link to its passage, and a list names the sources."""
        answer, text, end, sources, spans = reply["answer"], "", 0, [], []
        for cited in reply["citations"]:
            number, page = cited["number"], cited["page"]
            place = f", {cited['unit']} {page}" if page else ""
            url = f"{self.public_url.rstrip('/')}/documents/{quote(cited['doc_id'], safe='')}/content"
            link = f"<{url}?chunk_id={quote(cited['chunk_id'], safe='')}{f'#page={page}' if page else ''}|"
            spans += [(*span, f"{link}[{number}]>") for span in cited["spans"]]
            sources.append(f"{number}. {link}{escape(cited['title'], quote=False)}{place}>")
        for start, stop, link in sorted(spans):
            text, end = text + escape(answer[end:start], quote=False) + link, stop
        text = MARKDOWN.sub(_as_slack, text + escape(answer[end:], quote=False))
        failed = "_The language model did not answer, so this quotes the documents._" if reply["model_failed"] else ""
        return "\n\n".join(filter(None, [text, "\n".join(sources), failed]))


def _as_slack(found: re.Match[str]) -> str:
    code, bold, heading, indent = found.groups()
    return code or (f"*{bold or heading}*" if bold or heading else f"{indent}• ")
