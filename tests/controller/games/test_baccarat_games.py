"""Minibaccarat and punto banco, one rule at a time."""

from __future__ import annotations

import itertools

import pytest

from controller.dealing.procedure import ProcedureError, build_procedure
from controller.dealing.settings import Plain
from controller.games import GAMES
from controller.table.outcome import Outcome
from firmware_bridge.cards import UNREADABLE
from tests.controller.games.baccarat import BANKER_WINS, CHEMIN, DRAWS, FOUR, MINI, NAMES, PLAYER_WINS, PUNTO, TIES, table
from tests.controller.games.rounds import collect, did, do, next_round, open_table, pay, places, refusal
from tests.controller.table.bench import Bench

BANKING = (MINI, PUNTO)


def coup(cards: str, wagers: dict[str, object], game: str = MINI, **house: Plain) -> tuple[list[str], Outcome]:
    """Seat 1 wagers; the places of all cards and the result of the round."""
    bench = table(game, cards, **house)
    did(bench, "wager", {"seat": 1, **wagers})
    did(bench, "close_bets")
    went = places(bench)
    return went, collect(bench)


@pytest.mark.rule("PA-627a.8(c)")
@pytest.mark.parametrize("game", BANKING)
def test_first_and_third_card_go_to_the_player(game: str) -> None:
    went, _ = coup("9h 2c Kd 5s", {"player": 10}, game)
    assert went == FOUR


@pytest.mark.rule("PA-631a.11(a)")
@pytest.mark.parametrize("cards", ["8h 2c Qd 5s", "2c 8h 5s Qd", "9h 9c Kd Ks", "Th 4c Kd 5s"])
def test_a_natural_of_either_hand_ends_the_draw(cards: str) -> None:
    went, _ = coup(cards, {"player": 10})
    assert went == FOUR


@pytest.mark.rule("PA-631a.11(b)")
@pytest.mark.parametrize(("second", "draws"), [("Ac", True), ("4c", True), ("5c", True), ("6c", False), ("7c", False)])
def test_the_player_draws_to_five(second: str, draws: bool) -> None:
    went, _ = coup(f"Kh Kc {second} 7s 9d 2s", {"player": 10})
    assert went == [*FOUR, *(["player"] if draws else [])]


@pytest.mark.rule("PA-631a.11(c)")
@pytest.mark.parametrize(("banker", "third"), list(itertools.product(range(8), range(10))))
def test_every_cell_of_the_table_is_played(banker: int, third: int) -> None:
    two = f"{banker}c" if banker > 1 else ("Ac" if banker else "Kc")
    went, _ = coup(f"Kh Ks 2h {two} {NAMES[third]} 2s", {"player": 10})
    assert went == [*FOUR, "player", *(["banker"] if third in DRAWS[banker] else [])]


@pytest.mark.rule("PA-631a.11(c)")
@pytest.mark.parametrize("banker", range(8))
def test_the_banker_draws_to_five_when_the_player_stays(banker: int) -> None:
    two = f"{banker}c" if banker > 1 else ("Ac" if banker else "Kc")
    went, _ = coup(f"Kh Ks 6h {two} 2s", {"player": 10})
    assert went == [*FOUR, *(["banker"] if banker <= 5 else [])]


@pytest.mark.rule("13:69F-7.settlement")
@pytest.mark.parametrize(
    ("cards", "wager", "net"),
    [
        (PLAYER_WINS, "player", 1000), (PLAYER_WINS, "banker", -1000), (PLAYER_WINS, "tie", -1000),
        (BANKER_WINS, "player", -1000), (BANKER_WINS, "banker", 950), (BANKER_WINS, "tie", -1000),
        (TIES, "player", 0), (TIES, "banker", 0), (TIES, "tie", 8000),
    ],
)  # fmt: skip
@pytest.mark.parametrize("game", BANKING)
def test_wagers_are_settled(game: str, cards: str, wager: str, net: int) -> None:
    _, outcome = coup(cards, {wager: 10}, game)
    assert pay(outcome, "1") == net
    assert outcome.results["1"] == ("win" if net > 0 else "lose" if net < 0 else "push")


