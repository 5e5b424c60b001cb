.PHONY: argocd check pyz sbom format test generate benchmark mutants test-cluster

check:  ## everything that .ci/run checks
	.ci/run

format:
	./run ruff format
	./run ruff check --fix

test:
	./run pytest

generate:  ## dynamoc/schema/data from dynamoc/api, docs/rules from the rules, docs/findings from the catalogue
	./run python -m dynamoc.api.generate
	./run python -m dynamoc.explain.pages
	./run python -m dynamoc.diagnostics.pages

benchmark:
	./run python -m benchmarks.run

mutants:  ## random changes to the code, each judged by the tests and recorded cases that reach it
	./run python -m tests.mutants

argocd:  ## the plugin of deploy/argocd in the real argocd-cmp-server; needs Go and 40 minutes to build
	./run python -m tests.flows.argocd_server

pyz:  ## dist/dynamoc.pyz: one file for machines without a network; needs uv
	./run python -m tests.supply.pyz

sbom:  ## dist/sbom.json: all that dynamoc installs, as CycloneDX; needs uv
	mkdir -p dist
	uv export --frozen --no-dev --format cyclonedx1.5 -q -o dist/sbom.json

test-cluster:  ## a real API server on loopback judges mutants and takes what the golden inputs render to
	./run python -m tests.apiserver
