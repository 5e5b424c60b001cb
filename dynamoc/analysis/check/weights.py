"""Models against the GPUs, the memory and the claims that they get."""

from __future__ import annotations

from collections.abc import Iterator

from dynamoc.analysis.check.engines import facts_of, gigabytes, name_of, size_of
from dynamoc.analysis.check.flags import Engine, engines
from dynamoc.analysis.check.rendering import Component, Rendering, Workload, rule
from dynamoc.compiler.faults import Fault
from dynamoc.documents.findings.finding import WARNING
from dynamoc.kube.merge import Tree
from dynamoc.kube.names import entries, mapping, text, texts
from dynamoc.kube.quantity import value as bytes_of

_GB = 1_000_000_000
#: GB of one GPU, by what labels of nodes say of it (NVIDIA's data sheets; GPU feature discovery, GKE, AWS)
_GPUS = {
    288: ("b300", "gb300"),
    192: ("b200", "gb200"),
    141: ("h200", "p5e", "p5en"),
    96: ("gh200", "h20", "rtx-pro-6000"),
    80: ("h100", "p5.", "h800", "p4de"),
    48: ("l40", "g6e.", "a6000", "a40"),
    40: ("a100", "p4d."),
    32: ("v100",),
    24: ("l4", "g6.", "a10", "g5."),
    16: ("p3.", "t4", "g4dn"),
}
_LABELS = (
    "nvidia.com/gpu.product",
    "cloud.google.com/gke-accelerator",
    "node.kubernetes.io/instance-type",
    "beta.kubernetes.io/instance-type",
    "nvidia.com/gpu.family",
)
#: the most that one GPU has (B300), and the most of the generation that most clusters have (H200)
_LARGEST, _USUAL = 288, 141
#: billions of parameters from which on models are published with 4 or 8 bits each, whatever their names say
_LARGE = 200
#: organisations, and beginnings of names, whose models Hugging Face gives to accounts that accepted a licence
_GATED = (
    *("meta-llama/", "google/gemma-2", "google/gemma-3", "google/gemma-7b", "google/codegemma", "google/paligemma"),
    *(
        "google/medgemma",
        "CohereLabs/c4ai-command",
        "CohereForAI/c4ai-command",
        "bigcode/starcoder",
        "tiiuae/falcon-180B",
    ),
    *("black-forest-labs/FLUX.1-dev", "stabilityai/stable-diffusion-3", "mistralai/Mistral-Large"),
)
_TOKENS = ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HUGGINGFACE_TOKEN", "HF_TOKEN_PATH")


def _loaded(rendering: Rendering) -> Iterator[tuple[Component, Workload, Engine, float]]:
    """Components whose weights have a size that is known, with GB."""
    for component, leader, engine in engines(rendering):
        size = size_of(component, rendering)
        if size is not None and not leader.arguments.has("--load-format=dummy"):
            yield component, leader, engine, _at_least(size, leader)


def _at_least(size: float, leader: Workload) -> float:
    """GB of weights; of a large model that the table does not have, as few as today's are published with."""
    full = gigabytes(size, leader.arguments)
    return full if size <= _LARGE or facts_of(leader.arguments) else min(full, size / 2)


@rule("check/model-too-large")
def models_too_large(rendering: Rendering) -> Iterator[Fault]:
    """Weights that do not fit into the GPUs that share them."""
    for component, leader, engine, needed in _loaded(rendering):
        gpus = _sharing(component, engine)
        if not gpus or leader.arguments.has("--cpu-offload-gb", "--offload-backend", "--kt-weight-path"):
            continue
        known = _memory(leader)
        most = known or _LARGEST
        if needed <= gpus * (most if known else _USUAL):
            continue
        surely = needed > gpus * most
        have = f"{gpus} GPU{'s' * (gpus != 1)}"
        whose = f"of {known} GB" if known else f", and the largest GPU has {_LARGEST} GB" if surely else ""
        message = (
            f"The weights of {name_of(leader.arguments) or 'the model'} take about {needed:.0f} GB; {component.name} "
            f"loads them into {have}{' ' * bool(known)}{whose}"
            + ("." if surely else f": each must have more than {needed / gpus:.0f} GB, which few have.")
        )
        hint = "use more GPUs with more tensor parallelism, or a smaller or quantized model"
        severity = None if surely else WARNING
        yield leader.at("check/model-too-large", ("--model", "--model-path"), message, hint, severity)


