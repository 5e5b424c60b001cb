"""A user's file in another version, as little changed as can be.

Other documents and other kinds stay as they are, byte for byte. In a converted document, fields keep their comments,
their order and their spelling wherever they go; components are in the order of their names, as the operator has them.
"""

from __future__ import annotations

import json
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Protocol

from dynamoc.admission.cluster.context import foreign
from dynamoc.admission.convert import nodes, shared_fields, spelling
from dynamoc.admission.convert.correspondence import get
from dynamoc.admission.convert.kinds import KINDS
from dynamoc.admission.convert.lost_fields import losses_of
from dynamoc.admission.convert.nodes import BEFORE, Comment, Layout, collect, place
from dynamoc.admission.convert.plain import Conversion, Maker, Plain
from dynamoc.admission.convert.specs import V1ALPHA1, V1BETA1, read
from dynamoc.admission.convert.spelling import Segment, split
from dynamoc.documents.findings.finding import ERROR, NOTE, WARNING, Finding, Findings, Path, Refusal, format_path
from dynamoc.documents.schema.check import check
from dynamoc.documents.source.document import Document
from dynamoc.documents.source.reader import read_text
from dynamoc.kube.merge import Tree
from dynamoc.kube.text import loads
from dynamoc.reference.releases import DEFAULT_RELEASE, ORDER
from dynamoc.reference.slugs import Severity, Slug


class Spelling(Protocol):
    """What reads and writes documents as nodes: `spelling` or `round_trip`."""

    def compose(self, text: str) -> Any: ...
    def serialize(self, root: Any, layout: Layout) -> str: ...
    def NodeMaker(self, nodes: dict[Path, Any], source: Tree) -> Maker: ...  # noqa: N802


_MARK = b"\xef\xbb\xbf"
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")
_HINT = f"`--lossless` keeps it in an annotation, which operator {DEFAULT_RELEASE} reads."
_IN_LIST = (
    "This object of a List is not converted: its text cannot be separated from the List.",
    "Write the List in block style, without anchors, and each item with its own apiVersion and kind.",
)
_UNWRITABLE = (
    "This document cannot be rewritten with its comments and layout kept.",
    "Simplify it: no tabs, no anchors; `dynamoc render` reads it as it is.",
)


class Unwritable(Exception):
    """A text that cannot be rewritten so that it says what the converted document says."""


@dataclass(eq=False, slots=True)
class Rewritten:
    """What has become of a file.

    data       the new content, the very bytes of the old one where nothing had to change
    documents  its objects, converted or not, as plain data
    converted  how many have been converted
    waits      whether that is known only when all files have been read
    """

    data: bytes
    documents: list[Tree] = field(default_factory=list)
    converted: int = 0
    waits: bool = False


def other_version(to: str) -> str:
    return V1ALPHA1 if to == V1BETA1 else V1BETA1


def needs_conversion(value: Any, to: str) -> bool:
    """Whether this is a document of the other version."""
    return isinstance(value, dict) and value.get("kind") in KINDS and value.get("apiVersion") == other_version(to)


def refuse_foreign(source: Document, findings: Findings) -> None:
    """Adds an error for a document that means a kind of the operator and names something else."""
    problem = foreign(source.value, ORDER[-1])
    if problem is not None:
        told = finding(source, problem.path, problem.slug, problem.severity, problem.message, problem.hint)
        told.place = source.place(problem.path)
        findings.add(told)


def finding(source: Document, path: Path, slug: Slug, severity: Severity, message: str, hint: str | None) -> Finding:
    value = source.value
    subject = f"{value['kind']}/{(value.get('metadata') or {}).get('name', '')}"
    place = source.place(path, key=True)
    return Finding(slug, message, severity=severity, place=place, hint=hint, path=path, subject=subject)


def rewrite(data: bytes, file: str, to: str, findings: Findings, *, lossless: bool = False) -> Rewritten:
    """The content of a file with its documents in the apiVersion `to`.

    What cannot be read or converted is in `findings`, and stays as it is; so does what conversion loses. With
    `lossless`, an annotation keeps what would be lost.
    """
    out = Rewritten(data)
    before = findings.errors
    is_wide = data[:2] in _WIDE_MARKS
    is_open = bool(data) and not is_wide and not data.endswith(b"\n")
    if is_open:
        # kubectl ends the last line, which a block scalar there shows.
        data += b"\n"
    documents = read_text(data, file, findings)
    out.documents = [item.value for item in documents]
    for item in documents:
        refuse_foreign(item, findings)
    if findings.errors > before or not any(needs_conversion(item.value, to) for item in documents):
        return out
    job = _Job(file, to, findings, lossless=lossless, whole=documents)
    mark = _MARK if data.startswith(_MARK) else b""
    text = data.decode("utf-16") if is_wide else data.removeprefix(_MARK).decode()
    segments = split(text)
    pieces = [job.segment(segment) if segment.is_document else segment.text for segment in segments]
    if is_open and segments[-1].text == pieces[-1]:
        pieces[-1] = pieces[-1].removesuffix("\n")
    out.documents = job.values
    out.converted = job.converted
    if job.converted:
        out.data = mark + "".join(pieces).encode()
    return out


