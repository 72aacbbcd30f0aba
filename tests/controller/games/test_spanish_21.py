"""Spanish 21 by its sections, one rule at a time."""

from __future__ import annotations

import pytest

from controller.dealing.procedure import build_procedure
from controller.dealing.settings import Plain, SettingError
from controller.games import GAMES
from controller.games.spanish_21 import bonus_name
from firmware_bridge.cards import parse_card
from tests.controller.games.rounds import bets, collect, decide, did, open_table, pay, places, refusal
from tests.controller.table.bench import Bench

GAME = "spanish-21"


def dealt(cards: str, *seats: int, amount: object = 10, house: dict[str, Plain] | None = None, **more: object) -> Bench:
    bench = open_table(GAME, "manual-shoe", {"shoe_start_burn": False, **(house or {})}, cards)
    bets(bench, *(seats or (1,)), amount=amount, **more)
    places(bench)
    return bench


def draw(bench: Bench, cards: int, seat: int = 1) -> None:
    for _ in range(cards):
        decide(bench, seat, "hit")
        bench.card()


@pytest.mark.rule("13:69E-1.10B(a)")
def test_at_most_six_positions() -> None:
    build_procedure(GAMES[GAME], "manual-shoe", {"seats": 6})
    with pytest.raises(SettingError):
        build_procedure(GAMES[GAME], "manual-shoe", {"seats": 7})


@pytest.mark.rule("13:69F-26.2(a)")
@pytest.mark.parametrize("decks", [6, 8])
def test_six_or_eight_decks_of_forty_eight_cards(decks: int) -> None:
    assert build_procedure(GAMES[GAME], "manual-shoe", {"decks": decks}).deck.cards == 48 * decks
    for wrong in (1, 4, 7):
        with pytest.raises(SettingError, match=r"13:69F-26\.2\(a\)"):
            build_procedure(GAMES[GAME], "manual-shoe", {"decks": wrong})


@pytest.mark.rule("13:69E-1.10B(b)3i")
@pytest.mark.parametrize("hole", ["Kd", "9d"])
def test_a_players_blackjack_wins_three_to_two_even_against_the_dealers(hole: str) -> None:
    bench = dealt(f"As Ac Kc {hole}", 1)
    if "decide" in bench.view().next:
        decide(bench, 1, "none")
    outcome = collect(bench)
    assert (outcome.results["1"], pay(outcome, "1")) == ("win", 1500)


@pytest.mark.rule("13:69E-1.10B(b)3ii")
def test_the_dealer_stands_on_a_soft_seventeen() -> None:
    bench = dealt("Ks 6c 8c As", 1)
    decide(bench, 1, "stand")
    assert did(bench, "expose", {"seat": "dealer"}).state == "collecting"
    assert collect(bench).results["1"] == "win"


@pytest.mark.rule("13:69E-1.10B(b)3iii")
@pytest.mark.parametrize(("hole", "net"), [("Jd", 1000), ("9d", -500)])
def test_insurance_pays_two_to_one(hole: str, net: int) -> None:
    bench = dealt(f"Ks Ac 8c {hole}", 1)
    decide(bench, 1, "insurance", amount=5)
    decide(bench, 1, "stand")
    did(bench, "expose", {"seat": "dealer"})
    places(bench)
    pays = collect(bench).pays["1"]
    assert isinstance(pays, dict)
    assert float(pays["insurance"]) * 100 == net


@pytest.mark.rule("PA 635a.12(b)")
@pytest.mark.parametrize(
    ("cards", "name"),
    [
        ("6c 7d 8h", "6-7-8-mixed"), ("8h 6h 7h", "6-7-8-suited"), ("7s 8s 6s", "6-7-8-spades"), ("7c 7d 7h", "7-7-7-mixed"),
        ("7d 7d 7d", "7-7-7-suited"), ("7s 7s 7s", "7-7-7-spades"), ("2c 3d 4h 5s 7c", "five-cards"), ("2c 2d 3h 3s 4c 7d", "six-cards"),
        ("2c 2d 2h 2s 3c 3d 7h", "seven-cards"), ("2c 2d 2h 2s 3c 3d 3h 4s", "seven-cards"), ("5c 6d Kh", ""), ("2c 9d Ah 9s", ""),
    ],
)  # fmt: skip
def test_the_names_of_certain_twenty_ones(cards: str, name: str) -> None:
    assert bonus_name(tuple(parse_card(card) for card in cards.split())) == name


@pytest.mark.rule("PA 635a.12(b)", "13:69E-1.10B(c)")
@pytest.mark.parametrize(
    ("first", "more", "net"),
    [
        ("6c 7d", "8h", 1500), ("6h 7h", "8h", 2000), ("6s 7s", "8s", 3000), ("7c 7d", "7h", 1500), ("7d 7d", "7d", 2000),
        ("7s 7s", "7s", 3000), ("2c 3d", "4h 5s 7c", 1500), ("2c 2d", "3h 3s 4c 7d", 2000),
        ("2c 2d", "2h 2s 3c 3d 7h", 3000), ("5c 6d", "Kh", 1000),
    ],
)  # fmt: skip
def test_a_twenty_one_wins_at_once_with_its_bonus(first: str, more: str, net: int) -> None:
    one, two = first.split()
    bench = dealt(f"{one} 9c {two} 9d {more}", 1)
    draw(bench, len(more.split()))
    assert bench.view().state == "collecting"
    outcome = collect(bench)
    assert (outcome.results["1"], pay(outcome, "1")) == ("win", net)


