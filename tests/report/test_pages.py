"""Pages as text: what is in them, and what must not be."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynamoc.analysis.report.page import Html, Section, join, page, prose, tag
from tests.cli.conftest import Run
from tests.report.conftest import GRAPH, HOSTILE, OPTIONS, compared, report

VOID = ("meta", "br", "col", "input", "link")


class Balance(HTMLParser):
    """Elements that are open, identifiers, links within the page, and attributes that run or load something."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.names: list[str] = []
        self.links: list[str] = []
        self.active: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID and tag not in ("rect", "path"):
            self.open.append(tag)
        for name, value in attrs:
            if name == "id":
                self.names.append(value or "")
            if name == "href":
                self.links.append(value or "")
            if name.startswith("on") or name in ("src", "srcset", "style", "action", "xlink:href"):
                self.active.append(f"{tag} {name}")

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("rect", "path"):
            assert self.open.pop() == tag


def parsed(html: str) -> Balance:
    balance = Balance()
    balance.feed(html)
    balance.close()
    assert balance.open == []
    assert len(set(balance.names)) == len(balance.names)
    assert balance.active == []
    return balance


def pages(dynamoc: Run) -> dict[str, str]:
    """A page of each kind and state."""
    broken = GRAPH.replace("replicas: 2", "replica: 2")
    changed = GRAPH.replace("replicas: 2", "replicas: 4").replace("hello", "bye")
    found = {"graph": report(dynamoc), "error": report(dynamoc, broken), "empty": report(dynamoc, "")}
    found["diff"] = compared(dynamoc, GRAPH, changed)
    found["same"] = compared(dynamoc, GRAPH, GRAPH)
    found["gone"] = compared(dynamoc, GRAPH, GRAPH.replace("name: chat", "name: other"))
    upgrade = ("upgrade", "graph.yaml", "--from", "1.2", "--to", "1.4", "--target", "grove", "-o", "html")
    Path("graph.yaml").write_text(GRAPH)
    found["upgrade"] = dynamoc(*upgrade).out
    return found


def test_pages_are_whole_and_link_to_what_is_there(dynamoc: Run) -> None:
    for name, html in pages(dynamoc).items():
        assert html.startswith("<!DOCTYPE html>\n"), name
        balance = parsed(html)
        dead = {link for link in balance.links if link[1:] not in balance.names and not re.match(r"#o\d+-", link)}
        assert dead == set(), name


def test_pages_are_the_same_bytes_each_time(dynamoc: Run) -> None:
    assert pages(dynamoc) == pages(dynamoc)


def test_pages_load_nothing(dynamoc: Run) -> None:
    for html in pages(dynamoc).values():
        assert "default-src &#x27;none&#x27;" in html
        assert "unsafe" not in html.split("</head>")[0].split("<style>")[0]
        assert re.findall(r"""(?:src|href)="(?!#)[^"]*""", html) == []
        assert re.findall(r"https?://(?!www\.w3\.org/2000/svg)[^\s\"']*", html.split("<body>")[0]) == []


@pytest.mark.parametrize("place", ["hello", "Qwen/Qwen3-8B"])
def test_hostile_values_stay_text(dynamoc: Run, place: str) -> None:
    quoted = "'" + HOSTILE.replace("'", "''") + "'"
    text = GRAPH.replace(place, quoted)
    for html in (report(dynamoc, text), compared(dynamoc, GRAPH, text), compared(dynamoc, text, GRAPH)):
        assert "<img" not in html
        assert html.count("</script>") == 2
        assert "&lt;/script&gt;" in html
        parsed(html)


def test_hostile_names_of_files_stay_text(dynamoc: Run) -> None:
    folder = Path("<b>&quot;")
    folder.mkdir()
    (folder / "<title><script>.yaml").write_text(GRAPH)
    parsed(dynamoc("report", str(folder), *OPTIONS).out)


def test_characters_that_steer_the_reader_are_not_on_the_page(dynamoc: Run) -> None:
    html = report(dynamoc, GRAPH.replace("hello", '"a\\u202Eb"') + "# \u202e\n")
    assert "\u202e" not in html


def test_secrets_are_not_on_the_page(dynamoc: Run) -> None:
    secret = "---\napiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: team}\nstringData: {key: %s}\n"
    text = GRAPH.replace("GREETING", "API_TOKEN").replace("hello", "hidden-value")
    html = report(dynamoc, text + secret % "hidden-key")
    changed = compared(dynamoc, text + secret % "hidden-key", text.replace("-value", "-other") + secret % "hidden-more")
    for page_ in (html, changed):
        assert "Secret/s" in page_
        assert not re.findall("hidden-(?:key|value|other|more)", page_)


