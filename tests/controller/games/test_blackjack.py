"""Blackjack by its sections, one rule at a time."""

from __future__ import annotations

import pytest

from controller.dealing.procedure import ProcedureError, build_procedure
from controller.dealing.settings import Plain, SettingError
from controller.games import GAMES
from controller.table.outcome import Outcome
from tests.controller.games.rounds import bets, collect, decide, did, do, open_table, pay, places, refusal
from tests.controller.table.bench import Bench

GAME = "blackjack"


def table(cards: str = "", method: str = "manual-shoe", **house: Plain) -> Bench:
    """A table whose shoe begins with these cards; no card is burned."""
    return open_table(GAME, method, {"shoe_start_burn": False, **house}, cards)


def dealt(cards: str, *seats: int, amount: object = 10, **house: Plain) -> Bench:
    """The first two cards lie: seats and dealer, then seats, then the hole card."""
    bench = table(cards, **house)
    bets(bench, *(seats or (1,)), amount=amount)
    places(bench)
    return bench


def finish(bench: Bench) -> Outcome:
    """The dealer's turn and the end of the round."""
    if "expose" in bench.view().next:
        did(bench, "expose", {"seat": "dealer"})
    places(bench)
    return collect(bench)


# ---- decks, methods, side wagers


@pytest.mark.rule("13:69F-2.2(a)1")
def test_from_the_hand_one_or_two_decks_are_dealt() -> None:
    for decks in (1, 2):
        assert build_procedure(GAMES[GAME], "hand", {"decks": decks}).deck.cards == 52 * decks
    for decks in (3, 8):
        with pytest.raises(ProcedureError, match=r"13:69F-2\.2\(a\)1"):
            build_procedure(GAMES[GAME], "hand", {"decks": decks})
        build_procedure(GAMES[GAME], "manual-shoe", {"decks": decks})


@pytest.mark.rule("13:69F-2.2(a)")
def test_at_least_one_deck() -> None:
    with pytest.raises(SettingError, match=r"13:69F-2\.2\(a\)"):
        build_procedure(GAMES[GAME], "manual-shoe", {"decks": 0})


@pytest.mark.rule("13:69F-2.2(a)2", "13:69F-2.2(a)3", "13:69F-2.2(a)4")
@pytest.mark.parametrize(
    ("wager", "decks", "rule"),
    [
        ("twenty_point_bonus", range(2, 9), "2"), ("in_between", range(2, 9), "2"), ("additional", range(4, 9), "3"),
        ("progressive", range(4, 9), "3"), ("match_the_dealer", (6, 8), "4"), ("optional_bonus", (6, 8), "4"),
    ],
)  # fmt: skip
def test_a_side_wager_is_offered_with_its_number_of_decks_only(wager: str, decks: tuple[int, ...], rule: str) -> None:
    for number in range(1, 9):
        house: dict[str, Plain] = {"decks": number, "side_wagers": [wager], "seats": 5}
        if number in decks:
            build_procedure(GAMES[GAME], "manual-shoe", house)
        else:
            with pytest.raises(ProcedureError, match=rf"13:69F-2\.2\(a\){rule}") as refused:
                build_procedure(GAMES[GAME], "manual-shoe", house)
            assert refused.value.code == "against-the-law"
        bench = table(decks=number, seats=5)
        assert (refusal(bench, "wager", {"seat": 1, "initial": 10, wager: 5}) is None) == (number in decks)


def test_a_side_wager_that_the_house_does_not_offer_is_refused() -> None:
    bench = table(side_wagers=["progressive"])
    assert refusal(bench, "wager", {"seat": 1, "initial": 10, "additional": 5}) == "bad-option"
    did(bench, "wager", {"seat": 1, "initial": 10, "progressive": 5})


def test_a_side_wager_nobody_knows_is_no_setting() -> None:
    with pytest.raises(SettingError, match="it is a list of"):
        build_procedure(GAMES[GAME], "manual-shoe", {"side_wagers": ["lucky"]})


def test_the_initial_wager_is_also_called_the_wager() -> None:
    bench = table()
    assert did(bench, "wager", {"seat": 1, "wager": 10}).choice == "initial"
    did(bench, "close_bets")