@pytest.mark.rule("13:69F-34.12(i)")
@pytest.mark.parametrize(
    ("rounding", "amount", "net"),
    [
        ("up-quarter", 10, 950), ("up-quarter", 11, 1025), ("up-quarter", "0.20", 0), ("quarter", 11, 1050), ("quarter", 12, 1150),
        ("cent", 11, 1045), ("cent", "0.10", 9), ("up-quarter", 100, 9500),
    ],
)  # fmt: skip
def test_vigorish_is_rounded_as_the_house_says(rounding: str, amount: object, net: int) -> None:
    _, outcome = coup(BANKER_WINS, {"banker": amount}, vigorish_rounding=rounding)
    assert pay(outcome, "1") == net


@pytest.mark.rule("house:vigorish_percent")
def test_a_house_may_take_less_vigorish() -> None:
    _, outcome = coup(BANKER_WINS, {"banker": 100}, vigorish_percent=4)
    assert pay(outcome, "1") == 9600


THREE_CARD_SEVEN = "Tc 4s Qc Kd 2h 3c"
SIX = "Kc 6d Th Js 2s"


@pytest.mark.rule("PA-627a.1", "house:banker_pays")
@pytest.mark.parametrize(
    ("variant", "cards", "net"),
    [
        ("vigorish", THREE_CARD_SEVEN, 1900), ("no-vigorish", THREE_CARD_SEVEN, 0), ("half-on-six", THREE_CARD_SEVEN, 2000),
        ("vigorish", SIX, 1900), ("no-vigorish", SIX, 2000), ("half-on-six", SIX, 1000),
        ("no-vigorish", "Kc 7d 6h Js", 2000), ("half-on-six", PLAYER_WINS, -2000), ("no-vigorish", TIES, 0),
    ],
)  # fmt: skip
def test_variants_without_vigorish(variant: str, cards: str, net: int) -> None:
    _, outcome = coup(cards, {"banker": 20}, banker_pays=variant)
    assert pay(outcome, "1") == net


@pytest.mark.rule("PA-627a.1")
@pytest.mark.parametrize(
    ("wager", "cards", "result", "net"),
    [
        ("dragon_7", THREE_CARD_SEVEN, "win", 4000), ("dragon_7", "Kc 7d 6h Js", "lose", -100),
        ("dragon_7", "Tc 4s Qc Kd 9h", "lose", -100),
        ("panda_8", "Kc 7d 2h Js 6c", "win", 2500), ("panda_8", "8c 7d Kh Js", "lose", -100),
        ("player_pair", "8c 7d 8h Js", "win", 1100), ("player_pair", "Tc 7d Kh Js", "lose", -100),
        ("banker_pair", "8c 7d 9h 7s", "win", 1100), ("banker_pair", "8c 7d 8h Js", "lose", -100),
    ],
)  # fmt: skip
def test_side_wagers_on_what_the_hands_are(wager: str, cards: str, result: str, net: int) -> None:
    _, outcome = coup(cards, {"tie": 1, wager: 1}, dragon_7_pays=40, panda_8_pays=25, pair_pays=11)
    told, paid = outcome.results["1"], outcome.pays["1"]
    assert (told if isinstance(told, str) else told[wager]) == result
    assert isinstance(paid, dict)
    assert round(float(paid[wager]) * 100) == net


@pytest.mark.rule("house:dragon_7_pays", "house:panda_8_pays", "house:pair_pays")
def test_a_side_wager_without_odds_says_the_result_and_no_money() -> None:
    _, outcome = coup(THREE_CARD_SEVEN, {"banker": 20, "dragon_7": 5})
    assert outcome.results["1"] == "win"
    assert outcome.pays["1"] == {"banker": "19"}


