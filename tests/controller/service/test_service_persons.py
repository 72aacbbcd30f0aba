"""Persons who prove themselves by a code before a device is lent or a line is recorded."""

from __future__ import annotations

import io
import tomllib
from typing import Any

import pytest

from controller.cli.main import run
from controller.service.errors import RequestError
from controller.service.persons import WAIT_S, WRONG_MAX, PersonConfig, Persons, fits, hash_code, take_codes
from controller.table.acts import By

T3, S1 = By("technician", "T3"), By("supervisor", "S1")
CODES: dict[str, object] = {"by": "123456", "second": "654321"}
KNOWN = (
    PersonConfig(name="T3", role="technician", code=hash_code("123456", b"a" * 16)),
    PersonConfig(name="S1", role="supervisor", code=hash_code("654321", b"b" * 16)),
)


class Clock:
    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


async def refusal(persons: Persons, codes: dict[str, object], **who: By | None) -> str:
    with pytest.raises(RequestError) as told:
        await persons.prove(codes, **who)
    assert told.value.status == 403
    return told.value.code


def test_a_code_is_held_as_a_salted_hash() -> None:
    stored = hash_code("123456", b"a" * 16)
    assert "123456" not in stored
    assert (fits(stored, "123456"), fits(stored, "123457"), stored == hash_code("123456", b"b" * 16)) == (True, False, False)


@pytest.mark.requirement("EQ-78", "EQ-81", "T-30")
async def test_both_persons_prove_themselves() -> None:
    persons = Persons(KNOWN)
    await persons.prove(CODES, by=T3, second=S1)
    await persons.prove({"by": "123456"}, by=T3, second=None)
    assert await refusal(persons, {"by": "123456"}, by=T3, second=S1) == "code-wanted"
    assert await refusal(persons, {**CODES, "second": "123456"}, by=T3, second=S1) == "code-wrong"
    assert await refusal(persons, {**CODES, "by": 123456}, by=T3, second=S1) == "code-wanted"
    assert await refusal(persons, CODES, by=By("technician", "T4"), second=S1) == "code-wrong"  # nobody knows this one
    assert await refusal(persons, CODES, by=By("supervisor", "T3"), second=S1) == "code-wrong"  # a code is of one role
    await Persons().prove({}, by=T3, second=S1)  # nobody is configured: people are taken on their word


async def test_who_guesses_waits() -> None:
    clock = Clock()
    noted: list[By] = []
    persons = Persons(KNOWN, note_wrong=noted.append, clock=clock)
    for _ in range(WRONG_MAX):
        assert await refusal(persons, {"by": "000000"}, by=T3) == "code-wrong"
    assert await refusal(persons, {"by": "123456"}, by=T3) == "code-wrong"  # even the right one
    assert noted == [T3] * WRONG_MAX
    await persons.prove({"by": "654321"}, by=S1)  # the others are free
    clock.now_s = WAIT_S
    await persons.prove({"by": "123456"}, by=T3)
    assert await refusal(persons, {"by": "000000"}, by=T3) == "code-wrong"
    await persons.prove({"by": "123456"}, by=T3)


def test_codes_are_taken_out_of_a_body() -> None:
    assert take_codes({"on": True, "codes": {"by": "1"}}) == ({"on": True}, {"by": "1"})
    assert take_codes({"on": True}) == ({"on": True}, {})
    assert take_codes([1]) == ([1], {})
    assert take_codes({"codes": "x"}) == ({"codes": "x"}, {})


def test_what_is_printed_is_what_the_configuration_takes(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("click.termui.hidden_prompt_func", lambda _prompt: "secret-code")
    assert run(["device", "code", "technician:T3"]) == 0
    [person] = tomllib.loads(capsys.readouterr().out)["person"]
    assert (person["name"], person["role"], fits(person["code"], "secret-code")) == ("T3", "technician", True)
    assert run(["device", "code", "player:P1"]) == 2
    assert "(wants-person)" in capsys.readouterr().err
    monkeypatch.setattr("click.termui.hidden_prompt_func", lambda _prompt: "12345")
    assert run(["device", "code", "technician:T3"]) == 2
    assert "(code-too-short)" in capsys.readouterr().err
    monkeypatch.setattr("sys.stdin", io.StringIO(""))


@pytest.mark.requirement("EQ-78")
async def test_the_daemon_lends_and_records_for_proved_persons_only(new_site: Any) -> None:
    async with new_site() as site:
        people = "\n".join(f'[[person]]\nname = "{p.name}"\nrole = "{p.role}"\ncode = "{p.code}"' for p in KNOWN)
        site.configure()
        site.file.write_text(site.file.read_text() + people)
        async with await site.start() as client:
            await site.shoe.host_running()
            path = "/v1/tables/T1/devices/shoe/"
            persons = {"by": "technician:T3", "second": "supervisor:S1"}
            for page, body in (("diagnosis", {"ticket": "WO-9", **persons}), ("capture", {"on": True, **persons})):
                answer = await client.post(path + page, json=body)
                assert (answer.status_code, answer.json()["code"]) == (403, "code-wanted")
                answer = await client.post(path + page, json={**body, "codes": {**CODES, "second": "000000"}})
                assert (answer.status_code, answer.json()["code"]) == (403, "code-wrong")
            assert (await client.post(path + "capture", json={"on": True, **persons, "codes": CODES})).json()["on"] is True
            assert (await client.post(path + "diagnosis", json={"ticket": "WO-9", **persons, "codes": CODES})).status_code == 200
            assert (await client.delete(path + "diagnosis")).json() == {"given_back": True}
            assert await site.end() == 0
