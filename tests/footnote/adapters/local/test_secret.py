"""The data folder's secret."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from footnote.adapters.local.secret import load_secret
from footnote.errors import StoreUnavailable


def test_the_secret_is_made_once_and_readable_by_its_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "data"
    secret = load_secret(folder)
    assert len(secret) == 32
    assert load_secret(folder) == secret != load_secret(tmp_path)
    assert [(path.name, path.stat().st_mode & 0o777) for path in folder.iterdir()] == [("secret", 0o600)]


def test_all_who_make_it_at_once_get_the_same(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(load_secret, [tmp_path] * 64))) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["secret"]


def test_a_folder_that_is_none_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreUnavailable, match="data folder cannot be used"):
        load_secret(tmp_path / "file")
