"""A rendering as a page: findings, GPUs, requirements, picture, and each object with the origins of its values."""

from __future__ import annotations

from dynamoc.check.selection import may_be_ignored
from dynamoc.compare.conditions import target_text
from dynamoc.compare.values import count
from dynamoc.diagnostics import Findings
from dynamoc.explain.describe import Describer
from dynamoc.report.html import Html, escaped, prose, tag
from dynamoc.report.origins import Origins
from dynamoc.report.page import Section, page
from dynamoc.report.sections import findings_section, picture_section, pods_section, requirements_section, roles_of
from dynamoc.requires.by_component import known_claims
from dynamoc.requires.words import object_title
from dynamoc.surroundings import read_surroundings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dynamoc.diagnostics.finding import Finding
    from dynamoc.explain.traced_compilation import Explained
    from dynamoc.options import Options
    from dynamoc.report.sources import Sources
    from dynamoc.requires.needs import Requirements

    Tree = dict[str, Any]


def rendering_page(
    explained: Explained | None,
    needed: Requirements | None,
    findings: list[Finding],
    sources: Sources,
    options: Options,
) -> str:
    """The page; `explained` and `needed` are None where errors leave no objects."""
    sources.note_findings(findings)
    objects: list[Tree] = explained.plain if explained else []
    claims = known_claims(objects, read_surroundings(options, Findings())[1], options.namespace or "default")
    roles = roles_of(objects, claims)
    picture, drawn = picture_section(objects, claims)
    data: dict[str, Any] = {"files": sources.files, "origins": [], "lines": []}
    refused = not all(map(may_be_ignored, findings))
    sections = [
        findings_section(findings, sources),
        pods_section(roles),
        requirements_section(needed, sources) if needed and objects else None,
        picture,
        Section(
            "objects",
            "Objects and input",
            _workspace(explained, objects, sources, options, data, refused=refused),
            count=len(objects),
        ),
    ]
    facts: list[tuple[str, object]] = [
        ("release", options.release.name),
        ("target", target_text(options.target, objects)),
        ("input", count(len(sources.files), "file")),
        ("objects", len(objects)),
        ("pods", sum(role.pods for role in roles)),
        ("GPUs", sum(role.gpus for role in roles)),
        *severity_facts(findings),
    ]
    name = sources.files[0] if len(sources.files) == 1 else ""
    return page(f"dynamoc report {name}".rstrip(), facts, [each for each in sections if each], data, drawn)


def severity_facts(findings: list[Finding]) -> list[tuple[str, object]]:
    """How many errors and warnings there are."""
    found: list[tuple[str, object]] = []
    for severity in ("error", "warning"):
        number = sum(item.severity == severity for item in findings)
        if number:
            found.append((f"{severity}s", tag("span", number, class_=f"badge {severity}")))
    return found


def _workspace(
    explained: Explained | None,
    made: list[Tree],
    sources: Sources,
    options: Options,
    data: dict[str, Any],
    *,
    refused: bool,
) -> Html:
    """Objects on one side, the input on the other."""
    hint = "Point at a value to see where it comes from; select it to go to the line of the input, Escape to come back."
    objects = [tag("h3", "Objects"), tag("p", hint, class_="faint")]
    if explained is None:
        objects = [tag("h3", "Objects"), tag("p", "Not rendered: correct the errors first.", class_="empty")]
    elif not made:
        objects = [tag("h3", "Objects"), tag("p", "The input makes no objects.", class_="empty")]
    else:
        if refused:
            text = "The input has errors, and `render` prints no objects. "
            text += "These are the objects as far as they can be known."
            objects.append(tag("p", prose(text), class_="empty"))
        objects += _objects(Origins(explained, made, Describer(options), sources), made, data)
    side = [tag("h3", "Input"), sources.html() if sources.files else tag("p", "No files.", class_="empty")]
    return tag(
        "div",
        tag("div", *objects, class_="pane", id="made"),
        tag("div", *side, class_="pane", id="source"),
        class_="panes",
    )


def _objects(origins: Origins, made: list[Tree], data: dict[str, Any]) -> list[Html]:
    """Each object closed: its text is there for readers and searches, its lines are made when it is opened."""
    found = []
    for index, item in enumerate(made):
        lines, numbers = origins.object_lines(index)
        data["lines"].append(numbers)
        title = object_title(item)
        body = tag("pre", escaped("\n".join(lines)), class_="code", data_object=index)
        found.append(tag("details", tag("summary", tag("code", title)), body, class_="object", id=f"o{index}"))
    data["origins"] = origins.found
    return found
