"""Files dropped anywhere on the page, as the browser itself reports the drag: the page says where they go, and takes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_accessibility import LEAVE, NARROW, STILL, Open, close_sheet


class Drag:
    """A drag of a file over a page, in steps."""

    def __init__(self, page: Page, file: Path) -> None:
        self._page = page
        self._devtools = page.context.new_cdp_session(page)
        self._data = {"items": [], "files": [str(file)], "dragOperationsMask": 1}

    def send(self, event: str, selector: str) -> None:
        box = self._page.locator(selector).bounding_box()
        assert box
        place = {"x": round(box["x"] + box["width"] / 2), "y": round(box["y"] + min(box["height"] / 2, 40))}
        self._devtools.send("Input.dispatchDragEvent", {"type": event, **place, "data": self._data})

    def says(self, selector: str, text: str) -> None:
        """Stays over the element until the page says where the files go."""
        hint = self._page.locator("#drop-here")
        for _ in range(100):
            self.send("dragOver", selector)
            if hint.is_visible() and hint.inner_text() == text:
                return
        pytest.fail(f"The page never said: {text}")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "ferry.txt"
    path.write_text("Ferries cross at noon.")
    return path


def drops(screen: Any, file: Path, selector: str) -> None:
    """Drops the file there, after the page has said where it goes."""
    page: Page = screen.page
    drag = Drag(page, file)
    drag.send("dragEnter", selector)
    drag.says(selector, f"Drop to add to the collection “{screen.index}”")
    drag.send("drop", selector)
    expect(page.locator("#drop-here")).to_be_hidden()
    expect(page.locator("#uploads-rows tr").filter(has_text=file.name)).to_be_visible()


def test_files_are_dropped_on_the_start_screen_an_answer_a_source_and_a_dialog(open_handbook: Open, server: str, tmp_path: Path) -> None:
    screen = open_handbook(server, **STILL)
    page: Page = screen.page
    north, south, east, west = (tmp_path / f"{name}.txt" for name in ("north", "south", "east", "west"))
    for path in (north, south, east, west):
        path.write_text(f"The ferry to the {path.stem} leaves at noon.")
    drops(screen, north, "#welcome")
    screen.answer_to(LEAVE)
    drops(screen, south, ".answer")
    page.locator(".cite").first.click()
    expect(page.locator("#source-view canvas").first).to_be_visible()
    drops(screen, east, "#source-view")
    expect(page.locator("#passage")).to_be_hidden()  # so that the list of files is seen
    page.keyboard.press("Control+k")
    expect(page.locator("dialog[open]")).to_be_visible()
    drops(screen, west, "dialog[open]")
    expect(page.locator("#document-list li[data-state=READY]")).to_have_count(5)  # with the handbook


def test_over_the_question_box_files_are_attached_and_a_drag_that_ends_is_forgotten(open_handbook: Open, server: str, file: Path) -> None:
    screen = open_handbook(server, **STILL)
    page: Page = screen.page
    drag = Drag(page, file)
    drag.send("dragEnter", "#question")
    drag.says("#question", "Drop to attach to the question")
    drag.says("#welcome", f"Drop to add to the collection “{screen.index}”")
    drag.send("dragCancel", "#welcome")
    expect(page.locator("#drop-here")).to_be_hidden()
    text = "new DragEvent('dragover', { dataTransfer: new DataTransfer(), bubbles: true, cancelable: true })"
    assert page.evaluate(f"document.body.dispatchEvent({text})")  # without files it is not the page's
    expect(page.locator("#drop-here")).to_be_hidden()
    drag.send("dragEnter", "#question")
    drag.says("#question", "Drop to attach to the question")
    drag.send("drop", "#question")
    expect(page.locator("#attachments li")).to_contain_text("ferry.txt")
    expect(page.locator("#uploads")).to_be_hidden()


def test_on_a_phone_files_dropped_over_a_source_show_where_they_went(open_handbook: Open, server: str, file: Path) -> None:
    screen = open_handbook(server, **STILL, **NARROW)
    page: Page = screen.page
    close_sheet(page)
    screen.answer_to(LEAVE)
    page.locator(".cite").first.tap()
    expect(page.locator("#source-view canvas").first).to_be_visible()
    drops(screen, file, "#source-view")
    expect(page.locator("#documents")).to_be_visible()
    expect(page.locator("#passage")).to_be_hidden()
