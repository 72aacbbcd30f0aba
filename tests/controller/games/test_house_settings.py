"""House settings of every game: defaults, allowed values, what is refused and with which citation."""

from __future__ import annotations

import dataclasses

import pytest

from controller.dealing.procedure import ProcedureError, build_procedure
from controller.dealing.rules import Standing
from controller.dealing.settings import Plain, Setting, SettingError, resolve_settings
from controller.games import GAMES, UnknownGameError, find_game
from tests.controller.table.bench import HOUSES, METHOD_HOUSES

ALL = [(key, setting.name) for key, game in GAMES.items() for setting in game.settings]
DEFAULTS: dict[tuple[str, str], Plain] = {
    ("colorado-hold-em-poker", "seats"): 6,
    ("colorado-hold-em-poker", "bet_size"): 1,
    ("colorado-hold-em-poker", "stub_count_every"): 5,
    ("colorado-hold-em-poker", "stack_community"): "stack",
    ("colorado-hold-em-poker", "lowest_paid_pair"): None,
    ("colorado-hold-em-poker", "pay_table"): {},
    ("colorado-hold-em-poker", "immediate_winners"): {},
    ("fast-action-hold-em", "decks"): 6,
    ("fast-action-hold-em", "shoe_start_burn"): True,
    ("fast-action-hold-em", "natural"): None,
    ("fast-action-hold-em", "methods_permitted"): ["manual-shoe"],
    ("winners-pot-poker", "bet_size"): 1,
    ("winners-pot-poker", "double_size"): 2,
    ("winners-pot-poker", "commission_percent"): 10,
    ("winners-pot-poker", "commission_fixed"): None,
    ("winners-pot-poker", "stub_count_every"): 5,
    ("supreme-pai-gow", "dealt_positions"): "all",
    ("supreme-pai-gow", "copies"): "push",
    ("supreme-pai-gow", "vigorish_rounding"): "up-quarter",
    ("supreme-pai-gow", "equal_high_and_low"): "supervisor",
    ("supreme-pai-gow", "stub_count_every"): 5,
}
SHAPED: dict[str, tuple[list[Plain], list[Plain]]] = {
    "pay_table": ([{}, {"flush": 5}], [{"flash": 5}, {"flush": -1}, {"flush": "5"}, {"flush": True}, ["flush"], 5]),
    "jacks_plus_table": ([{}, {"pair": 1}], [{"jacks": 1}, {"pair": 1.5}, "none"]),  # type: ignore[list-item, dict-item]
    "natural": ([None, ["four-of-a-kind"]], [["five-aces"], [], "four-of-a-kind"]),
    "methods_permitted": ([["manual-shoe"], ["hand", "manual-shoe"]], [[], ["foot"], "manual-shoe"]),
}
"""Settings checked by their shape: (fine, not fine)."""


def setting_of(game: str, name: str) -> Setting:
    return GAMES[game].setting(name)


def a_method(game: str) -> str:
    """A method that the game has."""
    return next(iter(GAMES[game].deals)).value


def build(game: str, house: dict[str, Plain]) -> None:
    build_procedure(GAMES[game], a_method(game), {**HOUSES.get(game, {}), **house})


@pytest.mark.parametrize(("game", "name"), ALL)
def test_the_default_is_allowed_and_every_setting_says_what_it_rests_on(game: str, name: str) -> None:
    setting = setting_of(game, name)
    build(game, {name: setting.default})
    assert setting.meaning
    assert setting.rule.citation
    assert setting.allowed_words
    assert setting.rule.standing is not Standing.MEMORY, "a memory is no ground for a setting"


@pytest.mark.parametrize(("game", "name"), list(DEFAULTS))
def test_defaults_are_those_that_were_decided(game: str, name: str) -> None:
    assert setting_of(game, name).default == DEFAULTS[game, name]


@pytest.mark.parametrize(("game", "name"), [(g, n) for g, n in ALL if GAMES[g].setting(n).allowed is not None])
def test_each_allowed_word_is_taken_and_any_other_is_refused(game: str, name: str) -> None:
    setting = setting_of(game, name)
    assert setting.allowed is not None
    for value in setting.allowed:
        build(game, {name: value})
    for value in ("no such word", 17, -1, ["x"]):
        with pytest.raises(SettingError, match=f"{game}: {name} = ") as refused:
            build(game, {name: value})  # type: ignore[dict-item]
        assert refused.value.code == "bad-setting"
        assert setting.allowed_words in refused.value.what


@pytest.mark.parametrize(("game", "name"), [(g, n) for g, n in ALL if GAMES[g].setting(n).between is not None])
def test_numbers_are_taken_within_their_limits_only(game: str, name: str) -> None:
    setting = setting_of(game, name)
    assert setting.between is not None
    low, high = setting.between
    for value in (low, high):
        build(game, {name: value})
    for bad in (low - 1, high + 1, "5", True, 2.5, [low]):
        with pytest.raises(SettingError, match=f"it takes {setting.allowed_words}"):
            build(game, {name: bad})  # type: ignore[dict-item]


