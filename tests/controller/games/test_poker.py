"""Poker among players: deals of all variants, betting rounds, draws, showing hands, showdowns and limits."""

from __future__ import annotations

import pytest

from controller.dealing.describe import procedure_lines
from controller.dealing.procedure import ProcedureError, build_procedure
from controller.dealing.settings import Plain, SettingError
from controller.games import GAMES
from controller.games.poker_variants import VARIANTS
from controller.table.outcome import Outcome
from tests.controller.games.rounds import decide, did, do, open_table, refusal
from tests.controller.table.bench import Bench

GAME = "poker"
STUD = ("seven-card-stud", "seven-card-stud-high-low", "seven-card-stud-low")


def table(variant: str = "holdem", cards: str = "", **house: Plain) -> Bench:
    return open_table(GAME, "hand", {"variant": variant, **house}, cards)


def seats(bench: Bench, *numbers: int, button: int | None = None) -> Outcome:
    for number in numbers:
        did(bench, "wager", {"seat": number, "ante": 1})
    if button is not None:
        did(bench, "start", {"button": button})
    return did(bench, "close_bets")


def dealt(bench: Bench) -> list[tuple[str | None, str | None]]:
    """(to, face) of the cards that come while the gate is open."""
    came = []
    while bench.view().gate == "open":
        outcome = bench.card()
        came.append((outcome.to, outcome.face))
    return came


def street(bench: Bench) -> list[tuple[str | None, str | None]]:
    """The betting round is over; the cards that come then."""
    did(bench, "close_bets")
    return dealt(bench)


def first_to_act(bench: Bench) -> str | None:
    return bench.view().turn


def to_showdown(bench: Bench) -> None:
    dealt(bench)
    while bench.view().state == "deciding":
        turn = bench.view().turn
        if "close_bets" in bench.view().next:
            did(bench, "close_bets")
        elif turn is not None:
            decide(bench, int(turn.split()[1]), "stand")
        dealt(bench)


def showdown(bench: Bench) -> dict[str, object]:
    to_showdown(bench)
    for turn in list(bench.state.round.turns if bench.state.round is not None else ()):
        did(bench, "expose", {"seat": int(turn.split()[1])})
    return dict(did(bench, "collect").results)


DOWN, UP = "down", "up"


# ---- before the deal


@pytest.mark.rule("13:69F-14.10(b)")
def test_only_seats_with_an_ante_or_blind_are_dealt_and_it_takes_two() -> None:
    bench = table()
    did(bench, "wager", {"seat": 4})
    assert "close_bets" not in bench.view().next
    outcome = do(bench, "close_bets")
    assert (outcome.refused, outcome.rule) == ("not-expected-now", "13:69F-14.10(b)")
    did(bench, "wager", {"seat": 2, "blind": 2})
    did(bench, "start", {"button": 2})
    did(bench, "close_bets")
    assert dealt(bench) == [("seat 4", DOWN), ("seat 2", DOWN)] * 2


@pytest.mark.rule("13:69F-14.10(b)")
def test_hold_em_takes_at_most_eleven_players() -> None:
    assert build_procedure(GAMES[GAME], "hand", {"seats": 11}).seats == 11
    with pytest.raises(SettingError, match=r"13:69F-14\.10\(b\)"):
        build_procedure(GAMES[GAME], "hand", {"seats": 12})


MOST_SEATS = {
    "holdem": 11, "omaha": 11, "omaha-high-low": 11, "five-card-omaha": 8, "five-card-omaha-high-low": 8, "seven-card-stud": 8,
    "seven-card-stud-high-low": 8, "seven-card-stud-low": 8, "five-card-stud": 9, "five-card-draw": 8, "ace-to-five-draw": 8,
    "deuce-to-seven-draw": 8, "triple-draw": 8, "ace-to-five-triple-draw": 8, "badugi": 9,
}  # fmt: skip


@pytest.mark.rule("13:69F-14.10(b)")
@pytest.mark.parametrize(("variant", "most"), MOST_SEATS.items())
def test_more_players_than_the_deck_can_serve_are_refused_with_the_arithmetic(variant: str, most: int) -> None:
    assert build_procedure(GAMES[GAME], "hand", {"variant": variant, "seats": most}).seats == most
    if most < 11:
        with pytest.raises(ProcedureError, match=r"poker: .* = \d\d, but the deck has 52") as refused:
            build_procedure(GAMES[GAME], "hand", {"variant": variant, "seats": most + 1})
        assert refused.value.code == "too-many-seats"


