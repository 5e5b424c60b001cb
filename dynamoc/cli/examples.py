"""The examples that `--help` shows, by command; the empty name is `dynamoc` itself."""

from __future__ import annotations

EXAMPLES: dict[str, tuple[str, ...]] = {
    "": (
        "dynamoc render graph.yaml",
        "dynamoc validate graphs/",
        "dynamoc render --help",
    ),
    "render": (
        "dynamoc render -f graph.yaml --target grove",
        "dynamoc render graphs/ --output-dir rendered --check",
        "helm template charts/chat | dynamoc render - --default-namespace prod",
    ),
    "validate": (
        "dynamoc validate graphs/ --require-graphs",
        "dynamoc validate graph.yaml --context secrets.yaml --strict-context",
        "dynamoc validate graphs/ -o json",
    ),
    "check": (
        "dynamoc check graphs/",
        "dynamoc check graphs/ --fail-on warning -o sarif > dynamoc.sarif",
        "dynamoc check graphs/ --ignore check/floating-image --baseline known.json",
    ),
    "explain": (
        "dynamoc explain graph.yaml deployment/chat-frontend spec.replicas",
        "dynamoc explain graphs/ pod/chat-0-frontend-x2k4p --target grove",
        "dynamoc explain graph.yaml:12",
    ),
    "diff": (
        "dynamoc diff old.yaml new.yaml",
        "dynamoc diff main..HEAD -- graphs/",
        "dynamoc diff -o markdown main.. -- graphs/",
    ),
    "upgrade": (
        "dynamoc upgrade graphs/ --from 1.0 --to 1.4",
        "dynamoc upgrade graphs/ --from 1.0 --target grove --fail-on recreates",
    ),
    "requires": (
        "dynamoc requires graph.yaml",
        "dynamoc requires graphs/ --cluster prod --fail-on missing",
        "dynamoc requires graphs/ -o script | sh",
    ),
    "graph": (
        "dynamoc graph graph.yaml --target grove",
        "dynamoc graph graphs/ -o svg > graphs.svg",
    ),
    "report": (
        "dynamoc report graph.yaml -o report.html",
        "dynamoc report graphs/ --target grove -o report.html",
    ),
    "convert": (
        "dynamoc convert graph.yaml --to v1beta1",
        "dynamoc convert graphs/ --write",
        "dynamoc convert graphs/ --check",
    ),
    "capture": (
        "dynamoc capture | sh",
        "dynamoc capture --run -o cluster -n inference",
    ),
    "argocd": (
        "dynamoc argocd discover",
        "dynamoc argocd generate",
    ),
    "argocd discover": (
        "dynamoc argocd discover",
        "cd graphs && dynamoc argocd discover",
    ),
    "argocd generate": (
        "dynamoc argocd generate",
        "ARGOCD_APP_NAMESPACE=inference dynamoc argocd generate",
    ),
    "argocd parameters": (
        "dynamoc argocd parameters",
        "dynamoc argocd parameters | jq .",
    ),
    "fn": (
        "dynamoc fn < resources.yaml",
        "dynamoc fn < resources.yaml > /dev/null",
    ),
    "post-render": (
        "helm template charts/chat | dynamoc post-render",
        "helm template charts/chat | dynamoc post-render --default-namespace prod",
    ),
    "config": (
        "dynamoc config",
        "dynamoc config clusters/a/graph.yaml",
        "dynamoc config -o schema > dynamoc.schema.json",
    ),
    "lsp": (
        "dynamoc lsp",
        "DYNAMOC_OPERATOR_VERSION=1.4 dynamoc lsp",
    ),
    "schema": (
        "dynamoc schema",
        "dynamoc schema DynamoGraphDeployment --api-version v1beta1",
        "dynamoc schema --format kustomize --output-dir kustomize",
    ),
    "finding": (
        "dynamoc finding schema/unknown-field",
        "dynamoc finding",
        "dynamoc finding -o json",
    ),
    "rules": (
        "dynamoc rules",
        "dynamoc rules --operator-version 1.0 -o json",
    ),
    "rule": (
        "dynamoc rule container/defaults",
        "dynamoc rule container/defaults -o json",
    ),
    "release": (
        "dynamoc release list",
        "dynamoc release diff 1.0 1.4",
    ),
    "release list": (
        "dynamoc release list",
        "dynamoc release list -o json",
    ),
    "release diff": (
        "dynamoc release diff 1.0 1.4",
        "dynamoc release diff 1.3 1.4 -o json",
    ),
}