def test_the_page_of_a_graph(dynamoc: Run) -> None:
    html = report(dynamoc)
    for text in ("<dt>release</dt><dd>1.4</dd>", "<dt>pods</dt><dd>5</dd>", "<dt>GPUs</dt><dd>3</dd>", "<svg "):
        assert text in html
    assert "PodCliqueSet/chat (team)" in html
    assert "check/" in report(dynamoc, GRAPH.replace("GREETING", "API_TOKEN"))


def test_errors_are_on_the_page_and_decide_the_exit_code(dynamoc: Run) -> None:
    Path("graph.yaml").write_text(GRAPH.replace("replicas: 2", "replica: 2"))
    result = dynamoc("report", "graph.yaml", "--output-file", "page.html")
    html = Path("page.html").read_text()
    assert (result.code, result.out) == (1, "")
    assert "schema/unknown-field" in result.err
    assert 'class="remark error"' in html
    assert html.index('id="findings"') < html.index("<svg ")
    assert "<code>render</code> prints no objects. These are the objects as far as they can be known." in html
    assert "<dt>GPUs</dt><dd>3</dd>" in html
    Path("graph.yaml").write_text(GRAPH.replace("nvidia.com/v1", "nvidia.com/v9"))
    dynamoc("report", "graph.yaml", "--output-file", "page.html")
    assert "Not rendered: correct the errors first." in Path("page.html").read_text()


def test_what_check_calls_an_error_keeps_no_objects_from_the_page(dynamoc: Run) -> None:
    """`render` takes it, and the page says where the values come from."""
    Path("graph.yaml").write_text(GRAPH.replace("--model", "--tensor-parallel-size=64"))
    result = dynamoc("report", "graph.yaml", *OPTIONS)
    assert result.code == 1
    assert "[check/too-few-gpus]" in result.err
    assert 'class="remark error"' in result.out
    assert "PodCliqueSet/chat (team)" in result.out
    assert "<dt>pods</dt><dd>5</dd>" in result.out
    assert "Not rendered" not in result.out


def test_what_settings_leave_out_is_not_on_the_page_either(dynamoc: Run) -> None:
    text = GRAPH.replace("--model", "--tensor-parallel-size=64").replace("GREETING", "API_TOKEN")
    Path("graph.yaml").write_text(text)
    for words in (("--allow", "check/too-few-gpus: bought"), ("--baseline", "known.json")):
        if words[0] == "--baseline":
            dynamoc("check", "graph.yaml", *OPTIONS, "--update-baseline", "--only", "check/too-few-gpus", *words)
        found = dynamoc("check", "graph.yaml", *OPTIONS, *words)
        page_ = dynamoc("report", "graph.yaml", *OPTIONS, *words)
        assert page_.code == found.code == 0
        assert "check/too-few-gpus</code>" not in page_.out
        assert "check/plain-secret</code>" in page_.out
    comment = text.replace("          args:", "          # dynamoc: ignore check/too-few-gpus: bought\n          args:")
    Path("graph.yaml").write_text(comment)
    assert dynamoc("report", "graph.yaml", *OPTIONS).code == 0
    Path("graph.yaml").write_text(text)
    Path("dynamoc.yaml").write_text("allow: {check/too-few-gpus: bought}\n")
    assert dynamoc("report", "graph.yaml", *OPTIONS).code == 0
    assert dynamoc("report", "graph.yaml", *OPTIONS, "--allow", "check/nothing").code == 2


def test_wrong_usage_writes_nothing(dynamoc: Run) -> None:
    Path("graph.yaml").write_text(GRAPH)
    result = dynamoc("report", "graph.yaml", "--output-file", "missing/page.html")
    assert (result.code, result.out) == (2, "")
    assert "--output-file missing/page.html: No such file or directory." in result.err
    assert dynamoc("report", "nothing.yaml", "--output-file", "page.html").code == 2
    assert not Path("page.html").exists()


def test_an_ignore_comment_counts(dynamoc: Run) -> None:
    text = GRAPH.replace("GREETING", "API_TOKEN")
    assert "check/plain-secret" in report(dynamoc, text)
    line = "            value: hello"
    quiet = text.replace(line, f"{line} # dynamoc: ignore check/plain-secret: a test")
    assert "<code>check/plain-secret</code>" not in report(dynamoc, quiet)