@pytest.mark.rule("PA 685a.7(e)", "13:69F-2B.1")
def test_two_passes_face_up_with_the_dealers_second_card_face_down() -> None:
    bench = table("9c 8d 7h 6s 5c 4d")
    bets(bench, 4, 2)
    facing = []
    while bench.view().gate == "open":
        outcome = bench.card()
        facing.append((outcome.to, outcome.face, outcome.card))
    assert facing == [
        ("seat 2", "up", "9c"), ("seat 4", "up", "8d"), ("dealer", "up", "7h"), ("seat 2", "up", "6s"), ("seat 4", "up", "5c"),
        ("dealer", "down", None),
    ]  # fmt: skip


# ---- results


@pytest.mark.rule("13:69F-26.5(a)")
@pytest.mark.parametrize(
    ("own", "dealer", "more", "result", "net"),
    [
        ("Ks 9c", "Tc 8d", "", "win", 1000), ("Ks 8c", "Tc 8d", "", "push", 0), ("Ks 7c", "Tc 8d", "", "lose", -1000),
        ("Ks 2c", "6c Kd", "Td", "win", 1000), ("Ks 2c", "6c Kd", "5d", "lose", -1000), ("As 6c", "6c As", "", "push", 0),
        ("Ks Qc", "6c 5d", "9h", "push", 0),
    ],
)  # fmt: skip
def test_nearer_to_twenty_one_wins_even_money(own: str, dealer: str, more: str, result: str, net: int) -> None:
    one, two = own.split()
    up, hole = dealer.split()
    bench = dealt(f"{one} {up} {two} {hole} {more}", 1)
    decide(bench, 1, "stand")
    outcome = finish(bench)
    assert (outcome.results["1"], pay(outcome, "1")) == (result, net)


@pytest.mark.rule("205 CMR 146.13(3)")
@pytest.mark.parametrize(("hits", "result"), [(False, "win"), (True, "lose")])
def test_a_soft_seventeen_stands_or_draws_as_the_layout_says(hits: bool, result: str) -> None:
    bench = dealt("Ks 6c 8c As 4d", 1, dealer_hits_soft_17=hits)
    decide(bench, 1, "stand")
    assert finish(bench).results["1"] == result


@pytest.mark.rule("13:69F-2B.1", "205 CMR 146.13(3)(a)")
@pytest.mark.parametrize(("odds", "amount", "net"), [("3 to 2", 10, 1500), ("6 to 5", 10, 1200), ("3 to 2", "7.25", 1087)])
def test_a_blackjack_is_paid_at_once_where_the_dealer_can_have_none(odds: str, amount: object, net: int) -> None:
    bench = dealt("As 7c Kd 9c", 1, amount=amount, blackjack_odds=odds)
    outcome = bench.view()
    assert (outcome.state, outcome.rack) == ("collecting", 2)
    outcome = collect(bench)
    assert (outcome.results["1"], pay(outcome, "1")) == ("win", net)


@pytest.mark.rule("13:69F-26.5(a)")
def test_a_blackjack_pushes_against_the_dealers_and_waits_for_the_hole_card() -> None:
    bench = dealt("As Tc Kd Ac", 1)
    assert bench.view().rack == 0
    outcome = finish(bench)
    assert (outcome.results["1"], pay(outcome, "1")) == ("push", 0)


@pytest.mark.rule("13:69F-2B.1")
def test_a_blackjack_beats_a_twenty_one_of_the_dealer() -> None:
    bench = dealt("As Ts Tc Kd 9s 6c", 1, 2)
    assert bench.view().turn == "seat 2"
    decide(bench, 2, "stand")
    did(bench, "expose", {"seat": "dealer"})
    bench.card()
    outcome = collect(bench)
    assert (outcome.results["1"], pay(outcome, "1")) == ("win", 1500)


@pytest.mark.rule("13:69F-2B.1")
def test_an_ace_and_a_ten_after_a_split_are_twenty_one_and_no_blackjack() -> None:
    bench = dealt("As 7c Ad 9c Kd Qd Tc", 1)
    decide(bench, 1, "split")
    assert places(bench) == ["seat 1 hand 1", "seat 1 hand 2"]
    outcome = finish(bench)
    assert [pay(outcome, f"1 hand {n}") for n in (1, 2)] == [1000, 1000]


# ---- hits, doubles, splits, surrender


