.PHONY: check format test generate benchmark

check:  ## everything that .ci/run checks
	.ci/run

format:
	uv run ruff format
	uv run ruff check --fix

test:
	uv run pytest

generate:  ## schemas/ and dynamoc/schema/data from dynamoc/api, docs/rules from the rules
	uv run python -m dynamoc.api.generate
	uv run python -m dynamoc.explain.pages

benchmark:
	uv run python benchmarks/run.py