@pytest.mark.parametrize("method", ["manual-shoe", "automated-shoe"])
def test_poker_is_dealt_from_the_hand_alone(method: str) -> None:
    with pytest.raises(ProcedureError, match="hand"):
        build_procedure(GAMES[GAME], method)


@pytest.mark.rule("13:69F-14.5(a)")
def test_the_deck_is_shuffled_after_every_round() -> None:
    bench = table()
    seats(bench, 1, 2, button=2)
    showdown(bench)
    assert (bench.view().state, refusal(bench, "wager", {"seat": 1})) == ("complete", "not-expected-now")


def test_the_button_moves_one_seat_clockwise_and_stays_after_a_misdeal() -> None:
    bench = table()
    seats(bench, 3, 5)
    assert bench.state.button == 8, "before the first round it stands at the last seat"
    did(bench, "report", {"what": "wrong-start"})
    did(bench, "collect")
    bench.load()
    bench.shuffle()
    seats(bench, 3, 5)
    assert bench.state.button == 8
    showdown(bench)
    bench.load()
    bench.shuffle()
    seats(bench, 3, 5)
    assert bench.state.button == 1


# ---- deals


@pytest.mark.rule("13:69F-14.10(e)", "13:69F-14.10(g)")
@pytest.mark.parametrize(("variant", "own"), [("holdem", 2), ("omaha", 4), ("omaha-high-low", 4), ("five-card-omaha", 5)])
def test_board_games_deal_from_the_left_of_the_button_and_burn_before_each_board_street(variant: str, own: int) -> None:
    bench = table(variant)
    seats(bench, 1, 2, 6, button=2)
    assert dealt(bench) == [("seat 6", DOWN), ("seat 1", DOWN), ("seat 2", DOWN)] * own
    assert street(bench) == [("burn", DOWN), ("community 1", UP), ("community 2", UP), ("community 3", UP)]
    assert street(bench) == [("burn", DOWN), ("community 4", UP)]
    assert street(bench) == [("burn", DOWN), ("community 5", UP)]
    assert did(bench, "close_bets").stub_expected == 44 - own * 3


@pytest.mark.parametrize("variant", STUD)
def test_seven_card_stud_deals_two_down_four_up_one_down_with_burns_from_fourth_street(variant: str) -> None:
    bench = table(variant)
    seats(bench, 2, 5, 8)
    order = ["seat 2", "seat 5", "seat 8"]
    assert dealt(bench) == [(place, face) for face in (DOWN, DOWN, UP) for place in order]
    for _ in range(3):
        assert street(bench) == [("burn", DOWN), *((place, UP) for place in order)]
    assert street(bench) == [("burn", DOWN), *((place, DOWN) for place in order)]
    assert did(bench, "close_bets").stub_expected == 52 - 9 - 4 * 4


def test_five_card_stud_deals_one_down_and_four_up() -> None:
    bench = table("five-card-stud")
    seats(bench, 1, 4)
    assert dealt(bench) == [("seat 1", DOWN), ("seat 4", DOWN), ("seat 1", UP), ("seat 4", UP)]
    for _ in range(3):
        assert street(bench) == [("burn", DOWN), ("seat 1", UP), ("seat 4", UP)]
    assert did(bench, "close_bets").state == "settling"


@pytest.mark.parametrize("variant", [name for name, item in VARIANTS.items() if item.draws])
def test_draw_games_burn_before_each_draw_and_serve_the_left_of_the_button_first(variant: str) -> None:
    bench = table(variant)
    own, draws = VARIANTS[variant].own, VARIANTS[variant].draws
    seats(bench, 1, 3, 4, button=3)
    assert dealt(bench) == [("seat 4", DOWN), ("seat 1", DOWN), ("seat 3", DOWN)] * own
    for _ in range(draws):
        assert street(bench) == [("burn", DOWN)]
        assert bench.view().turn == "seat 4"
        assert refusal(bench, "decide", {"seat": 1, "choose": "stand"}) == "not-your-turn"
        did(bench, "decide", {"seat": 4, "choose": "draw", "cards": 2})
        assert bench.view().state == "drawing"
        assert dealt(bench) == [("seat 4", DOWN), ("seat 4", DOWN)]
        decide(bench, 1, "stay")
        did(bench, "decide", {"seat": 3, "choose": "draw", "cards": 1})
        assert dealt(bench) == [("seat 3", DOWN)]
    assert did(bench, "close_bets").stub_expected == 52 - 3 * own - draws * 4


