"""The objects below a prefix of an S3 bucket as a source of documents."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING
from urllib.parse import quote

from footnote.adapters.aws.client import Client, Failure
from footnote.adapters.aws.files import ABSENT, objects
from footnote.errors import Forbidden, StoreUnavailable, UnreadableFile
from footnote.ports import Entry, Unlisted

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import GetObjectOutputTypeDef, ObjectTypeDef

ONE_OBJECT: dict[str, Failure] = {
    **ABSENT,
    "AccessDenied": (Forbidden, "The object may not be read."),
    "InvalidObjectState": (Forbidden, "The object is archived. Restore it first."),
}
"""Errors that concern one object only."""


class S3Source:
    """`ports.Source` on S3. The prefix is taken as a folder: `docs` does not include `docs-old/`.

    An object's fingerprint is its ETag and the second of the write."""

    def __init__(self, bucket: str, prefix: str) -> None:
        self._bucket = bucket
        self._prefix = prefix.rstrip("/") + "/" if prefix.strip("/") else ""
        self.address = f"s3://{bucket}/{quote(self._prefix)}"
        self._s3: Client[S3Client] = Client(
            "s3", (StoreUnavailable, f"The bucket {bucket} cannot be read. Check its name, the credentials and their permissions.")
        )

    async def entries(self) -> AsyncIterator[Entry | Unlisted]:
        """Leaves out the markers that consoles create for empty folders, and hidden files."""
        async for found in objects(self._s3, self._bucket, self._prefix):
            key = found["Key"].removeprefix(self._prefix)
            if not found["Key"].endswith("/") and not any(part.startswith(".") for part in key.split("/")):
                yield Entry(key, found["Size"], _fingerprint(found))

    async def read(self, key: str, max_bytes: int) -> tuple[Entry, bytes]:
        def get(s3: S3Client) -> tuple[Entry, bytes]:
            reply = s3.get_object(Bucket=self._bucket, Key=self._prefix + key)
            size = reply["ContentLength"]
            if size > max_bytes:
                reply["Body"].close()
                raise UnreadableFile(f"The file has {size / 2**20:.1f} MB; {max_bytes // 2**20} MB are allowed.", "Split it.")
            return Entry(key, size, _fingerprint(reply)), reply["Body"].read()

        try:
            return await self._s3.call(get, ONE_OBJECT)
        except Forbidden as exc:
            raise UnreadableFile(exc.detail, "Check the object's permissions and storage class.") from exc

    async def close(self) -> None:
        await self._s3.close()


def _fingerprint(found: GetObjectOutputTypeDef | ObjectTypeDef) -> str:
    etag = found["ETag"].strip('"')
    return f"{etag}-{int(found['LastModified'].timestamp())}"
