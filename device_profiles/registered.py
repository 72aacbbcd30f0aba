"""Fields whose numbers stand in a registry: what is not registered is refused, with what is, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from device_profiles.errors import FieldError, FieldRangeError, shortened
from device_profiles.schema import Field, Registry
from device_profiles.values import FieldValue, Tables


def registered_reader(field: Field, registry: Registry) -> Callable[[int], FieldValue]:
    """Return what takes a registered number."""

    def read(number: int) -> FieldValue:
        _verify_known(field, registry, number)
        return number

    return read


def registered_writer(field: Field, registry: Registry) -> Callable[[FieldValue], int]:
    """Return what writes a registered number, or the one that a name stands for."""

    def write(value: FieldValue) -> int:
        if isinstance(value, str):
            if value not in registry.entries:
                raise FieldError(f"field '{field.name}' takes {shortened(registry.words())}, not '{value[:40]}'")
            return registry.entries[value].number
        if isinstance(value, bool) or not isinstance(value, int):
            raise FieldError(f"field '{field.name}' takes {shortened(registry.words())}")
        _verify_known(field, registry, value)
        return value

    return write


def shape_checks(fields: Sequence[Field], tables: Tables) -> tuple[Callable[[Mapping[str, FieldValue]], None], ...]:
    """Return what checks the values of fields that another field's registry shapes. They raise FieldRangeError."""
    registries = {field.name: tables.registries[field.registry] for field in fields if field.registry is not None}
    return tuple(
        _shape_check(field, field.shaped_by, registries[field.shaped_by])
        for field in fields
        if field.shaped_by is not None and field.shaped_by in registries
    )


def _shape_check(field: Field, key: str, registry: Registry) -> Callable[[Mapping[str, FieldValue]], None]:
    def verify(values: Mapping[str, FieldValue]) -> None:
        told, content = values.get(key), values.get(field.name)
        entry = registry.entries.get(told) if isinstance(told, str) else registry.entry_of(told) if isinstance(told, int) else None
        if entry is None or entry.size is None or not isinstance(content, bytes | bytearray):
            return
        name = registry.name_of(entry.number)
        if len(content) != entry.size:
            raise FieldRangeError(f"field '{field.name}' of {name} takes {entry.size} bytes, not {len(content)}")
        number = int.from_bytes(content, "big")
        high = entry.max if entry.max is not None else (1 << 8 * entry.size) - 1
        if not entry.min <= number <= high:
            raise FieldRangeError(f"field '{field.name}' of {name} takes a number from {entry.min} to {high}, not {number}")

    return verify


def _verify_known(field: Field, registry: Registry, number: int) -> None:
    if registry.name_of(number) is None:
        raise FieldRangeError(f"field '{field.name}' has no value {number}: it takes {shortened(registry.words())}")