def test_the_house_may_limit_how_many_cards_are_thrown_away() -> None:
    bench = table("five-card-draw", draw_most=3)
    seats(bench, 1, 2, button=2)
    dealt(bench)
    street(bench)
    outcome = do(bench, "decide", {"seat": 1, "choose": "draw", "cards": 4})
    assert (outcome.refused, outcome.rule) == ("bad-cards", "house setting: draw_most")
    assert refusal(bench, "decide", {"seat": 1, "choose": "draw", "cards": 3}) is None


def test_cards_thrown_away_without_a_name_may_be_any_of_the_hand() -> None:
    bench = table("five-card-draw", "Ah Kh Ad Kd Ac 9c 9d 9h 9s 2c 3c Kc Ks")
    seats(bench, 1, 2, button=2)
    dealt(bench)
    street(bench)
    decide(bench, 1, "stand")
    did(bench, "decide", {"seat": 2, "choose": "draw", "cards": 2})
    dealt(bench)
    did(bench, "close_bets")
    did(bench, "expose", {"seat": 1})
    assert refusal(bench, "expose", {"seat": 2}) == "bad-cards", "nobody has seen which were kept"
    assert refusal(bench, "expose", {"seat": 2, "cards": ["Kh", "Kd", "9c", "Kc", "Qs"]}) == "bad-cards", "not in this hand"
    did(bench, "expose", {"seat": 2, "cards": ["Kh", "Kd", "2c", "Kc", "Ks"]})
    assert did(bench, "collect").results == {"1": "lose", "2": "win"}


# ---- who acts first


@pytest.mark.rule("13:69F-14.10(f)")
def test_after_the_first_down_cards_the_seat_left_of_the_big_blind_acts_first() -> None:
    bench = table()
    seats(bench, 1, 3, 5, 7, button=7)
    dealt(bench)
    assert first_to_act(bench) == "seat 5"
    decide(bench, 5, "fold")
    assert first_to_act(bench) == "seat 7"


@pytest.mark.rule("13:69F-14.10(f)")
def test_a_straddle_moves_the_first_to_act_on_by_one() -> None:
    bench = table()
    did(bench, "wager", {"seat": 5, "straddle": 4})
    seats(bench, 1, 3, 7, button=7)
    dealt(bench)
    assert first_to_act(bench) == "seat 7"


def test_later_the_first_live_seat_left_of_the_button_acts_first() -> None:
    bench = table()
    seats(bench, 1, 3, 5, button=5)
    dealt(bench)
    decide(bench, 1, "fold")
    street(bench)
    assert first_to_act(bench) == "seat 3"


@pytest.mark.parametrize(
    ("variant", "doors", "opens", "fourth", "then"),
    [
        ("seven-card-stud", "9h 4d 4c", "seat 3", "Ks 2d 2h", "seat 1"),
        ("seven-card-stud", "Ah 4d 3c", "seat 3", "Kd 4s 3d", "seat 2"),
        ("seven-card-stud-low", "Kh Ad Ks", "seat 3", "2c 3c 4h", "seat 2"),
        ("seven-card-stud-low", "7h 6d 5s", "seat 1", "7c 8s 9h", "seat 2"),
    ],
)
def test_in_stud_up_cards_say_who_opens_and_who_is_first(variant: str, doors: str, opens: str, fourth: str, then: str) -> None:
    bench = table(variant, f"8c 8d 8h Jc Jd Jh {doors} Tc {fourth}")
    seats(bench, 1, 2, 3)
    dealt(bench)
    assert first_to_act(bench) == opens
    street(bench)
    assert first_to_act(bench) == then


# ---- betting rounds


@pytest.mark.rule("13:69F-14.10(f)")
def test_any_live_seat_may_fold_until_the_round_is_closed_and_gets_no_more_cards() -> None:
    bench = table("seven-card-stud")
    seats(bench, 1, 2, 3)
    dealt(bench)
    decide(bench, 2, "fold")
    assert [to for to, _ in street(bench)] == ["burn", "seat 1", "seat 3"]


def test_a_betting_round_ends_by_itself_when_one_seat_is_left_and_that_seat_wins_unseen() -> None:
    bench = table("omaha")
    seats(bench, 1, 2, 3, button=1)
    dealt(bench)
    decide(bench, 2, "fold")
    outcome = decide(bench, 3, "fold")
    assert (outcome.state, outcome.gate, outcome.stub_expected) == ("collecting", "locked", 40)
    assert did(bench, "collect").results == {"1": "win", "2": "lose", "3": "lose"}


