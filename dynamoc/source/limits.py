"""How much one file may hold. etcd takes no object above 1.5 MiB, so nothing real comes near."""

#: bytes of one file
MAX_BYTES = 16 << 20
#: Levels of one document. Kubernetes stops at 10,000; the later stages walk a tree with a few of Python's 1,000 frames
#: a level, and the deepest field of a pod template is some 15 levels down.
MAX_DEPTH = 100
#: keys, values and items of one file, with what aliases repeat: up to five seconds of work and 300 MB
MAX_NODES = 1_000_000
#: After so many errors in one file the rest is probably no Kubernetes YAML.
MAX_ERRORS = 50


def excessive_aliases(repeated: int, nodes: int) -> bool:
    """Whether Kubernetes refuses a document of which aliases repeat so many nodes.

    Source: go.yaml.in/yaml/v2 decode.go `unmarshal` and `allowedAliasRatio`. The document counts as a node, too.
    """
    if repeated <= 100 or nodes <= 1000:
        return False
    # It falls further, down to a tenth, beyond the nodes that we read.
    allowed = 0.99 - 0.89 * max(nodes - 400_000, 0) / 3_600_000
    return repeated / nodes > allowed
