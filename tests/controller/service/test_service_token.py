"""The API's token: made once for this account alone, kept, and refused when others can read it."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.service.errors import StartError
from controller.service.token import check_token_file, is_token, open_token


def test_a_token_is_made_once_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "token"
    check_token_file(path)
    assert not path.exists()
    token = open_token(path)
    assert len(token) == 64
    assert path.stat().st_mode & 0o777 == 0o600
    assert open_token(path) == token
    assert is_token(token, token)
    assert not is_token(token[:-1], token)
    assert not is_token("\udcff", token)


def test_bad_token_files_are_told(tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text("a" * 64)
    path.chmod(0o644)
    with pytest.raises(StartError) as caught:
        check_token_file(path)
    assert caught.value.code == "token-open-to-others"
    path.chmod(0o600)
    path.write_text("short")
    with pytest.raises(StartError) as caught:
        open_token(path)
    assert caught.value.code == "token-too-short"
    with pytest.raises(StartError) as caught:
        check_token_file(tmp_path / "nowhere" / "token")
    assert caught.value.code == "token-not-writable"