def test_a_last_hand_that_is_shown_after_it_was_declared_stays_declared() -> None:
    bench = table("omaha-high-low")
    seats(bench, 1, 2, button=2)
    to_showdown(bench)
    decide(bench, 1, "fold")
    assert did(bench, "declare", {"seat": 2, "result": "win"}).results == {"2": "win"}
    assert did(bench, "expose", {"seat": 2}).results == {"2": "win"}, "by halves of the pot now, and as visible as before"


def test_bets_and_pots_are_not_followed() -> None:
    bench = table()
    seats(bench, 1, 2, button=2)
    results = showdown(bench)
    assert set(results) == {"1", "2"}
    assert bench.view().pays == {"1": {}, "2": {}}


# ---- showdowns


@pytest.mark.rule("13:69F-14.10(h)")
@pytest.mark.parametrize(
    ("variant", "cards", "results"),
    [
        ("holdem", "Ah Kh Ac Kc 3c As Kd Qd 4c Js 5c 9h", {"1": "win", "2": "lose"}),
        ("holdem", "3h 4h 3d 4d 3c As Kd Qd 4c Js 5c Th", {"1": "win", "2": "win"}),
        ("omaha", "Ah Kh Kc Kd 2d 9c 3d 9d 2c As Qs Js 3c Ts 4c 8s", {"1": "win", "2": "lose"}),
        ("omaha", "Ah Kh Ac Kc 3s 4s 3d 4d 8c As Ks 7h 9c 7d 9h 2c", {"1": "win", "2": "lose"}),
        ("five-card-stud", "Ah Kh Ac Kc 2c Ad Kd 3c 9h 9d 4c 8h 8d", {"1": "win", "2": "lose"}),
    ],
)
def test_the_best_hand_takes_the_pot_and_equal_hands_share_it(variant: str, cards: str, results: dict[str, str]) -> None:
    bench = table(variant, cards)
    seats(bench, 1, 2, button=None if variant == "five-card-stud" else 2)
    assert showdown(bench) == results


@pytest.mark.parametrize(
    ("cards", "results"),
    [
        ("Ah Kc 2h Kd Qs 9c Qd 9d 7c 3s 4h 8d Tc Kh Ts 7d", {"1": {"high": "lose", "low": "win"}, "2": {"high": "win", "low": "lose"}}),
        ("Ah Kc 2h Kd Qs 9c Qd 9d 7c Js 9h 8d Tc Kh Ts 7d", {"1": "lose", "2": "win"}),
        ("Ah Ad 2h 2d Qs Qd Js Jd 7c 3s 4h 8d Tc Kh Ts 7h", {"1": {"high": "win", "low": "win"}, "2": {"high": "lose", "low": "win"}}),
    ],
)
def test_high_and_low_take_half_each_and_without_a_low_the_high_hand_takes_all(cards: str, results: dict[str, object]) -> None:
    bench = table("omaha-high-low", cards)
    seats(bench, 1, 2, button=2)
    expected = {key: "win" if value == {"high": "win", "low": "win"} else value for key, value in results.items()}
    assert showdown(bench) == expected


@pytest.mark.parametrize(
    ("variant", "cards", "results"),
    [
        ("seven-card-stud", "Ah Kh Ac Kc Ad Kd 2c 9h 8h 2d 7h 6h 2h 5c 4c 2s 3h 3d", {"1": "win", "2": "lose"}),
        ("seven-card-stud-low", "Ah Kh 2c Kc 3d Kd 9c 4h 8h 9d 6h 6c 9h Qc Jc 9s Qh Jd", {"1": "win", "2": "lose"}),
        ("ace-to-five-draw", "Ah 2h 2c 3h 3c 4h 4c 6h 5c 7c", {"1": "win", "2": "lose"}),
        ("deuce-to-seven-draw", "2h 3h 3c 4c 4d 5d 5s 6s 7c 7d", {"1": "win", "2": "lose"}),
        ("deuce-to-seven-draw", "Ah 2c 2d 3d 3s 4h 4c 5c 5d Kd", {"1": "lose", "2": "win"}),
        ("triple-draw", "2h 2c 3c 3d 4d 4s 5s 5h 7c 8c", {"1": "win", "2": "lose"}),
        ("badugi", "Kc Ah Qd 2d Js 3c Th 3s", {"1": "win", "2": "lose"}),
        ("badugi", "Ac 2c 2d 3d 4s 4h 8h 5s", {"1": "lose", "2": "win"}),
    ],
)
def test_stud_and_low_games_rank_their_own_way(variant: str, cards: str, results: dict[str, str]) -> None:
    bench = table(variant, cards)
    seats(bench, 1, 2, button=None if variant in STUD else 2)
    assert showdown(bench) == results