@pytest.mark.rule("13:69F-26.12(a)")
def test_a_bust_is_collected_at_once_and_the_dealer_need_not_draw() -> None:
    bench = dealt("9s 7c 7d 8c Ts", 1)
    decide(bench, 1, "hit")
    outcome = bench.card()
    assert (outcome.state, outcome.rack, outcome.rule) == ("collecting", 3, "trade practice: bust")
    assert collect(bench).results["1"] == "lose"


@pytest.mark.rule("13:69F-26.12(a)1")
def test_a_hard_twenty_one_gets_no_more_cards_and_a_soft_one_as_the_house_says() -> None:
    bench = dealt("9s 7c 7d 8c 5s", 1)
    decide(bench, 1, "hit")
    assert bench.card().state == "settling"
    for may, state in ((False, "settling"), (True, "deciding")):
        bench = dealt("As 7c 4d 8c 6s", 1, soft_21_may_draw=may)
        decide(bench, 1, "hit")
        assert bench.card().state == state


@pytest.mark.rule("13:69F-26.9(a)")
def test_a_double_is_at_most_the_wager_and_brings_exactly_one_card() -> None:
    bench = dealt("6s 7c 5d 9c 2s", 1)
    assert refusal(bench, "decide", {"seat": 1, "choose": "double", "amount": 11}) == "bad-amount"
    decide(bench, 1, "double", amount=4)
    outcome = bench.card()
    assert (outcome.to, outcome.state) == ("seat 1", "settling")
    did(bench, "expose", {"seat": "dealer"})
    places(bench)
    outcome = collect(bench)
    assert pay(outcome, "1") in (1400, 0, -1400)
    assert set(outcome.pays["1"]) == {"initial", "double"}


@pytest.mark.rule("13:69F-26.9(a)")
def test_a_double_whose_amount_nobody_says_is_the_whole_wager() -> None:
    bench = dealt("6s 7c 5d 9c Ts 5h", 1)
    decide(bench, 1, "double")
    bench.card()
    outcome = finish(bench)
    assert (outcome.results["1"], pay(outcome, "1")) == ("push", 0)
    assert bench.state.round is not None
    assert bench.state.round.played["seat 1"].wagers == {"initial": 1000, "double": 1000}


@pytest.mark.rule("13:69F-26.9(a)")
def test_after_a_hit_no_hand_is_doubled_or_surrendered() -> None:
    bench = dealt("2s 7c 3d 9c 4s", 1)
    decide(bench, 1, "hit")
    bench.card()
    assert bench.view().choices == ("hit", "stand")
    for word in ("double", "surrender", "split"):
        assert refusal(bench, "decide", {"seat": 1, "choose": word}) == "bad-option"


@pytest.mark.rule("PA 633a.11")
def test_a_king_and_a_ten_are_a_pair_and_each_hand_is_played_out_before_the_next() -> None:
    bench = dealt("Ks 7c Td 9c 2s 3s 9d", 1)
    assert refusal(bench, "decide", {"seat": 1, "choose": "split", "amount": 9}) == "bad-amount"
    decide(bench, 1, "split", amount=10)
    assert bench.card().to == "seat 1 hand 1"
    assert bench.view().turn == "seat 1 hand 1"
    assert refusal(bench, "decide", {"seat": 1, "choose": "stand", "hand": 2}) == "not-your-turn"
    decide(bench, 1, "stand", hand=1)
    assert bench.card().to == "seat 1 hand 2"
    decide(bench, 1, "hit", hand=2)
    assert bench.card().to == "seat 1 hand 2"


@pytest.mark.rule("PA 633a.11")
def test_cards_of_two_values_are_not_split() -> None:
    bench = dealt("Ks 7c 9d 9c", 1)
    assert refusal(bench, "decide", {"seat": 1, "choose": "split"}) == "bad-option"


@pytest.mark.rule("PA 633a.11(c)")
@pytest.mark.parametrize("most", [2, 3, 4])
def test_a_box_has_as_many_hands_as_the_house_says(most: int) -> None:
    bench = dealt("8s 7c 8d 9c 8h 8c 8s 8d 8h", 1, most_hands=most, decks=6)
    hands = 1
    while "split" in bench.view().choices:
        decide(bench, 1, "split", hand=1)
        hands += 1
        bench.card()
    assert hands == most


