"""Chemin de fer, one rule at a time: the bank and who covers it, forced and free third cards, naturals."""

from __future__ import annotations

import itertools

import pytest

from controller.dealing.settings import Plain
from controller.table.outcome import Outcome
from firmware_bridge.cards import UNREADABLE
from tests.controller.games.baccarat import CHEMIN, DRAWS, NAMES, table
from tests.controller.games.rounds import collect, did, pay, places, refusal
from tests.controller.table.bench import Bench


def banked(cards: str, **house: Plain) -> Bench:
    """Seat 1 banks 100, seats 2 to 4 cover 60, 30 and 10; the four cards lie."""
    bench = table(CHEMIN, cards, **house)
    did(bench, "wager", {"seat": 1, "bank": 100})
    for seat, cover in ((2, 60), (3, 30), (4, 10)):
        did(bench, "wager", {"seat": seat, "cover": cover})
    did(bench, "close_bets")
    places(bench)
    return bench


def side(bench: Bench, who: str, choose: str) -> Outcome:
    return did(bench, "decide", {"seat": who, "choose": choose}, "player")


@pytest.mark.rule("13:69F-4.decisions")
@pytest.mark.parametrize(
    ("second", "draw", "stay"),
    [("Kd", True, False), ("4d", True, False), ("5d", True, True), ("6d", False, True), ("7d", False, True), ("8d", False, False)],
)
def test_the_player_is_always_asked_and_a_wrong_play_is_corrected(second: str, draw: bool, stay: bool) -> None:
    for choose, allowed in (("draw", draw), ("stay", stay), ("natural", second == "8d")):
        bench = banked(f"Kh 2c {second} 3c")
        assert (bench.view().state, bench.view().gate) == ("deciding", "locked")
        assert refusal(bench, "decide", {"seat": "player", "choose": choose}) == (None if allowed else "bad-option")


@pytest.mark.rule("13:69F-4.decisions")
@pytest.mark.parametrize(("banker", "third"), list(itertools.product(range(8), range(10))))
def test_the_bankers_table(banker: int, third: int) -> None:
    two = f"{banker}c" if banker > 1 else ("Ac" if banker else "Kc")
    bench = banked(f"Kh Ks 2h {two} {NAMES[third]} 2s")
    side(bench, "player", "draw")
    bench.card()
    state = bench.view().state
    free = (banker, third) in ((3, 9), (5, 4))
    assert (state == "deciding") == free
    assert (state == "drawing") == (third in DRAWS[banker] and not free)


@pytest.mark.rule("house:free_cells", "house:six_after_stay")
def test_a_house_may_settle_the_free_cells() -> None:
    for cells, state in (("free", "deciding"), ("draw", "drawing"), ("stay", "collecting")):
        bench = banked("Kh Ks 2h 3c 9d 2s", free_cells=cells)
        side(bench, "player", "draw")
        assert bench.card().state == state
    for six, state in (("free", "deciding"), ("stay", "collecting")):
        bench = banked("Kh Ks 6h 6c 9d 2s", six_after_stay=six)
        assert side(bench, "player", "stay").state == state


@pytest.mark.rule("13:69F-4.settlement")
@pytest.mark.parametrize(
    ("cards", "net"),
    [
        ("Kh Ks 6h 7c", (9500, -6000, -3000, -1000)),
        ("Kh Ks 7h 6c", (-10000, 6000, 3000, 1000)),
        ("Kh Ks 7h 7c", (0, 0, 0, 0)),
    ],
)
def test_the_covered_bank_is_settled(cards: str, net: tuple[int, ...]) -> None:
    bench = banked(cards)
    side(bench, "player", "stay")
    outcome = collect(bench)
    assert tuple(pay(outcome, str(seat)) for seat in (1, 2, 3, 4)) == net


@pytest.mark.rule("13:69F-4.natural")
def test_a_natural_of_the_banker_that_he_did_not_turn_is_turned_when_the_player_has_spoken() -> None:
    bench = banked("Kh Ks 2h 9c 9d")
    outcome = side(bench, "player", "draw")
    assert (outcome.state, outcome.cards) == ("collecting", ("Kh", "2h"))
    assert collect(bench).results["banker"] == "win"


@pytest.mark.rule("13:69F-4.natural")
def test_cards_that_are_no_natural_are_not_turned_before_the_player_has_decided() -> None:
    bench = banked("Kh Ks 5h 6c")
    assert refusal(bench, "expose", {"seat": "banker"}) == "not-your-turn"
    assert did(bench, "expose", {"seat": "player"}).state == "deciding", "5 is free, so he is still asked"
    bench = banked("Kh Ks 3h 6c")
    assert did(bench, "expose", {"seat": "player"}).gate == "open", "open cards that force him to draw need no word"


def test_it_is_said_who_acts_for_the_player() -> None:
    bench = table(CHEMIN, "")
    did(bench, "wager", {"seat": 3, "bank": 100})
    for seat, cover in ((5, 40), (2, 40), (1, 20)):
        did(bench, "wager", {"seat": seat, "cover": cover})
    did(bench, "close_bets")
    for _ in range(3):
        bench.card()
    assert "Seat 2 has the largest wager" in bench.card().message, "of equal ones the first from the banker's right"


def test_unread_cards_of_a_side_are_named_when_they_are_turned() -> None:
    bench = table(CHEMIN, "Kh Ks 6h 7c")
    did(bench, "wager", {"seat": 1, "bank": 100})
    did(bench, "wager", {"seat": 2, "cover": 100})
    did(bench, "close_bets")
    bench.card()
    card = bench.pack[0]
    assert bench.put(bench.card_act(UNREADABLE, unreadable=True), [card]).state == "suspended"
    did(bench, "resolve", "continue", by="supervisor:S1")
    places(bench)
    assert side(bench, "player", "stay").state == "settling", "the banker's hand is not known, so it is turned by hand"
    assert refusal(bench, "expose", {"seat": "banker"}) == "bad-cards"
    assert did(bench, "expose", {"seat": "banker", "cards": ["Ks", "7c"]}).state == "collecting"
    assert collect(bench).results["banker"] == "win"


def test_the_seats_that_act_may_be_named_instead_of_their_sides() -> None:
    bench = banked("Kh Ks 5h 3c 9d 2s")
    assert refusal(bench, "decide", {"seat": 3, "choose": "draw"}) == "not-your-turn", "seat 2 has the largest wager"
    assert refusal(bench, "decide", {"seat": 1, "choose": "draw"}) == "not-your-turn", "the banker comes later"
    assert did(bench, "decide", {"seat": 2, "choose": "draw"}, "player:2").gate == "open"
    assert bench.card().state == "deciding"
    assert refusal(bench, "decide", {"seat": 2, "choose": "draw"}) == "not-your-turn"
    assert did(bench, "decide", {"seat": 1, "choose": "draw"}, "player:1").gate == "open"
    assert refusal(bench, "decide", {"seat": 1, "choose": "stay"}) == "bad-option"


def test_without_amounts_any_seat_that_covers_may_act() -> None:
    bench = table(CHEMIN, "Kh Ks 5h 3c")
    for seat in (4, 5, 6):
        did(bench, "wager", {"seat": seat})
    did(bench, "close_bets")
    places(bench)
    assert did(bench, "decide", {"seat": 5, "choose": "stay"}, "player:5").state == "drawing"
