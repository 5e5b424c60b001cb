# dynamoc in an image: docker build -t registry.example.com/dynamoc:0.2.0 .
# As a function of Kustomize and kpt: docker build --target fn -t registry.example.com/dynamoc-fn:0.2.0 .
ARG PYTHON_IMAGE=python:3.12-slim-bookworm

FROM ${PYTHON_IMAGE} AS build
COPY --from=ghcr.io/astral-sh/uv:0.8.22 /uv /usr/local/bin/uv
WORKDIR /src
COPY . .
# Versions and hashes of uv.lock. Nothing can write bytecode later: a start without it takes four times as long.
RUN UV_PROJECT_ENVIRONMENT=/opt/dynamoc uv sync --frozen --no-dev --no-editable --compile-bytecode --python /usr/local/bin/python

FROM ${PYTHON_IMAGE} AS base
COPY --from=build /opt/dynamoc /opt/dynamoc
ENV PATH=/opt/dynamoc/bin:/usr/local/bin:/usr/bin:/bin PYTHONDONTWRITEBYTECODE=1
# Any user will do: nothing is written, and there is no home directory.
USER 999:999
WORKDIR /work

FROM base AS fn
ENTRYPOINT ["dynamoc", "plugin", "kustomize"]

FROM base AS dynamoc
ENTRYPOINT ["dynamoc"]
CMD ["--help"]
