"""Double Attack Blackjack and Triple Attack Blackjack by their sections, one rule at a time."""

from __future__ import annotations

import pytest

from controller.dealing.procedure import build_procedure
from controller.dealing.settings import Plain
from controller.games import GAMES
from controller.games.double_attack_blackjack import bonus_name
from controller.table.outcome import Outcome
from firmware_bridge.cards import parse_card
from tests.controller.games.rounds import bets, collect, decide, did, open_table, pay, places, refusal
from tests.controller.table.bench import Bench

DOUBLE, TRIPLE = "double-attack-blackjack", "triple-attack-blackjack"


def double(cards: str, attack: object = None, *, amount: object = 10, house: dict[str, Plain] | None = None, **more: object) -> Bench:
    """One box; the cards come as dealer, box, box, hole card, then what is drawn."""
    bench = open_table(DOUBLE, "manual-shoe", {"shoe_start_burn": False, **(house or {})}, cards)
    bets(bench, 1, amount=amount, **more)
    places(bench)
    if attack is None:
        decide(bench, 1, "none")
    else:
        decide(bench, 1, "double_attack", amount=attack)
    return bench


def triple(cards: str, second: bool = False, third: bool = False, house: dict[str, Plain] | None = None) -> Bench:
    """One box; the cards come as box, dealer, box, hole card, then what is drawn."""
    bench = open_table(TRIPLE, "manual-shoe", {"shoe_start_burn": False, **(house or {})}, cards)
    bets(bench, 1)
    for name, taken in (("second_attack", second), ("third_attack", third)):
        places(bench)
        decide(bench, 1, name if taken else "none")
    places(bench)
    return bench


def finish(bench: Bench) -> Outcome:
    if "expose" in bench.view().next:
        did(bench, "expose", {"seat": "dealer"})
    places(bench)
    return collect(bench)


# ---- double attack


@pytest.mark.rule("13:69F-26.11(a)", "13:69F-26.7(b)")
def test_the_dealers_first_card_comes_before_the_players() -> None:
    bench = open_table(DOUBLE, "manual-shoe", {"shoe_start_burn": False}, "6h Kd As 5c Jh 9c")
    bets(bench, 3, 1)
    assert (places(bench), bench.view().state) == (["dealer"], "deciding")
    decide(bench, 3, "none")
    decide(bench, 1, "double_attack")
    assert places(bench) == ["seat 1", "seat 3", "seat 1", "seat 3", "dealer"]


@pytest.mark.rule("13:69F-26.5(a)")
def test_a_double_attack_is_at_most_the_initial_wager_and_rides_on_the_same_cards() -> None:
    bench = open_table(DOUBLE, "manual-shoe", {"shoe_start_burn": False}, "6h Kd 9c Jc 8d")
    bets(bench, 1)
    places(bench)
    assert refusal(bench, "decide", {"seat": 1, "choose": "double_attack", "amount": 11}) == "bad-amount"
    decide(bench, 1, "double_attack", amount=4)
    places(bench)
    decide(bench, 1, "stand")
    outcome = finish(bench)
    assert outcome.pays["1"] == {"initial": "10", "double_attack": "4"}


@pytest.mark.rule("13:69F-26.5(a)3", "13:69F-26.1")
@pytest.mark.parametrize(("hole", "result", "net"), [("9h", "win", 2000), ("Kh", "push", 0)])
def test_a_blackjack_pays_even_money_on_both_wagers_unless_the_dealer_has_one(hole: str, result: str, net: int) -> None:
    bench = double(f"Ad As Kd {hole} 5c", attack=10)
    decide(bench, 1, "none")
    places(bench)
    outcome = finish(bench)
    assert (outcome.results["1"], pay(outcome, "1")) == (result, net)


@pytest.mark.rule("13:69F-26.11(a)")
@pytest.mark.parametrize(("odds", "net"), [("5 to 2", "12.50"), ("3 to 1", "15")])
def test_insurance_is_at_most_half_of_both_wagers(odds: str, net: str) -> None:
    bench = double("Ad 9c 9s Kh", attack=10, house={"insurance_odds": odds})
    assert refusal(bench, "decide", {"seat": 1, "choose": "insurance", "amount": "10.01"}) == "bad-amount"
    decide(bench, 1, "insurance", amount=5)
    places(bench)
    did(bench, "hole_check", {"blackjack": True})
    pays = finish(bench).pays["1"]
    assert isinstance(pays, dict)
    assert float(pays.pop("insurance")) == float(net)
    assert pays == {"initial": "-10", "double_attack": "-10"}