@pytest.mark.rule("house:split_aces")
@pytest.mark.parametrize(("split_aces", "choices"), [("one-card", ()), ("play", ("hit", "stand", "double"))])
def test_split_aces_get_one_card_each_or_are_played(split_aces: str, choices: tuple[str, ...]) -> None:
    bench = dealt("As 7c Ad 9c 5s 6s", 1, split_aces=split_aces)
    decide(bench, 1, "split")
    bench.card()
    assert bench.view().choices == choices


@pytest.mark.rule("PA 633a.11(c)")
def test_aces_are_split_again_where_the_house_says_so_and_still_get_one_card_each() -> None:
    for resplit, choices in ((False, ()), (True, ("stand", "split"))):
        bench = dealt("As 7c Ad 9c Ah 6s", 1, resplit_aces=resplit)
        decide(bench, 1, "split")
        bench.card()
        assert bench.view().choices == choices
        for more in ("hit", "double") if resplit else ():
            assert refusal(bench, "decide", {"seat": 1, "choose": more}) == "bad-option"


@pytest.mark.rule("house:double_after_split")
def test_a_hand_that_was_split_is_doubled_where_the_house_says_so() -> None:
    for allowed in (False, True):
        bench = dealt("8s 7c 8d 9c 3s", 1, double_after_split=allowed)
        decide(bench, 1, "split")
        bench.card()
        assert ("double" in bench.view().choices) == allowed


@pytest.mark.rule("13:69F-2A.9(a)")
def test_a_surrender_costs_half_and_its_cards_leave_where_the_dealer_can_have_no_blackjack() -> None:
    bench = dealt("Ks 7c 6d 9c", 1, amount="7.25")
    outcome = decide(bench, 1, "surrender")
    assert (outcome.state, outcome.rack) == ("collecting", 2)
    assert pay(collect(bench), "1") == -363


@pytest.mark.rule("13:69F-2A.9(a)")
@pytest.mark.parametrize(("hole", "net"), [("9d", -500), ("Ad", -1000)])
def test_a_surrender_against_a_ten_waits_for_the_hole_card(hole: str, net: int) -> None:
    bench = dealt(f"Ks Tc 6d {hole}", 1)
    assert decide(bench, 1, "surrender").rack == 0
    assert pay(finish(bench), "1") == net


@pytest.mark.rule("13:69F-2A.9(a)")
def test_a_house_without_surrender_does_not_know_the_word() -> None:
    bench = dealt("Ks 7c 6d 9c", 1, surrender=False)
    assert "surrender" not in bench.view().choices
    assert refusal(bench, "decide", {"seat": 1, "choose": "surrender"}) == "bad-option"


@pytest.mark.rule("PA 633a.11(d)")
def test_against_a_dealers_blackjack_only_the_initial_wager_is_lost_after_split_and_double() -> None:
    bench = dealt("8s Tc 8d Ac 3s Ts 2h", 1)
    decide(bench, 1, "split")
    bench.card()
    decide(bench, 1, "double", hand=1)
    bench.card()
    bench.card()
    decide(bench, 1, "stand", hand=2)
    outcome = finish(bench)
    assert outcome.results["1 hand 1"] == {"initial": "lose", "double": "push"}
    assert outcome.results["1 hand 2"] == "push"
    assert pay(outcome, "1 hand 1") + pay(outcome, "1 hand 2") == -1000


# ---- insurance and the hole card


@pytest.mark.rule("13:69F-26.11(a)", "13:69F-2A.9(b)")
@pytest.mark.parametrize(("hole", "insurance", "initial"), [("Td", 1000, -1000), ("Kd", 1000, -1000), ("9d", -500, -500)])
def test_insurance_wins_on_a_card_of_ten_and_is_settled_apart_from_a_surrender(hole: str, insurance: int, initial: int) -> None:
    bench = dealt(f"Ks Ac 6d {hole}", 1)
    assert refusal(bench, "decide", {"seat": 1, "choose": "insurance", "amount": 6}) == "bad-amount"
    decide(bench, 1, "insurance", amount=5)
    decide(bench, 1, "surrender")
    outcome = finish(bench)
    pays = outcome.pays["1"]
    assert isinstance(pays, dict)
    assert {name: round(float(net) * 100) for name, net in pays.items()} == {"initial": initial, "insurance": insurance}


