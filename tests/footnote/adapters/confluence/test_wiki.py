"""Reading a Confluence on a socket of this machine."""

from __future__ import annotations

import base64
import logging
import time
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from starlette.responses import JSONResponse, PlainTextResponse, Response

from footnote.adapters.confluence import wiki_client
from footnote.adapters.confluence.wiki import ConfluenceWiki
from footnote.errors import NotFound, TooLarge, Unavailable
from footnote.ports import Attachment, Restriction
from tests.confluence_server import API, CONTEXT, TOKEN, Confluence, File, Page, listed, redirect, serving

PAGE = f"{API}/300"
FILE = f"{CONTEXT}/download/attachments/300/41"


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wiki_client, "FIRST_RETRY_S", 0.01)


@pytest.fixture
async def confluence() -> AsyncIterator[Confluence]:
    top = Page("Home", "<p>Welcome.</p>", readers=(["staff"], ["jdoe"]))
    middle = Page("Plans", "", parent="100")
    bottom = Page("Plan 2026", "<p>We grow.</p>", parent="200", version=7, labels=["plan", "2026"], readers=(["board", "finance"], []))
    bottom.files = {str(number): File(f"{number}.txt", f"File {number}.".encode(), "text/plain") for number in range(41, 46)}
    async with serving(p100=top, p200=middle, p300=bottom) as made:
        yield made


@pytest.fixture
async def wiki(confluence: Confluence) -> AsyncIterator[ConfluenceWiki]:
    made = ConfluenceWiki(confluence.url, TOKEN, None, limit_s=5)
    yield made
    await made.close()


def of(attachments: tuple[Attachment, ...]) -> list[tuple[str, str, int]]:
    return [(each.attachment_id, each.file_name, each.size) for each in attachments]


# --- what is read ------------------------------------------------------------------------------


async def test_a_page_comes_with_the_restrictions_of_all_pages_above_it(confluence: Confluence, wiki: ConfluenceWiki) -> None:
    page = await wiki.page("300")
    assert (page.page_id, page.version, page.kind, page.title, page.space) == ("300", 7, "page", "Plan 2026", "ENG")
    assert (page.labels, page.body, page.url) == (
        ("plan", "2026"),
        "<p>We grow.</p>",
        f"{confluence.url}/pages/viewpage.action?pageId=300",
    )
    assert page.restrictions == (
        Restriction(frozenset({"board", "finance"}), frozenset()),
        Restriction(frozenset({"staff"}), frozenset({"jdoe"})),
    )


async def test_a_blog_post_has_no_pages_above_it(confluence: Confluence, wiki: ConfluenceWiki) -> None:
    confluence.pages["7"] = Page("We moved", "<p>To Ulm.</p>", kind="blogpost")
    page = await wiki.page("7")
    assert (page.kind, page.restrictions) == ("blogpost", ())


async def test_attachments_come_from_every_part_of_the_list(confluence: Confluence, wiki: ConfluenceWiki) -> None:
    found = await wiki.attachments("300")
    assert of(found) == [(f"att{number}", f"{number}.txt", 8) for number in range(41, 46)]
    assert confluence.asked(f"{PAGE}/child/attachment") == 3
    assert await wiki.download(found[4], 8) == b"File 45."


@pytest.mark.parametrize("make", [lambda c: c.url, lambda c: CONTEXT, lambda c: ""])
async def test_links_are_followed_in_each_of_their_forms(
    confluence: Confluence, wiki: ConfluenceWiki, make: Callable[[Confluence], str]
) -> None:
    confluence.pages["300"].files["41"].link = f"{make(confluence)}/download/attachments/300/41?version=1"
    assert await wiki.download((await wiki.attachments("300"))[0], 100) == b"File 41."


async def test_a_user_signs_in_with_the_token_as_the_password(confluence: Confluence) -> None:
    confluence.authorization = "Basic " + base64.b64encode(f"robot:{TOKEN}".encode()).decode()
    wiki = ConfluenceWiki(confluence.url + "/", TOKEN, "robot")
    assert (await wiki.page("300")).version == 7
    await wiki.close()


# --- permissions that cannot be read -----------------------------------------------------------


def content(**changes: Any) -> dict[str, Any]:
    """The reply to a request for page 300, with everything that is needed."""
    restrictions = {"read": {"restrictions": {"user": listed([]), "group": listed([])}}}
    known = {"id": "300", "type": "page", "title": "T", "version": {"number": 1}, "space": {"key": "ENG"}, "ancestors": []}
    known |= {"body": {"storage": {"value": ""}}, "metadata": {"labels": {"results": []}}, "restrictions": restrictions}
    return {name: value for name, value in (known | changes).items() if value is not None}


