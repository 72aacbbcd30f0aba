"""Fast Action Hold 'Em by its sections, one rule at a time."""

from __future__ import annotations

import pytest

from controller.dealing.procedure import ProcedureError, build_procedure
from controller.dealing.settings import Plain
from controller.games import GAMES
from controller.table.acts import CutCardOut
from tests.controller.games.rounds import bets, collect, decide, did, open_table, pay, places, refusal
from tests.controller.table.bench import Bench

GAME = "fast-action-hold-em"
EXAMPLE = "2h Ah Qd 8c Kc Kh Jd 5d Kc 7c 6s 3h 9h 2d 6c 2s 4d 7h Th Qs Jh 3c 3d"
"""The burn that opens the shoe; seats 1, 3, 5 and the dealer four times; the burn; the board."""
QUADS: dict[str, Plain] = {"natural": ["four-of-a-kind"]}


def table(cards: str = "", method: str = "manual-shoe", **house: Plain) -> Bench:
    return open_table(GAME, method, house, cards)


def set_all(bench: Bench, *seats: int) -> None:
    for seat in seats:
        did(bench, "set", {"seat": seat}, f"player:{seat}")


def to_board(bench: Bench) -> list[str]:
    """Discards, the dealer's hand by the house way, the burn and the board."""
    did(bench, "collect", "discards")
    did(bench, "expose", {"seat": "dealer"})
    did(bench, "set", {"seat": "dealer"})
    return places(bench)


@pytest.mark.rule("13:69F-21.8(a)", "13:69F-31.8(c)")
def test_four_passes_of_single_cards_face_down_dealer_last() -> None:
    bench = table()
    bets(bench, 5, 1, 3)
    one_pass = ["seat 1", "seat 3", "seat 5", "dealer"]
    assert places(bench) == ["burn", *one_pass * 4]


@pytest.mark.rule("house:shoe_start_burn")
def test_only_the_first_round_of_a_shoe_burns_a_card_and_a_house_may_leave_it_out() -> None:
    bench = table(shoe_start_burn=False)
    bets(bench, 1)
    assert places(bench)[0] == "seat 1"
    bench = table()
    for first in ("burn", "seat 1"):
        bets(bench, 1)
        assert places(bench)[0] == first
        decide(bench, 1, "surrender")
        did(bench, "collect", "discards")
        assert collect(bench).state == "complete"


@pytest.mark.rule("13:69F-21.8(j)")
@pytest.mark.parametrize("seats", [1, 3, 7])
def test_a_round_uses_4n_and_10_cards_and_the_board_comes_after_every_hand_is_set(seats: int) -> None:
    bench = table(shoe_start_burn=False, seats=7)
    numbers = range(1, seats + 1)
    bets(bench, *numbers)
    before = len(bench.pack)
    places(bench)
    assert bench.view().gate == "locked"
    set_all(bench, *numbers)
    assert to_board(bench) == ["burn", *(f"community {n}" for n in range(1, 6))]
    assert before - len(bench.pack) == 4 * seats + 10


@pytest.mark.rule("13:69F-21.8(j)")
def test_the_board_is_dealt_face_up() -> None:
    bench = table()
    bets(bench, 1)
    places(bench)
    set_all(bench, 1)
    did(bench, "collect", "discards")
    did(bench, "expose", {"seat": "dealer"})
    did(bench, "set", {"seat": "dealer"})
    assert bench.card().to == "burn"
    top = bench.pack[0].name
    outcome = bench.card()
    assert (outcome.to, outcome.face, outcome.card) == ("community 1", "up", top)


@pytest.mark.rule("13:69F-21.8(e)")
def test_the_dealer_takes_two_discards_of_each_hand_that_was_set() -> None:
    bench = table(EXAMPLE)
    bets(bench, 1, 3, 5)
    places(bench)
    did(bench, "set", {"seat": 1, "keep": ["Ah", "Kh"]})
    assert refusal(bench, "collect", "discards") == "not-your-turn"
    decide(bench, 3, "split", keep=["Qd", "Jd"])
    rack = bench.view().rack or 0
    assert (decide(bench, 5, "surrender").rack or 0) == rack + 4
    assert (did(bench, "collect", "discards").rack or 0) == rack + 4 + 2


