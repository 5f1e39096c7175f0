"""Upload forms with which browsers put files into an S3 bucket."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footnote.adapters.aws.client import Client
from footnote.errors import BadRequest, StoreUnavailable
from footnote.ports import UploadForm

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


class S3Uploads:
    """`ports.Uploads` on S3, which itself rejects another key, too many bytes and a late upload."""

    def __init__(self, bucket: str) -> None:
        self._bucket = bucket
        self._s3: Client[S3Client] = Client(
            "s3", (StoreUnavailable, "Uploads cannot be signed. Check AWS__DROP_BUCKET and the function's credentials.")
        )

    async def form(self, key: str, max_bytes: int, valid_s: float) -> UploadForm:
        if "${filename}" in key:  # S3 would replace this with the sender's file name
            raise BadRequest("A file name must not contain ${filename}. Rename the file.")
        signed = await self._s3.call(
            lambda s3: s3.generate_presigned_post(
                self._bucket, key, Conditions=[["content-length-range", 0, max_bytes]], ExpiresIn=int(valid_s)
            )
        )
        return UploadForm(signed["url"], signed["fields"])

    async def close(self) -> None:
        """Closes the connections."""
        await self._s3.close()