def _sharing(component: Component, engine: Engine) -> int:
    """How many GPUs share one copy of the weights; all of the replica where the flags do not say."""
    if engine.file or not engine.tensor or not engine.pipeline:
        return component.gpus
    one = engine.tensor * engine.pipeline
    spread = engine.arguments.has("--enable-expert-parallel", "-ep") or (engine.expert or 1) > 1
    shared = max(one, component.gpus) if spread else one
    return shared if component.gpus else 0


def _memory(workload: Workload) -> int | None:
    """GB of a GPU of the nodes, or of the slice, that a pod asks for."""
    spec = workload.template.spec
    for name in mapping(workload.main[1], "resources", "limits"):
        size = name.rpartition(".")[2].removesuffix("gb")
        if name.startswith("nvidia.com/mig-") and size.isdecimal():
            return int(size)
    for key, value in _wanted_labels(spec):
        if key in _LABELS:
            # `NVIDIA-H100-80GB-HBM3` says it.
            said = [word[:-2] for word in value.lower().split("-") if word.endswith("gb") and word[:-2].isdecimal()]
            found = list(map(int, said)) or [
                size for size, parts in _GPUS.items() if any(part in value.lower() for part in parts)
            ]
            if found:
                return max(found)
    return None


def _wanted_labels(spec: Tree) -> Iterator[tuple[str, str]]:
    """Labels of nodes that a pod asks for, each with one value."""
    for key, value in mapping(spec, "nodeSelector").items():
        yield key, text(value)
    required = mapping(spec, "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
    for _, term in entries(required, "nodeSelectorTerms"):
        for _, wanted in entries(term, "matchExpressions"):
            values = texts(wanted.get("values"))
            if wanted.get("operator") == "In" and len(values) == 1:
                yield text(wanted.get("key")), values[0]


@rule("check/attention-heads")
def attention_heads(rendering: Rendering) -> Iterator[Fault]:
    """Tensor parallelism that does not divide the heads of the model, which all engines refuse.

    Source: vLLM ModelConfig.verify_with_parallel_config; SGLang and TensorRT-LLM assert the same.
    """
    for component, leader, engine in engines(rendering):
        facts = facts_of(leader.arguments) if engine.tensor and engine.tensor > 1 else None
        if facts is None or not facts.heads or not engine.tensor:
            continue
        tensor = engine.tensor
        if leader.arguments.has("--enable-dp-attention"):
            tensor //= leader.arguments.number("--dp-size", "--dp", "--data-parallel-size") or tensor
        if tensor and facts.heads % tensor and not leader.arguments.has("--enable-attention-dp"):
            message = (
                f"{component.name} has tensor parallelism {tensor}, which does not divide the {facts.heads} attention "
                f"heads of {name_of(leader.arguments)}: the engine exits."
            )
            fitting = [str(each) for each in range(1, 17) if facts.heads % each == 0]
            yield leader.at("check/attention-heads", engine.tensor_flags, message, f"use one of {', '.join(fitting)}")


_CONTEXT = ("--max-model-len", "--context-length", "--max-seq-len")


@rule("check/context-length")
def context_lengths(rendering: Rendering) -> Iterator[Fault]:
    """A context longer than the model was made for.

    Source: vLLM _get_and_verify_max_len; SGLang ModelConfig.
    """
    for component, leader, _ in engines(rendering):
        asked = leader.arguments.number(*_CONTEXT, default=0)
        facts = facts_of(leader.arguments) if asked else None
        allows = ("--hf-overrides", "--rope-scaling", "--json-model-override-args", "--speculative-config")
        if not asked or facts is None or not facts.context or asked <= facts.context:
            continue
        variables = ("VLLM_ALLOW_LONG_MAX_MODEL_LEN", "SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN")
        if leader.arguments.has(*allows) or any(leader.variable(name) for name in variables):
            continue
        message = (
            f"{component.name} asks for a context of {asked:,} tokens, but {name_of(leader.arguments)} has "
            f"{facts.context:,}: the engine exits."
        )
        yield leader.at("check/context-length", _CONTEXT, message, f"use at most {facts.context}")


@rule("check/gated-model")
def gated_models(rendering: Rendering) -> Iterator[Fault]:
    """A model behind a licence, and no token to load it with."""
    for component, leader, _ in engines(rendering):
        name = name_of(leader.arguments)
        if not name.lower().startswith(tuple(each.lower() for each in _GATED)) or _is_local(leader):
            continue
        container = leader.main[1]
        if container.get("envFrom") or any(leader.variable(token) for token in _TOKENS):
            continue
        message = f"{component.name} loads {name}, which Hugging Face gives only to accounts that accepted its licence."
        hint = "set `HF_TOKEN` from a Secret, or name the Secret in `envFromSecret` or `envFrom`"
        yield leader.at("check/gated-model", ("--model", "--model-path"), message, hint)


def _is_local(leader: Workload) -> bool:
    """Whether the model may already be there: a volume has it, or another server."""
    offline = any(leader.variable(name) for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "MODEL_EXPRESS_URL"))
    return offline or leader.arguments.has("--model-express-url", "--load-format=dummy")


