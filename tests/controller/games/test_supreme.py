"""Supreme Pai Gow by its sections, one rule at a time."""

from __future__ import annotations

import pytest

from controller.dealing.settings import Plain
from controller.games.pai_gow import vigorish_of
from controller.table.outcome import Outcome
from tests.controller.games.rounds import collect, decide, did, open_table, pay, places, refusal
from tests.controller.table.bench import Bench

GAME = "supreme-pai-gow"
MAIN = "supreme_pai_gow"
EXAMPLE = "As Ad 9c 9d 2c 3d 5h 6s Ks Kh 4s 2d Tc Th 6d 2h 3c 7h Qs 5d 2s 4d 7c Jh Qc Qd Kd 3h"
"""Stacks of seats 1 to 6 and the dealer."""
DEALER_HAND = {"seat": "dealer", "high": ["Qc", "Qd"], "low": ["Kd", "3h"]}


def table(cards: str = "", method: str = "automated-shoe", **house: Plain) -> Bench:
    return open_table(GAME, method, house, cards)


def dealt(bench: Bench, *seats: int, amount: object = 20, start: object = 1, **more: object) -> list[str]:
    """Wagers, the starting position, and all cards."""
    for seat in seats:
        did(bench, "wager", {"seat": seat, MAIN: amount, **more})
    did(bench, "close_bets")
    did(bench, "start", {"seat": start})
    return places(bench)


def all_set(bench: Bench, *seats: int, dealer: dict[str, object] | None = None) -> Outcome:
    """Players' hands are set face down, then the dealer's."""
    for seat in seats:
        did(bench, "set", {"seat": seat}, f"player:{seat}")
    return did(bench, "set", dealer or DEALER_HAND)


def one_seat(player: str, dealer: str, **house: Plain) -> Bench:
    """Seat 1 with four cards, high hand first, against the dealer's four."""
    bench = table(f"{player} {dealer}", seats=1, **house)
    dealt(bench, 1)
    did(bench, "set", {"seat": 1})
    named = dealer.split()
    did(bench, "set", {"seat": "dealer", "high": named[:2], "low": named[2:]})
    return bench


def result(bench: Bench, player: str) -> Outcome:
    """Expose seat 1 with its high hand first, and collect."""
    named = player.split()
    did(bench, "expose", {"seat": 1, "high": named[:2], "low": named[2:]})
    return collect(bench)


@pytest.mark.rule("13:69F-31.11(b)")
@pytest.mark.parametrize(
    ("value", "to"),
    [
        ({"number": 1}, "dealer"), ({"number": 2}, "seat 6"), ({"number": 7}, "seat 1"), ({"dice": 8}, "dealer"), ({"dice": 3}, "seat 5"),
        ({"dice": 14}, "seat 1"), ({"dice": 18}, "seat 4"), ({"seat": 3}, "seat 3"), ({"seat": "dealer"}, "dealer"),
    ],
)  # fmt: skip
def test_the_start_is_counted_counterclockwise_from_the_dealer_as_one(value: dict[str, object], to: str) -> None:
    bench = table(method="hand")
    did(bench, "wager", {"seat": 1})
    assert did(bench, "close_bets").state == "starting"
    assert did(bench, "start", value).to == to
    assert bench.card().to == to


@pytest.mark.rule("13:69F-31.11(b)")
@pytest.mark.parametrize(
    ("value", "code"),
    [({"dice": 2}, "bad-count"), ({"dice": 19}, "bad-count"), ({"number": 0}, "bad-count"), ({"number": 8}, "bad-count"),
     ({"seat": 7}, "bad-position"), ({"button": 1}, "bad-option")],
)  # fmt: skip
def test_a_start_that_cannot_be_is_refused(value: dict[str, object], code: str) -> None:
    bench = table()
    did(bench, "wager", {"seat": 1})
    assert refusal(bench, "start", {"seat": 1}) == "not-expected-now"
    did(bench, "close_bets")
    assert refusal(bench, "start", value) == code