@pytest.mark.rule("house:insurance_moment")
def test_a_house_may_take_insurance_after_the_deal() -> None:
    bench = double("Ad 9c 9s Kh", house={"insurance_moment": "after-the-deal"})
    assert places(bench) == ["seat 1", "seat 1", "dealer"]
    decide(bench, 1, "insurance")
    assert bench.view().turn == "seat 1"


@pytest.mark.rule("house:second_dealer_card")
def test_a_house_may_draw_the_second_dealer_card_when_all_have_played() -> None:
    bench = double("6d 9c 9s 8h 5c", house={"second_dealer_card": "after-the-players"})
    assert places(bench) == ["seat 1", "seat 1"]
    assert "hole_check" not in bench.view().next
    assert decide(bench, 1, "stand").gate == "open"
    assert places(bench) == ["dealer", "dealer"]
    outcome = collect(bench)
    assert (outcome.results["1"], [card.name for card in bench.places["dealer"]]) == ("lose", ["6d", "8h", "5c"])


@pytest.mark.rule("13:69F-26.8(a)")
@pytest.mark.parametrize("when", ["at once", "after a card", "after doubling"])
def test_half_of_all_wagers_is_surrendered_at_any_time(when: str) -> None:
    bench = double("6d 4c 3s 9h 2c 2d", attack=10)
    places(bench)
    if when == "after a card":
        decide(bench, 1, "hit")
        bench.card()
    elif when == "after doubling":
        decide(bench, 1, "double", amount=20)
        bench.card()
    decide(bench, 1, "surrender")
    assert pay(finish(bench), "1") == (-2000 if when == "after doubling" else -1000)


@pytest.mark.rule("13:69F-26.10(a)")
def test_the_second_hand_matches_both_wagers() -> None:
    bench = double("6d Kc Qs 9h 5c 6c", attack=10)
    places(bench)
    assert refusal(bench, "decide", {"seat": 1, "choose": "split", "amount": 10}) == "bad-amount"
    decide(bench, 1, "split", amount=20)
    assert bench.state.round is not None
    both = {"initial": 1000, "double_attack": 1000}
    assert [hand.wagers for hand in bench.state.round.played.values()] == [both, both]


@pytest.mark.rule("13:69F-26.6(a)")
@pytest.mark.parametrize(
    ("cards", "name"),
    [
        ("6h 9c Kh", "K"), ("6h Jc Qh", "Q"), ("6h 9c 9h", "9"), ("6h 9c 8h", "8"), ("7h 9c 7h", "7"), ("6h Kc 6h", "6"),
        ("8h 8d 8h", "8-8-8-coloured"), ("8h 8h 8h", "8-8-8-suited"), ("8c 8h 8d", "8"), ("6h 9c 6d", ""),
        ("6h 2c 3d Kh Qc", ""), ("Kh Qd", ""),
    ],
)  # fmt: skip
def test_the_bonus_goes_by_the_third_card_of_a_bust(cards: str, name: str) -> None:
    assert bonus_name(tuple(parse_card(card) for card in cards.split())) == name


@pytest.mark.rule("13:69F-26.6(a)")
@pytest.mark.parametrize(("third", "net"), [("Kd", 1500), ("9d", 3000), ("8d", 4000), ("7d", 5000), ("5d", -500)])
def test_the_bonus_is_settled_although_the_player_is_out(third: str, net: int) -> None:
    bench = double(f"6h 9c 7c 9d Kc {third}", bonus=5)
    places(bench)
    decide(bench, 1, "hit")
    bench.card()
    pays = finish(bench).pays["1"]
    assert isinstance(pays, dict)
    assert (pays["initial"], float(pays["bonus"]) * 100) == ("-10", net)