def converted(source: Document, to: str, findings: Findings, *, lossless: bool = False) -> Tree:
    """The object of a document in the apiVersion `to`, as plain data; what is lost is in `findings`."""
    job = _Job(source.file, to, findings, lossless=lossless)
    job.document(source, "{}")
    return job.values[0]


@dataclass(eq=False, slots=True)
class _Job:
    """The conversion of one file.

    whole   its documents, of which the first `taken` have been converted
    values  those that came of them so far
    """

    file: str
    to: str
    findings: Findings
    _: KW_ONLY
    lossless: bool
    whole: list[Document] = field(default_factory=list)
    taken: int = 0
    values: list[Tree] = field(default_factory=list)
    converted: int = 0

    def segment(self, segment: Segment) -> str:
        """The text of a document, converted where that is due; its values join the others."""
        documents = self.located(segment)
        if len(documents) == 1 and needs_conversion(documents[0].value, self.to) and not _is_list(segment.text):
            return self.document(documents[0], segment.text)
        if any(needs_conversion(item.value, self.to) for item in documents):
            return self.in_list(documents, segment.text)
        self.values += [item.value for item in documents]
        return segment.text

    def located(self, segment: Segment) -> list[Document]:
        """The documents of a segment, with their places in the file."""
        found = self.read(segment.text)
        known = self.whole[self.taken : self.taken + len(found)]
        self.taken += len(found)
        if [item.value for item in known] == [item.value for item in found]:
            return known
        return self.read("\n" * segment.line + segment.text)

    def in_list(self, documents: list[Document], text: str) -> str:
        """The text of a List with its objects converted; where they cannot be cut out, this is reported."""
        pieces = _json_items(text) if _is_json(text) else _yaml_items(text)
        if [_value(piece) for piece in pieces] != [item.value for item in documents]:
            for item in documents:
                if needs_conversion(item.value, self.to):
                    self.add(item, (), "convert/in-list", WARNING, *_IN_LIST)
                self.values.append(item.value)
            return text
        replaced: dict[int, str] = {}
        for number, (item, piece) in enumerate(zip(documents, pieces, strict=True)):
            if needs_conversion(item.value, self.to):
                replaced[number] = self.document(item, piece)
            else:
                self.values.append(item.value)
        if not _is_json(text):
            return _with_items(text, replaced)
        parent = json.loads(text)
        parent["items"] = self.values[len(self.values) - len(documents) :]
        return _as_json(parent)

    def read(self, text: str) -> list[Document]:
        return read_text(text.encode(), self.file, Findings())

    def document(self, source: Document, text: str) -> str:
        try:
            conversion = Conversion(source.value, self.to, lossless=self.lossless)
        except Refusal as refusal:
            self.add(source, refusal.path, refusal.slug, ERROR, refusal.message, refusal.hint)
            self.values.append(source.value)
            return text
        for loss in losses_of(conversion):
            if not (self.lossless and loss.keepable and conversion.keeps(loss.path)):
                hint = _HINT if loss.keepable and not (loss.harmless or self.lossless) else None
                message = f"{format_path(loss.path)} {loss.fate}: {loss.reason}."
                self.add(source, loss.path, "convert/lost", NOTE if loss.harmless else WARNING, message, hint)
        self.converted += 1
        plain: Tree = conversion.build(Plain(source.value))
        self.values.append(plain)
        self.warn_of_refusals(source, conversion, plain)
        if _is_json(text):
            return _as_json(plain)
        try:
            return _in_yaml(text, conversion)
        except Unwritable:
            # ruamel is stricter than Kubernetes in a few places, tabs between key and value among them.
            self.add(source, (), "convert/unwritable", ERROR, *_UNWRITABLE)
            return text

    def warn_of_refusals(self, source: Document, conversion: Conversion, plain: Tree) -> None:
        """What the schema of the wanted version refuses, although the operator converts it: `componentType: main`."""
        version = self.to.rpartition("/")[2]
        for problem in check(ORDER[-1], plain["kind"], self.to, plain)[1]:
            if problem.severity == ERROR:
                origins = conversion.origins(problem.path)
                path = origins[0] if origins else ()
                message = f"The API server rejects the result in {version}: {problem.message}"
                self.add(source, path, "convert/refused", WARNING, message, problem.hint)

    def add(self, source: Document, path: Path, slug: Slug, severity: Severity, message: str, hint: str | None) -> None:
        self.findings.add(finding(source, path, slug, severity, message, hint))


