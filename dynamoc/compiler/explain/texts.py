"""What texts are made of: names and hashes that steps gave, and values that lately became part of a text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from dynamoc.compiler.explain.traced import (
    BUILDER,
    MOST_READS,
    READING,
    Origin,
    origin_of,
    plain,
)

#: Texts of this length are not equal by chance.
_TELLING = 6
#: the longest name of a Kubernetes object that becomes a label
_NAME = 63
#: so many values are kept before the first are forgotten
_MOST_KNOWN = 4096


class _Read:
    """A value that was read: itself, as text, and in lower case; `words` is what texts are first searched for."""

    __slots__ = ("lower", "origin", "text", "words")

    def __init__(self, value: Any, origin: Origin) -> None:
        self.origin = origin
        self.text = str(plain(value))
        self.lower = self.text.lower()
        self.words = self.lower if value.__class__ is str else self.text


@dataclass(eq=False, slots=True)
class Texts:
    """What the texts of one document's objects are made of.

    origins   of names and hashes that steps gave, by their texts
    """

    origins: dict[str, Origin] = field(default_factory=dict, init=False)
    # Rules and builders ask for the same reads several times in a row: as long as nothing was read, nothing changes.
    _asked: Any = field(default=None, init=False)
    _count: int = field(default=0, init=False)
    _found: list[_Read] = field(default_factory=list, init=False)
    # By the ids of values, which are kept so that no other can have them.
    _known: dict[int, tuple[Any, _Read | None]] = field(default_factory=dict, init=False)

    def remember(self, result: Any, maker: str) -> None:
        """Notes the result of a step where it is a text, or a list of what has names."""
        if result.__class__ is list:
            for item in result:
                # Roles, for instance, from whose names others are made.
                self.remember(getattr(item, "name", None), maker)
            return
        text = result[0] if result.__class__ is tuple and result else result
        if text.__class__ is str and len(text) >= _TELLING and text not in self.origins and origin_of(text) is None:
            self.origins[text] = Origin(BUILDER, name=maker, inputs=self._parts_of(text))

    def inputs(self, value: Any, *, in_rule: bool = False) -> tuple[Origin, ...]:
        """What a text was computed from: a function that made it, and values that lately became part of a text."""
        if value.__class__ is not str or not value:
            return ()
        maker = self.origins.get(value)
        return self._parts_of(value, in_rule=in_rule) if maker is None else distinct((maker, *maker.inputs))

    def equal(self, value: Any) -> tuple[Origin, ...]:
        """Origins of values that became a word of a text, of which only this word is left."""
        if value.__class__ is not str:
            return ()
        return tuple(read.origin for read in self._reads() if read.text == value)

    def _parts_of(self, value: Any, *, in_rule: bool = False) -> tuple[Origin, ...]:
        """Origins of the values that lately became part of a text, as far as this is that text.

        A `2` in a script is hardly the user's; but what a rule made of a `2` has one.
        """
        if value.__class__ is not str or not value:
            return ()
        shortest = 1 if in_rule or len(value) <= _NAME else 3
        text, found = value.lower(), {}
        for read in self._reads():
            # Most are not part of it, which is quick to see.
            if read.words in text and len(read.words) >= shortest and is_word_of(text, read.lower):
                found[read.origin.key()] = read.origin
        return tuple(found.values())

    def _reads(self) -> list[_Read]:
        """What was read and has an origin, each value once."""
        reads = READING.reads
        if reads is self._asked and len(reads) == self._count < MOST_READS:
            return self._found
        if len(self._known) > _MOST_KNOWN:
            self._known = {}
        values, known = {id(value): value for value in reads}, self._known
        for number, value in values.items():
            if number not in known:
                origin = origin_of(value)
                known[number] = value, None if origin is None else _Read(value, origin)
        self._asked, self._count = reads, len(reads)
        self._found = [found for number in values if (found := known[number][1]) is not None]
        return self._found


def distinct(origins: tuple[Origin, ...]) -> tuple[Origin, ...]:
    """Each origin once."""
    return tuple({origin.key(): origin for origin in origins}.values())


def contains(whole: Any, part: Any) -> bool:
    """Whether a text holds another as a word, or as several."""
    if whole.__class__ is not str:
        return False
    return is_word_of(str(plain(whole)).lower(), str(plain(part)).lower())


def goes_on_in(earlier: Any, later: Any) -> bool:
    """Whether a text has all words of another in their order, as a command line to which flags were added."""
    if earlier.__class__ is not str or later.__class__ is not str:
        return False
    words = iter(str.split(str(plain(later))))
    own = str.split(str(plain(earlier)))
    return len(own) > 1 and all(word in words for word in own)


def is_word_of(text: str, word: str) -> bool:
    """Whether a text holds a word, or several, and more; both in lower case."""
    start = text.find(word) if word and text != word else -1
    while start >= 0:
        end = start + len(word)
        before, behind = text[start - 1 : start], text[end : end + 1]
        if not (before.isalnum() and word[0].isalnum()) and not (behind.isalnum() and word[-1].isalnum()):
            return True
        start = text.find(word, start + 1)
    return False