@pytest.mark.rule("13:69F-26.11(a)")
def test_insurance_is_asked_of_every_box_against_an_ace_alone() -> None:
    for up, asked in (("Ac", True), ("Kc", False), ("9c", False)):
        bench = dealt(f"Ks 5s {up} 6d 7d 9d", 1, 2)
        assert (bench.view().phase == "decide") == asked
    bench = dealt("Ks 5s Ac 6d 7d 9d", 1, 2)
    decide(bench, 2, "none")
    assert refusal(bench, "decide", {"seat": 1, "choose": "hit"}) == "bad-option"
    decide(bench, 1, "insurance")
    assert bench.view().turn == "seat 1"


@pytest.mark.rule("13:69F-2B.1")
def test_the_look_comes_before_the_first_decision_or_not_at_all() -> None:
    bench = dealt("Ks Tc 6d 9d", 1)
    assert "hole_check" in bench.view().next
    decide(bench, 1, "stand")
    assert "hole_check" not in bench.view().next
    assert refusal(bench, "hole_check", {"blackjack": False}) == "not-expected-now"


@pytest.mark.rule("13:69F-2B.1")
def test_where_a_reader_is_required_nobody_chooses_before_the_look() -> None:
    bench = dealt("Ks Tc 6d 9d", 1, hole_card_reader="required")
    assert refusal(bench, "decide", {"seat": 1, "choose": "stand"}) == "not-expected-now"
    assert (bench.view().choices, "decide" in bench.view().next) == ((), False)
    assert did(bench, "hole_check", {"blackjack": False}).standing == "memory", "2B.1 names the device, no text says when it is used"
    decide(bench, 1, "stand")


@pytest.mark.rule("13:69F-2B.1")
def test_a_house_without_a_reader_looks_at_nothing() -> None:
    bench = dealt("Ks Tc 6d 9d", 1, hole_card_reader="none")
    assert "hole_check" not in bench.view().next
    assert do(bench, "hole_check", {"blackjack": False}).irregularity == "hole-check-not-due"


@pytest.mark.requirement("T-11")
def test_a_wrong_look_is_told_with_the_card_and_not_before() -> None:
    for hole in ("Ad", "9d"):
        bench = dealt(f"Ks Tc 6d {hole}", 1)
        outcome = did(bench, "hole_check", {"blackjack": True})
        assert (outcome.irregularity, outcome.alarms, outcome.state) == (None, (), "settling")
        outcome = did(bench, "expose", {"seat": "dealer"})
        assert outcome.irregularity == (None if hole == "Ad" else "hole-check-wrong")


# ---- a card drawn in error and seen


@pytest.mark.rule("S.D. 20:18:15:28")
def test_a_shown_card_that_every_player_refuses_is_the_dealers_next() -> None:
    bench = dealt("5s 6s 6c 5d 6d 9d 6h", 1, 2)
    bench.card()
    did(bench, "report", {"what": "card-drawn-in-error", "shown": True})
    assert bench.view().choices == ("accept-card", "refuse-card")
    decide(bench, 1, "refuse-card")
    decide(bench, 2, "refuse-card")
    outcome = did(bench, "expose", {"seat": "dealer"})
    assert outcome.state == "collecting"
    assert [card.name for card in bench.places["dealer"]] == ["6c", "9d", "6h"]
    assert collect(bench).results == {"1": "lose", "2": "lose"}


@pytest.mark.rule("S.D. 20:18:15:28")
def test_a_card_seen_before_all_have_two_waits_for_a_supervisor() -> None:
    bench = table("5s 6c")
    bets(bench, 1)
    bench.card()
    assert do(bench, "report", {"what": "card-drawn-in-error", "shown": True}).remedy == "supervisor-decides"


def test_a_hand_settled_at_once_keeps_its_result_in_a_void_round() -> None:
    bench = dealt("As 5s 7c Kd 6d 9d", 1, 2)
    did(bench, "report", {"what": "device-malfunction"})
    outcome = bench.resolve("void")
    assert (outcome.results["1"], outcome.results["2"]) == ("win", "void")
    assert (pay(outcome, "1"), pay(outcome, "2")) == (1500, 0)
