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
        self._arrays: Dict[int, Tuple[pathlib.Path, Any]] = {}
        self.words: List[str] = []
        for number, value in enumerate(args):
            self.words += ["--arg", self._text(folder, number, value)]
        for number, (path, _) in self._arrays.items():
            self.words += ["--dump", f"{number}={path.with_suffix('.out')}"]

    def _text(self, folder: pathlib.Path, number: int, value: Any) -> str:
        if isinstance(value, str):  # Spec, or one written by hand
            return str(value)
        if is_array(value):
            import numpy
            array = numpy.ascontiguousarray(value)
            little = array.astype(array.dtype.newbyteorder("<"), copy=False)
            path = folder / f"argument{number}.bin"
            path.write_bytes(little.tobytes())
            self._arrays[number] = (path, array)
            return f"{element_type(array.dtype)}[{array.size}]=@{path}"
        if isinstance(value, (bool, int, float)) or hasattr(value, "dtype"):
            return _number(value)
        raise InputError(f"argument {number} is a {type(value).__name__}: it can be a NumPy array, a number or a "
                         "text such as 'f32[1024]=zero'")

    def outputs(self) -> Dict[int, Any]:
        """By position, each array as the kernel left it, with its shape."""
        found: Dict[int, Any] = {}
        for number, (path, array) in self._arrays.items():
            written = path.with_suffix(".out")
            if written.exists():
                import numpy
                kind = array.dtype.newbyteorder("<")
                found[number] = numpy.fromfile(written, dtype=kind).reshape(array.shape).astype(array.dtype)
        return found


def compile_words(include: Sequence[str], defines: Optional[Dict[str, Any]], std: Optional[str]) -> List[str]:
    words: List[str] = []
    for folder in include:
        words += ["-I", str(folder)]
    for name, value in (defines or {}).items():
        words += ["-D", name if value is None else f"{name}={value}"]
    return words + (["--std", std] if std else [])
