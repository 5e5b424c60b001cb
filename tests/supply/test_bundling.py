"""What `bundling` makes of small packages does what their source does, and later."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bundling import bundle, cool, sources

ROOT = Path(__file__).parents[2]
INIT = "import dynamoc._bundle\n"


@dataclass
class Package:
    """The modules of a package, and what is asked of its module `a`.

    asked  expressions; the answers of the bundle are those of the source
    late   modules that importing `a` imports from the source, and not from the bundle
    """

    a: str
    asked: tuple[str, ...]
    late: tuple[str, ...] = ()
    others: dict[str, str] = field(default_factory=dict)


def answers(folder: Path, package: Package) -> tuple[list[str], set[str]]:
    """What expressions give, and which modules of `late` are imported before."""
    lines = ["import sys, dynamoc.a as a", f"print(*sorted({set(package.late)!r} & sys.modules.keys()))"]
    for each in package.asked:
        lines += ["try: print(repr(eval(sys.argv[1])))".replace("sys.argv[1]", repr(each))]
        lines += ["except Exception as error: print(type(error), error)"]
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONSAFEPATH": "1"}
    command = [sys.executable, "-c", "\n".join(lines)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    imported, *found = done.stdout.splitlines()
    return found, set(imported.split())


def written(folder: Path, package: Package) -> Path:
    """The package as files below a folder, with what `bundling` reads."""
    modules = {"__init__": INIT, "a": package.a, **package.others}
    for name, text in modules.items():
        path = folder / "dynamoc" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    shutil.copy(ROOT / "bundling" / "loader.py", folder / "dynamoc" / "_bundle.py")
    (folder / "benchmarks").mkdir()
    (folder / "benchmarks" / "startup.json").write_text(json.dumps({"modules": {}, "functions": {}}))
    return folder


def holds(
    package: Package, folder: Path, monkeypatch: pytest.MonkeyPatch, *, cold: bool = False, public: tuple[str, ...] = ()
) -> None:
    """A package answers from its bundle as from its source, and imports `late` later."""
    monkeypatch.setattr(bundle, "_PUBLIC", public)
    written(folder, package)
    expected, imported = answers(folder, package)
    assert imported == set(package.late)
    if cold:
        monkeypatch.setattr(cool, "_LEAST", 0)
        functions = {"all": [f"{name}:<module>" for name in sources.read(folder)]}
        modules = dict.fromkeys(sources.read(folder), "all")
        (folder / "benchmarks" / "startup.json").write_text(json.dumps({"modules": modules, "functions": functions}))
    (folder / "dynamoc" / f"bundle.{sys.implementation.cache_tag}").write_bytes(bundle.bundle(folder))
    assert answers(folder, package) == (expected, set())


SUNK = {
    "import": Package("import colorsys\ndef f(): return colorsys.rgb_to_hsv(0, 0, 1)\n", ("a.f()",), ("colorsys",)),
    "names": Package(
        "from shlex import quote, split as cut\nimport xml.sax.saxutils as xml, email.charset\n"
        "def f(text): return quote(text), cut(text), xml.escape(text), email.charset.QP\n",
        ("a.f('a <b')", "a.xml"),
        ("shlex", "xml.sax.saxutils", "email.charset"),
    ),
    "what calls make": Package(
        "import re\nFIRST = re.compile('a+')\nBOTH = (FIRST, re.compile('b'))\n"
        "LATE = {'x': lambda: after.Fraction, 'y': lambda: LATER}\nimport fractions as after\n"
        "LATER = (after.Fraction, 1)\n"
        "def f(): return FIRST.match('aab')[0], BOTH[1].pattern, BOTH[0] is FIRST, LATE['x'](), LATE['y']()\n",
        ("a.f()", "a.f()"),
        ("re", "fractions"),
    ),
    "names that are bound again": Package(
        "import colorsys, shlex\nfrom json import dumps\nimport fractions\n"
        "def dumps(value): return 'own'\n"
        "name = 1\nPAIR = (name, colorsys.__name__)\nname = 2\n"
        "shlex = shlex.quote\n"
        "WALRUS = (inner := 5, fractions.Fraction)\n"
        "def f(): return dumps(1), PAIR, shlex('a b'), WALRUS[0], inner\n",
        ("a.f()", "a.f()"),
    ),
    "global": Package(
        "import colorsys, textwrap\nstate = None\n"
        "def put(value):\n    global state, colorsys\n    state = value\n    colorsys = value\n"
        "SEEN = (state, textwrap.dedent)\n"
        "def f():\n"
        "    before = state\n"
        "    put(3)\n"
        "    return before, state, colorsys, SEEN[0], textwrap.dedent(' x')\n",
        ("a.f()", "a.f()"),
    ),
    "del": Package(
        "import re, colorsys\nFOUND = re.compile('a')\ndel re\n"
        "def f():\n    try:\n        return FOUND.pattern, re\n    except NameError as error:\n"
        "        return str(error), colorsys.ONE_THIRD\n",
        ("a.f()",),
        ("colorsys",),
    ),
    "functions in functions": Package(
        "import colorsys, shlex, fractions\n"
        "def outer(seen):\n    def inner(text):\n        nonlocal seen\n        seen += 1\n"
        "        return shlex.split(text), seen\n    return inner\n"
        "def lazy(): return lambda: fractions.Fraction(1, 3)\n"
        "def given(): return [colorsys.hsv_to_rgb(0, 0, each) for each in (0, 1)]\n",
        ("a.outer(1)('x y')", "a.lazy()()", "a.given()"),
        ("colorsys", "shlex", "fractions"),
    ),
    "classes in classes": Package(
        "import colorsys, shlex\nfrom fractions import Fraction\n"
        "class A:\n    class B(Fraction):\n        def cut(self): return shlex.split(str(self))\n"
        "    @staticmethod\n    def other(): return colorsys.ONE_SIXTH\n"
        "def local():\n"
        "    class C:\n"
        "        one = shlex.quote('1 2')\n"
        "        def get(self): return shlex.join(['a b'])\n"
        "    return C.one, C().get()\n",
        ("a.A.B(1, 2).cut()", "a.A.other()", "a.local()"),
    ),
    "decorators, defaults and bases": Package(
        "import functools, fractions, decimal, colorsys\nfrom collections import abc\n"
        "def marked(value):\n    return lambda function: lambda *given: (value, function(*given))\n"
        "@marked(fractions.Fraction(1, 2))\ndef f(x=decimal.Decimal(2)): return x\n"
        "class A(abc.Sized):\n    @functools.lru_cache\n    def __len__(self): return 4\n"
        "    def g(self, *, y=colorsys.ONE_THIRD): return y\n",
        ("a.f()", "len(a.A())", "a.A().g()", "a.f.__name__"),
    ),
    "imports on a condition": Package(
        "try:\n    import missing_module as fast\nexcept ImportError as error:\n    import colorsys as fast\n"
        "    from shlex import quote\n    def other(): return fractions.Fraction(1, 2)\n"
        "import fractions, sys\n"
        "if sys.version_info > (3,):\n"
        "    import textwrap\n"
        "    def third(): return textwrap.dedent(' x'), json.dumps(1)\n"
        "import json\n"
        "def f(): return fast.__name__, quote('a b'), other(), third()\n",
        ("a.f()",),
    ),
    "shadowed names": Package(
        "import colorsys, shlex, fractions, textwrap, json\n"
        "def parameter(colorsys): return colorsys\n"
        "def local():\n    shlex = 3\n    return shlex\n"
        "def inside():\n    import decimal as fractions\n    return fractions.__name__\n"
        "def each(): return [textwrap for textwrap in (1, 2)], textwrap.__name__\n"
        "class A:\n    json = 5\n    def get(self): return self.json, json.__name__\n",
        ("a.parameter(1)", "a.local()", "a.inside()", "a.each()", "a.A().get()"),
        ("colorsys", "shlex", "fractions", "textwrap", "json"),
    ),
    "names of the loader": Package(
        "import colorsys, shlex\ndef _load(x): return 'own', x\ndef load(_warm, _cold=1): return _load(_warm + _cold)\n"
        "def f(_load=1): return colorsys.ONE_THIRD, _load, shlex.quote('a b')\n",
        ("a.load(1)", "a.f()"),
        ("colorsys", "shlex"),
    ),
    "exceptions": Package(
        "import configparser, shlex, json\n"
        "def f(text):\n"
        "    try:\n"
        "        return json.loads(text)\n"
        "    except (json.JSONDecodeError, configparser.Error) as error:\n"
        "        return shlex.quote(type(error).__name__ + ' ')\n    finally:\n        shlex.split('')\n"
        "def fails():\n    raise configparser.NoSectionError('x')\n"
        "def caught():\n"
        "    try:\n"
        "        fails()\n"
        "    except configparser.Error as error:\n"
        "        return str(error)\n",
        ("a.f('{')", "a.f('1')", "a.caught()", "a.fails()"),
        ("configparser", "shlex", "json"),
    ),
    "isinstance and match": Package(
        "from fractions import Fraction\nimport decimal, datetime\n"
        "def f(value): return isinstance(value, (Fraction, decimal.Decimal))\n"
        "def g(value):\n    match value:\n        case datetime.date(): return 'date'\n"
        "        case Fraction(numerator=1): return 'one'\n        case _ if f(value): return decimal.__name__\n"
        "    return ''\n",
        ("a.f(1)", "a.f(a.g.__globals__['Fraction'](1))", "a.g(a.Fraction(1, 2))", "a.g(a.Fraction(2, 3))", "a.g(0)"),
        ("fractions", "datetime"),
    ),
    "loops and with": Package(
        "import colorsys, shlex, contextlib, fractions\n"
        "def f(turns):\n    found = []\n    while len(found) < turns and shlex.quote('a'):\n"
        "        if found:\n            found.append(fractions.Fraction(1, 2))\n        else:\n"
        "            found.append(colorsys.ONE_THIRD)\n    else:\n        found.append(fractions.__name__)\n"
        "    with contextlib.suppress(ValueError):\n        int('x')\n    return found\n",
        ("a.f(0)", "a.f(1)", "a.f(3)"),
        ("colorsys", "shlex", "fractions"),
    ),
    "generators and coroutines": Package(
        "import shlex, fractions, asyncio.locks\n"
        "def numbers():\n    yield 0\n    sent = yield fractions.Fraction(1, 2)\n    yield sent, shlex.quote('a b')\n"
        "async def work():\n    '''Does.'''\n    left: int\n    lock = asyncio.locks.Lock()\n    return lock.locked()\n"
        "def run():\n    try:\n        work().send(None)\n    except StopIteration as end:\n        return end.value\n",
        ("list(a.numbers())", "a.run()"),
        ("shlex", "fractions", "asyncio.locks"),
    ),
    "names that others read": Package(
        "import dynamoc.b, dynamoc.c.d\nfrom dynamoc import c, b as other\nfrom dynamoc.b import quote, Fraction\n"
        "PARTS = (other,)\n"
        "def f(): return dynamoc.b.json.dumps([1]), dynamoc.c.d.textwrap.dedent(' x'), c.d.colorsys.ONE_THIRD\n"
        "def g(): return [part.decimal.Decimal(1) for part in PARTS], quote('a b'), Fraction(1, 2), c.shown()\n"
        "def h(): return getattr(other, 'PATTERN').pattern\n",
        ("a.f()", "a.g()", "a.quote('c d')", "a.h()"),
        ("string",),
        {
            "b": "import json, decimal, re, string\nfrom shlex import quote\nfrom fractions import Fraction\n"
            "PATTERN = re.compile('x')\n"
            "def own(): return json, decimal, quote, Fraction, PATTERN, string\n",
            "c/__init__": "from dynamoc.c.d import shown\n",
            "c/d": "import textwrap, colorsys\ndef shown(): return textwrap.dedent('  y'), colorsys.ONE_SIXTH\n",
        },
    ),
    "what imports do": Package(
        "import dynamoc.b\nfrom dynamoc import c\nFOUND = []\n\n"
        "def f():\n"
        "    '''What b and c are for.'''\n"
        "    return FOUND_BY.copy()\n"
        "from dynamoc.d import FOUND as FOUND_BY\n",
        ("sorted(a.f())",),
        (),
        {
            "b": "from dynamoc.d import FOUND\nFOUND.append('b')\n",
            "c": "from dynamoc.d import FOUND\nFOUND.append('c')\n",
            "d": "FOUND = []\n",
        },
    ),
    "`__all__`": Package(
        "from dynamoc.b import one, two\n"
        "from shlex import quote\n"
        "import colorsys\n"
        "__all__ = ['one']\n"
        "__all__ += ['quote']\n"
        "def f(): return one(), two(), quote('a b'), colorsys.ONE_SIXTH\n",
        ("a.one()", "a.quote('a b')", "a.f()"),
        ("colorsys",),
        {"b": "def one(): return 1\ndef two(): return 2\n"},
    ),
}

STRIPPED = {
    "names in annotations": Package(
        "from __future__ import annotations\n" "import typing\n" "from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast, overload\n"
        "from decimal import Decimal\nfrom fractions import Fraction\n"
        "if TYPE_CHECKING:\n    import missing_module\n"
        "T = TypeVar('T')\nTree = dict[str, Decimal]\n"
        "class Shape(Protocol):\n    area: Fraction\n"
        "@overload\ndef f(x: int) -> int: ...\n@overload\ndef f(x: str) -> str: ...\n"
        "def f(x: T, *rest: Shape, y: Tree | None = None, **more: missing_module.X) -> Any:\n"
        "    local: Decimal = x\n    return cast('Fraction', local), rest, y, more\n",
        ("a.f(1, 2, y={}, z=3)",),
        ("decimal", "fractions"),
    ),
    "blocks that become empty": Package(
        "from __future__ import annotations\n" "from typing import TYPE_CHECKING\n" "from decimal import Decimal\n" "import sys\n"
        "if sys.version_info > (3,):\n    x: Decimal\nelse:\n    if TYPE_CHECKING:\n        import missing_module\n"
        "try:\n    y: int\nfinally:\n    z: int\n"
        "for each in (1, 2):\n    if TYPE_CHECKING:\n        pass\n"
        "class Empty:\n    '''Has nothing.'''\nclass Typed:\n    x: Decimal\n"
        "def f():\n    '''Does nothing.'''\ndef g():\n    late: int\n    try:\n        return late\n"
        "    except UnboundLocalError:\n        return 'unbound'\n",
        ("a.f()", "a.g()", "a.each", "a.Empty().__class__", "hasattr(a.Typed, 'x')"),
        ("decimal",),
    ),
    "annotations that are read": Package(
        "from __future__ import annotations\nfrom typing import NamedTuple as Named, TypedDict, ClassVar\n"
        "from dynamoc.b import Reader, marked\nfrom pydantic import BaseModel\n"
        "class Pair(Named):\n    left: int\n    right: str = 'r'\n"
        "class Keys(TypedDict, total=False):\n    one: int\nclass More(Keys):\n    two: int\n"
        "class Read(Reader):\n    '''Is read.'''\n    size: int = 4\n"
        "@marked\nclass Marked:\n    size: int\n"
        "class Model(BaseModel):\n" "    '''A model.'''\n" "    number: int\n" "class Second(Model):\n" "    '''Another.'''\n" "    more: str = ''\n",
        (
            "a.Pair(1)", "sorted(a.More.__annotations__)", "a.Read.found", "a.Marked.found",
            "a.Second.model_json_schema()", "a.Second(number='3')",
        ),
        (),
        {
            "b": "from __future__ import annotations\nclass Reader:\n    def __init_subclass__(cls):\n"
            "        cls.found = cls.__annotations__\n"
            "def marked(cls):\n    cls.found = getattr(cls, '__anno' + 'tations__')\n    return cls\n",
        },
    ),
    "docstrings of rules": Package(
        "RULES = {}\ndef rule(function):\n    RULES[function.__name__] = function.__doc__\n    return function\n"
        "@rule\ndef one():\n    '''Does one.'''\n",
        ("a.RULES",),
    ),
}  # fmt: skip

HEAD = (
    "from __future__ import annotations\n"
    "from dataclasses import KW_ONLY, dataclass, field\n"
    "from typing import ClassVar\n"
)
PLAIN = {
    "fields": Package(
        HEAD.replace("KW_ONLY, ", "") + "@dataclass\nclass A:\n    '''A class.'''\n    x: int\n    y: list[int] = field(default_factory=list)\n"
        "    z: str = field(default='z', repr=False, compare=False)\n    count: ClassVar[int] = 7\n"
        "    made: dict = field(default_factory=lambda: {1: 2}, init=False)\n" "    fixed: int = field(default=9, init=False)\n"
        "    unset: int = field(init=False)\n",
        (
            "a.A(1)", "a.A(1, [2], 'q') == a.A(1, [2])", "a.A(1) == a.A(2)", "a.A(1).y is a.A(1).y", "a.A.count",
            "a.A(1).made, a.A(1).fixed, a.A.fixed", "a.A(1).z, a.A.z", "hasattr(a.A, 'y')", "hash(a.A(1))", "a.A()",
            "a.A(1, 2, 3, 4)", "a.A(1) == 1", "a.A(1).unset", "vars(a.A(1))", "a.A(x=1, z=2, y=3).y", "a.A(1) != a.A(1)",
        ),
        ("dataclasses",),
    ),
    "frozen, slots and keywords": Package(
        HEAD + "@dataclass(frozen=True, slots=True)\nclass A:\n    x: int\n    y: tuple = ()\n"
        "@dataclass(slots=True, eq=False)\nclass B:\n    x: int = 1\n    _: KW_ONLY\n    y: int = 2\n    z: int\n"
        "    late: int | None = field(default=None, init=False)\n"
        "@dataclass(kw_only=True)\nclass C:\n    x: int = 1\n    y: int\n    z: int = field(kw_only=False)\n"
        "@dataclass(eq=True)\nclass D:\n    x: int\n    def __hash__(self): return 5\n"
        "@dataclass(frozen=True)\nclass E:\n    x: list = field(hash=None, default_factory=list)\n"
        "@dataclass(repr=False, init=False)\nclass F:\n    x: int = 3\n",
        (
            "hash(a.A(1)) == hash(a.A(1)), {a.A(1): 2}[a.A(1)]", "a.A.__slots__", "hasattr(a.A(1), '__dict__')",
            "a.A(1) == a.A(1, ())", "a.B(z=3)", "a.B(1, 2)", "a.B(z=1) == a.B(z=1)", "a.B.__slots__", "a.B(z=1).late",
            "setattr(a.B(z=1), 'other', 2)", "a.C(1, y=2)", "a.C(1, 2)", "hash(a.D(1))", "a.E([1]) == a.E([1])",
            "'object at' in repr(a.F()), a.F().x", "a.F(1)", "a.C.__match_args__", "a.B.__match_args__",
        ),
    ),
    "own methods": Package(
        HEAD + "@dataclass\nclass A:\n    x: int\n    total: int = field(init=False)\n"
        "    def __post_init__(self): self.total = self.x + 1\n    def __repr__(self): return 'own'\n"
        "    @property\n    def double(self): return self.x * 2\n    @classmethod\n    def make(cls): return cls(4)\n"
        "@dataclass\nclass B(A):\n    y: int = 0\n"
        "@dataclass\nclass C:\n    x: int\n    def __init__(self): self.x = 8\n    __repr__ = lambda self: 'assigned'\n"
        "    def __eq__(self, other): return True\n"
        "@dataclass(frozen=True)\nclass D(object):\n    x: int\n    def __eq__(self, other): return True\n"
        "def positional(value):\n    match value:\n        case B(x, total): return x, total\n    return None\n",
        (
            "a.A(1)", "a.A(1).total, a.A(1).double, a.A.make().x", "a.B(1, 2)", "a.B(1, 2).total", "a.C()", "a.C() == 3",
            "hash(a.C())", "a.positional(a.B(3, 4))", "hash(a.D(1)) == hash(a.D(1))", "a.A(1) == a.B(1)",
        ),
    ),
    "bases in other modules": Package(
        HEAD + "from dynamoc import b\nfrom dynamoc.b import Base, Plain as Between\nfrom dynamoc.c import Again\n"
        "@dataclass\nclass A(Base):\n    y: int = 5\n    x: int = 6\n"
        "@dataclass\nclass Through(Between):\n    more: int = 1\n"
        "@dataclass\nclass Dotted(b.Base):\n    more: int = 1\n"
        "@dataclass\nclass Handed(Again):\n    more: int = 1\n"
        "@dataclass\nclass Factory(b.Made):\n    more: int = 1\n"
        "def Box(): return 'another box'\n",
        (
            "a.A()", "a.A(1, shared=2, y=3)", "a.A().shared is a.Base().shared is a.Base.shared", "a.Through()",
            "a.Dotted(1)", "a.Handed(1)", "a.Factory()", "a.Base(2) == a.A(2)", "a.Through().shared is a.Base.shared",
        ),
        (),
        {
            "b": HEAD + "class Box:\n    def __repr__(self): return 'box'\n"
            "@dataclass\nclass Base:\n    x: int = 1\n    shared: Box = Box()\n"
            "class Plain(Base):\n    '''Between.'''\n"
            "@dataclass\n" "class Made:\n" "    box: Box = field(default_factory=Box)\n" "    n: list = field(default_factory=list)\n",
            "c": "from dynamoc.b import Base as Again\n",
        },
    ),
    "two bases": Package(
        HEAD + "@dataclass\nclass A:\n    x: int = 1\n@dataclass\nclass B:\n    y: int = 2\n"
        "@dataclass\nclass C(A, B):\n    z: int = 3\n"
        "class Mixed:\n    def shown(self): return 'mixed'\n@dataclass\nclass D(A, Mixed):\n    z: int = 3\n",
        ("a.C()", "a.C(7)", "a.D(4)", "a.D(4).shown()", "a.A(1)", "a.B(1)"),
    ),
    "slots and bases": Package(
        HEAD + "@dataclass\nclass Open:\n    x: int = 1\n@dataclass(slots=True)\nclass A(Open):\n    y: int = 2\n"
        "@dataclass(slots=True)\nclass Closed:\n    x: int = 1\n    box: tuple = tuple([1])\n"
        "@dataclass(slots=True)\nclass B(Closed):\n    x: int = 4\n    y: int = 2\n",
        ("a.A(3)", "a.A.__slots__", "a.B(3)", "a.B()", "a.B.__slots__", "a.Closed().box", "a.B().box"),
    ),
    "expressions with names": Package(
        HEAD + "from fractions import Fraction\ndef count(found=[]):\n    found.append(1)\n    return len(found)\n"
        "@dataclass\nclass A:\n    START = 3\n    list: list = field(default_factory=list)\n    at: int = START + 1\n"
        "    once: int = count()\n    turn: int = field(default_factory=count)\n"
        "@dataclass(slots=True)\nclass B:\n    STEP = 2\n    once: int = count()\n    part: Fraction = Fraction(1, 2)\n"
        "    at: int = STEP * 2\n"
        "    def half(self): return Fraction(self.once, 2)\n"
        "@dataclass\nclass C:\n    def make(): return 'made'\n    x: str = field(default_factory=make)\n",
        (
            "a.A()", "a.A().once is a.A.once, a.A().once", "a.A().turn - a.A().turn", "a.A([1]).list", "a.B()",
            "a.B().part", "a.B().half()", "a.C()", "a.B().part is a.B().part",
        ),
    ),
    "what is not known stays": Package(
        HEAD + "import dataclasses\nfrom dataclasses import InitVar, replace\n"
        "from dynamoc.b import Kept, Ordered, Parent, Other\n"
        "@dataclass\nclass A:\n    x: int\n    y: InitVar[int] = 3\n    def __post_init__(self, y): self.x += y\n"
        "def outer():\n    @dataclass\n    class Inner(Parent):\n        y: int = 2\n    return Inner()\n"
        "def moved(): return replace(Kept(1), x=2), dataclasses.asdict(Other(3))\n",
        (
            "a.A(1)", "a.outer()", "a.moved()", "sorted([a.Ordered(2), a.Ordered(1)])", "a.Parent(5)",
            "a.Ordered.__dataclass_fields__.keys()",
        ),
        (),
        {
            "b": HEAD + "@dataclass\nclass Kept:\n    x: int\n@dataclass\nclass Parent:\n    x: int = 1\n"
            "@dataclass\nclass Bottom:\n    z: int\n@dataclass(order=True)\nclass Ordered(Bottom):\n    x: int = 0\n"
            "@dataclass\nclass Other:\n    x: int = field(metadata={'a': 1})\n",
        },
    ),
    "other names of the decorator": Package(
        "from __future__ import annotations\n" "import dataclasses as d\n" "from dataclasses import dataclass as record, field as item\n"
        "import typing as t\n"
        "@record\n" "class A:\n" "    x: list = item(default_factory=list)\n" "    n: t.ClassVar[int] = 2\n" "    t: 't.ClassVar' = 3\n"
        "@d.dataclass(eq=False)\nclass B(A):\n    y: int = d.field(default=3)\n    _: d.KW_ONLY\n    z: int = 4\n"
        "def show(cls):\n    cls.shown = True\n    return cls\n"
        "@show\n@record\nclass C(B):\n    w: int = 5\n@record\n@show\nclass D:\n    w: int = 5\n",
        ("a.A()", "a.A([1], 2)", "a.B([1], 2, z=3)", "a.B([1], 2, 3)", "a.C(z=8), a.C.shown", "a.D(1), a.D.shown", "a.A.n"),
    ),
    "annotations that hide": Package(
        HEAD + "import typing\nfrom typing import ClassVar as Shared\nfrom dynamoc.b import marked, Marked\n"
        "try:\n    from dataclasses import InitVar\nexcept ImportError:\n    InitVar = None\n"
        "@dataclass\nclass A:\n    x: int\n    y: 'ClassVar[int]' = 2\n"
        "@dataclass\nclass B:\n    x: int\n    y: Shared[int] = 3\n    z: typing.ClassVar = 4\n"
        "@dataclass\nclass C(B):\n    x: ClassVar[int] = 5\n    w: int = 6\n"
        "@dataclass\nclass D(Marked):\n    y: int = 7\n"
        "@dataclass\nclass E:\n    x: int\n    y: InitVar[int] = 8\n    def __post_init__(self, y): self.x += y\n",
        ("a.A(1, 3)", "a.B(1), a.B.y, a.B.z", "a.B(1, 2)", "a.C()", "a.C(w=3)", "a.C(1, 2)", "a.D(1, 2)", "a.E(1)"),
        (),
        {"b": HEAD + "def marked(cls): return dataclass(cls)\n@marked\nclass Marked:\n    x: int\n"},
    ),
    "copies": Package(
        HEAD + "import copy, pickle\n" "@dataclass(frozen=True, slots=True)\n" "class A:\n" "    x: int\n" "    y: list = field(default_factory=list)\n"
        "@dataclass\nclass B(Exception if False else object):\n    x: int\n"
        "def f(value): return copy.deepcopy(value), copy.copy(value), pickle.loads(pickle.dumps(value))\n",
        ("a.f(a.A(1, [2]))", "a.f(a.B(1))"),
    ),
}  # fmt: skip

COLD = {
    "parameters": Package(
        "def f(a, /, b, *rest, c=3, d, **more): return a, b, rest, c, d, more\n"
        "def g(*, only): return only\ndef h(a, b=[]):\n    b.append(a)\n    return b\n"
        "def doc():\n    '''Its text.'''\n",
        (
            "a.f(1, 2, 3, d=4, e=5)", "a.f(1, 2, 3, d=4, e=5)", "a.f(1)", "a.g(only=1)", "a.g(1)", "a.h(1)", "a.h(2)",
            "a.doc()", "a.h.__defaults__", "a.h.__name__, a.h.__qualname__, a.h.__module__",
        ),
    ),
    "methods": Package(
        "class A:\n    def __init__(self, x): self.x = x\n    def __new__(cls, x): return super().__new__(cls)\n"
        "    def __init_subclass__(cls, **more): cls.known = more\n    def __class_getitem__(cls, item): return item\n"
        "    @property\n    def value(self): return self.x\n    @value.setter\n    def value(self, x): self.x = x\n"
        "    @classmethod\n    def make(cls, x): return cls(x)\n    @staticmethod\n    def static(x): return x\n"
        "    class Inner:\n        def get(self): return 'inner'\n"
        "    def __mangled(self, *, __y=1): return self.x, __y\n    def call(self): return self.__mangled()\n"
        "class B(A, size=2):\n" "    def __init__(self, x):\n" "        super().__init__(x + 1)\n" "        self.own = __class__.__name__\n"
        "def change():\n    b = B(1)\n    b.value = 9\n    return b.value, b.own\n",
        (
            "a.B(1).x, a.B(1).own", "a.change()", "a.B.make(2).value", "a.A.static(3)", "a.A[4]", "a.B.known",
            "a.A.Inner().get()", "a.A(1).call()", "a.B(3).x",
        ),
    ),
    "decorators": Package(
        "import functools, contextlib\nCALLS = []\n"
        "def noting(function):\n" "    @functools.wraps(function)\n" "    def run(*given):\n" "        CALLS.append(function.__name__)\n"
        "        return function(*given)\n    return run\n"
        "@noting\ndef f(x): return x\n@functools.lru_cache\ndef g(x): return [x]\n"
        "@contextlib.contextmanager\ndef h():\n    CALLS.append('in')\n    yield 5\n    CALLS.append('out')\n"
        "def use():\n    with h() as value:\n        return value\n",
        ("a.f(1)", "a.f(2)", "a.g(1) is a.g(1)", "a.use()", "a.use()", "a.CALLS", "a.f.__name__"),
    ),
    "generators": Package(
        "import shlex\ndef numbers(end):\n    for each in range(end):\n        yield shlex.quote(str(each))\n"
        "def both():\n" "    yield from numbers(2)\n" "    return 1\n" "def failing():\n" "    yield 1\n" "    raise ValueError('x')\n",
        ("list(a.numbers(2))", "list(a.both())", "list(a.failing())", "next(a.numbers(1))"),
        ("shlex",),
    ),
    "functions that recur, close or change names": Package(
        "import colorsys\nTOTAL = 0\ndef down(n): return 0 if not n else n + down(n - 1)\n"
        "def adder(n):\n    def add(x): return x + n\n    return add\n"
        "def count():\n    global TOTAL\n    TOTAL += 1\n    return TOTAL, colorsys.ONE_THIRD\n"
        "def fails(): raise KeyError('k')\n",
        ("a.down(4)", "a.adder(2)(3)", "a.adder(3)(3)", "a.count()", "a.count()", "a.TOTAL", "a.fails()", "a.fails()"),
        ("colorsys",),
    ),
    "names that are defined twice": Package(
        "import sys\nif sys.version_info > (3,):\n    def f(): return 'first'\nKEPT = f\ndef f(): return 'second'\n"
        "def g(): return 'one'\nOLD = g\ndef g(): return 'two'\n"
        "def old(): return KEPT(), OLD()\n"
        "class A:\n" "    if True:\n" "        def m(self): return 'block'\n" "    before = m\n" "    def m(self): return 'class'\n",
        ("a.old()", "a.f()", "a.g()", "a.A().before()", "a.A().m()"),
    ),
}  # fmt: skip

ALL = {**SUNK, **STRIPPED, **PLAIN, **COLD}


@pytest.mark.parametrize("name", ALL)
def test_a_bundle_does_what_its_source_does(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    holds(ALL[name], tmp_path, monkeypatch)


@pytest.mark.parametrize("name", ALL)
def test_functions_that_wait_do_what_their_source_does(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    holds(ALL[name], tmp_path, monkeypatch, cold=True)


@pytest.mark.parametrize("use", ["made = field\n", "def made(): return field(default=1)\n", "Shared = ClassVar\n"])
def test_fields_hide_nowhere(use: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundle, "_PUBLIC", ())
    written(tmp_path, Package(HEAD + use, ()))
    with pytest.raises(ValueError, match=r"a\.py:\d: fields may hide in another use of `(field|ClassVar)`"):
        bundle.bundle(tmp_path)
