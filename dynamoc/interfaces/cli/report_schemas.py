"""JSON Schemas of the reports that dynamoc prints for programs: `dynamoc schema --report NAME`.

New keys may come to a report without notice, so that the schemas allow them. A key that is described here is there, but
for those that `_maybe` says.
"""

from __future__ import annotations

from typing import Any

from dynamoc.analysis.check import selection
from dynamoc.analysis.compare import machine
from dynamoc.analysis.compare.changed_input import RESTARTS, STARTS, STOPS
from dynamoc.analysis.compare.result import ADDED, CHANGED, REMOVED, REORDERED, SEVERITY
from dynamoc.analysis.compare.upgrade_text import OUTCOMES
from dynamoc.analysis.compare.verdicts import BLOCKED, BREAKS, DEGRADES, NEW, RANKS, REFUSED, STUCK
from dynamoc.analysis.requires import text
from dynamoc.compiler.explain import answer
from dynamoc.compiler.explain.answer import RULES_VERSION
from dynamoc.compiler.explain.fate import CHECKED, DECIDES, LOST, PART, VALUE, WITHOUT
from dynamoc.compiler.explain.fate import REMOVED as TAKEN_AWAY
from dynamoc.compiler.explain.traced import KINDS
from dynamoc.documents.findings import formats
from dynamoc.documents.findings.edits import SEVERITIES
from dynamoc.interfaces.cli.json_schemas import Schema

_ANY: Schema = {}
_BOOL: Schema = {"type": "boolean"}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_NUMBER: Schema = {"type": "integer"}
_TEXT: Schema = {"type": "string"}
_STEPS: Schema = {"type": "array", "items": {"type": ["string", "integer", "object"]}}


def schema_of(report: str) -> Schema:
    """The schema of one of REPORTS, in JSON Schema 2020-12."""
    title, whole = REPORTS[report]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title, **whole}


def _said(schema: Schema, description: str) -> Schema:
    return {**schema, "description": description}


def _null(schema: Schema) -> Schema:
    """The value, or null."""
    if "enum" in schema:
        return {**schema, "enum": [*schema["enum"], None]}
    if "type" in schema and isinstance(schema["type"], str):
        return {**schema, "type": [schema["type"], "null"]}
    return {"anyOf": [schema, {"type": "null"}]}


def _one_of(*values: Any) -> Schema:
    return {"enum": list(values)}


def _list(items: Schema, description: str = "") -> Schema:
    return {"type": "array", "items": items, **({"description": description} if description else {})}


def _record(description: str = "", /, **keys: Schema) -> Schema:
    """An object that has all keys but those of `_maybe`. A trailing underscore is for Python's words."""
    named = {key.rstrip("_"): value for key, value in keys.items()}
    required = [key for key, value in named.items() if "optional" not in value]
    properties = {key: {k: v for k, v in value.items() if k != "optional"} for key, value in named.items()}
    head = {"description": description} if description else {}
    return {**head, "type": "object", "properties": properties, "required": required}


def _maybe(schema: Schema) -> Schema:
    return {**schema, "optional": True}


def _by(names: tuple[str, ...], description: str) -> Schema:
    """A count for each name."""
    counts = dict.fromkeys(names, _COUNT)
    return {"description": description, "type": "object", "properties": counts, "required": list(names)}


_NAMESPACE = _said(_null(_TEXT), "null where it is absent")
_PLACE = _record(
    "a position in a file; lines and columns count from 1",
    file=_said(_TEXT, "`-` for stdin"),
    line=_COUNT,
    column=_COUNT,
    source=_maybe(_said(_TEXT, "the file that the text was made from, where a stream names it")),
    endColumn=_maybe(_said(_null(_COUNT), "behind the word that the finding points at")),
)
_SPOT = _record("a position in a file", file=_TEXT, line=_COUNT, column=_COUNT)
_AMOUNT = _record(pods=_COUNT, gpus=_COUNT)
_FINDING = _record(
    slug=_said(_TEXT, "its name; `dynamoc finding NAME` explains it"),
    severity=_one_of(*SEVERITIES),
    message=_TEXT,
    hint=_said(_null(_TEXT), "what to do"),
    place=_null(_PLACE),
    path=_said(_STEPS, "keys and positions in the document"),
    field=_said(_TEXT, "`path` as text"),
    subject=_said(_null(_TEXT), "`Kind/name` of the document"),
    related=_list(_PLACE, "other places that belong to it"),
    fix=_maybe(
        _record(
            "the certain remedy; all edits, or none",
            title=_TEXT,
            edits=_list(
                _record(
                    "new text for a part of a file; the end is behind the part",
                    file=_TEXT,
                    line=_COUNT,
                    column=_COUNT,
                    endLine=_COUNT,
                    endColumn=_COUNT,
                    newText=_TEXT,
                )
            ),
        )
    ),
    fingerprint=_maybe(_said(_null(_TEXT), "stays the same when lines are added above")),
)