@pytest.mark.parametrize(
    ("changes", "missing"),
    [
        ({"restrictions": None}, "restrictions"),
        ({"restrictions": {}}, "restrictions.read"),
        ({"restrictions": {"read": {"restrictions": {"user": listed([])}}}}, "restrictions.read.restrictions.group"),
        ({"restrictions": {"read": {"_expandable": {"restrictions": ""}}}}, "restrictions.read.restrictions"),
        ({"ancestors": None}, "ancestors"),
        ({"ancestors": [{"title": "Hidden"}]}, "ancestors.0.id"),
        ({"ancestors": [{"id": "1/../2"}]}, "ancestors.0.id"),
        ({"space": {"key": ""}}, "space.key"),
        ({"type": "comment"}, "type"),
        ({"version": "seven"}, "version"),
    ],
)
async def test_a_reply_without_what_decides_who_may_read_is_an_error(
    confluence: Confluence, wiki: ConfluenceWiki, changes: dict[str, Any], missing: str
) -> None:
    confluence.replies[PAGE] = [JSONResponse(content(**changes))]
    with pytest.raises(Unavailable) as caught:
        await wiki.page("300")
    assert caught.value.detail == f"Confluence's reply cannot be used; missing or wrong: {missing}."


async def test_an_ancestor_without_readable_restrictions_is_an_error(confluence: Confluence, wiki: ConfluenceWiki) -> None:
    confluence.replies[f"{API}/100"] = [JSONResponse({"id": "100", "_expandable": {"restrictions": ""}})]
    with pytest.raises(Unavailable, match="missing or wrong: restrictions"):
        await wiki.page("300")
    confluence.hidden = {"200"}
    with pytest.raises(NotFound):
        await wiki.page("300")


async def test_a_restriction_to_users_that_the_account_cannot_see_admits_nobody(confluence: Confluence, wiki: ConfluenceWiki) -> None:
    readers = {"user": listed([]) | {"size": 1}, "group": listed([])}
    confluence.replies[PAGE] = [JSONResponse(content(restrictions={"read": {"restrictions": readers}}))]
    assert (await wiki.page("300")).restrictions == (Restriction(frozenset(), frozenset()),)
    readers = {"user": listed([{"type": "unknown"}, {"userKey": "8a7f"}]), "group": listed([])}
    confluence.replies[PAGE] = [JSONResponse(content(restrictions={"read": {"restrictions": readers}}))]
    assert (await wiki.page("300")).restrictions == (Restriction(frozenset(), frozenset({"8a7f"})),)


# --- failures ----------------------------------------------------------------------------------


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (JSONResponse({}, 401), "did not accept the credentials"),
        (JSONResponse({}, 403), "did not accept the credentials"),
        (JSONResponse({}, 400), "status 400"),
        (JSONResponse({}, 204), "status 204"),
        (PlainTextResponse("<html>Log in", 200, media_type="text/html"), "a page for people"),
        (PlainTextResponse("{}", 200), "a page for people"),
        (PlainTextResponse("{", 200, media_type="application/json"), "missing or wrong: all of it"),
        (JSONResponse([1]), "missing or wrong: all of it"),
        (redirect(f"{CONTEXT}/login.action?os_destination=x"), "did not accept the credentials"),
        (redirect("http://127.0.0.1:9/rest/api/content/300"), "refers to another host"),
        (redirect("//127.0.0.1:9/rest/api/content/300"), "refers to another host"),
        (redirect("https://user@127.0.0.1/rest/api/"), "refers to another host"),
        (redirect(f"{CONTEXT}/rest/api/%2e%2e/admin"), "did not accept the credentials"),
    ],
)
async def test_a_reply_that_is_no_page_says_what_to_check_and_is_not_repeated(
    confluence: Confluence, wiki: ConfluenceWiki, reply: Response, told: str
) -> None:
    confluence.replies[PAGE] = [reply]
    with pytest.raises(Unavailable, match=told) as caught:
        await wiki.page("300")
    assert len(confluence.requests) == 1
    assert "127.0.0.1" not in caught.value.detail


async def test_a_missing_page_is_not_found(wiki: ConfluenceWiki) -> None:
    with pytest.raises(NotFound):
        await wiki.page("999")


async def test_redirects_within_the_api_are_followed_a_few_times(confluence: Confluence, wiki: ConfluenceWiki) -> None:
    confluence.replies[PAGE] = [redirect(f"{PAGE}?again", 307)] * 3
    with pytest.raises(Unavailable, match="missing or wrong"):  # the redirect lost what was to be expanded
        await wiki.page("300")
    confluence.replies[PAGE] = [redirect(PAGE)] * 4
    with pytest.raises(Unavailable, match="redirects too often"):
        await wiki.page("300")


@pytest.mark.sample(2)
@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
async def test_transient_errors_are_retried(confluence: Confluence, wiki: ConfluenceWiki, status: int) -> None:
    confluence.replies[PAGE] = [JSONResponse({}, status)] * 3
    assert (await wiki.page("300")).version == 7
    confluence.replies[PAGE] = [JSONResponse({}, status)] * 4
    with pytest.raises(Unavailable, match="too many requests" if status == 429 else f"status {status}"):
        await wiki.page("300")
    assert confluence.asked(PAGE) == 8


