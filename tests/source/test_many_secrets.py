"""Many secrets in many findings: all hidden, in proportion to their number."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from dynamoc.documents.findings.finding import Place
from dynamoc.documents.findings.text import Excerpts
from dynamoc.documents.source.secrets import Confidential, SecretTexts
from dynamoc.kube.secrets import HIDDEN
from tests.calls import calls

secrets = st.sets(st.text("ab", min_size=4, max_size=30), min_size=1, max_size=12)


@given(secrets, st.lists(st.text("abc", max_size=12), max_size=6), st.randoms())
@example({"aaaa", "aaaaab", "aaaabaaa"}, ["aaaabaaaac"], None)
def test_no_secret_is_left(found: set[str], words: list[str], random: object) -> None:
    text = " ".join([*words, *sorted(found)])
    hidden = SecretTexts(found).hidden_in(text)
    assert not any(secret in part for secret in found for part in hidden.split(HIDDEN))


def test_the_longest_secret_is_hidden_as_a_whole() -> None:
    assert SecretTexts({"pass", "password", "passw"}).hidden_in("a password, a passwx") == f"a {HIDDEN}, a {HIDDEN}x"
    assert SecretTexts({"pass"}).hidden_in("nothing") == "nothing"


def test_the_beginning_of_a_long_secret_is_hidden() -> None:
    long = "abcdefghijklmnopqrstuvwxyz0123456789"
    others = {f"{long[:20]}{number}" for number in range(50)}
    hidden = SecretTexts({long, *others}).hidden_in(f'the string "{long[:30]}..." is')
    assert hidden == f'the string "{HIDDEN}..." is'


def test_twice_as_many_secrets_are_twice_the_work() -> None:
    def work(number: int) -> None:
        secret = SecretTexts({f"plain text {at}" for at in range(number)})
        for at in range(number):
            secret.hidden_in(f"the string plain text {at} is no base64")

    assert calls(lambda: work(2000)) < 2.5 * calls(lambda: work(1000))


def test_lines_of_many_secrets_without_separators() -> None:
    documents = [f'{{"kind": "Secret", "stringData": {{"a": "text {at}"}}}}' for at in range(3)]
    hidden = Confidential("f.json", "\n".join(documents))
    assert [hidden.hides(line) for line in range(4)] == [True, True, True, False]


def test_a_line_is_prepared_once_for_all_its_findings() -> None:
    class Counting:
        asked = 0

        def hides(self, line: int) -> bool:
            return line < 0

        def redacted(self, text: str) -> str:
            self.asked += 1
            return text

    counting = Counting()
    excerpts = Excerpts(lambda _file: "x" * 100_000, {"f": counting})
    for column in range(1, 500):
        assert excerpts.excerpt(Place("f", 1, column), None) is not None
    assert counting.asked == 1