def _head(name: str, version: int) -> dict[str, Schema]:
    return {
        "format": {"const": name},
        "version": _said({"const": version}, "rises when a key changes its meaning or is removed"),
    }


_CHANGE = _record(
    field=_said(_TEXT, "the path as text"),
    path=_said(_STEPS, 'keys, positions, and `{"name": "main"}` for elements of lists'),
    change=_one_of(ADDED, REMOVED, CHANGED, REORDERED),
    old=_said(_ANY, "null where it is absent"),
    new=_said(_ANY, "null where it is absent"),
    effect=_one_of(*SEVERITY),
    applied=_said(_BOOL, "whether the operator changes objects that exist"),
    note=_said(_null(_TEXT), "why that is so"),
)
_POD_CHANGES = {"restarted": _AMOUNT, "started": _AMOUNT, "stopped": _AMOUNT}
_IDENTITY = {"apiVersion": _TEXT, "kind": _TEXT, "namespace": _NAMESPACE, "name": _TEXT}
_COMPARISON = {
    "same": _said(_BOOL, "whether nothing differs but order"),
    "summary": _record(
        objects=_record(changed=_COUNT, unchanged=_COUNT),
        effects=_by(SEVERITY, "objects by the worst that happens to them"),
        **_POD_CHANGES,
    ),
    "generations": _list(
        _record(
            graph=_TEXT,
            namespace=_TEXT,
            old=_said(_null(_TEXT), "hash; null for none"),
            new=_said(_null(_TEXT), "hash; null for none"),
            oldStays=_said(_AMOUNT, "what nothing stops"),
            objects=_list(_TEXT),
        ),
        "workers under another hash",
    ),
    "objects": _maybe(
        _list(
            _record(
                **_IDENTITY,
                oldName=_said(_null(_TEXT), "of the object that a new generation replaces"),
                effect=_one_of(*SEVERITY),
                orphaned=_said(_BOOL, "whether it is not made any more, and stays in the cluster"),
                stays=_AMOUNT,
                pods=_list(
                    _record(name=_TEXT, component=_null(_TEXT), **_POD_CHANGES), "one entry for each pod template"
                ),
                changes=_list(_CHANGE),
            ),
            "objects that differ; not with --summary",
        )
    ),
    "refusedUpdates": _list(
        _record(kind=_TEXT, namespace=_TEXT, name=_TEXT, field=_TEXT, path=_STEPS, message=_TEXT, hint=_null(_TEXT)),
        "changes of the input that the API server takes on creation only",
    ),
    "notCompared": _list(
        _record(side=_one_of("old", "new"), file=_null(_TEXT), subject=_null(_TEXT), reason=_TEXT),
        "documents and files that could not be rendered",
    ),
    "foreign": _list(_record(**_IDENTITY), "objects of an export that were not compared"),
    "ignored": _list(_record(pattern=_TEXT, changes=_COUNT), "patterns, and how many changes each kept out"),
}
_LINE = _record(
    side=_said(_one_of("old", "new"), "whether the place is in the new file, or in the old one for what is gone"),
    file=_TEXT,
    line=_COUNT,
    lastLine=_COUNT,
    changes=_list(
        _record(
            field=_said(_TEXT, "the path as text"),
            path=_STEPS,
            change=_one_of(ADDED, REMOVED, CHANGED, REORDERED),
            old=_ANY,
            new=_ANY,
        ),
        "what differs there",
    ),
    **_POD_CHANGES,
    pods=_list(
        _record(
            kind=_TEXT,
            namespace=_NAMESPACE,
            name=_TEXT,
            template=_TEXT,
            component=_null(_TEXT),
            effect=_one_of(RESTARTS, STARTS, STOPS),
            pods=_COUNT,
            gpus=_COUNT,
        ),
        "what the line causes, a template of pods each",
    ),
    together=_list(_COUNT, "positions of other lines that cause the same"),
    undoneAlone=_said(_null(_BOOL), "whether taking back this line alone removes all that it causes"),
    withoutRestart=_said(_BOOL, "whether the line can be shipped alone without a restart"),
    alone=_said(_null(_AMOUNT), "what restarts if only this line changes; null if that cannot be known"),
    refusedAlone=_said(_null(_TEXT), "why the operator does not accept the line without others"),
    refusedUpdate=_said(_null(_TEXT), "why the API server refuses the line as an update"),
)
_LINES = _maybe(
    {
        "description": "changed lines of the input and what each costs; null for exports; not with --summary",
        "anyOf": [{"type": "array", "items": _LINE}, {"type": "null"}],
    }
)
_RENDERED_FOR = {"operatorVersion": _TEXT, "target": _TEXT}
_WHY = _record(
    verdict=_one_of(*RANKS),
    kind=_said(_TEXT, "feature, constant, config, rule, builder, schema-default, webhook-default, user, hash, ..."),
    name=_null(_TEXT),
    text=_TEXT,
    source=_said(_null(_TEXT), "file and symbol of the operator"),
    fields=_list(_TEXT),
    values=_list(_record(old=_ANY, new=_ANY), "one for each field that is shown"),
)
_UPGRADED = _record(
    name=_said(_null(_TEXT), "null for the graph's own objects"),
    verdict=_one_of(*RANKS),
    serving=_said(_null(_one_of(BREAKS, DEGRADES)), "null where its pods serve as before"),
    restarted=_AMOUNT,
    started=_AMOUNT,
    stopped=_AMOUNT,
    stays=_AMOUNT,
    running=_said(_AMOUNT, "before the upgrade"),
    peak=_said(_AMOUNT, "the most at once during it"),
    notes=_list(_TEXT),
    mistakes=_list(
        _record(slug=_TEXT, severity=_one_of("error", "warning"), message=_TEXT, hint=_null(_TEXT)),
        "what `dynamoc check` finds in the pods of the later release only",
    ),
    why=_list(_WHY),
)
_UPGRADE = _record(
    **_head(machine.UPGRADE_FORMAT, machine.VERSION),
    from_=_TEXT,
    to=_TEXT,
    target=_TEXT,
    mode=_one_of("running", "fresh"),
    summary=_record(
        documents=_COUNT,
        verdicts=_by(RANKS, "components by what happens to them"),
        outcomes=_by(OUTCOMES, "documents by `stuck` and `refused`, components by the others"),
        refused=_said(_COUNT, "documents"),
        restarted=_AMOUNT,
        started=_AMOUNT,
        stopped=_AMOUNT,
        stays=_AMOUNT,
        running=_said(_AMOUNT, "before the upgrade"),
        peak=_said(_AMOUNT, "the most at once during it"),
        conversion=_TEXT,
    ),
    graphs=_maybe(
        _list(
            _record(
                kind=_TEXT,
                namespace=_TEXT,
                name=_TEXT,
                file=_TEXT,
                state=_null(_one_of(NEW, REFUSED, STUCK, BLOCKED)),
                refused=_said(_BOOL, "whether the newer release refuses it when it is applied again"),
                components=_list(_UPGRADED),
            ),
            "not with --summary",
        )
    ),
    refusals=_maybe(_list(_FINDING, "errors that only the newer release has")),
    warnings=_maybe(_list(_FINDING, "warnings that only the newer release has")),
    comparison=_maybe(_record("as `dynamoc diff` prints it", **_COMPARISON)),
)
_NEED = _record(
    kind=_TEXT,
    namespace=_NAMESPACE,
    name=_TEXT,
    component=_null(_TEXT),
    field=_TEXT,
    path=_STEPS,
    optional_=_BOOL,
    place=_null(_SPOT),
)
_BROUGHT = _said(_null(_TEXT), "what provides it; null if nothing does")
_NAMED = {"name": _TEXT, "broughtBy": _BROUGHT, "note": _null(_TEXT), "neededBy": _list(_NEED)}
_PROVIDED = {"broughtBy": _BROUGHT, "source": _null(_SPOT)}
_REQUIRES = _record(
    **_head(text.FORMAT, text.VERSION),
    **_RENDERED_FOR,
    summary=_record(
        missing=_COUNT,
        ofInstallation=_said(_COUNT, "what an installation of Dynamo brings"),
        brought=_COUNT,
        needsOperator=_BOOL,
        pods=_COUNT,
        gpus=_COUNT,
        largestGang=_null(_AMOUNT),
    ),
    objects=_list(
        _record(
            group=_TEXT,
            kind=_TEXT,
            namespace=_NAMESPACE,
            name=_TEXT,
            keys=_list(_record(name=_TEXT, optional_=_BOOL)),
            optional_=_said(_BOOL, "whether pods start without it"),
            **_PROVIDED,
            note=_null(_TEXT),
            neededBy=_list(_NEED),
        )
    ),
    apis=_list(
        _record(
            group=_TEXT,
            version=_TEXT,
            kind=_TEXT,
            project=_null(_TEXT),
            builtWith=_said(_null(_TEXT), "the Go module that the operator was built with"),
            chart=_null(_record(name=_TEXT, version=_TEXT, value=_null(_TEXT))),
            **_PROVIDED,
            note=_null(_TEXT),
            neededBy=_list(_NEED),
        )
    ),
    operator=_list(_record(reason=_TEXT, neededBy=_list(_NEED)), "why the operator has to run all the time"),
    addresses=_list(
        _record(
            variable=_null(_TEXT),
            value=_TEXT,
            service=_null(_record(namespace=_NAMESPACE, name=_TEXT)),
            **_PROVIDED,
            neededBy=_list(_NEED),
        )
    ),
    schedulers=_list(_record(**_NAMED)),
    nodes=_list(_record(what=_TEXT, **_NAMED)),
    images=_list(_record(**_NAMED)),
    modelSources=_list(_record(**_NAMED)),
    components=_list(
        _record(
            namespace=_NAMESPACE,
            graph=_null(_TEXT),
            name=_TEXT,
            type_=_null(_TEXT),
            replicas=_COUNT,
            pods=_COUNT,
            gpus=_COUNT,
            gpusPerPod={"description": "by role", "type": "object", "additionalProperties": _COUNT},
            sharedGpus=_COUNT,
            nodesPerReplica=_COUNT,
            unknownClaims=_list(_TEXT),
            place=_null(_SPOT),
        )
    ),
    resources=_list(_record(name=_TEXT, largestPod=_COUNT, total=_COUNT)),
    gangs=_list(
        _record(
            kind=_TEXT,
            namespace=_NAMESPACE,
            name=_TEXT,
            scalingGroup=_null(_TEXT),
            scheduler=_null(_TEXT),
            count=_COUNT,
            pods=_COUNT,
            gpus=_COUNT,
            sharedGpus=_COUNT,
            parts=_list(_record(name=_TEXT, pods=_COUNT, gpusPerPod=_COUNT)),
        )
    ),
)
_ORIGIN_KEYS = {
    "kind": _one_of(*KINDS),
    "text": _said(_TEXT, "the same in words"),
    "name": _maybe(_said(_TEXT, "of a constant, a field of the configuration, a rule or a builder")),
    "path": _maybe(_said(_TEXT, "of the field in the input")),
    "file": _maybe(_TEXT),
    "line": _maybe(_COUNT),
    "column": _maybe(_COUNT),
    "computedFrom": _maybe(_list({"$ref": "#/$defs/origin"})),
}
_ORIGIN: Schema = {"$ref": "#/$defs/origin"}
_STEP = _record(
    name=_TEXT,
    kind=_maybe(_one_of("rule", "builder")),
    summary=_maybe(_TEXT),
    source=_maybe(_said(_TEXT, "file and symbol of the operator")),
    releases=_maybe(_list(_TEXT)),
)
_EXPLAINED = _record(
    object=_said(_TEXT, "`kind/name`"),
    field=_TEXT,
    value=_ANY,
    hidden=_maybe(_said(_BOOL, "whether the value is confidential and not shown")),
    origin=_maybe(_ORIGIN),
    written=_maybe(_said(_ANY, "what the input has there, where that is something else")),
    computed=_maybe(_said(_BOOL, "whether `value` was computed from `written`")),
    step=_maybe(_STEP),
    lost=_maybe(
        _list(
            _record(value=_ANY, lostTo=_null(_TEXT), origin=_maybe(_ORIGIN), step=_maybe(_TEXT)),
            "earlier values, the latest first",
        )
    ),
)
_EFFECT = _record(
    how=_one_of(VALUE, PART, LOST, TAKEN_AWAY, DECIDES),
    object=_maybe(_TEXT),
    field=_maybe(_said(_TEXT, "none for a whole object")),
    step=_maybe(_TEXT),
)
_LINE_FIELD = _record(
    path=_TEXT,
    line=_COUNT,
    value=_ANY,
    fate=_one_of(VALUE, PART, LOST, TAKEN_AWAY, DECIDES, CHECKED, WITHOUT),
    effects=_list(_EFFECT),
    reason=_maybe(_TEXT),
)
_EXPLAIN_HEAD = {"apiVersion": {"const": answer.VERSION}}
_EXPLAIN_FOR = {"release": _TEXT, "target": _TEXT}
_EXPLAIN: Schema = {
    "oneOf": [
        _record("PATH alone", **_EXPLAIN_HEAD, objects=_list(_TEXT, "`kind/name` of each")),
        {
            **_record("a field or an object", **_EXPLAIN_HEAD, **_EXPLAIN_FOR, fields=_list(_EXPLAINED)),
            "not": {"required": ["line"]},
        },
        _record(
            "a line of the input",
            **_EXPLAIN_HEAD,
            **_EXPLAIN_FOR,
            file=_TEXT,
            line=_COUNT,
            fields=_list(_LINE_FIELD),
            note=_maybe(_said(_TEXT, "what the answer leaves out")),
        ),
    ],
    "$defs": {"origin": _record("where a value comes from", **_ORIGIN_KEYS)},
}
_FINDINGS = _record(
    **_head(formats.FORMAT, formats.VERSION),
    counts=_by(SEVERITIES, "findings by severity"),
    inputs=_maybe(_record("what was looked at", files=_COUNT, graphs=_COUNT, others=_COUNT, skipped=_COUNT)),
    notShown=_maybe(_said(_COUNT, "findings above the limit")),
    findings=_list(_FINDING),
)
_BASELINE = _record(
    **_head(selection.FORMAT, selection.VERSION),
    findings=_list(_record(fingerprint=_null(_TEXT), name=_TEXT, file=_null(_TEXT))),
)
_RULES = _record(
    apiVersion={"const": RULES_VERSION},
    rules=_list(
        _record(
            name=_TEXT,
            kind=_one_of("rule", "builder"),
            text=_TEXT,
            source=_said(_TEXT, "file and symbol of the operator"),
            releases=_list(_TEXT),
            withoutRecords=_list(_TEXT, "releases in which it was not compared with recorded output"),
        )
    ),
)
REPORTS: dict[str, tuple[str, Schema]] = {
    "baseline": ("The file of `dynamoc check --baseline`", _BASELINE),
    "diff": (
        "`dynamoc diff -o json`",
        _record(
            **_head(machine.FORMAT, machine.VERSION), old=_TEXT, new=_TEXT, **_RENDERED_FOR, **_COMPARISON, lines=_LINES
        ),
    ),
    "explain": ("`dynamoc explain -o json`", _EXPLAIN),
    "findings": ("`dynamoc validate -o json`, `dynamoc check -o json` and `--findings json`", _FINDINGS),
    "requires": ("`dynamoc requires -o json`", _REQUIRES),
    "rules": ("`dynamoc rules -o json` and `dynamoc rule NAME -o json`", _RULES),
    "upgrade": ("`dynamoc upgrade -o json`", _UPGRADE),
}