@pytest.mark.sample(1)
@pytest.mark.parametrize("form", ["seconds", "date"])
async def test_retry_after_is_waited_for(confluence: Confluence, wiki: ConfluenceWiki, form: str) -> None:
    at = datetime.now(UTC) + timedelta(seconds=2)  # a date has whole seconds
    told = "1" if form == "seconds" else format_datetime(at, usegmt=True)
    confluence.replies[PAGE] = [JSONResponse({}, 429, {"retry-after": told})]
    started = time.monotonic()
    assert (await wiki.page("300")).version == 7
    assert time.monotonic() - started > 0.9


async def test_a_wait_beyond_the_time_limit_is_not_begun(confluence: Confluence, wiki: ConfluenceWiki) -> None:
    confluence.replies[PAGE] = [JSONResponse({}, 429, {"retry-after": "60"})]
    with pytest.raises(Unavailable, match="too many requests"):
        await wiki.page("300")
    assert confluence.asked(PAGE) == 1


async def test_a_slow_reply_is_given_up(confluence: Confluence) -> None:
    confluence.replies[PAGE] = [30.0]
    wiki = ConfluenceWiki(confluence.url, TOKEN, None, limit_s=0.3)
    with pytest.raises(Unavailable, match=r"within 0\.3 s"):
        await wiki.page("300")
    await wiki.close()


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "http://127.0.0.1:1/ctx/"])
async def test_a_host_that_cannot_be_reached_is_unavailable(url: str) -> None:
    wiki = ConfluenceWiki(url, TOKEN, None, limit_s=5)
    with pytest.raises(Unavailable, match="cannot be reached"):
        await wiki.page("300")
    await wiki.close()


# --- downloads ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "link",
    [
        "http://127.0.0.1:9/download/attachments/300/41",
        "//127.0.0.1:9/download/attachments/300/41",
        "@127.0.0.1:9/download/attachments/300/41",
        "https://127.0.0.1/confluence/download/attachments/300/41",
        "file:///etc/passwd",
        "http://[::1",
        "/admin/users",
        "/download/../admin/users",
        "",
    ],
)
async def test_a_download_link_leads_nowhere_else(confluence: Confluence, wiki: ConfluenceWiki, link: str) -> None:
    with pytest.raises(Unavailable):
        await wiki.download(Attachment("att41", 1, "41.txt", "text/plain", 8, link), 100)
    assert confluence.requests == []


async def test_a_file_that_is_larger_than_allowed_is_not_read_to_its_end(confluence: Confluence, wiki: ConfluenceWiki) -> None:
    found = (await wiki.attachments("300"))[0]
    with pytest.raises(TooLarge):
        await wiki.download(found, 7)


async def test_a_page_for_signing_in_is_not_taken_for_a_file(confluence: Confluence, wiki: ConfluenceWiki) -> None:
    found = (await wiki.attachments("300"))[0]
    confluence.replies[FILE] = [PlainTextResponse("<html>Log in", media_type="text/html")]
    with pytest.raises(Unavailable, match="a page for people"):
        await wiki.download(found, 100)
    confluence.pages["300"].files["41"] = File("page.html", b"<p>Hi.</p>", "text/html")
    assert await wiki.download((await wiki.attachments("300"))[0], 100) == b"<p>Hi.</p>"


# --- TLS and secrets ---------------------------------------------------------------------------


def make_certificate(folder: Path) -> Path:
    """A certificate for 127.0.0.1 that nobody vouches for, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "wiki")])
    now = datetime.now(UTC)
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(1)
    made = made.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
    made = made.add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), False)
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path = folder / "wiki.pem"
    path.write_bytes(secret + made.sign(key, SHA256()).public_bytes(Encoding.PEM))
    return path


async def test_certificates_are_verified_unless_that_is_switched_off(tmp_path: Path) -> None:
    async with serving(make_certificate(tmp_path), p300=Page("Plan", "")) as confluence:
        wiki, trusting = (ConfluenceWiki(confluence.url, TOKEN, None, verify_tls=verify, limit_s=10) for verify in (True, False))
        with pytest.raises(Unavailable, match="certificate"):
            await wiki.page("300")
        assert confluence.requests == []
        assert (await trusting.page("300")).title == "Plan"
        await wiki.close()
        await trusting.close()


async def test_the_token_is_in_no_log_and_no_error(confluence: Confluence, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    confluence.authorization = "Bearer another"
    wiki = ConfluenceWiki(confluence.url, TOKEN, None)
    with pytest.raises(Unavailable) as caught:
        await wiki.page("300")
    await wiki.close()
    assert TOKEN not in caplog.text + str(caught.value) + repr(wiki.__dict__)