@pytest.mark.rule("13:69F-21.8(d)")
def test_a_set_hand_is_not_touched_again() -> None:
    bench = table()
    bets(bench, 1, 2)
    places(bench)
    set_all(bench, 1)
    assert refusal(bench, "set", {"seat": 1}) == "not-your-turn"
    assert refusal(bench, "decide", {"seat": 1, "choose": "surrender"}) == "not-your-turn"


@pytest.mark.rule("13:69F-21.8(a)")
@pytest.mark.parametrize("keep", [["Ah"], ["Ah", "Kh", "7c"], ["Ah", "As"]])
def test_exactly_two_of_the_own_cards_are_kept(keep: list[str]) -> None:
    bench = table(EXAMPLE)
    bets(bench, 1, 3, 5)
    places(bench)
    assert refusal(bench, "set", {"seat": 1, "keep": keep}) == "bad-cards"


@pytest.mark.rule("13:69F-21.8(f)")
@pytest.mark.parametrize(("wager", "lost"), [(10, -500), ("7.51", -376)])
def test_a_surrender_costs_half_and_ends_when_the_discards_are_taken(wager: object, lost: int) -> None:
    bench = table()
    bets(bench, 1, 2, amount=wager)
    places(bench)
    outcome = decide(bench, 1, "surrender")
    assert outcome.rule == "13:69F-21.8(f)"
    set_all(bench, 2)
    did(bench, "collect", "discards")
    assert refusal(bench, "decide", {"seat": 2, "choose": "surrender"}) == "not-expected-now"
    assert pay(did(bench, "declare", {"seat": 1, "result": "lose"}), "1") == lost


@pytest.mark.rule("13:69F-21.8(c)")
def test_a_split_takes_a_second_wager_of_exactly_the_first() -> None:
    bench = table(EXAMPLE)
    bets(bench, 1, 3, 5)
    places(bench)
    for amount in (5, 20):
        assert refusal(bench, "decide", {"seat": 3, "choose": "split", "amount": amount}) == "bad-amount"
    assert refusal(bench, "decide", {"seat": 3, "choose": "split", "amount": 10, "keep": ["Qd", "Jd"]}) is None


@pytest.mark.rule("13:69F-21.8(k)", "13:69F-21.8(n)")
def test_the_worked_round() -> None:
    bench = table(EXAMPLE)
    bets(bench, 1, 3, 5)
    places(bench)
    did(bench, "set", {"seat": 1, "keep": ["Ah", "Kh"]})
    decide(bench, 3, "split", keep=["Qd", "Jd"])
    decide(bench, 5, "surrender")
    to_board(bench)
    assert refusal(bench, "expose", {"seat": 1}) == "not-your-turn"
    did(bench, "expose", {"seat": 3})
    did(bench, "expose", {"seat": 1})
    outcome = collect(bench)
    assert outcome.results == {"1": "win", "3 hand 1": "lose", "3 hand 2": "lose", "5": "lose"}
    assert [pay(outcome, key) for key in ("1", "3 hand 1", "3 hand 2", "5")] == [1000, -1000, -1000, -500]


@pytest.mark.rule("13:69F-21.8(k)")
def test_a_board_that_both_play_is_a_copy() -> None:
    bench = table("9s 2c 2s 2d 3s 4c 4s 3d 5s 9c Th Jh Qh Kh Ah", decks=2)
    bets(bench, 1)
    places(bench)
    did(bench, "set", {"seat": 1})
    to_board(bench)
    did(bench, "expose", {"seat": 1, "cards": ["2c", "2d"]})
    outcome = collect(bench)
    assert outcome.results == {"1": "lose"}
    assert outcome.hands["1"].endswith("copy hand")


@pytest.mark.rule("13:69F-21.8(b)")
def test_naturals_are_off_until_the_house_defines_them() -> None:
    bench = table("9s 8c Kd 8d Qd 8h Jd 8s 5c")
    bets(bench, 1)
    places(bench)
    assert refusal(bench, "decide", {"seat": 1, "choose": "natural"}) == "bad-option"


