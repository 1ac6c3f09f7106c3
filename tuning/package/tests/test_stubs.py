"""The type stubs say what the compiled module has, and everything public has a docstring."""

import ast
import inspect
from collections.abc import Iterator
from importlib import resources

import quiver
from quiver import _native

STUBS = ast.parse((resources.files("quiver") / "_native.pyi").read_text())


def arguments(stub: ast.FunctionDef) -> list[tuple[str, object]]:
    """Return the names and the defaults of the arguments, `self` and `cls` left out."""
    positional = [argument.arg for argument in stub.args.args]
    defaults = [ast.literal_eval(default) for default in stub.args.defaults]
    blanks = [inspect.Parameter.empty] * (len(positional) - len(defaults))
    pairs = list(zip(positional, blanks + defaults, strict=True))
    for argument, default in zip(stub.args.kwonlyargs, stub.args.kw_defaults, strict=True):
        pairs.append((argument.arg, ast.literal_eval(default) if default else inspect.Parameter.empty))
    return [(name, default) for name, default in pairs if name not in ("self", "cls")]


def functions() -> Iterator[tuple[object, ast.FunctionDef, str]]:
    """Yield every function and method with its stub and its full name."""
    for stub in STUBS.body:
        if isinstance(stub, ast.FunctionDef):
            yield getattr(_native, stub.name), stub, stub.name
        elif isinstance(stub, ast.ClassDef) and stub.name != "_Tables":
            kind = getattr(_native, stub.name)
            for member in stub.body:
                if isinstance(member, ast.FunctionDef):
                    thing = kind if member.name == "__new__" else getattr(kind, member.name)
                    yield thing, member, f"{stub.name}.{member.name}"


def test_stubs_have_the_signatures_of_the_module() -> None:
    checked = 0
    for thing, stub, name in functions():
        dunder = stub.name.startswith("__") and stub.name != "__new__"
        if dunder or inspect.isgetsetdescriptor(thing):
            continue
        parameters = [p for p in inspect.signature(thing).parameters.values() if p.name != "self"]  # type: ignore[arg-type]
        assert [(p.name, p.default) for p in parameters] == arguments(stub), name
        checked += 1
    assert checked > 20


def test_stubs_name_everything_public() -> None:
    stubbed = {name.split(".")[0] for *_, name in functions()} | {"__version__"}
    public = {name for name in dir(_native) if not name.startswith("_")}
    assert public == stubbed - {"__version__"}
    for kind in (thing for thing in map(_native.__dict__.get, public) if inspect.isclass(thing)):
        members = {name for name in vars(kind) if not name.startswith("_")}
        assert members == {
            name.split(".")[1]
            for *_, name in functions()
            if name.startswith(kind.__name__ + ".") and "__" not in name
        }


def test_everything_public_has_a_docstring() -> None:
    for thing, _, name in functions():
        assert name.split(".")[-1].startswith("__") or inspect.getdoc(thing), name
    for name in quiver.__all__:
        thing = getattr(quiver, name)
        assert not callable(thing) or inspect.getdoc(thing), name
