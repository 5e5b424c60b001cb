"""JSON without the package `json`."""

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynamoc.kube.text import loads

tree = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(tree, st.sampled_from(["", " ", "\n"]), st.sampled_from(["", "\n", "\t \r\n"]), st.sampled_from([None, 2]))
def test_it_reads_as_the_package_does(value: object, before: str, behind: str, indent: int | None) -> None:
    text = before + json.dumps(value, indent=indent) + behind
    assert repr(loads(text)) == repr(json.loads(text))


@given(st.text("{}[]:,\"'\\ 0123456789truefalsn.eE+-", max_size=12))
def test_what_is_no_json_is_none_for_the_package_either(text: str) -> None:
    try:
        expected = repr(json.loads(text))
    except ValueError:
        with pytest.raises(ValueError, match=r"."):
            loads(text)
    else:
        assert repr(loads(text)) == expected


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", ' {"a": -Infinity}', "[" * 200_000, '{"a":' * 200_000])
def test_what_encoding_json_refuses_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        loads(text)


WHOLE = '{"Frontend": {"ServiceArgs": {"workers": -1.5e3, "resources": {"cpu": "2\\n\\u00e9"}}}, "b": [true, null]}'


@pytest.mark.parametrize("end", range(len(WHOLE)))
def test_a_text_that_ends_too_soon(end: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # As in a process in which nothing has imported them.
    for name in ("json", "json.decoder", "json.scanner", "json.encoder"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    with pytest.raises(ValueError, match=r"."):
        loads(WHOLE[:end])
    assert loads(WHOLE)["b"] == [True, None]


@pytest.mark.parametrize(("text", "imported"), [('{"a": [1, 2.5]}\\n', False), (" 1", True)])
def test_the_package_is_imported_for_odd_text_only(text: str, imported: bool) -> None:
    program = f"import sys; from dynamoc.kube.text import loads; loads('{text}'); print('json' in sys.modules)"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert answer.strip() == str(imported)