def test_seven_card_stud_high_low_needs_eight_or_better() -> None:
    bench = table("seven-card-stud-high-low", "Ah Kh 2c Kc 3d Kd 9c 4h 8h 9d 6h 6c 9h Qc Jc 9s Qh Jd")
    seats(bench, 1, 2)
    assert showdown(bench) == {"1": {"high": "lose", "low": "win"}, "2": {"high": "win", "low": "lose"}}


def test_players_show_in_any_order_and_losers_may_throw_their_hands_away_unless_the_house_says_no() -> None:
    bench = table()
    seats(bench, 1, 2, 3, button=3)
    to_showdown(bench)
    did(bench, "expose", {"seat": 2})
    assert decide(bench, 1, "fold").state == "settling"
    assert decide(bench, 3, "fold").refused is None
    assert did(bench, "collect").results["2"] == "win"
    strict = table(losers_show=True)
    seats(strict, 1, 2, button=2)
    to_showdown(strict)
    assert refusal(strict, "decide", {"seat": 1, "choose": "fold"}) == "not-expected-now"


# ---- words


@pytest.mark.parametrize("variant", list(VARIANTS))
def test_the_procedure_tells_betting_rounds_draws_and_all_rows(variant: str) -> None:
    words = [line.words for line in procedure_lines(build_procedure(GAMES[GAME], "hand", {"variant": variant}))]
    text = " ".join(words)
    assert "It takes 2 seats." in text
    assert text.count("Betting round.") == sum(word.startswith("Betting round.") for word in words) >= 2
    assert "in the order in which players show" in text
    assert ("opens with the forced bet" in text) == (VARIANTS[variant].family == "stud")
    assert text.count("its new cards come at once") == VARIANTS[variant].draws
    assert "in rotation" not in text, "the dealer has no hand"
    assert text.count("Misdeal") >= 4


# ---- remedies that the cards on the table do not allow


@pytest.mark.parametrize("moment", ["before the cards", "after a fold"])
def test_a_remedy_that_finds_no_hand_to_work_on_leaves_it_to_a_supervisor(moment: str) -> None:
    bench = table()
    if moment == "before the cards":
        did(bench, "wager", {"seat": 1})
        outcome = did(bench, "report", {"what": "hand-fouled", "seat": 1})
    else:
        seats(bench, 1, 2, 3, button=3)
        dealt(bench)
        decide(bench, 1, "fold")
        outcome = did(bench, "report", {"what": "player-card-exposed", "seat": 1})
    assert (outcome.remedy, outcome.state) == ("supervisor-decides", "suspended")
    assert bench.resolve("continue").state == ("wagering" if moment == "before the cards" else "deciding")


def test_board_cards_turned_early_in_the_middle_of_nothing_are_left_to_a_supervisor() -> None:
    bench = table()
    seats(bench, 1, 2, button=2)
    dealt(bench)
    street(bench)
    for _ in range(3):
        assert bench.card().to == "aside"
    outcome = did(bench, "report", {"what": "community-card-exposed"})
    assert (outcome.remedy, outcome.state) == ("supervisor-decides", "suspended"), "a burn and a turn are two cards, these are three"


def test_a_shuffle_of_the_wrong_cards_in_a_round_takes_the_deck_off_the_table() -> None:
    bench = table("five-card-draw")
    seats(bench, *range(1, 9), button=8)
    dealt(bench)
    street(bench)
    for seat in (1, 2):
        did(bench, "decide", {"seat": seat, "choose": "draw", "cards": 5})
        dealt(bench)
    outcome = did(bench, "decide", {"seat": 3, "choose": "draw", "cards": 4})
    assert (outcome.remedy, outcome.gate, outcome.next) == ("reshuffle-and-continue", "locked", ("shuffle",))
    assert outcome.message == "4 cards are due, 1 card is left. Shuffle the muck (11) into the rest of the deck, cut, and deal on."
    assert bench.shuffle(counted=12, mode="sort").gate == "locked"
    assert bench.shuffle(counted=13).state == "quarantined"
    assert bench.view().pays["1"] == "0"