def test_a_side_wager_needs_one_of_the_three_wagers() -> None:
    bench = table(MINI, "")
    assert refusal(bench, "wager", {"seat": 1, "player_pair": 5}) == "not-wagered"
    assert refusal(bench, "wager", {"seat": 8, "player": 5}) == "bad-position"
    assert refusal(bench, "wager", {"seat": 1, "ante": 5}) == "bad-option"
    did(bench, "wager", {"seat": 1, "tie": 5})
    assert refusal(bench, "wager", {"seat": 1, "player_pair": 5}) is None


@pytest.mark.rule("house:shoe_start_burn")
@pytest.mark.parametrize(("first", "more"), [("Ac", 1), ("2d", 2), ("9s", 9), ("Th", 10), ("Qd", 10)])
@pytest.mark.parametrize("game", BANKING)
def test_the_first_card_of_a_shoe_says_how_many_are_burned(game: str, first: str, more: int) -> None:
    bench = open_table(game, "manual-shoe", None, first)
    did(bench, "wager", {"seat": 1, "player": 10})
    did(bench, "close_bets")
    outcome = bench.card()
    assert (outcome.to, outcome.face, outcome.card) == ("burn", "up", first)
    for _ in range(more):
        outcome = bench.card()
        assert (outcome.to, outcome.face, outcome.card) == ("burn", "down", None)
    assert outcome.rack == more + 1
    assert bench.card().to == "player"


@pytest.mark.rule("house:shoe_start_burn")
def test_an_unread_first_card_is_named_before_anything_is_burned() -> None:
    bench = open_table(MINI, "manual-shoe", None, "3c")
    did(bench, "wager", {"seat": 1, "player": 10})
    did(bench, "close_bets")
    card = bench.pack[0]
    assert bench.put(bench.card_act(UNREADABLE, unreadable=True), [card]).state == "suspended"
    outcome = did(bench, "rescan", "3c")
    assert (outcome.state, outcome.gate) == ("dealing", "open")
    assert [bench.card().to for _ in range(4)] == ["burn", "burn", "burn", "player"]


@pytest.mark.rule("house:face_up_deal")
def test_face_down_nothing_is_known_until_the_hands_are_turned() -> None:
    bench = table(PUNTO, "9h 2c Kd 5s", face_up_deal=False)
    did(bench, "wager", {"seat": 3, "player": 10})
    did(bench, "close_bets")
    assert places(bench) == FOUR
    assert bench.view().state == "settling"
    assert refusal(bench, "declare", {"result": "player"}) == "not-expected-now"
    assert refusal(bench, "expose", {"seat": "banker"}) == "not-your-turn"
    assert refusal(bench, "expose", {"seat": "player", "cards": ["9h", "Qd"]}) == "bad-cards"
    assert did(bench, "expose", {"seat": "player", "cards": ["Kd", "9h"]}).cards == ("9h", "Kd")
    assert did(bench, "expose", {"seat": "banker"}).state == "collecting"
    assert did(bench, "declare", {"result": "player"}).results == {"3": "win", "player": "win", "banker": "lose"}


@pytest.mark.parametrize(("said", "agrees"), [("player", True), ("banker", False), ("tie", False)])
def test_the_dealer_declares_and_the_machine_confirms(said: str, agrees: bool) -> None:
    bench = table(MINI, PLAYER_WINS)
    did(bench, "wager", {"seat": 1, "player": 10})
    did(bench, "close_bets")
    places(bench)
    assert bench.view().results == {}, "nothing of the outcome shows before"
    outcome = did(bench, "declare", {"result": said})
    assert outcome.results["player"] == "win"
    assert (outcome.alarm is None) == agrees
    assert refusal(bench, "declare", {"result": "nobody"}) == "bad-option"


@pytest.mark.parametrize("method", ["hand", "automated-shoe"])
@pytest.mark.parametrize("game", [MINI, PUNTO, CHEMIN])
def test_there_is_one_way_to_deal(game: str, method: str) -> None:
    with pytest.raises(ProcedureError, match=f"not dealt by {method}"):
        build_procedure(GAMES[game], method)


