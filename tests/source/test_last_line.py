"""A file is read as kubectl reads it, line by line: the last line ends, whether the file says so or not."""

from pathlib import Path

from dynamoc.documents.findings.finding import Findings
from dynamoc.documents.source.files import read_paths

_OBJECT = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  script: |\n    echo"


def test_block_scalar_at_the_end_of_a_file_keeps_its_line_feed(tmp_path: Path) -> None:
    (tmp_path / "open.yaml").write_text(_OBJECT)
    (tmp_path / "ended.yaml").write_text(_OBJECT + "\n")
    files = [str(tmp_path / name) for name in ("open.yaml", "ended.yaml")]
    without, ended = read_paths(files, Findings())
    assert without.value["data"]["script"] == ended.value["data"]["script"] == "echo\n"
