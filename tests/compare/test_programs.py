"""What the operator ships to run inside of objects is no difference from dynamoc's own."""

from hashlib import sha256

import pytest

from dynamoc.analysis.compare import default_pods
from dynamoc.analysis.compare.default_pods import with_own
from dynamoc.reference import programs as programs_programs
from dynamoc.reference.releases import get_release
from dynamoc.rendering.requests.job_overrides import copier_program

CASES = {
    "waits for the leader": programs_programs.WAIT_FOR_LEADER,
    "waits for the leader's port": programs_programs.WAIT_FOR_PORT.format(host="h-0", port=29500),
    "keeps the job file": programs_programs.KEEP_JOB_FILE,
    "serves weights": programs_programs.SERVE_WEIGHTS.format(
        directory="/run/gms/shared", module="gpu_memory_service.cli.server"
    ),
}


@pytest.mark.parametrize(("what", "own"), CASES.items())
def test_an_original_is_taken_for_our_own(monkeypatch: pytest.MonkeyPatch, what: str, own: str) -> None:
    """No original stands here: another text with a digest of its own plays the part."""
    bare = 'import x\nhost, port = "HOST", PORT\nrun()\n'
    monkeypatch.setattr(default_pods, "ORIGINALS", {sha256(bare.encode()).hexdigest(): what})
    original = bare.replace("HOST", "h-0").replace("PORT", "29500")
    tree = {"data": {"a": original, "b": "c"}, "args": ["-c", original]}
    assert with_own(tree) == {"data": {"a": own, "b": "c"}, "args": ["-c", own]}


COPIER = """
kubectl get pod $HOSTNAME -n ml -o yaml
  name: dgdr-output-qwen
  namespace: ml
  dgdr.nvidia.com/name: qwen
    name: qwen
    uid: abc
"""


def test_the_copier_of_a_request_is_taken_for_our_own(monkeypatch: pytest.MonkeyPatch) -> None:
    bare = COPIER.replace("qwen", "*").replace("ml", "*").replace("abc", "*").replace("ya*", "yaml")
    monkeypatch.setitem(get_release("1.4").constants, "request/copier", sha256(bare.encode()).hexdigest())
    own = copier_program({"metadata": {"name": "qwen", "namespace": "ml"}}, "abc", get_release("1.4"))
    assert with_own([COPIER]) == [own]
    contradictory = COPIER.replace("    name: qwen", "    name: other")
    assert with_own([contradictory]) == [contradictory]


def test_other_texts_stay_as_they_are() -> None:
    tree = {"data": {"a": "import socket\nprint(1)\n", "b": 1, "c": None}, "d": ["x\ny"]}
    assert with_own(tree) is tree
