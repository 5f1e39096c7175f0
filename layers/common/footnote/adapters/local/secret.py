"""The secret of a data folder: created once, readable only by its owner."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from footnote.errors import StoreUnavailable


def load_secret(folder: Path) -> bytes:
    """32 bytes from `<folder>/secret`; two processes that create it at once get the same."""
    path = folder / "secret"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            draft = folder / f".secret-{secrets.token_hex(4)}"
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(secrets.token_bytes(32))
            try:
                os.link(draft, path)  # unlike a rename, this fails if the other process was first
            except FileExistsError:
                pass
            finally:
                draft.unlink()
        return path.read_bytes()
    except OSError as exc:
        raise StoreUnavailable(f"The data folder cannot be used ({exc.strerror}). Is it writable?") from exc