@pytest.mark.rule("13:69F-31.8(c)", "house:dealt_positions")
def test_all_positions_are_dealt_or_only_those_with_a_wager_as_the_house_decides() -> None:
    around = ["seat 3", "seat 4", "seat 5", "seat 6", "dealer", "seat 1", "seat 2"]
    assert dealt(table(method="manual-shoe"), 1, 4, start=3) == around * 4
    assert dealt(table(method="manual-shoe", dealt_positions="wagered"), 1, 4, start=3) == ["seat 4", "dealer", "seat 1"] * 4


@pytest.mark.rule("13:69F-31.10(d)")
def test_one_stack_of_four_for_each_position_from_the_start() -> None:
    assert dealt(table(), 2, start="dealer") == ["dealer", *(f"seat {n}" for n in range(1, 7))]


@pytest.mark.rule("13:69F-31.8(d)")
@pytest.mark.parametrize("seats", range(1, 8))
@pytest.mark.parametrize("method", ["automated-shoe", "hand"])
def test_the_stub_is_52_less_4_for_each_position_and_the_dealer(seats: int, method: str) -> None:
    bench = table(method=method, seats=seats)
    dealt(bench, 1)
    assert bench.view().stub_expected == 52 - 4 * (seats + 1)


@pytest.mark.rule("13:69F-31.8(d)")
@pytest.mark.parametrize("wagers", range(1, 7))
def test_with_only_wagered_seats_the_stub_is_48_less_4_for_each(wagers: int) -> None:
    bench = table(dealt_positions="wagered")
    dealt(bench, *range(1, wagers + 1))
    assert bench.view().stub_expected == 48 - 4 * wagers


@pytest.mark.rule("13:69F-31.8(d)")
def test_hands_without_a_wager_are_collected_unexposed_right_after_the_stub() -> None:
    bench = table(EXAMPLE)
    dealt(bench, 1, 3, 4)
    assert bench.view().rack == 24 + 3 * 4
    assert bench.state.round is not None
    assert set(bench.state.round.hands) == {"seat 1", "seat 3", "seat 4", "dealer"}


@pytest.mark.rule("13:69F-34.12(f)", "13:69F-34.12(g)", "13:69F-34.12(h)", "13:69F-34.12(i)")
def test_the_worked_round() -> None:
    bench = table(EXAMPLE)
    did(bench, "wager", {"seat": 1, MAIN: 22})
    dealt(bench, 3, 4)
    all_set(bench, 1, 3, 4)
    assert refusal(bench, "expose", {"seat": 1, "high": ["As", "Ad"], "low": ["9c", "9d"]}) == "not-your-turn"
    did(bench, "expose", {"seat": 4, "high": ["Tc", "Th"], "low": ["6d", "2h"]})
    did(bench, "expose", {"seat": 3, "high": ["Ks", "Kh"], "low": ["4s", "2d"]})
    did(bench, "expose", {"seat": 1, "high": ["As", "Ad"], "low": ["9c", "9d"]})
    outcome = collect(bench)
    assert outcome.results == {"1": "win", "3": "push", "4": "lose"}
    assert outcome.pays == {"1": "20.75", "3": "0", "4": "-20"}


@pytest.mark.rule("13:69F-34.12(i)")
@pytest.mark.parametrize(
    ("rounding", "won", "vigorish"),
    [
        ("up-quarter", 2200, 125), ("up-quarter", 2000, 100), ("up-quarter", 500, 25), ("up-quarter", 1, 1), ("up-quarter", 501, 50),
        ("quarter", 2200, 100), ("quarter", 2300, 125), ("quarter", 250, 25), ("quarter", 249, 0), ("quarter", 2000, 100),
        ("cent", 2200, 110), ("cent", 10, 1), ("cent", 9, 0), ("cent", 1999, 100), ("cent", 1989, 99),
    ],
)  # fmt: skip
def test_the_vigorish_is_five_percent_of_the_win_rounded_as_the_house_chose(rounding: str, won: int, vigorish: int) -> None:
    assert vigorish_of(table(vigorish_rounding=rounding).procedure.settings, won) == vigorish


