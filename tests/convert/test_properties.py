"""What holds of every conversion: there and back is the same, and what is lost is what the list of losses says."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import HealthCheck, given, settings

from dynamoc.admission.convert.correspondence import get, leaves
from dynamoc.admission.convert.kinds import KINDS, printed
from dynamoc.admission.convert.operator import losses, to_v1alpha1, to_v1beta1
from dynamoc.admission.convert.plain import Conversion
from dynamoc.admission.convert.specs import V1ALPHA1, V1BETA1, read
from tests.convert.features import Tree, alpha_documents, beta_documents, documents

# Bigger documents take more of hypothesis' time to draw than of ours to convert.
patient = settings(max_examples=60, suppress_health_check=list(HealthCheck))


def other(document: Tree) -> str:
    return V1BETA1 if document["apiVersion"] == V1ALPHA1 else V1ALPHA1


def there_and_back(document: Tree) -> Tree:
    if document["apiVersion"] == V1ALPHA1:
        return to_v1alpha1(to_v1beta1(document))
    return to_v1beta1(to_v1alpha1(document))


def as_printed(document: Tree) -> Tree:
    kind = KINDS[document["kind"]]
    return printed(read(document, kind.name), kind)


def in_one_order(tree: Any) -> Any:
    """The operator moves the mount of the compilation cache: to the front on the way down, to the end on the way up.

    A variable that is overridden still gives its place to the one that overrides it.
    """
    if isinstance(tree, dict):
        for key, item in tree.items():
            in_one_order(item)
            if key in ("volumeMounts", "env"):
                item.sort(key=lambda mount: mount.get("name", ""))
    elif isinstance(tree, list):
        for item in tree:
            in_one_order(item)
    return tree


def without(tree: Tree, path: tuple[Any, ...]) -> Tree:
    tree = copy.deepcopy(tree)
    holder: Any = tree
    for step in path[:-1]:
        holder = holder[step]
    del holder[path[-1]]
    return tree


@given(documents)
@patient
def test_there_and_back_is_the_same(document: Tree) -> None:
    back = there_and_back(document)
    # The operator keeps an annotation that says that a v1alpha1 object without leftovers went through v1beta1.
    back["metadata"].pop("annotations", None)
    assert in_one_order(back) == in_one_order(as_printed(document))


@given(documents)
@patient
def test_the_input_is_left_alone(document: Tree) -> None:
    before = copy.deepcopy(document)
    there_and_back(document)
    losses(document, other(document))
    assert document == before


@given(documents)
@patient
def test_what_is_lost_makes_no_difference(document: Tree) -> None:
    conversion = Conversion(document, other(document))
    rest = conversion.before
    for path in reversed(conversion.lost()):
        rest = without(rest, path)
    assert in_one_order(Conversion(rest, conversion.to).after) == in_one_order(conversion.after)


@given(documents)
@patient
def test_what_is_not_lost_makes_a_difference(document: Tree) -> None:
    conversion = Conversion(document, other(document))
    lost = set(conversion.lost())
    for path in leaves(conversion.before):
        is_lost = any(path[:depth] in lost for depth in range(len(path) + 1))
        # What stands in a list has no name that it could be missed by.
        if not is_lost and path[0] == "spec" and isinstance(path[-1], str):
            assert Conversion(without(conversion.before, path), conversion.to).after != conversion.after, path


@given(alpha_documents)
@patient
def test_plain_v1beta1_means_what_the_operator_makes_of_it(document: Tree) -> None:
    plain, exact = to_v1beta1(document, lossless=False), to_v1beta1(document)
    assert "annotations" not in plain["metadata"]
    assert as_printed(plain).get("spec") == exact.get("spec")


@given(beta_documents)
@patient
def test_plain_v1alpha1_means_what_it_was_made_of_without_the_losses(document: Tree) -> None:
    conversion = Conversion(document, V1ALPHA1)
    rest = copy.deepcopy(conversion.before)
    for path in reversed(conversion.lost()):
        rest = without(rest, path)
    for path in conversion.mounted():
        component = get(rest, path[:-1])
        mount = {
            "name": component["compilationCache"]["pvcName"],
            "mountPath": component["compilationCache"]["mountPath"],
        }
        component["podTemplate"]["spec"]["containers"][0].setdefault("volumeMounts", []).append(mount)
    if "components" in rest["spec"]:
        rest["spec"]["components"].sort(key=lambda component: component["name"])
    back = Conversion(to_v1alpha1(document, lossless=False), V1BETA1).after
    assert in_one_order(back) == in_one_order(rest)


@given(documents)
@patient
def test_a_loss_has_a_place_and_a_reason(document: Tree) -> None:
    found = losses(document, other(document))
    assert all(reason for _, reason in found)
    assert len({path for path, _ in found}) == len(found)
