"""How much of one file is worth reading: errors, and what aliases repeat. Other limits: `dynamoc.limits`."""

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
