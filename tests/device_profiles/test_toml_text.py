"""What anybody may write as TOML is read in bounded time, and refused in one way."""

from __future__ import annotations

import time

import pytest

from device_profiles.toml_text import KEY_PARTS_MAX, TomlTextError, parse_toml

LONGEST_S = 60.0
"""What took minutes takes a second here; the rest is for a busy machine."""

DOTTED = "a." * (KEY_PARTS_MAX - 1) + "a"


@pytest.mark.requirement("T-27")
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a." * 500_000 + "a = 1", "dotted key"),
        ("'a'. " * 200_000 + "a = 1", "dotted key"),
        ('"\\"" . ' * 150_000 + "a = 1", "dotted key"),
        ("[" + "a." * 500_000 + "a]", "dotted key"),
        ("a = { " + "b." * 500_000 + "c = 1 }", "dotted key"),
        (f"a.{DOTTED} = 1", "dotted key"),
        (f"[{DOTTED}]\n{DOTTED} = 1", "nests more than"),
        ("a = " + "[" * 5000 + "]" * 5000, "nested too deeply"),
        ("a = " + "[" * 40 + "]" * 40, "nests more than 32"),
        ("a = " + "9" * 5000, "too many digits"),
        ("a = 0x" + "f" * 100_000, "64 bits"),
        (f"a = [{{ b = {2**63} }}]", "64 bits"),
        (f"a = {-(2**63) - 1}", "64 bits"),
        (b"a = '\xff'", "UTF-8"),
        ('"' + '\\"' * 500_000, "not valid TOML"),
        ("'" * 1_000_000, "not valid TOML"),
        ("a = 1\na = 2", "not valid TOML"),
    ],
    ids=range(17),
)
def test_a_hostile_text_is_refused_in_time(text: str | bytes, told: str) -> None:
    began = time.monotonic()
    with pytest.raises(TomlTextError, match=told) as caught:
        parse_toml(text)
    assert time.monotonic() - began < LONGEST_S
    assert len(str(caught.value)) < 200


def test_dots_in_texts_and_comments_make_no_key() -> None:
    dots = "a." * 100
    text = f"""
    # {dots}
    a = "{dots}\\" {dots}"  # {dots}
    b = '{dots}'
    c = \"\"\"
    {dots} "quoted" {dots}\"\"\"
    d = '''{dots} 'quoted' {dots}'''
    e = [{"1.5, " * 200}]
    {DOTTED.replace("a", "f")} = 1
    """
    read = parse_toml(text)
    assert read["b"] == dots
    assert read["a"] == f'{dots}" {dots}'
    assert len(read) == 6


def test_numbers_of_64_bits_are_read() -> None:
    assert parse_toml(f"a = {2**63 - 1}\nb = {-(2**63)}\nc = true\nd = 1e99999") == {
        "a": 2**63 - 1,
        "b": -(2**63),
        "c": True,
        "d": float("inf"),
    }