# ---- the end of a shoe


def one_round(bench: Bench) -> Outcome:
    did(bench, "wager", {"seat": 1, "player": 10})
    did(bench, "close_bets")
    places(bench)
    return collect(bench)


@pytest.mark.rule("house:rounds_after_cut")
@pytest.mark.parametrize(("after", "states"), [(1, ["complete", "unverified"]), (0, ["unverified"])])
def test_rounds_after_the_cutting_card(after: int, states: list[str]) -> None:
    bench = table(MINI, "", rounds_after_cut=after)
    did(bench, "wager", {"seat": 1, "player": 10})
    did(bench, "close_bets")
    bench.card()
    do(bench, "cut_card", by="device:shoe")
    places(bench)
    told = [collect(bench).state]
    while told[-1] == "complete":
        told.append(one_round(bench).state)
    assert told == states


def test_an_excess_card_of_the_last_round_goes_to_the_rack() -> None:
    bench = table(MINI, "9h 2c Kd 5s", rounds_after_cut=0)
    did(bench, "wager", {"seat": 1, "player": 10})
    did(bench, "close_bets")
    bench.card()
    do(bench, "cut_card", by="device:shoe")
    places(bench)
    assert bench.card().to == "aside"
    outcome = collect(bench)
    assert (outcome.state, outcome.rack) == ("unverified", 5)
    assert bench.state.deck.ledger.aside == 0


def test_two_excess_cards_open_the_next_round_in_their_order() -> None:
    bench = table(MINI, "9h 2c Kd 5s 3d 4d")
    did(bench, "wager", {"seat": 1, "player": 10})
    did(bench, "close_bets")
    places(bench)
    assert [bench.card().to, bench.card().to] == ["aside", "aside"]
    assert collect(bench).rack == 4
    did(bench, "wager", {"seat": 1, "player": 10})
    assert did(bench, "close_bets").to == "banker"
    assert [card.name for place in ("player", "banker") for card in bench.places[place]] == ["3d", "4d"]
    assert bench.state.deck.ledger.aside == 0


# ---- who holds the shoe


@pytest.mark.rule("13:69F-3.curator")
def test_the_shoe_is_offered_to_seat_one_then_counterclockwise() -> None:
    for seats, holder in (((1, 4), 1), ((2, 6, 9), 9)):
        bench = table(PUNTO, "")
        for seat in seats:
            did(bench, "wager", {"seat": seat, "player": 10})
        did(bench, "close_bets")
        assert bench.state.round is not None
        assert bench.state.round.button == holder


@pytest.mark.rule("13:69F-3.curator")
@pytest.mark.parametrize(("cards", "next_holder"), [(PLAYER_WINS, 2), (BANKER_WINS, 6), (TIES, 6)])
def test_the_curator_passes_the_shoe_when_the_banker_loses(cards: str, next_holder: int) -> None:
    bench = table(PUNTO, cards)
    did(bench, "start", {"seat": 6})
    for seat in (2, 6, 9):
        did(bench, "wager", {"seat": seat, "player": 10})
    did(bench, "close_bets")
    places(bench)
    collect(bench)
    did(bench, "wager", {"seat": 2, "player": 10})
    assert bench.state.round is not None
    assert bench.state.round.button == next_holder


def test_after_a_shuffle_the_shoe_is_offered_anew() -> None:
    bench = table(PUNTO, "")
    did(bench, "start", {"seat": 6})
    did(bench, "wager", {"seat": 6, "player": 10})
    did(bench, "close_bets")
    did(bench, "report", {"what": "device-malfunction"})
    did(bench, "resolve", "void", by="supervisor:S1")
    next_round(bench)
    did(bench, "wager", {"seat": 3, "player": 10})
    did(bench, "close_bets")
    assert bench.state.round is not None
    assert bench.state.round.button == 3
