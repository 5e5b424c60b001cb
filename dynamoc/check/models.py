"""How large a model is, as its name says, and how long it takes to load."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dynamoc.check.arguments import Arguments
    from dynamoc.check.made import Component, Made

#: the last one names what clients ask for, which says the size as well
FLAGS = ("--model", "--model-path", "--model-name", "--served-model-name")
#: bytes of a parameter, and bytes a second that a pod reads from a good shared file system
_BYTES, _SPEED = 2, 1_000_000_000
#: bytes of a parameter in models whose names say how they were made smaller
_SMALLER = {
    **dict.fromkeys(("fp8", "int8", "w8a8", "w8a16", "8bit"), 1.0),
    **dict.fromkeys(("fp4", "nvfp4", "mxfp4", "int4", "awq", "gptq", "w4a16", "4bit"), 0.5),
}


def _words(arguments: Arguments) -> list[str]:
    """Those of the model's name."""
    name = next((value for flag in FLAGS if (value := arguments.value(flag))), "")
    return name.replace("-", " ").replace("_", " ").replace("/", " ").lower().split()


def billions(arguments: Arguments) -> float | None:
    """The size in billions of parameters that the model's name tells; None where it tells none."""
    words = _words(arguments)
    sizes = [word[:-1] for word in words if word.endswith("b") and word[:-1].replace(".", "", 1).isdecimal()]
    return max(map(float, sizes)) if sizes else None


def size_of(component: Component, made: Made) -> float | None:
    """The size that the user gives for a component, else that of its model's name."""
    given = made.sizes.get(component.name.lower(), made.sizes.get(""))
    return billions(component.first.arguments) if given is None else given


def parsed_sizes(texts: list[str]) -> dict[str, float]:
    """`Worker=70B`, `70B` for all components, in billions. Raises ValueError, whose message is the text."""
    found = {}
    for text in texts:
        name, equals, size = text.rpartition("=")
        number = size.upper().removesuffix("B")
        if not number.replace(".", "", 1).isdecimal() or bool(equals) != bool(name):
            raise ValueError(text)
        found[name.lower()] = float(number)
    return found


def loading_time(size: float, arguments: Arguments) -> int:
    """Seconds to read the weights of a model of so many billions of parameters, whose name the arguments have."""
    each = next((_SMALLER[word] for word in _words(arguments) if word in _SMALLER), _BYTES)
    return int(size * 1_000_000_000 * each / _SPEED)