@pytest.mark.rule("13:69F-23.8(e)")
def test_a_limit_of_the_law_is_cited_when_it_is_passed() -> None:
    with pytest.raises(SettingError, match=r"13:69F-23\.8\(e\)"):
        build("colorado-hold-em-poker", {"stub_count_every": 6})


@pytest.mark.rule("13:69F-33.10(h)")
def test_the_commission_is_at_most_ten_percent() -> None:
    build("winners-pot-poker", {"commission_percent": 10})
    with pytest.raises(SettingError, match=r"13:69F-33\.10\(h\)"):
        build("winners-pot-poker", {"commission_percent": 11})


@pytest.mark.rule("13:69E-1.13L(a)")
@pytest.mark.parametrize("seats", [5, 8])
def test_colorado_has_six_or_seven_seats(seats: int) -> None:
    with pytest.raises(SettingError, match="6 to 7"):
        build("colorado-hold-em-poker", {"seats": seats})


@pytest.mark.parametrize("name", sorted(SHAPED))
def test_tables_and_lists_are_checked_when_the_procedure_is_built(name: str) -> None:
    game = next(key for key, game in GAMES.items() if any(setting.name == name for setting in game.settings))
    fine, wrong = SHAPED[name]
    for value in fine:
        build(game, {name: value})
    for value in wrong:
        with pytest.raises(SettingError, match=name):
            build(game, {name: value})


@pytest.mark.parametrize(
    ("game", "row"),
    [
        ("fast-action-hold-em", {"prefer": "runing"}), ("fast-action-hold-em", {"prefer": "pair"}), ("supreme-pai-gow", {"prefer": "pair"}),
        ("supreme-pai-gow", {"prefer": "pair-high", "suited": True}),
    ],
)  # fmt: skip
def test_a_house_way_that_cannot_be_followed_is_refused(game: str, row: dict[str, Plain]) -> None:
    with pytest.raises(SettingError, match="house_way"):
        build(game, {"house_way": [row]})


@pytest.mark.parametrize(("game", "typo", "meant"), [
    ("colorado-hold-em-poker", "stub_count_evry", "stub_count_every"), ("fast-action-hold-em", "deck", "decks"),
    ("winners-pot-poker", "comission_percent", "commission_percent"), ("supreme-pai-gow", "vigorish_round", "vigorish_rounding"),
])  # fmt: skip
def test_an_unknown_setting_names_the_nearest(game: str, typo: str, meant: str) -> None:
    with pytest.raises(SettingError, match=f"did you mean '{meant}'") as refused:
        build(game, {typo: 1})
    assert refused.value.code == "unknown-setting"
    assert game in refused.value.do


def test_an_unknown_game_or_method_names_the_nearest() -> None:
    with pytest.raises(UnknownGameError, match="did you mean 'supreme-pai-gow'"):
        find_game("supreme-pai-go")
    with pytest.raises(ProcedureError, match="did you mean 'automated-shoe'") as refused:
        build_procedure(GAMES["supreme-pai-gow"], "automatic-shoe")
    assert refused.value.code == "unknown-method"


def test_more_seats_than_the_deck_serves_are_refused() -> None:
    game = dataclasses.replace(GAMES["supreme-pai-gow"], cards_needed=lambda settings, seats: 8 * (seats + 1))
    build_procedure(game, "hand", {"seats": 5})
    with pytest.raises(ProcedureError, match=r"6 seats x 4 cards \+ 4 for the dealer \+ 28 .* = 56, but the deck has 52") as refused:
        build_procedure(game, "hand", {"seats": 6})
    assert refused.value.code == "too-many-seats"


@pytest.mark.parametrize("game", list(GAMES))
def test_the_most_seats_of_every_game_are_served_by_its_smallest_deck(game: str) -> None:
    between = GAMES[game].setting("seats").between
    assert between is not None
    smallest: dict[str, Plain] = {"decks": 2} if game == "fast-action-hold-em" else {}
    build(game, {"seats": between[1], **smallest})


@pytest.mark.parametrize("game", list(GAMES))
def test_the_rules_hash_follows_every_setting_and_method_and_nothing_else(game: str) -> None:
    base = build_procedure(GAMES[game], a_method(game), HOUSES.get(game, {}))
    again = build_procedure(GAMES[game], a_method(game), dict(HOUSES.get(game, {})))
    assert base.rules_hash == again.rules_hash
    hashes = {base.rules_hash}
    for method in GAMES[game].deals:
        house = {**HOUSES.get(game, {}), **METHOD_HOUSES.get((game, method.value), {})}
        hashes.add(build_procedure(GAMES[game], method, house).rules_hash)
    assert len(hashes) == len(GAMES[game].deals)
    for setting in GAMES[game].settings:
        at_base = HOUSES.get(game, {}).get(setting.name, setting.default)
        other = next((value for value in setting.allowed or () if value != at_base), None)
        if other is not None:
            changed = build_procedure(GAMES[game], a_method(game), {**HOUSES.get(game, {}), setting.name: other})
            assert changed.rules_hash not in hashes


def test_settings_given_do_not_change_the_defaults_of_others() -> None:
    known = GAMES["winners-pot-poker"].settings
    values = resolve_settings(known, {"seats": 3}, "winners-pot-poker").as_dict()
    assert values == {**{setting.name: setting.default for setting in known}, "seats": 3}
