"""Source files in an S3 bucket, links to them, and forms by which browsers put files there."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from footnote.adapters.aws.client import Client, Ours
from footnote.adapters.shared.files import check_key
from footnote.errors import BadRequest, NotFound, StoreUnavailable
from footnote.ports import UploadForm

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import ListObjectsV2OutputTypeDef, ObjectTypeDef

# S3 says NoSuchKey only to those who may list the bucket, else AccessDenied; that one is never taken for "not there".
ABSENT: dict[str, Ours] = {"NoSuchKey": (NotFound, "There is no such file.")}

LINK_S = 300.0
"""Longest life of a link: a deleted document's ends with it."""


class S3Files:
    """Keys as in `LocalFiles`."""

    def __init__(self, bucket: str) -> None:
        self._bucket = bucket
        self._s3: Client[S3Client] = Client(
            "s3", (StoreUnavailable, "The bucket of source files cannot be used. Check AWS__FILES_BUCKET and the function's permissions.")
        )

    async def put(self, key: str, data: bytes) -> None:
        check_key(key)
        await self._s3.call(lambda s3: s3.put_object(Bucket=self._bucket, Key=key, Body=data))

    async def get(self, key: str) -> bytes:
        check_key(key)
        return await self._s3.call(lambda s3: s3.get_object(Bucket=self._bucket, Key=key)["Body"].read(), ABSENT)

    async def delete(self, key: str) -> None:
        """In a bucket with versions the bytes go when its lifecycle says so."""
        check_key(key)
        await self._s3.call(lambda s3: s3.delete_object(Bucket=self._bucket, Key=key))

    async def keys(self, prefix: str) -> AsyncIterator[str]:
        async for found in objects(self._s3, self._bucket, prefix):
            yield found["Key"]

    async def link(self, key: str, valid_s: float, *, content_type: str, disposition: str) -> str | None:
        check_key(key)
        params = {"Bucket": self._bucket, "Key": key, "ResponseContentType": content_type, "ResponseContentDisposition": disposition}
        valid = int(min(valid_s, LINK_S))
        return await self._s3.call(lambda s3: s3.generate_presigned_url("get_object", Params=params, ExpiresIn=valid))

    async def close(self) -> None:
        await self._s3.close()


class S3Uploads:
    """`ports.Uploads`: S3 itself refuses another key, more bytes, and whatever comes too late."""

    def __init__(self, bucket: str) -> None:
        self._bucket = bucket
        self._s3: Client[S3Client] = Client(
            "s3", (StoreUnavailable, "Uploads cannot be signed. Check AWS__DROP_BUCKET and the function's credentials.")
        )

    async def form(self, key: str, max_bytes: int, valid_s: float) -> UploadForm:
        if "${filename}" in key:  # S3 would put the sender's file name there
            raise BadRequest("A file's name may not contain ${filename}. Rename it.")
        signed = await self._s3.call(
            lambda s3: s3.generate_presigned_post(
                self._bucket, key, Conditions=[["content-length-range", 0, max_bytes]], ExpiresIn=int(valid_s)
            )
        )
        return UploadForm(signed["url"], signed["fields"])

    async def close(self) -> None:
        await self._s3.close()


async def objects(client: Client[S3Client], bucket: str, prefix: str = "") -> AsyncIterator[ObjectTypeDef]:
    """What a bucket holds, in the order of the keys' bytes, a page of 1,000 a call."""
    token = ""

    def page(s3: S3Client) -> ListObjectsV2OutputTypeDef:
        more = {"ContinuationToken": token} if token else {}
        return s3.list_objects_v2(Bucket=bucket, Prefix=prefix, **more)  # type: ignore[arg-type]

    while True:
        found = await client.call(page)
        for entry in found.get("Contents", ()):
            yield entry
        token = found.get("NextContinuationToken", "")
        if not token:
            return
