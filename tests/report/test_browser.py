"""Pages in a real browser: pointing, selecting, keys, narrow and dark windows, many objects, hostile input."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.report.conftest import GRAPH, HOSTILE, OPTIONS, compared, report

Visit = Callable[..., Any]
CONTRAST = """
() => {
  const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = (color) => {
    const [r, g, b] = color.slice(0, 3).map((part) => {
      const c = part / 255;
      return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const over = (color, back) => {
    const a = color.length > 3 ? color[3] : 1;
    return color.slice(0, 3).map((part, at) => part * a + back[at] * (1 - a));
  };
  const backOf = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) layers.unshift(rgb(getComputedStyle(at).backgroundColor));
    return layers.reduce((below, color) => over(color, below), [255, 255, 255]);
  };
  const poor = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || element.closest("svg, script, noscript") || !element.getClientRects().length) continue;
    const front = light(rgb(getComputedStyle(element).color)), back = light(backOf(element));
    const ratio = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
    if (ratio < 4.5) poor.push(`${element.tagName}.${element.className} ${ratio.toFixed(2)}`);
  }
  return [...new Set(poor)];
}
"""
NAMES = """
() => [...document.querySelectorAll("a, summary, [role=button], [tabindex='0'], svg[role=img]")]
  .filter((element) => !(element.getAttribute("aria-label") || element.textContent.trim()))
  .map((element) => element.outerHTML.slice(0, 80))