@rule("check/memory-below-weights")
def memory_below_weights(rendering: Rendering) -> Iterator[Fault]:
    """A limit of memory that shared memory alone can use up, or that is below what the pod reads."""
    for component, leader, _ in engines(rendering):
        path, container = leader.main
        limit = mapping(container, "resources", "limits").get("memory")
        allowed = bytes_of(limit) if limit else 0
        # What is too small for any process has a separate rule.
        if allowed < 1 << 24:
            continue
        where = (*path, "resources", "limits", "memory")
        shared = _shared_memory(leader)
        size = size_of(component, rendering)
        weights = _at_least(size, leader) * _GB / max(component.nodes, 1) if size else 0
        hint = "raise the limit, or leave it out"
        if weights > allowed:
            message = (
                f"{component.name} may use {limit} of memory, and reads about {weights / _GB:.0f} GB of weights "
                f"through it{f', beside {shared >> 30} GiB of /dev/shm' if shared else ''}: it may be killed while it "
                "loads."
            )
            yield leader.fault("check/memory-below-weights", where, message, hint)
        elif 0 < allowed <= shared:
            message = (
                f"{component.name} may use {limit} of memory, and /dev/shm, which counts, may take "
                f"{shared / (1 << 30):.0f} GiB."
            )
            yield leader.fault("check/memory-below-weights", where, message, f"{hint}; or lower the shared memory")


def _shared_memory(leader: Workload) -> int:
    mounts = {m.get("name") for _, m in entries(leader.main[1], "volumeMounts") if m.get("mountPath") == "/dev/shm"}
    for _, volume in entries(leader.template.spec, "volumes"):
        if volume.get("name") in mounts:
            return bytes_of(mapping(volume, "emptyDir").get("sizeLimit") or "0")
    return 0


@rule("check/small-claim")
def small_claims(rendering: Rendering) -> Iterator[Fault]:
    """A claim for models that is smaller than the model."""
    claims = rendering.claims()
    for component, leader, _, needed in _loaded(rendering) if claims else ():
        namespace = text(mapping(leader.item, "metadata").get("namespace")) or "default"
        mounted = [
            (path, text(mapping(volume, "persistentVolumeClaim").get("claimName")))
            for path, volume in entries(leader.template.spec, "volumes", leader.template.path)
            if mapping(volume, "persistentVolumeClaim")
        ]
        # Of several claims, another one may have the model.
        claim = claims.get((namespace, mounted[0][1])) if len(mounted) == 1 else None
        if claim is None:
            continue
        path, name = mounted[0]
        asked = mapping(claim, "spec", "resources", "requests").get("storage")
        if asked and 0 < bytes_of(asked) < needed * _GB:
            message = (
                f"The claim `{name}` of {component.name} has {asked}, and the weights of "
                f"{name_of(leader.arguments)} take about {needed:.0f} GB."
            )
            where = (*path, "persistentVolumeClaim", "claimName")
            yield leader.fault("check/small-claim", where, message, "ask for more storage")