@pytest.mark.rule("13:69F-21.8(b)")
def test_a_players_natural_is_paid_5_to_1_at_once_and_its_cards_go_to_the_rack() -> None:
    bench = table("9s 8c Kd 8d Qd 8h Jd 8s 5c", **QUADS)
    bets(bench, 1)
    places(bench)
    outcome = decide(bench, 1, "natural")
    assert (outcome.rule, outcome.rack) == ("13:69F-21.8(b)", 5)
    assert pay(did(bench, "declare", {"seat": 1, "result": "win"}), "1") == 5000
    did(bench, "collect", "discards")
    assert bench.view().state == "collecting", "nobody is left, so neither dealer nor board is turned"


@pytest.mark.rule("13:69F-21.8(b)")
def test_four_cards_that_are_none_of_the_houses_naturals_are_refused() -> None:
    bench = table("9s 8c Kd 8d Qd 8h Jd 7s 5c", **QUADS)
    bets(bench, 1)
    places(bench)
    assert refusal(bench, "decide", {"seat": 1, "choose": "natural"}) == "bad-option"


@pytest.mark.rule("13:69F-21.8(h)")
def test_a_dealers_natural_takes_the_original_wager_only_and_there_is_no_board() -> None:
    seats = "2c 8d 8h 9c"
    bench = table(f"9s {seats} 3c 8d 2h 9d 4c 8s 6h 9h 5c 8c 7h 9s", **QUADS)
    bets(bench, 2, 4, 6)
    places(bench)
    decide(bench, 2, "split")
    decide(bench, 4, "natural")
    did(bench, "set", {"seat": 6})
    did(bench, "collect", "discards")
    outcome = did(bench, "expose", {"seat": "dealer"})
    assert (outcome.state, outcome.gate) == ("collecting", "locked")
    outcome = collect(bench)
    assert {key: pay(outcome, key) for key in outcome.pays} == {"2 hand 1": -1000, "2 hand 2": 0, "4": 5000, "6": -1000}


@pytest.mark.rule("13:69F-21.8(g)", "13:69F-21.8(i)")
def test_the_dealers_hand_is_set_by_the_house_way_or_set_again() -> None:
    bench = table(EXAMPLE)
    bets(bench, 1, 3, 5)
    places(bench)
    set_all(bench, 1, 3, 5)
    did(bench, "collect", "discards")
    assert refusal(bench, "set", {"seat": "dealer", "keep": ["Kc", "9h", "4d"]}) == "bad-cards"
    outcome = did(bench, "expose", {"seat": "dealer"})
    assert outcome.house_way == {"keep": ("Kc", "Kc")}
    outcome = did(bench, "set", {"seat": "dealer", "keep": ["Kc", "9h"]})
    assert (outcome.irregularity, outcome.remedy, outcome.state) == ("wrong-set", "reset-house-way", "setting")
    outcome = did(bench, "set", {"seat": "dealer", "keep": ["Kc", "Kc"]})
    assert outcome.state == "dealing"


@pytest.mark.rule("13:69F-21.8(i)", "house:house_way")
def test_a_house_may_file_another_way() -> None:
    bench = table(EXAMPLE, house_way=[{"prefer": "running"}, {"prefer": "highest", "running": False}, {"prefer": "highest"}])
    bets(bench, 1, 3, 5)
    places(bench)
    set_all(bench, 1, 3, 5)
    did(bench, "collect", "discards")
    advised = did(bench, "expose", {"seat": "dealer"}).house_way
    assert advised is not None
    assert set(advised["keep"]) == {"Kc"}, "no two of K K 9 4 run, so the two highest are kept"


@pytest.mark.rule("13:69F-21.8(k)")
def test_a_hand_that_was_never_named_is_shown_with_two_cards_or_all_four_after_a_split() -> None:
    bench = table(EXAMPLE)
    bets(bench, 1, 3, 5)
    places(bench)
    set_all(bench, 1, 5)
    decide(bench, 3, "split")
    to_board(bench)
    assert refusal(bench, "expose", {"seat": 5}) == "bad-cards"
    assert refusal(bench, "expose", {"seat": 5, "cards": ["8c", "5d", "3h"]}) == "bad-cards"
    did(bench, "expose", {"seat": 5, "cards": ["8c", "5d"]})
    for cards in (["Qd", "Jd"], ["Qd", "Jd", "6s"]):
        assert refusal(bench, "expose", {"seat": 3, "cards": cards}) == "bad-cards"
    did(bench, "expose", {"seat": 3, "cards": ["Qd", "Jd", "6s", "6c"]})
    did(bench, "expose", {"seat": 1, "cards": ["Ah", "Kh"]})
    assert set(collect(bench).results) == {"1", "3 hand 1", "3 hand 2", "5"}


