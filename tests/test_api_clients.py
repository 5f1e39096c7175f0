"""Programs that make clients of the OpenAPI document make whole ones: nothing is dropped, and what they make works."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import httpx
import pytest
from openapi_python_client import generate
from openapi_python_client.config import Config, ConfigFile, MetaType

from footnote.bootstrap import Core
from footnote.settings import LLM, Embedding, Settings
from footnote_local.openapi import FILE
from footnote_local.server import create_app
from tests.fakes import make_document, put_document

TYPESCRIPT = Path(__file__).parent / "openapi_typescript"
USE = """
import type { components, paths } from "./schema";
type Reply = paths["/ask"]["post"]["responses"]["200"]["content"]["application/json"];
type Asked = paths["/ask"]["post"]["requestBody"]["content"]["application/json"];
const asked: Asked = { query_text: "?", index_name: "default", permission_groups: [] };
export const snippets = (reply: Reply): string[] => reply.citations.map((citation) => citation.snippet);
export const text = (event: components["schemas"]["AskEvent"]): string => (event.type === "token" ? event.content : event.type);
export const detail: components["schemas"]["Problem"]["detail"] = asked.query_text;
"""


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    """The Python client, made anew; a warning about anything that was left out is an error."""
    folder = tmp_path_factory.mktemp("python") / "made_client"
    config = Config.from_sources(ConfigFile(post_hooks=[]), MetaType.NONE, FILE, "utf-8", overwrite=True, output_path=folder)
    assert [(error.header, error.detail) for error in generate(config=config)] == []
    sys.path.insert(0, str(folder.parent))
    yield importlib.import_module("made_client")
    sys.path.remove(str(folder.parent))
    for name in [name for name in sys.modules if name.startswith("made_client")]:
        del sys.modules[name]


async def test_a_generated_python_client_asks_and_gets_a_typed_answer(client: ModuleType, tmp_path: Path) -> None:
    ask, documents = (
        importlib.import_module("made_client.api.asking.ask"),
        importlib.import_module("made_client.api.documents.get_document"),
    )
    models = importlib.import_module("made_client.models")
    core = Core(Settings(footnote_data=tmp_path, embedding=Embedding(builtin=False), llm=LLM(discover=False)))
    await put_document(core.generations, make_document("bridge", groups=("*",)), ["The bridge was built in 1894. It is painted blue."])
    transport = httpx.ASGITransport(create_app(core))
    made = client.Client("http://localhost", httpx_args={"transport": transport})
    asked = models.AskRequest(query_text="When was the bridge built?", index_name="default", permission_groups=[])
    reply = await ask.asyncio(client=made, body=asked)
    missing = await documents.asyncio(doc_id="nothing", client=made)
    await core.close()
    assert isinstance(reply, models.AskResponse)
    assert [citation.doc_id for citation in reply.citations] == ["bridge"]
    assert isinstance(missing, models.Problem)
    assert missing.status == 404


def test_every_operation_has_its_module_in_the_python_client(client: ModuleType) -> None:
    folder, document = Path(str(client.__file__)).parent, json.loads(FILE.read_text("utf-8"))
    made = {path.stem for path in folder.glob("api/*/*.py")} - {"__init__"}
    assert made == {told["operationId"] for methods in document["paths"].values() for told in methods.values()}
    for module in sorted(folder.glob("api/*/*.py")):
        importlib.import_module(".".join(module.relative_to(folder.parent).with_suffix("").parts))


@pytest.fixture(scope="module")
def node_modules() -> Path:
    """openapi-typescript and the compiler as they are locked, in the cache."""
    npm = shutil.which("npm")
    if npm is None:
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)("npm is missing, which runs openapi-typescript.")
    locked = [TYPESCRIPT / name for name in ("package.json", "package-lock.json", ".npmrc")]
    sum_ = hashlib.sha256(b"".join(path.read_bytes() for path in locked)).hexdigest()[:12]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "footnote"
    folder = cache / f"openapi-typescript-{sum_}"
    if not folder.is_dir():
        made = cache / f"{folder.name}.{os.getpid()}"
        made.mkdir(parents=True)
        for path in locked:
            shutil.copy(path, made)
        subprocess.run([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=made, check=True, capture_output=True, text=True)
        made.rename(folder)
    return folder / "node_modules"


@pytest.mark.nightly
def test_openapi_typescript_makes_types_that_a_strict_compiler_takes(node_modules: Path, tmp_path: Path) -> None:
    made = subprocess.run(
        ["node", node_modules / "openapi-typescript/bin/cli.js", FILE, "-o", "schema.d.ts", "--default-non-nullable=false"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    told = made.stdout + made.stderr
    assert (made.returncode, "⚠" in told, "warn" in told.lower()) == (0, False, False), told
    (tmp_path / "use.ts").write_text(USE)
    strict = ["--noEmit", "--strict", "--module", "nodenext", "--skipLibCheck", "false"]
    checked = subprocess.run(["node", node_modules / "typescript/bin/tsc", *strict, "use.ts"], cwd=tmp_path, capture_output=True, text=True)
    assert (checked.returncode, checked.stdout) == (0, "")