def _json_items(text: str) -> list[str]:
    items = json.loads(text).get("items")
    return [json.dumps(item) for item in items] if isinstance(items, list) else []


def _yaml_items(text: str) -> list[str]:
    """The texts of the items of a List in block style; none where they cannot be cut out of it."""
    from ruamel.yaml.error import YAMLError

    values = [item.value for item in read_text(text.encode(), "", Findings(), objects=False)]
    if len(values) != 1 or not isinstance(values[0].get("items"), list):
        return []
    try:
        from dynamoc.admission.convert.round_trip import items_of

        return [item.text for item in items_of(text.replace("\r\n", "\n")) or ()]
    except YAMLError:
        return []


def _with_items(text: str, replaced: dict[int, str]) -> str:
    body = text.replace("\r\n", "\n")
    from dynamoc.admission.convert.round_trip import items_of, with_items

    out = with_items(body, items_of(body) or [], replaced)
    return out.replace("\n", "\r\n") if "\r\n" in text else out


def _is_list(text: str) -> bool:
    """Whether the object is in a List, whose items are documents to the reader."""
    values = [item.value for item in read_text(text.encode(), "", Findings(), objects=False)]
    return len(values) != 1 or values[0].get("kind") not in KINDS


def _is_json(text: str) -> bool:
    """Whether an object is written in JSON."""
    if text.lstrip(" \t\r\n")[:1] != "{":
        return False

    try:
        loads(text)
    except ValueError:
        return False
    return True


def _as_json(value: Tree) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _in_yaml(text: str, conversion: Conversion) -> str:
    """The document of a text, converted, with its comments. Unwritable where it does not read back as meant."""
    newline = "\r\n" if "\r\n" in text else "\n" if "\n" in text else "\r"
    body = text.replace("\r\n", "\n").replace("\r", "\n")
    try:
        result = _respelled(body, conversion, spelling)
    except spelling.Unusual:
        # ruamel.yaml, which few documents need
        from dynamoc.admission.convert import round_trip

        try:
            result = _respelled(body, conversion, round_trip)
        except round_trip.YAMLError:
            raise Unwritable from None
    return result.replace("\n", newline)


def _respelled(body: str, conversion: Conversion, way: Spelling) -> str:
    """The same with lines that end with a line feed."""
    root = way.compose(body)
    lines = body.split("\n")
    comments: list[Comment] = []
    if "#" in body or not all(line.strip() for line in lines[:-1]):
        comments = collect(lines, nodes.entries(root, conversion.source, lines), nodes.inside_scalars(root, lines))
    layout = nodes.layout(root)
    maker = way.NodeMaker(nodes.index(root, conversion.source), conversion.source)
    out = way.serialize(conversion.build(maker), layout).removesuffix("\n").split("\n")
    moved, entries = [], []
    if comments:
        written = "\n".join(out)
        entries = nodes.entries(nodes.compose(written), _value(written), out)
        moved = [_moved(comment, conversion, {entry.path for entry in entries}) for comment in comments]
    for blanks in (True, False):
        placed = place(out, entries, moved, blanks=blanks)
        result = "\n".join(placed) + ("\n" if body.endswith("\n") else "")
        if _reads_as(result, conversion):
            return result
    raise Unwritable


def _moved(comment: Comment, conversion: Conversion, known: set[Path]) -> Comment:
    """The comment beside what has become of its field; that of a lost field goes above what followed it."""
    home, side = conversion.home(comment.path), comment.side
    if comment.path and home is None:
        home, side = _above(comment.path, conversion), BEFORE
    target = home or ()
    while target and target not in known:
        target = target[:-1]
    return Comment(target, side, comment.text.strip() if side != comment.side else comment.text)


def _above(path: Path, conversion: Conversion) -> Path:
    """Where the next field that is left stands, in the same map or list, else the one that holds them."""
    while path:
        parent, last = path[:-1], path[-1]
        holder = get(conversion.source, parent)
        steps = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        for step in [last, *steps[steps.index(last) + 1 :]]:
            home = conversion.home((*parent, step))
            if home is not None:
                return home
        path = parent
    return ()


def _value(text: str) -> Any:
    documents = read_text(text.encode(), "", Findings(), objects=False)
    return documents[0].value if len(documents) == 1 else None


def _reads_as(text: str, conversion: Conversion) -> bool:
    """Whether the text says what the operator's conversion says, however its quantities are spelled."""
    value = _value(text)
    try:
        # The tree is read as well: an empty name is there, but the operator reads it as none.
        kind = KINDS[value["kind"]]
        return isinstance(value, dict) and _same(read(value, kind.name), read(conversion.after, kind.name))
    except (Refusal, KeyError, TypeError):
        return False


def _same(left: Any, right: Any) -> bool:
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_same, left, right))
    return bool(left == right) or (isinstance(left, str) and isinstance(right, str) and shared_fields.same(left, right))