@pytest.mark.rule("house:methods_permitted")
@pytest.mark.parametrize("method", ["hand", "automated-shoe"])
def test_only_the_manual_shoe_unless_the_house_permits_more(method: str) -> None:
    with pytest.raises(ProcedureError, match="not permitted") as refused:
        build_procedure(GAMES[GAME], method)
    assert refused.value.code == "method-not-permitted"
    assert build_procedure(GAMES[GAME], method, {"methods_permitted": [method]}).method.value == method


@pytest.mark.rule("13:69F-31.10(d)")
def test_stacks_of_four_to_the_seats_and_the_dealer() -> None:
    bench = table(method="automated-shoe", shoe_start_burn=False)
    bets(bench, 1, 3)
    assert places(bench) == ["seat 1", "seat 3", "dealer"]
    assert {len(cards) for cards in bench.places.values()} == {4}


@pytest.mark.rule("house:decks")
def test_no_round_begins_with_fewer_cards_than_it_can_take() -> None:
    bench = table(decks=2, shoe_start_burn=False)
    played = 0
    while True:
        outcome = bets(bench, *range(1, 7))
        if outcome.irregularity:
            break
        assert len(bench.pack) >= 34
        places(bench)
        for seat in range(1, 7):
            decide(bench, seat, "surrender")
        did(bench, "collect", "discards")
        outcome = collect(bench)
        assert outcome.state == "complete"
        played += 1
    assert (outcome.irregularity, outcome.state, outcome.gate) == ("too-few-cards", "void", "locked")
    assert len(bench.pack) < 34
    assert played == 3


@pytest.mark.rule("13:69F-2.5(a)")
def test_after_the_cutting_card_the_round_is_finished_and_then_the_shoe_is_shuffled() -> None:
    bench = table()
    bets(bench, 1)
    bench.put(CutCardOut(origin=bench.origin("shoe")))
    places(bench)
    decide(bench, 1, "surrender")
    did(bench, "collect", "discards")
    assert collect(bench).state == "unverified"
    assert refusal(bench, "wager", {"seat": 1, "wager": 10}) == "not-expected-now"
    assert bench.shuffle().state == "ready"


@pytest.mark.rule("13:69F-28.12(a)")
def test_a_dealers_card_seen_before_all_hands_are_set_voids_all_hands() -> None:
    bench = table()
    bets(bench, 1)
    places(bench)
    outcome = did(bench, "report", {"what": "dealer-card-exposed"})
    assert (outcome.state, outcome.remedy) == ("void", "all-hands-void")


@pytest.mark.rule("13:69F-21.8(b)")
def test_a_natural_that_was_paid_stays_paid_when_the_round_is_void() -> None:
    bench = table("9s 8c 2c Kd 8d 4c Qd 8h 6c Jd 8s Tc 5c", **QUADS)
    bets(bench, 1, 2)
    places(bench)
    decide(bench, 1, "natural")
    outcome = did(bench, "report", {"what": "dealer-card-exposed"})
    assert outcome.state == "void"
    assert (pay(outcome, "1"), pay(outcome, "2")) == (5000, 0)


def test_an_unread_board_card_is_read_again_before_anything_is_compared() -> None:
    bench = table(EXAMPLE)
    bets(bench, 1)
    places(bench)
    set_all(bench, 1)
    did(bench, "collect", "discards")
    did(bench, "expose", {"seat": "dealer"})
    did(bench, "set", {"seat": "dealer"})
    bench.card()
    outcome = bench.card(unreadable=True)
    assert (outcome.state, outcome.alarm) == ("suspended", "unreadable-card")
    assert bench.resolve("continue").refused == "bad-option"
    order = [*(bench.places[place][i] for i in range(4) for place in ("seat 1", "dealer"))]
    order += bench.places["community"]
    outcome = did(bench, "rescan", " ".join(card.name for card in order), "supervisor:S1")
    assert (outcome.state, outcome.evidence) == ("dealing", "confirmed")
