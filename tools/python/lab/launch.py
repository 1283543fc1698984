"""A launch's arguments in the words of `lab probe --arg`, arrays as raw little-endian files."""
from __future__ import annotations

import pathlib
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from .program import InputError

Size = Union[int, Sequence[int]]

# NumPy's kinds and widths, and the names that `--arg` has for them.
_TYPES = {"f2": "f16", "f4": "f32", "f8": "f64", "b1": "bool",
          "i1": "i8", "i2": "i16", "i4": "i32", "i8": "i64",
          "u1": "u8", "u2": "u16", "u4": "u32", "u8": "u64"}


class Spec(str):
    """A text for `--arg` as it is: lab.Spec("f32[1024]=iota"), lab.Spec("arg0+16")."""


def size_text(name: str, size: Size) -> str:
    """`64` or `(8, 8)` as `--grid` and `--block` take it."""
    parts = [size] if isinstance(size, int) else list(size)
    if not 1 <= len(parts) <= 3:
        raise InputError(f"{name} has one to three sizes, not {len(parts)}")
    return ",".join(str(int(part)) for part in parts)


def is_array(value: Any) -> bool:
    return hasattr(value, "__array_interface__") and getattr(value, "ndim", 0) > 0


def element_type(dtype: Any) -> str:
    name = _TYPES.get(f"{dtype.kind}{dtype.itemsize}")
    if name is None:
        raise InputError(f"a kernel's argument can't be of NumPy's type {dtype}; it can be: "
                         + ", ".join(sorted(_TYPES.values())))
    return name


def _number(value: Any) -> str:
    if isinstance(value, bool):
        return f"bool={'true' if value else 'false'}"
    if hasattr(value, "dtype"):  # NumPy's own numbers know their type
        kind = element_type(value.dtype)
        item = value.item()
        return f"{kind}={str(item).lower() if kind == 'bool' else repr(item)}"
    return repr(value)  # the kernel's declaration has the type


class Arguments:
    """The words of a launch's arguments. Arrays go through files in `folder`, and what the kernel
    left in them comes back by outputs()."""

    def __init__(self, folder: pathlib.Path, args: Sequence[Any]):
        self._args = list(args)
        self._arrays: Dict[str, Tuple[pathlib.Path, Any]] = {}  # by place: "2", or "2.0" in a struct
        self.words: List[str] = []
        for number, value in enumerate(args):
            self.words += ["--arg", self._text(folder, str(number), value)]
        for place, (path, _) in self._arrays.items():
            self.words += ["--dump", f"{place}={path.with_suffix('.out')}"]

    def _text(self, folder: pathlib.Path, place: str, value: Any) -> str:
        if isinstance(value, str):  # Spec, or one written by hand
            return str(value)
        if isinstance(value, tuple):
            fields = (self._text(folder, f"{place}.{i}", field) for i, field in enumerate(value))
            return "{" + ", ".join(fields) + "}"
        if is_array(value):
            import numpy
            array = numpy.ascontiguousarray(value)
            little = array.astype(array.dtype.newbyteorder("<"), copy=False)
            path = folder / f"argument{place.replace('.', '_')}.bin"
            path.write_bytes(little.tobytes())
            self._arrays[place] = (path, array)
            return f"{element_type(array.dtype)}[{array.size}]=@{path}"
        if isinstance(value, (bool, int, float)) or hasattr(value, "dtype"):
            return _number(value)
        raise InputError(f"argument {place} is a {type(value).__name__}: it can be a NumPy array, a number, a "
                         "tuple of them (a struct) or a text such as 'f32[1024]=zero'")

    def outputs(self) -> Dict[int, Any]:
        """By position, each array as the kernel left it, with its shape; a tuple that has some, as a tuple."""
        found: Dict[int, Any] = {}
        for number, value in enumerate(self._args):
            left = self._left(str(number), value)
            if left is not value:
                found[number] = left
        return found

    def _left(self, place: str, value: Any) -> Any:
        """What is there now; `value` itself where the kernel can't have changed it."""
        if isinstance(value, tuple):
            left = tuple(self._left(f"{place}.{i}", field) for i, field in enumerate(value))
            return left if any(new is not old for new, old in zip(left, value)) else value
        if place not in self._arrays:
            return value
        path, array = self._arrays[place]
        written = path.with_suffix(".out")
        if not written.exists():
            return value
        import numpy
        kind = array.dtype.newbyteorder("<")
        return numpy.fromfile(written, dtype=kind).reshape(array.shape).astype(array.dtype)


def compile_words(include: Sequence[str], defines: Optional[Dict[str, Any]], std: Optional[str]) -> List[str]:
    words: List[str] = []
    for folder in include:
        words += ["-I", str(folder)]
    for name, value in (defines or {}).items():
        words += ["-D", name if value is None else f"{name}={value}"]
    return words + (["--std", std] if std else [])