@pytest.mark.rule("13:69F-34.12(g)")
@pytest.mark.parametrize(
    ("player", "dealer", "word"),
    [
        ("As Ad 9c 9d", "Kc Kd 8h 8s", "win"),
        ("Ts Td 2c 3d", "Kc Kd 8h 8s", "lose"),
        ("As Ad 2c 3d", "Kc Kd 8h 8s", "push"),
        ("Ts Td 9c 9d", "Kc Kd 8h 8s", "push"),
    ],
)
def test_both_hands_must_be_higher_to_win_and_both_lower_to_lose(player: str, dealer: str, word: str) -> None:
    outcome = result(one_seat(player, dealer), player)
    assert outcome.results == {"1": word}
    assert pay(outcome, "1") == {"win": 1900, "lose": -2000, "push": 0}[word]


@pytest.mark.rule("13:69F-34.12(f)", "house:copies")
@pytest.mark.parametrize(
    ("player", "copies", "word"),
    [
        ("Qs Qh 8c 5d", "push", "push"), ("Qs Qh 8c 5d", "dealer", "lose"),
        ("Qs Qh Ac 5d", "push", "push"), ("Qs Qh Ac 5d", "dealer", "push"),
    ],
)  # fmt: skip
def test_a_copy_pushes_or_is_the_dealers_as_the_house_decides(player: str, copies: str, word: str) -> None:
    assert result(one_seat(player, "Qc Qd Kd 3h", copies=copies), player).results == {"1": word}


@pytest.mark.rule("13:69F-34.12(g)", "house:equal_high_and_low")
def test_an_equal_high_and_low_hand_waits_for_a_ruling() -> None:
    bench = one_seat("7s 7h 7d 7c", "5c 5d 4h 2s")
    outcome = did(bench, "expose", {"seat": 1, "high": ["7s", "7h"], "low": ["7d", "7c"]})
    assert (outcome.state, outcome.irregularity, outcome.remedy, outcome.alarm) == (
        "suspended", "wrong-set", "supervisor-decides", "wrong-set",
    )  # fmt: skip
    assert refusal(bench, "resolve", {"choose": "hand-dead"}) == "role-not-allowed"


@pytest.mark.rule("house:equal_high_and_low")
@pytest.mark.parametrize(("choose", "word"), [("hand-dead", "lose"), ("continue", "win")])
def test_the_supervisor_rules_on_an_equal_high_and_low_hand(choose: str, word: str) -> None:
    bench = one_seat("7s 7h 7d 7c", "5c 5d 4h 2s")
    did(bench, "expose", {"seat": 1, "high": ["7s", "7h"], "low": ["7d", "7c"]})
    assert bench.resolve(choose).state == "collecting"
    assert collect(bench).results == {"1": word}


@pytest.mark.rule("house:equal_high_and_low")
@pytest.mark.parametrize(("setting", "word"), [("loses", "lose"), ("stands", "win")])
def test_a_house_may_rule_on_it_beforehand(setting: str, word: str) -> None:
    bench = one_seat("7s 7h 7d 7c", "5c 5d 4h 2s", equal_high_and_low=setting)
    assert result(bench, "7s 7h 7d 7c").results == {"1": word}


@pytest.mark.rule("13:69F-34.12(a)", "13:69F-34.12(g)")
def test_a_high_hand_below_the_low_hand_loses() -> None:
    outcome = result(one_seat("9c 9d As Ad", "5c 5d 4h 2s"), "9c 9d As Ad")
    assert outcome.results == {"1": "lose"}
    assert "does not rank higher" in outcome.hands["1"]


