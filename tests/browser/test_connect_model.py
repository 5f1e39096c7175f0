"""An admin connects a language model in the page: the form, what it says, and that the next question uses it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import serving
from tests.browser.test_accessibility import LEAVE, NARROW, Open, grave_in
from tests.ollama_server import running_ollama

TITLE, CHANGE = "Connect a language model", "Change the language model"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("connect") / "data", EMBEDDING__BUILTIN="false", LLM__DISCOVER="false") as url:
        yield url


@pytest.fixture(autouse=True)
def without_a_model(server: str, page: Page) -> Iterator[None]:
    yield
    page.request.delete(f"{server}/model")


def open_form(page: Page, button: str = TITLE) -> Locator:
    page.locator("#model").click()
    page.locator("#model-menu").get_by_role("button", name=button).click()
    form = page.locator(".connect-dialog")
    expect(form.locator(".hint").first).not_to_be_empty()
    return form


def test_a_tested_and_saved_model_answers_the_next_question(open_handbook: Open, server: str, tmp_path: Path) -> None:
    page = (screen := open_handbook(server)).page
    form = open_form(page)
    status = form.locator(".connect-status")
    expect(form.get_by_text("None is connected.")).to_be_visible()
    with running_ollama("llama3.2", "qwen3") as ollama:
        form.get_by_label("Provider").select_option("Another one")
        form.get_by_label("Address").fill(f"http://127.0.0.1:{ollama.port}/v1")
        form.get_by_role("button", name="Test").click()
        expect(status).to_have_text("llama3.2 answers after 0.0 s. 2 models are listed.", use_inner_text=True)
        assert form.locator("datalist option").evaluate_all("all => all.map(each => each.value)") == ["llama3.2", "qwen3"]
        expect(page.locator("#model")).to_have_text("No language model")
        assert grave_in(page) == []
        form.get_by_label("Model", exact=True).fill("qwen3")
        form.get_by_role("button", name="Save").click()
        expect(status).to_contain_text("Saved. qwen3 answers after")
        expect(page.locator("#model")).to_have_text("qwen3")
        page.keyboard.press("Escape")
        screen.answer_to(LEAVE)
        expect(page.locator(".answer").last).to_contain_text("In 1894 the bridge was built")
        form = open_form(page, CHANGE)
        form.get_by_role("button", name="Remove").click()
        expect(form.locator(".connect-status")).to_have_text("The saved model was removed.")
        expect(page.locator("#model")).to_have_text("No language model")


@pytest.mark.parametrize(
    ("language", "problem"),
    [("en", "cannot be reached"), ("de", "Der Endpunkt des Sprachmodells ist nicht erreichbar"), ("ko", "엔드포인트")],
)
def test_a_model_that_does_not_answer_is_saved_only_when_asked_to(open_handbook: Open, server: str, language: str, problem: str) -> None:
    page = (screen := open_handbook(server, locale=language)).page
    page.evaluate("import('/web/connect_model.js').then(({ openForm }) => openForm())")
    form = page.locator(".connect-dialog")
    form.locator("#connect-provider").select_option("")
    form.locator("#connect-address").fill("http://127.0.0.1:9/v1")
    form.locator("[type=submit]").click()
    expect(status := form.locator(".connect-status")).to_contain_text(problem)
    expect(status).not_to_contain_text("__")
    expect(status.locator("span")).to_have_count(2)
    assert page.request.get(f"{server}/model/endpoint").json()["source"] == "none"
    status.get_by_role("button").click()
    expect(form.locator(".hint").first).to_contain_text("http://127.0.0.1:9/v1")
    expect(status.get_by_role("button")).to_have_count(0)
    assert page.request.get(f"{server}/model/endpoint").json()["source"] == "saved"
    page.keyboard.press("Escape")
    screen.answer_to(LEAVE)
    expect(page.locator(".turn .failed")).not_to_contain_text("__")
    page.locator(".turn .failed .to-change").click()
    expect(form).to_be_visible()


def test_a_model_that_does_not_answer_does_not_replace_one_that_does(open_handbook: Open, server: str) -> None:
    page = open_handbook(server).page
    with running_ollama("llama3.2") as ollama:
        address = f"http://127.0.0.1:{ollama.port}/v1"
        assert page.request.put(f"{server}/model", data={"base_url": address}).ok
        page.reload()
        expect(page.locator("#model")).to_have_text("llama3.2")
        form = open_form(page, CHANGE)
        form.get_by_label("Address").fill("127.0.0.1:9")
        form.get_by_role("button", name="Save").click()
        assert form.get_by_label("Address").evaluate("field => field.validationMessage").startswith("It begins with http://")
        form.get_by_label("Address").fill("http://127.0.0.1:9/v1")
        form.get_by_role("button", name="Save").click()
        expect(form.locator(".connect-status")).to_contain_text("cannot be reached. Check its address. Nothing was saved.")
        assert page.request.get(f"{server}/model/endpoint").json()["base_url"] == address
        page.keyboard.press("Escape")
        page.set_viewport_size({"width": 390, "height": 844})
        page.locator("#account").click()
        expect(page.locator("#model-text-narrow")).to_have_text("Language model: llama3.2")
        expect(page.locator("#account-menu").get_by_role("button", name=CHANGE)).to_be_visible()


def test_a_provider_fills_in_its_address_and_selects_what_is_ones_own(open_handbook: Open, server: str) -> None:
    page = open_handbook(server).page
    form = open_form(page)
    form.get_by_label("Provider").select_option("OpenRouter")
    expect(form.get_by_label("Address")).to_have_value("https://openrouter.ai/api/v1")
    form.get_by_label("Provider").select_option("Azure OpenAI")
    expect(address := form.get_by_label("Address")).to_be_focused()
    assert address.evaluate("field => field.value.slice(field.selectionStart, field.selectionEnd)") == "{resource}"
    form.get_by_role("button", name="Test").click()
    assert address.evaluate("field => field.validationMessage") == "Replace what is in braces."
    page.keyboard.type("ours")  # over what is selected
    expect(address).to_have_value("https://ours.openai.azure.com/openai/v1")
    assert address.evaluate("field => field.validity.valid")


def test_the_notice_stands_once_and_its_button_opens_the_form(open_handbook: Open, server: str) -> None:
    page = (screen := open_handbook(server)).page
    for _ in range(2):
        screen.answer_to(LEAVE)
    expect(page.locator(".answer")).to_have_count(2)
    expect(page.locator(".notice:visible")).to_have_count(1)
    expect(page.locator(".notice").first).to_have_text(
        f"No language model was used: these sentences are quoted from the documents. {TITLE}", use_inner_text=True
    )
    page.locator("#model").click()
    expect(page.locator("#model-text")).to_have_text("No language model is configured. Connect one in the page.")
    page.keyboard.press("Escape")
    page.reload()
    expect(page.locator(".answer")).to_have_count(2)
    expect(page.locator(".notice:visible")).to_have_count(1)
    page.locator(".notice").get_by_role("button", name=TITLE).click()
    expect(page.get_by_role("heading", name="Language model")).to_be_visible()


def test_on_a_phone_the_account_menu_opens_it_and_it_fits(open_handbook: Open, server: str) -> None:
    page = open_handbook(server, **NARROW).page
    page.locator("#account").click()
    page.locator("#account-menu").get_by_role("button", name=TITLE).click()
    form = page.locator(".connect-dialog")
    expect(form.get_by_text("None is connected.")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert grave_in(page) == []
