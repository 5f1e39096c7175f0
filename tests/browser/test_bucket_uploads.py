"""Uploads directly to a bucket, which the server learns of later by an event, and downloads of large files from it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, Request, Route, expect

from footnote.bootstrap import Core
from footnote.settings import AWS, Settings
from tests.browser.conftest import Screen, serving
from tests.browser.test_accessibility import LEAVE, STILL, grave_in_both

LETTER = {"letter.txt": b"A letter came on Monday."}
Open = Callable[..., Screen]


class Cloud:
    """A server whose files are in buckets, and the event queue, which is delivered when a test says so."""

    def __init__(self, url: str, endpoint: str, settings: Settings) -> None:
        self.url = url
        self.bucket_url = f"{endpoint}/{settings.aws.drop_bucket}"
        self.files_url = f"{endpoint}/{settings.aws.files_bucket}"
        self._settings = settings

    def deliver(self, doc_id: str) -> None:
        """The event of an upload."""

        async def take() -> None:
            core = Core(self._settings)
            try:
                assert await core.bucket.converge(str(self._settings.aws.drop_bucket), f"uploads/{doc_id}") is not None
            finally:
                await core.close()

        with ThreadPoolExecutor(1) as thread:  # Playwright has a loop in this one
            thread.submit(asyncio.run, take()).result()


@pytest.fixture(scope="module")
def cloud(aws_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    import boto3

    data, name = tmp_path_factory.mktemp("data"), f"page-{uuid4().hex[:8]}"
    aws = AWS(drop_bucket=f"{name}-drops", files_bucket=f"{name}-files")
    names = {"AWS__DROP_BUCKET": f"{name}-drops", "AWS__FILES_BUCKET": f"{name}-files"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL_S3", aws_url)
        for bucket in names.values():
            boto3.client("s3").create_bucket(Bucket=bucket)
        with serving(data, LLM__DISCOVER="false", EMBEDDING__BUILTIN="false", AWS_ENDPOINT_URL_S3=aws_url, **names) as url:
            yield Cloud(url, aws_url, Settings(footnote_data=data, aws=aws))
        for bucket in names.values():
            kept = boto3.resource("s3").Bucket(bucket)
            kept.objects.delete()
            kept.delete()


@pytest.fixture
def arrive(new_context: Callable[..., BrowserContext], cloud: Cloud) -> Iterator[Open]:
    """Opens the page. It must have made no request elsewhere, and logged no error except 404 for documents not ingested yet."""
    screens: list[Screen] = []

    def open_one(**context: Any) -> Screen:
        screens.append(Screen(new_context(**{"viewport": {"width": 1280, "height": 860}, **context}).new_page(), cloud.url))
        screens[-1].open()
        return screens[-1]

    yield open_one
    for screen in screens:
        screen.complaints = [complaint for complaint in screen.complaints if "status of 404" not in complaint]
        screen.requests = [url for url in screen.requests if not url.startswith((cloud.bucket_url, cloud.files_url))]
        screen.assert_quiet()


def send(screen: Screen, files: dict[str, bytes]) -> str:
    """Picks a file → its document's id, once it has arrived in the bucket."""
    with screen.page.expect_response("**/uploads") as target, screen.page.expect_request_finished(lambda request: "-drops" in request.url):
        screen.pick(files)
    return str(target.value.json()["doc_id"])


def row_of(page: Page) -> Locator:
    return page.locator("#uploads-rows tr")


# --- uploads ---------------------------------------------------------------------------------------


def test_a_file_is_uploaded_to_the_bucket_and_ingested_on_its_event(arrive: Open, cloud: Cloud, tmp_path: Path) -> None:
    screen = arrive(**STILL)
    page = screen.page
    with page.expect_request(f"{cloud.bucket_url}*") as posted:
        doc_id = send(screen, LETTER)
    headers = posted.value.all_headers()
    assert not {"cookie", "authorization", "x-amz-content-sha256"} & set(headers)
    assert headers["content-type"].startswith("multipart/form-data")
    row = row_of(page)
    expect(row).to_contain_text("Uploaded, waiting to be read")
    expect(page.get_by_role("heading", name="0 of 1 done")).to_be_visible()
    expect(page.locator("#document-list li")).to_have_count(0)
    screen.picture(tmp_path / "waits.png")
    assert grave_in_both(page) == []
    cloud.deliver(doc_id)
    expect(row).to_contain_text("Ready")
    expect(page.locator("#document-list li")).to_have_attribute("data-state", "READY")
    screen.answer_to("When did a letter come?")
    expect(page.locator(".answer")).to_contain_text("Monday")

    cloud.deliver(send(screen, LETTER))  # the server has it already, under its first id
    expect(row.first).to_contain_text("Already added")
    expect(page.locator("#document-list li")).to_have_count(1)