@pytest.mark.rule("13:69F-34.12(g)")
def test_a_hand_set_as_three_and_one_loses() -> None:
    bench = one_seat("As Ad 9c 9d", "5c 5d 4h 2s")
    outcome = did(bench, "expose", {"seat": 1, "high": ["As", "Ad", "9c"], "low": ["9d"]})
    assert outcome.irregularity == "wrong-set"
    assert collect(bench).results == {"1": "lose"}


@pytest.mark.rule("13:69F-34.12(a)")
@pytest.mark.parametrize("groups", [{"high": ["As", "Ad"]}, {"low": ["9c"]}, {"high": ["As", "Ah"], "low": ["9c", "9d"]}])
def test_naming_less_than_the_hand_or_other_cards_is_a_slip_and_no_wrong_set(groups: dict[str, object]) -> None:
    bench = one_seat("As Ad 9c 9d", "5c 5d 4h 2s")
    assert refusal(bench, "expose", {"seat": 1, **groups}) == "bad-cards"


@pytest.mark.rule("13:69F-34.12(b)")
def test_a_set_hand_is_not_touched_again() -> None:
    bench = table(EXAMPLE)
    dealt(bench, 1, 3)
    did(bench, "set", {"seat": 1, "high": ["As", "Ad"], "low": ["9c", "9d"]})
    assert refusal(bench, "set", {"seat": 1}) == "not-your-turn"
    assert refusal(bench, "set", DEALER_HAND) == "not-your-turn"
    assert refusal(bench, "set", {"seat": 2}) == "not-wagered"


@pytest.mark.rule("13:69F-34.12(c)")
def test_a_hand_named_when_it_was_set_cannot_be_shown_as_another() -> None:
    bench = table(EXAMPLE)
    dealt(bench, 1)
    did(bench, "set", {"seat": 1, "high": ["As", "Ad"], "low": ["9c", "9d"]})
    did(bench, "set", DEALER_HAND)
    assert refusal(bench, "expose", {"seat": 1, "high": ["As", "9c"], "low": ["Ad", "9d"]}) == "bad-cards"
    did(bench, "expose", {"seat": 1})
    assert collect(bench).results == {"1": "win"}


@pytest.mark.rule("13:69F-34.12(e)")
@pytest.mark.parametrize("when", ["while hands are set", "after the own hand is set", "when the dealer's hand is up"])
def test_the_whole_wager_may_be_surrendered_until_the_hand_is_exposed(when: str) -> None:
    bench = table(EXAMPLE)
    dealt(bench, 1, 3)
    did(bench, "set", {"seat": 1})
    if when == "while hands are set":
        decide(bench, 3, "surrender")
        did(bench, "set", DEALER_HAND)
    else:
        did(bench, "set", {"seat": 3})
        if when == "when the dealer's hand is up":
            did(bench, "set", DEALER_HAND)
        decide(bench, 3, "surrender")
        if when == "after the own hand is set":
            did(bench, "set", DEALER_HAND)
    did(bench, "expose", {"seat": 1, "high": ["As", "Ad"], "low": ["9c", "9d"]})
    outcome = collect(bench)
    assert pay(outcome, "3") == -2000
    assert outcome.hands["3"] == "surrendered"


@pytest.mark.rule("13:69F-34.12(e)")
def test_an_exposed_hand_is_not_surrendered() -> None:
    bench = table(EXAMPLE)
    dealt(bench, 1, 3)
    all_set(bench, 1, 3)
    did(bench, "expose", {"seat": 3, "high": ["Ks", "Kh"], "low": ["4s", "2d"]})
    assert refusal(bench, "decide", {"seat": 3, "choose": "surrender"}) == "not-your-turn"
    assert refusal(bench, "decide", {"seat": 1, "choose": "surrender"}) is None


