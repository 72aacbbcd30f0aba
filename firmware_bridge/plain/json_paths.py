"""Values of a JSON tree by a path of names with points between."""

from __future__ import annotations

from device_profiles.errors import FieldRangeError


def at_path(tree: object, path: str) -> object:
    """The value at a path of names and numbers; None where there is none."""
    for key in path.split("."):
        if isinstance(tree, dict):
            tree = tree.get(key)
        elif isinstance(tree, list) and key.isdecimal() and int(key) < len(tree):
            tree = tree[int(key)]
        else:
            return None
    return tree


def put_at_path(tree: dict[str, object], path: str, value: object) -> None:
    """Put a value at a path, objects on the way are made.

    Raises:
        FieldError: something else stands on the way.
    """
    *above, last = path.split(".")
    for key in above:
        inner = tree.setdefault(key, {})
        if not isinstance(inner, dict):
            raise FieldRangeError(f"{path[:80]}: a value stands where an object is needed")
        tree = inner
    tree[last] = value
