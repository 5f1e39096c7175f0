"""Source files in an S3 bucket, and links to them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from footnote.adapters.aws.client import Client, Failure
from footnote.adapters.shared.files import check_key
from footnote.errors import NotFound, StoreUnavailable

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import ListObjectsV2OutputTypeDef, ObjectTypeDef

# S3 returns NoSuchKey only to roles that may list the bucket, else AccessDenied, which is never read as "not found".
ABSENT: dict[str, Failure] = {"NoSuchKey": (NotFound, "There is no such file.")}

LINK_S = 300.0
"""Longest validity of a link: after a delete it works for at most so long."""


class S3Files:
    """`ports.Files` on S3. Keys as in `shared.files`."""

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
        """In a versioned bucket the bytes are removed by its lifecycle rule."""
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
        """Closes the connections."""
        await self._s3.close()


async def objects(client: Client[S3Client], bucket: str, prefix: str = "") -> AsyncIterator[ObjectTypeDef]:
    """The objects of a bucket in the byte order of their keys, 1,000 per request."""
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
