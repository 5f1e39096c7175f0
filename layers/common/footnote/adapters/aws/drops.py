"""Dropped files in S3 buckets.

A version is S3's ETag, which changes with the bytes, and the second of the write, so that the same bytes dropped
again are a new file. Listing, HEAD and GET return both; a listing has no version ids of the bucket's own versioning.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from footnote.adapters.aws.client import Client, code_of
from footnote.adapters.aws.files import ABSENT, objects
from footnote.errors import StoreUnavailable
from footnote.ports import Dropped

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import GetObjectOutputTypeDef, HeadObjectOutputTypeDef, ObjectTypeDef


class S3Drops:
    """`ports.Drops` on S3, for every bucket that the function may read."""

    def __init__(self) -> None:
        self._s3: Client[S3Client] = Client(
            "s3", (StoreUnavailable, "The bucket of dropped files cannot be read. Check AWS__DROP_BUCKET and the function's permissions.")
        )

    async def get(self, bucket: str, key: str) -> tuple[bytes, str]:
        """Reads the whole file; check its size with `head` first."""

        def read(s3: S3Client) -> tuple[bytes, str]:
            reply = s3.get_object(Bucket=bucket, Key=key)
            return reply["Body"].read(), _version(reply)

        return await self._s3.call(read, ABSENT)

    async def head(self, bucket: str, key: str) -> Dropped | None:
        def look(s3: S3Client) -> Dropped | None:
            try:
                reply = s3.head_object(Bucket=bucket, Key=key)
            except s3.exceptions.ClientError as exc:
                if code_of(exc) != "404":
                    raise
                s3.head_bucket(Bucket=bucket)  # a missing bucket has the same status, and that is not a deleted file
                return None
            return Dropped(key, _version(reply), reply["ContentLength"])

        return await self._s3.call(look)

    async def delete(self, bucket: str, key: str) -> None:
        await self._s3.call(lambda s3: s3.delete_object(Bucket=bucket, Key=key))

    async def list(self, bucket: str) -> AsyncIterator[Dropped]:
        """Leaves out the markers that consoles create for empty folders."""
        async for found in objects(self._s3, bucket):
            if not found["Key"].endswith("/"):
                yield Dropped(found["Key"], _version(found), found["Size"])

    async def close(self) -> None:
        """Closes the connections."""
        await self._s3.close()


def _version(found: GetObjectOutputTypeDef | HeadObjectOutputTypeDef | ObjectTypeDef) -> str:
    etag = found["ETag"].strip('"')
    return f"{etag}-{int(found['LastModified'].timestamp())}"
