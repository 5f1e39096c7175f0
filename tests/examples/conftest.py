"""The example packages, installed, and a server with documents and two users to drive them against."""

from __future__ import annotations

import shutil
import sys
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder
from starlette.types import ASGIApp, Receive, Scope, Send

from footnote.bootstrap import Core
from footnote.settings import LLM, Auth, Embedding, Settings
from footnote.types import Caller
from footnote_local.server import create_app
from tests.fakes import FakeModels, make_document, put_document
from tests.servers import serving

EXAMPLES = Path(__file__).parents[2] / "examples"
STAFF, GUEST = "staff-key", "guest-key"
KEYS = {"ann": {"key": STAFF, "groups": ["staff"]}, "guest": {"key": GUEST, "groups": []}}


@pytest.fixture(scope="session")
def site_packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packages as pip installs them."""
    folder = tmp_path_factory.mktemp("examples")
    for name in ("footnote-langchain", "footnote-llamaindex", "footnote-slack"):
        (wheel,) = WheelBuilder(str(EXAMPLES / name)).build(directory=str(folder), versions=["standard"])
        shutil.unpack_archive(wheel, folder / "site", "zip")
    return folder / "site"


@pytest.fixture(scope="module", autouse=True)
def installed(site_packages: Path) -> Iterator[None]:
    sys.path.insert(0, str(site_packages))
    yield
    sys.path.remove(str(site_packages))


@dataclass
class Served:
    """Footnote on a socket. `bridge`: the id of the document that everyone may read. A test may set `instead`, an app that then gets
    the requests."""

    core: Core
    models: FakeModels
    bridge: str
    address: str = ""
    instead: ASGIApp | None = None
    app: ASGIApp = field(init=False)

    def __post_init__(self) -> None:
        self.app = create_app(self.core)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await (self.instead or self.app)(scope, receive, send)


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    """`ann` may read both documents, `guest` the bridge's alone."""
    auth = Auth.model_validate({"mode": "api_key", "api_keys": KEYS})
    models = FakeModels(None)
    core = Core(Settings(footnote_data=tmp_path, auth=auth, embedding=Embedding(builtin=False), llm=LLM(discover=False)), models=models)
    admin = Caller("admin", frozenset({"staff"}), role="admin")
    text = b"The bridge was built in 1894 by R&D <engineers>. It is painted blue."
    bridge = await core.ingestor.accept(
        admin, text, file_name="bridge.txt", collection="default", permission_groups=["*"], metadata={"year": 1894}
    )
    assert await core.ingestor.work_one()
    await put_document(core.generations, make_document("toll", title="Toll", groups=("staff",)), ["The bridge's toll is 2 euros."], page=3)
    held = Served(core, models, bridge.doc_id)
    async with serving(held) as held.address:
        yield held
    await core.close()