def test_stdin_is_a_file_too(dynamoc: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    import io
    from types import SimpleNamespace

    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(GRAPH.encode())))
    html = dynamoc("report", "-", *OPTIONS).out
    assert "PodCliqueSet/chat (team)" in html
    assert 'aria-label="Lines of -"' in html


def test_the_page_of_a_comparison_costs_its_lines(dynamoc: Run) -> None:
    html = compared(dynamoc, GRAPH, GRAPH.replace("replicas: 2", "replicas: 4").replace("hello", "bye"))
    assert '<span class="badge free">no restart; 2 pods start</span>' in html
    assert '<span class="badge restarts">restarts 3 pods, 3 GPUs (Worker)</span>' in html
    assert "1 of 2 changed lines can be shipped without a restart." in html
    assert '<div class="remark restarts">' in html
    assert '<td class="came" id="i0-10">    replicas: 4</td>' in html


def test_a_comparison_of_revisions_is_a_page(dynamoc: Run) -> None:
    import subprocess

    Path("graph.yaml").write_text(GRAPH)
    for words in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one"]):
        subprocess.run(["git", *words], check=True)
    Path("graph.yaml").write_text(GRAPH.replace("hello", "bye"))
    html = dynamoc("diff", "HEAD", "-o", "html", *OPTIONS, "--", "graph.yaml").out
    assert "<code>HEAD:graph.yaml</code> → <code>graph.yaml</code>" in html
    parsed(html)


def test_the_page_of_an_upgrade(dynamoc: Run) -> None:
    html = pages(dynamoc)["upgrade"]
    for text in ("<h1>dynamoc upgrade 1.2 → 1.4</h1>", "<dt>from</dt><dd>1.2</dd>", "Worker", "badge rolls"):
        assert text in html
    Path("graph.yaml").write_text(GRAPH.replace("replicas: 2", "replica: 2"))
    broken = dynamoc("upgrade", "graph.yaml", "--from", "1.2", "--target", "grove", "-o", "html")
    assert broken.code == 2
    assert "not compared: the earlier release refuses it" in broken.out
    parsed(broken.out)


@given(st.text("a<>&\"'`$\u202e\n", max_size=12))
def test_text_is_escaped_wherever_it_is(text: str) -> None:
    made = tag("p", text, prose(text), title=text, data_x=text)
    assert made.count("<") == made.count(">") == 2 + 2 * prose(text).count("<code>") + prose(text).count("</code>") * 0
    assert '"' not in made.removeprefix("<p").split(">")[0].replace('title="', "").replace('" data-x="', "")[:-1]


def test_html_is_not_escaped_twice() -> None:
    assert join("<", Html("<b>"), None, 1) == "&lt;<b>1"
    assert tag("a", "x", href="#y", hidden=False, open=True) == '<a href="#y" open>x</a>'


def test_data_cannot_end_its_element() -> None:
    html = page("t", [], [Section("a", "A")], {"x": "</script><!--\u2028"})
    assert html.count("</script>") == 2
    assert "<!--" not in html
    assert "\u2028" not in html


def test_a_page_of_many_graphs_is_folded(dynamoc: Run) -> None:
    for number in range(25):
        Path(f"graph-{number:02}.yaml").write_text(GRAPH.replace("name: chat", f"name: chat-{number}"))
    html = dynamoc("report", ".", *OPTIONS).out
    balance = parsed(html)
    assert html.index('id="findings"') < html.index('id="picture"') < html.index('id="objects"')
    assert "<details><summary>25 graphs</summary>" in html
    assert html.count(" open>") <= 3
    assert balance.names.count("filter") == 1


def test_unchanged_input_is_folded_around_what_differs(dynamoc: Run) -> None:
    long = GRAPH.replace("spec:\n", "spec:\n" + "".join(f"  # {number}\n" for number in range(40)), 1)
    html = compared(dynamoc, long, long.replace("value: hello", "value: goodbye"))
    parsed(html)
    folded = re.findall(r'<details><summary class="faint">(\d+) unchanged lines</summary>', html)
    lines = long.count("\n")
    assert folded
    assert sum(map(int, folded)) < lines
    # Each line is there once, folded or not.
    assert all(html.count(f'id="i0-{at}"') == 1 for at in range(1, lines + 1))
