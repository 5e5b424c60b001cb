.PHONY: argocd changelog check executable flows fuzz help release release-check playground playground-test pyz sbom format test generate benchmark mutants properties site test-cluster vscode

check:  ## everything that .ci/run checks
	.ci/run

format:
	./run ruff format
	./run ruff check --fix

test:
	./run pytest -n auto

generate:  ## what follows from schemas/, also fields that models lack, and severities from the catalogue
	./run python -m tools.schemas
	./run python -m tools.models
	./run python -m tools.severities
	./run python -m tools.reports

playground:  ## dynamoc in a page, below dist/playground/; needs Node.js and npm
	./run python -V
	cd site/playground && npm ci && npm run build

playground-test: playground  ## the built page in Chromium
	cd site/playground && npm test

site:  ## the documentation as a site, below dist/site/
	./run python -m tools.site

benchmark:
	./run python -m benchmarks.run

mutants:  ## random changes to the code, each judged by the tests and recorded cases that reach it
	./run python -m tools.mutants

executable:  ## dist/dynamoc-linux-MACHINE, one file without Python; needs Debian's libpython3-dev and a C compiler
	/usr/bin/python3 -m tools.executable

release:  ## what the release VERSION publishes, below dist/release/
	./run python -m tools.supply.release $(VERSION)

release-check:  ## installs dist/release/ on a clean Debian, without a network, and renders; needs root and debootstrap
	./run python -m tools.supply.clean

fuzz:  ## random inputs for SECONDS, from SEED
	./run python -m tools.fuzz --seconds $(or $(SECONDS),60) --seed $(or $(SEED),1)

changelog:  ## CHANGELOG.md for VERSION, from changes/
	./run towncrier build --yes --version $(VERSION)

help:  ## this list
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/:.*## */\t/' | expand -t 14

properties:  ## what must hold for any input, tried on all recorded ones; the suite tries a sample
	./run python -m tools.properties

argocd:  ## the plugin of deploy/argocd in the real argocd-cmp-server; needs Go and 40 minutes to build
	./run python -m tools.argocd_server

flows:  ## the flows of docs/how-to with the real tools; needs Go, which builds them for half an hour
	GOBIN=$(CURDIR)/dist/tools GOFLAGS=-p=1 go install sigs.k8s.io/kustomize/kustomize/v5@v5.8.2
	GOBIN=$(CURDIR)/dist/tools GOFLAGS=-p=1 go install github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0
	GOBIN=$(CURDIR)/dist/tools GOFLAGS=-p=1 go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
	GOBIN=$(CURDIR)/dist/tools GOFLAGS=-p=1 go install github.com/google/go-containerregistry/cmd/crane@latest
	GOBIN=$(CURDIR)/dist/tools GOFLAGS=-p=1 go install helm.sh/helm/v3/cmd/helm@latest
	PATH="$(CURDIR)/dist/tools:$$PATH" ./run pytest tests/flows tests/flux

vscode:  ## the extension of editors/vscode, with its tests; needs Node.js and npm
	cd editors/vscode && npm ci && npm run build
	./run pytest tests/lsp/test_vscode.py

pyz:  ## dist/dynamoc.pyz: one file for machines without a network; needs uv
	./run python -m tools.supply.pyz

sbom:  ## dist/sbom.json: all that dynamoc installs, as CycloneDX; needs uv
	mkdir -p dist
	uv export --frozen --no-dev --format cyclonedx1.5 -q -o dist/sbom.json

test-cluster:  ## a real API server on loopback judges mutants and takes what the golden inputs render to
	./run python -m tools.apiserver