@pytest.mark.rule("13:69F-26.6(b)")
@pytest.mark.parametrize(
    ("initial", "bonus", "refused"), [(10, 10, None), (10, 11, "bad-amount"), (100, 50, None), (100, 51, "bad-amount")]
)
def test_the_bonus_is_at_most_the_initial_wager_and_fifty(initial: int, bonus: int, refused: str | None) -> None:
    bench = open_table(DOUBLE, "manual-shoe", {})
    assert refusal(bench, "wager", {"seat": 1, "bonus": 5}) == "not-wagered"
    assert refusal(bench, "wager", {"seat": 1, "initial": initial, "bonus": bonus}) == refused


# ---- triple attack


@pytest.mark.rule("published sheets")
def test_the_up_card_comes_after_the_second_attack_and_the_second_cards_after_the_third() -> None:
    bench = open_table(TRIPLE, "manual-shoe", {"shoe_start_burn": False})
    bets(bench, 1, 2)
    assert places(bench) == ["seat 1", "seat 2"]
    assert refusal(bench, "decide", {"seat": 2, "choose": "second_attack"}) == "not-your-turn"
    decide(bench, 1, "second_attack")
    decide(bench, 2, "none")
    assert places(bench) == ["dealer"]
    decide(bench, 1, "none")
    decide(bench, 2, "third_attack", amount=10)
    assert places(bench) == ["seat 1", "seat 2", "dealer"]


@pytest.mark.rule("published sheets")
@pytest.mark.parametrize(("second", "third", "net"), [(False, False, 1000), (True, False, 2000), (False, True, 2000), (True, True, 3000)])
def test_all_attacks_win_together_and_a_blackjack_pays_even_money(second: bool, third: bool, net: int) -> None:
    bench = triple("As 7c Kd 9c", second, third)
    assert pay(collect(bench), "1") == net


@pytest.mark.rule("published sheets")
@pytest.mark.parametrize(("last", "result"), [("6h", "push"), ("7h", "win"), ("5h", "lose")])
def test_a_dealers_twenty_two_pushes_and_twenty_three_busts(last: str, result: str) -> None:
    bench = triple(f"9s 6c Kc Jh {last}")
    decide(bench, 1, "stand")
    assert finish(bench).results["1"] == result


@pytest.mark.rule("published sheets")
def test_a_double_and_a_split_match_all_attacks() -> None:
    bench = triple("8s 6c 8c Jh 2c", third=True)
    for word in ("double", "split"):
        assert refusal(bench, "decide", {"seat": 1, "choose": word, "amount": 10}) == "bad-amount"
    decide(bench, 1, "split")
    bench.card()
    decide(bench, 1, "double", hand=1)
    assert bench.state.round is not None
    assert bench.state.round.played["seat 1 hand 1"].wagers == {"first_attack": 1000, "third_attack": 1000, "double": 2000}


@pytest.mark.rule("published sheets")
def test_six_cards_win_before_the_dealer_draws() -> None:
    bench = triple("2s 6c 2c Jh 2h 3c 3d 3h Kc")
    for _ in range(4):
        decide(bench, 1, "hit")
        bench.card()
    assert bench.view().state == "collecting"
    assert pay(collect(bench), "1") == 1000


@pytest.mark.rule("published sheets")
@pytest.mark.parametrize(("hole", "net"), [("Kd", 2500), ("Kc", 1000), ("9d", -500)])
def test_insurance_pays_more_against_a_blackjack_of_one_suit(hole: str, net: int) -> None:
    bench = triple(f"9s Ad 9c {hole} 8c 8d")
    decide(bench, 1, "insurance", amount=5)
    decide(bench, 1, "stand")
    pays = finish(bench).pays["1"]
    assert isinstance(pays, dict)
    assert float(pays["insurance"]) * 100 == net


@pytest.mark.rule("13:69F-26.2(a)")
@pytest.mark.parametrize(("game", "usual"), [(DOUBLE, 288), (TRIPLE, 384)])
def test_the_shoe_holds_six_or_eight_decks_without_tens(game: str, usual: int) -> None:
    assert build_procedure(GAMES[game], "manual-shoe", {}).deck.cards == usual
    assert {build_procedure(GAMES[game], "manual-shoe", {"decks": decks}).deck.cards for decks in (6, 8)} == {288, 384}