@pytest.mark.nightly
def test_a_large_pdf_is_shown_and_saved_from_the_bucket_and_the_page_stays(arrive: Open, cloud: Cloud, handbook: bytes) -> None:
    screen = arrive()
    page = screen.page
    large = padded(handbook, 4 * 2**20)  # too large for a reply of a function
    cloud.deliver(send(screen, {"handbook.pdf": large}))
    expect(page.locator("#document-list li")).to_have_attribute("data-state", "READY")
    screen.answer_to(LEAVE)
    page.locator(".answer .cite").first.click()
    expect(page.locator("#source-view canvas").first).to_be_visible()
    assert [url for url in screen.requests if url.startswith(cloud.files_url)]
    for link in ("#source-file", "#document-list .save"):
        with page.expect_download() as download:
            page.locator(link).click()
        assert download.value.suggested_filename == "handbook.pdf"
        assert Path(download.value.path()).read_bytes() == large
        page.keyboard.press("Escape")
    assert page.url.startswith(cloud.url)


def open_requests(page: Page) -> set[Request]:
    """The page's requests under way, from now on."""
    under_way: set[Request] = set()
    page.on("request", lambda request: under_way.add(request))
    page.on("requestfinished", lambda request: under_way.discard(request))
    page.on("requestfailed", lambda request: under_way.discard(request))
    return under_way


def let_polls_end(page: Page, under_way: set[Request]) -> None:
    """A poll takes up to three replies, one after the other: waits until none is under way during three other requests."""
    idle = 0
    while idle < 3:
        page.evaluate("async () => void (await (await fetch('/health')).text())")
        idle = 0 if any(not request.url.endswith("/health") for request in under_way) else idle + 1


@pytest.mark.nightly
def test_polling_for_a_waiting_file_slows_down_until_a_notice_after_two_minutes(arrive: Open, cloud: Cloud) -> None:
    screen = arrive()
    page = screen.page
    page.clock.install()
    under_way = open_requests(page)
    doc_id = send(screen, LETTER)
    asked = f"{cloud.url}/documents/{doc_id}"
    row = row_of(page)
    counts = []
    for _ in range(2):
        for _ in range(20):  # the test's own time counts, too
            page.clock.run_for(2000)
            let_polls_end(page, under_way)
        counts.append(screen.requests.count(asked))
        expect(row).to_contain_text("Uploaded, waiting to be read")
    assert 4 <= counts[0] <= 11
    assert counts[1] - counts[0] <= 4
    page.clock.run_for(45_000)
    expect(row).to_contain_text("after two minutes the server has not registered it")
    page.clock.resume()
    with page.expect_response("**/uploads") as target:
        page.get_by_role("button", name="Try again: letter.txt").click()
    expect(row).to_contain_text("Uploaded, waiting")
    cloud.deliver(target.value.json()["doc_id"])
    expect(row).to_contain_text("Ready")


# --- refusals -------------------------------------------------------------------------------------


def xml(code: str, message: str) -> str:
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>{code}</Code><Message>{message}</Message><RequestId>1</RequestId></Error>'


ERRORS = (
    (400, xml("EntityTooLarge", "Your proposed upload exceeds the maximum allowed size"), "The file is larger than this server accepts."),
    (403, xml("AccessDenied", "Invalid according to Policy: Policy expired."), "expired before the file arrived. Try again."),
    (403, xml("AccessDenied", "Access Denied"), "The upload failed (AccessDenied)."),
    (503, xml("SlowDown", "Reduce your request rate"), "The upload failed (SlowDown)."),
    (502, "<html>Bad gateway</html>", "The upload failed (502)."),
)


@pytest.mark.nightly
def test_an_error_of_the_bucket_is_shown_in_words_until_the_file_is_sent_again(arrive: Open, cloud: Cloud) -> None:
    screen = arrive()
    page = screen.page
    headers = {"access-control-allow-origin": cloud.url, "content-type": "application/xml"}
    again = page.get_by_role("button", name="Try again: letter.txt")
    page.route(f"{cloud.bucket_url}*", lambda route: route.abort(), times=1)
    screen.pick(LETTER)
    expect(row_of(page)).to_contain_text("The upload storage cannot be reached, or does not accept uploads from this page.")
    for status, body, expected in ERRORS:
        page.route(f"{cloud.bucket_url}*", partial(Route.fulfill, status=status, body=body, headers=headers), times=1)
        again.click()
        expect(row_of(page)).to_contain_text(expected)
    again.click()
    expect(row_of(page)).to_contain_text("Uploaded, waiting to be read")
    logged = ("net::ERR_FAILED", *(f"status of {status}" for status, *_ in ERRORS))
    screen.complaints = [complaint for complaint in screen.complaints if not any(each in complaint for each in logged)]


def padded(pdf: bytes, size: int) -> bytes:
    """The same document, padded with a comment before its cross-reference table."""
    at = int(pdf.rsplit(b"startxref\n", 1)[1].split()[0])
    table = pdf[at:].replace(b"startxref\n%d" % at, b"startxref\n%d" % (at + size + 2))
    return pdf[:at] + b"%" + os.urandom(size // 2).hex().encode() + b"\n" + table