@pytest.mark.rule("13:69E-1.10B(c)")
def test_a_doubled_twenty_one_is_paid_even_money() -> None:
    bench = dealt("6s 9c 7s 9d 8s", 1)
    decide(bench, 1, "double")
    bench.card()
    assert pay(collect(bench), "1") == 2000


@pytest.mark.rule("PA 635a.10")
def test_any_number_of_cards_is_doubled_and_at_most_the_wager() -> None:
    bench = dealt("2s 9c 3s 9d 4s 5s", 1)
    draw(bench, 2)
    assert refusal(bench, "decide", {"seat": 1, "choose": "double", "amount": "10.01"}) == "bad-amount"
    decide(bench, 1, "double", amount=5)
    bench.card()
    assert bench.view().state in ("settling", "collecting")


@pytest.mark.rule("PA 635a.10")
def test_a_rescue_takes_back_the_doubled_part_until_anything_follows() -> None:
    cards = "5s 8h 9c 6s 9h 9d 2c Kh"
    bench = dealt(cards, 1, 2)
    decide(bench, 1, "double")
    bench.card()
    decide(bench, 1, "take-back")
    assert refusal(bench, "decide", {"seat": 1, "choose": "rescue"}) == "not-your-turn"
    decide(bench, 2, "stand")
    did(bench, "expose", {"seat": "dealer"})
    places(bench)
    outcome = collect(bench)
    assert outcome.pays["1"] == {"spanish_21": "-10", "double": "0"}
    bench = dealt(cards, 1, 2)
    decide(bench, 1, "double")
    bench.card()
    decide(bench, 2, "stand")
    assert refusal(bench, "decide", {"seat": 1, "choose": "rescue"}) == "not-expected-now"


@pytest.mark.rule("PA 635a.10")
def test_the_last_hand_is_rescued_before_the_dealer_turns_the_hole_card() -> None:
    bench = dealt("5s 9c 6s 9d 2c", 1)
    decide(bench, 1, "double")
    assert bench.card().state == "settling"
    assert "decide" in bench.view().next
    assert decide(bench, 1, "rescue").state == "collecting"
    assert pay(collect(bench), "1") == -1000


@pytest.mark.rule("published sheets")
@pytest.mark.parametrize(
    ("decks", "own", "net"), [(6, "7s 9c", 900), (6, "7d 9c", 400), (8, "7s 7d", 1500), (8, "7s 7s", 2400), (6, "8s 9c", -100)]
)
def test_each_card_that_matches_the_up_card_is_paid_and_two_add_up(decks: int, own: str, net: int) -> None:
    one, two = own.split()
    bench = dealt(f"{one} 7s {two} 9d", 1, house={"decks": decks}, match_the_dealer=1)
    decide(bench, 1, "stand")
    did(bench, "expose", {"seat": "dealer"})
    places(bench)
    pays = collect(bench).pays["1"]
    assert isinstance(pays, dict)
    assert float(pays["match_the_dealer"]) * 100 == net


@pytest.mark.rule("PA 635a.12(c)")
@pytest.mark.parametrize(("amount", "extra"), [(4, None), (5, "1000"), ("24.99", "1000"), (25, "5000")])
def test_suited_sevens_against_a_seven_win_a_fixed_sum(amount: object, extra: str | None) -> None:
    bench = dealt("7s 7c 7s 9d 7s", 1, amount=amount)
    draw(bench, 1)
    pays = collect(bench).pays["1"]
    assert (pays.get("super_bonus") if isinstance(pays, dict) else None) == extra


@pytest.mark.rule("13:69E-1.10B(c)")
def test_no_super_bonus_for_a_split_or_doubled_hand() -> None:
    bench = dealt("7s 7c 7s 9d 7s 7s", 1)
    decide(bench, 1, "split")
    bench.card()
    draw(bench, 1)
    decide(bench, 1, "stand", hand=2) if bench.view().turn == "seat 1 hand 2" else places(bench)
    assert bench.state.round is not None
    assert not any("super_bonus" in results for results in bench.state.round.results.values())


@pytest.mark.rule("13:69F-26.15(b)")
def test_a_ten_never_enters_a_hand() -> None:
    bench = dealt("5s", 1)
    bench.pack[0] = parse_card("Td")
    outcome = bench.card() if bench.view().gate == "open" else bench.view()
    if outcome.state != "suspended":
        decide(bench, 1, "hit")
        bench.pack[0] = parse_card("Td")
        outcome = bench.card()
    assert (outcome.to, outcome.irregularity, outcome.remedy) == ("aside", "foreign-card", "supervisor-decides")
    bench.resolve("continue")
    assert bench.view().gate == "open"
    assert parse_card("Td") not in [card for cards in bench.places.values() for card in cards]
