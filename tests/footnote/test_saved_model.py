"""The model endpoint in the data folder."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from footnote.errors import BadRequest, StoreUnavailable
from footnote.settings import LLM, Settings
from footnote.settings.saved_model import make_saved_model, read_saved_model, with_saved_model, write_saved_model


def test_only_its_owner_can_read_the_file(tmp_path: Path) -> None:
    path, before = tmp_path / "data" / "model.json", os.umask(0)
    try:
        write_saved_model(path, make_saved_model(None, None, "first"))
        write_saved_model(path, make_saved_model("http://x:1/v1", "m", "second"))
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    saved = read_saved_model(path)
    assert (saved.base_url, saved.model, saved.api_key.get_secret_value()) == ("http://x:1/v1", "m", "second")
    assert [each.name for each in path.parent.iterdir()] == ["model.json"]
    assert "second" not in repr(saved)


def test_settings_of_another_endpoint_are_not_sent_to_this_one() -> None:
    environment = Settings(
        llm=LLM(base_url="https://old.test/v1", model="old", api_key="old-key", system_name="Footnote"),
        openrouter_api_key="router-key",
        dep_ticket="ticket",
    )
    settings = with_saved_model(environment, make_saved_model("http://new:1/v1", None, None))
    assert settings.model_endpoint == ("http://new:1/v1", None, None)
    assert (settings.dep_ticket, settings.llm.system_name) == (None, None)
    assert settings.fingerprints != environment.fingerprints  # cached answers of the old model are not reused


@pytest.mark.parametrize("url", ["localhost:1234", "ftp://x/v1", "http://user:pass@x/v1", "http://x/v1?key=1", "http://", ""])
def test_a_url_that_is_none_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(BadRequest) as caught:
        make_saved_model(url, None, "hush")
    assert "hush" not in caught.value.detail


def test_no_file_is_no_endpoint_and_a_damaged_one_an_error_without_its_content(tmp_path: Path) -> None:
    assert read_saved_model(tmp_path / "model.json") is None
    (tmp_path / "model.json").write_text('{"api_key": ["hush"]}')
    with pytest.raises(BadRequest) as caught:
        read_saved_model(tmp_path / "model.json")
    assert "hush" not in caught.value.detail


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreUnavailable):
        write_saved_model(tmp_path / "file" / "model.json", make_saved_model(None, None, "k"))