@pytest.mark.rule("13:69F-34.12(e)")
@pytest.mark.parametrize(("bonus", "racked"), [(None, 4), (5, 0)])
def test_surrendered_cards_are_racked_or_stay_under_the_bonus_wager(bonus: int | None, racked: int) -> None:
    bench = table(EXAMPLE)
    dealt(bench, 1, 3, **({"bonus": bonus} if bonus else {}))
    rack = bench.view().rack or 0
    assert (decide(bench, 3, "surrender").rack or 0) - rack == racked
    if bonus:
        did(bench, "set", {"seat": 1})
        did(bench, "set", DEALER_HAND)
        did(bench, "expose", {"seat": 1, "high": ["As", "Ad"], "low": ["9c", "9d"]})
        outcome = collect(bench)
        assert outcome.results["3"] == {MAIN: "lose", "bonus": "odds"}
        assert outcome.pays["3"] == {MAIN: "-20"}


@pytest.mark.rule("13:69F-34.12(c)", "house:house_way")
def test_without_a_house_way_the_dealers_setting_is_taken_as_named() -> None:
    bench = table(EXAMPLE)
    dealt(bench, 1)
    did(bench, "set", {"seat": 1})
    assert refusal(bench, "set", {"seat": "dealer"}) == "bad-cards"
    assert refusal(bench, "set", {"seat": "dealer", "high": ["Qc", "Qd", "Kd"], "low": ["3h"]}) == "bad-cards"
    assert refusal(bench, "set", DEALER_HAND) is None


@pytest.mark.rule("13:69F-34.12(d)", "house:house_way")
def test_with_a_house_way_the_dealer_sets_by_it_or_sets_again() -> None:
    bench = table(EXAMPLE, house_way=[{"prefer": "pair-high"}, {"prefer": "highest-high"}])
    dealt(bench, 1)
    did(bench, "set", {"seat": 1})
    wrong = did(bench, "set", {"seat": "dealer", "high": ["Qc", "Kd"], "low": ["Qd", "3h"]})
    assert (wrong.irregularity, wrong.remedy, wrong.state) == ("wrong-set", "reset-house-way", "setting")
    assert did(bench, "set", {"seat": "dealer"}).state == "settling"
    assert bench.state.round is not None
    assert {name: len(group) for name, group in bench.state.round.dealer_groups.items()} == {"high": 2, "low": 2}


@pytest.mark.rule("13:69F-31.8(d)")
def test_a_wrong_stub_voids_all_hands_and_its_explanation_decides_about_the_deck() -> None:
    for what, state in (({"what": "wrong-count", "seat": 5}, "void"), ({"what": "hands-counted-right"}, "quarantined")):
        bench = table(EXAMPLE)
        dealt(bench, 1)
        outcome = did(bench, "stub_count", 25)
        assert (outcome.state, outcome.irregularity, outcome.remedy) == ("void", "stub-count-wrong", "all-hands-void")
        assert outcome.pays == {"1": "0"}
        assert did(bench, "report", what).state == state
        assert refusal(bench, "report", what) == "not-expected-now"


def test_a_wrong_count_at_a_place_that_the_game_does_not_have_is_recorded_all_the_same() -> None:
    bench = table(EXAMPLE)
    dealt(bench, 1)
    did(bench, "stub_count", 25)
    assert did(bench, "report", {"what": "wrong-count", "area": "community"}).remedy == "all-hands-void"


@pytest.mark.rule("13:69F-34.12(f)")
def test_reported_rows_have_the_sheets_remedies() -> None:
    rows = {"player-card-exposed": "player-chooses", "dealer-card-exposed": "all-hands-void", "wrong-start": "all-hands-void"}
    for what, remedy in rows.items():
        bench = table(EXAMPLE)
        dealt(bench, 1)
        assert did(bench, "report", {"what": what, "seat": 1}).remedy == remedy
    bench = table(EXAMPLE)
    did(bench, "wager", {"seat": 1})
    did(bench, "close_bets")
    assert did(bench, "report", {"what": "invalid-roll"}).remedy == "shake-again"
    assert bench.view().state == "starting"