"""


def opened(page: Any, title: str) -> Any:
    """An object, once its lines are made."""
    details = page.locator("details.object", has=page.locator("summary", has_text=title))
    details.locator("summary").click()
    details.locator(".l").first.wait_for()
    return details


def test_pointing_at_a_value_tells_its_origin(dynamoc: Run, visit: Visit) -> None:
    page = visit(report(dynamoc))
    assert page.locator("#dock").is_hidden()
    pods = opened(page, "PodCliqueSet/chat")
    pods.locator(".l", has_text="value: hello").hover()
    assert page.locator("#dock").inner_text().startswith("From graph.yaml:28 spec.components[1]")
    pods.locator(".l", has_text="DYN_SYSTEM_PORT").first.hover()
    assert re.search("Set by [a-z/]+: ", page.locator("#dock").inner_text())


def test_selecting_a_value_goes_to_its_line_and_escape_comes_back(dynamoc: Run, visit: Visit) -> None:
    page = visit(report(dynamoc))
    value = opened(page, "PodCliqueSet/chat").locator(".l", has_text="value: hello")
    value.click()
    here = page.evaluate("document.activeElement.id")
    assert here == "i0-28"
    assert "at" in page.locator("#i0-28").get_attribute("class").split()
    assert page.locator("#i0-28").is_visible()
    # What the page scrolls below the pointer does not replace what was selected.
    assert page.locator("#dock").inner_text().startswith("Has to do with 1 value")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.id") == value.get_attribute("id")
    assert page.locator("#dock").is_hidden()


def test_a_line_of_the_input_goes_to_its_values(dynamoc: Run, visit: Visit) -> None:
    page = visit(report(dynamoc))
    line = page.locator("#i0-28")
    line.hover()
    assert "Has to do with 1 value" in page.locator("#dock").inner_text()
    line.click()
    assert page.evaluate("document.activeElement.textContent").startswith("              value: hello")
    assert page.locator("details.object[open]").count() == 1
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "i0-28"


def test_the_keyboard_reaches_everything(dynamoc: Run, visit: Visit) -> None:
    page = visit(report(dynamoc))
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"
    page.locator("details.object summary").last.focus()
    page.keyboard.press("Enter")
    page.locator("details.object[open] .l").first.wait_for()
    page.keyboard.press("Tab")
    first = page.evaluate("document.activeElement.id")
    assert re.fullmatch(r"o\d+-0", first)
    page.keyboard.press("End")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.id") == first.replace("-0", "-1")
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    # One stop for each block of lines, and not one for each line.
    page.keyboard.press("Tab")
    assert not re.fullmatch(r"o\d+-\d+", page.evaluate("document.activeElement.id"))


def test_findings_lead_to_their_lines(dynamoc: Run, visit: Visit) -> None:
    page = visit(report(dynamoc, GRAPH.replace("replicas: 2", "replica: 2")))
    page.locator("#findings a.to").first.click()
    assert page.evaluate("document.activeElement.id") == "i0-10"
    assert "does not exist" in page.locator(".remark.error").inner_text()
    assert page.get_by_text("These are the objects as far as they can be known.").is_visible()
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.className") == "to"


@pytest.mark.parametrize("dark", [False, True])
def test_text_can_be_read_and_controls_have_names(dynamoc: Run, visit: Visit, dark: bool) -> None:
    warned = GRAPH.replace("GREETING", "API_TOKEN")
    page = visit(report(dynamoc, warned), dark=dark)
    opened(page, "PodCliqueSet/chat").locator(".l[data-o]").first.hover()
    assert page.evaluate(CONTRAST) == []
    assert page.evaluate(NAMES) == []
    other = visit(
        compared(dynamoc, GRAPH, GRAPH.replace("hello", "bye").replace("replicas: 2", "replicas: 3")), dark=dark
    )
    for summary in other.locator("details.change > summary").all():
        summary.click()
    assert other.evaluate(CONTRAST) == []
    assert other.evaluate(NAMES) == []
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == (
        "rgb(20, 23, 26)" if dark else "rgb(255, 255, 255)"
    )


def test_a_narrow_window_shows_all_without_scrolling_sideways(dynamoc: Run, visit: Visit) -> None:
    warned = GRAPH.replace("GREETING", "API_TOKEN").replace("Qwen/Qwen3-8B", "q" * 200)
    changed = compared(dynamoc, GRAPH, warned)
    for html in (report(dynamoc, warned), changed):
        page = visit(html, width=400)
        for summary in page.locator("details.object > summary, details.change > summary").all():
            summary.click()
        assert page.evaluate("document.documentElement.scrollWidth") <= 400
    assert page.locator("td.came", has_text="qqqq").first.is_visible()


def test_both_sides_are_beside_each_other(dynamoc: Run, visit: Visit) -> None:
    page = visit(compared(dynamoc, GRAPH, GRAPH.replace("hello", "bye")))
    old, new = (page.locator(f"#input td.{kind}").first.bounding_box() for kind in ("gone", "came"))
    assert old["y"] == new["y"]
    assert new["x"] > old["x"] + 300
    assert abs(old["width"] - new["width"]) < 20
    page.locator("#lines a.to").click()
    assert page.evaluate("document.activeElement.id") == "i0-28"
    narrow = visit(compared(dynamoc, GRAPH, GRAPH.replace("hello", "bye")), width=400)
    old, new = (narrow.locator(f"#input td.{kind}").first.bounding_box() for kind in ("gone", "came"))
    assert new["y"] > old["y"]


def test_hostile_input_does_nothing(dynamoc: Run, visit: Visit) -> None:
    quoted = "'" + HOSTILE.replace("'", "''") + "'"
    text = GRAPH.replace("hello", quoted)
    page = visit(report(dynamoc, text))
    line = opened(page, "PodCliqueSet/chat").locator(".l", has_text="onerror")
    line.hover()
    line.click()
    assert page.locator("img").count() == 0
    page = visit(compared(dynamoc, GRAPH, text))
    for summary in page.locator("details.change > summary").all():
        summary.click()
    assert page.locator("img").count() == 0


def test_the_policy_lets_no_other_script_run(dynamoc: Run, chromium: Any, tmp_path: Path) -> None:
    html = report(dynamoc).replace("</main>", "</main><script>document.title = 'broken in'</script>", 1)
    path = tmp_path / "changed.html"
    path.write_text(html)
    page = chromium.new_page()
    page.goto(path.as_uri())
    assert page.title() == "dynamoc report graph.yaml"
    page.close()


def test_objects_are_made_when_they_are_opened(dynamoc: Run, visit: Visit) -> None:
    """Of 200 objects, the page makes the lines of none until somebody looks."""
    folder = Path("graphs")
    folder.mkdir()
    for number in range(40):
        (folder / f"{number}.yaml").write_text(GRAPH.replace("namespace: team", f"namespace: team-{number}"))
    html = dynamoc("report", "graphs", *OPTIONS).out
    page = visit(html)
    assert page.locator("details.object").count() >= 200
    assert page.locator("details.object .l").count() == 0
    opened(page, "PodCliqueSet/chat (team-7)").locator(".l", has_text="value: hello").click()
    assert page.evaluate("document.activeElement.textContent").endswith("value: hello")
    assert page.locator("details.object pre").count() == page.locator("details.object").count() - 1


def test_the_page_prints_without_what_is_for_screens(dynamoc: Run, visit: Visit) -> None:
    page = visit(report(dynamoc))
    opened(page, "Service/chat-frontend").locator(".l[data-o]").first.hover()
    page.emulate_media(media="print")
    assert page.locator("nav").is_hidden()
    assert page.locator("#dock").is_hidden()
    assert page.locator("#objects .l").first.is_visible()
    assert page.pdf()[:4] == b"%PDF"


def test_a_page_without_scripts_still_has_its_objects(dynamoc: Run, chromium: Any, tmp_path: Path) -> None:
    path = tmp_path / "plain.html"
    path.write_text(report(dynamoc))
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(path.as_uri())
    page.locator("details.object summary").last.click()
    assert "value: hello" in page.locator("details.object pre").last.inner_text()
    assert "Without scripts" in page.locator("noscript").inner_text()
    context.close()
