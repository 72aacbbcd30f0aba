"""Hands paid by posted odds: pairs that win or push, the limit on what one hand wins, three-card tables."""

from __future__ import annotations

import pytest

from controller.dealing.rules import house
from controller.dealing.settings import Plain, Settings, resolve_settings
from controller.games.pay import at_most, check_three_card_table, odds_for, posted_pays, posted_settings, posted_verdict, three_card_name
from controller.hands.poker import PokerHand, evaluate
from controller.hands.three_card import evaluate_three
from firmware_bridge.cards import parse_card

ODDS: dict[str, Plain] = {"royal-flush": 500, "three-of-a-kind": 3, "two-pair": 2, "pair": 1}


def settings(**given: Plain) -> Settings:
    rule = house("pay_table")
    known = posted_settings(ODDS, rule, wins_from="J", pushes_from="6", limit=50_000, limit_rule=rule)
    return resolve_settings(known, given, "a game")


def hand(names: str) -> PokerHand:
    return evaluate([parse_card(name) for name in names.split()])


@pytest.mark.parametrize(
    ("cards", "verdict"),
    [
        ("As Ks Qs Js Ts", ("win", 500)), ("9s 9h 9d 2c 3c", ("win", 3)), ("2s 2h 3d 3c 4c", ("win", 2)),
        ("As Ah 2d 3c 4c", ("win", 1)), ("Js Jh 2d 3c 4c", ("win", 1)), ("Ts Th Ad Kc Qc", ("push", 0)), ("6s 6h Ad Kc Qc", ("push", 0)),
        ("5s 5h Ad Kc Qc", ("lose", None)), ("2s 2h Ad Kc Qc", ("lose", None)), ("As Kh Qd Jc 9c", ("lose", None)),
        ("2s 3s 4s 5s 7s", ("lose", None)),
    ],
)  # fmt: skip
def test_jacks_or_better_win_sixes_to_tens_push_and_what_is_not_posted_loses(cards: str, verdict: tuple[str, int | None]) -> None:
    assert posted_verdict(settings(), hand(cards)) == verdict


def test_without_a_push_every_pair_below_the_lowest_paid_one_loses() -> None:
    assert posted_verdict(settings(lowest_push_pair="none"), hand("Ts Th Ad Kc Qc")) == ("lose", None)
    assert posted_verdict(settings(lowest_paid_pair="T"), hand("Ts Th Ad Kc Qc")) == ("win", 1)


def test_without_a_table_a_win_is_told_without_money() -> None:
    results, pays = posted_pays(settings(pay_table={}), {"ante": 1000}, hand("9s 9h 9d 2c 3c"), at_minimum=1)
    assert (results, pays) == ({"ante": "win"}, {"ante": None})


def test_every_wager_is_paid_at_the_same_odds() -> None:
    results, pays = posted_pays(settings(), {"ante": 1000, "third": 3000, "fourth": None}, hand("9s 9h 9d 2c 3c"), at_minimum=4)
    assert results == {"ante": "win", "third": "win", "fourth": "win"}
    assert pays == {"ante": 3000, "third": 9000, "fourth": None}


def test_a_push_pays_nothing_and_a_loss_takes_the_stakes() -> None:
    assert posted_pays(settings(), {"ante": 1000, "third": 3000}, hand("7s 7h 9d 2c 3c"), at_minimum=4)[1] == {"ante": 0, "third": 0}
    lost = posted_pays(settings(), {"ante": 1000, "third": None}, hand("2s 7h 9d 5c 3c"), at_minimum=4)[1]
    assert lost == {"ante": -1000, "third": None}


@pytest.mark.parametrize(
    ("limit", "minimum", "paid"),
    [
        (50_000, None, [5_000_000, 0]), (100_000, None, [5_000_000, 5_000_000]), (70_000, None, [5_000_000, 2_000_000]),
        (20_000, None, [2_000_000, 0]), (50_000, 25, [5_000_000, 0]),
        (50_000, 50, [5_000_000, 5_000_000]), (50_000, 30, [5_000_000, 1_000_000]),
    ],
)  # fmt: skip
def test_one_hand_wins_at_most_the_limit_or_what_the_best_hand_wins_on_minimum_wagers(
    limit: int, minimum: int | None, paid: list[int]
) -> None:
    wagers: dict[str, int | None] = {"ante": 10_000, "third": 10_000}
    _, pays = posted_pays(settings(payout_limit=limit, minimum_wager=minimum), wagers, hand("As Ks Qs Js Ts"), at_minimum=4)
    assert list(pays.values()) == paid


def test_losses_are_never_limited() -> None:
    _, pays = posted_pays(settings(payout_limit=1), {"ante": 10_000_000}, hand("2s 7h 9d 5c 3c"), at_minimum=1)
    assert pays == {"ante": -10_000_000}
    assert at_most({"ante": 5, "third": None, "fourth": 9}, 7) == {"ante": 5, "third": None, "fourth": 2}


@pytest.mark.parametrize(
    ("table", "cards", "odds"),
    [
        ({"mini-royal": 50, "straight-flush": 40}, "As Ks Qs", 50), ({"straight-flush": 40}, "As Ks Qs", 40),
        ({"mini-royal": 50, "straight-flush": 40}, "Ks Qs Js", 40), ({"pair": 1}, "Ks Kh Js", 1), ({"pair": 1}, "Ks Qh Js", None),
    ],
)  # fmt: skip
def test_three_card_odds(table: dict[str, Plain], cards: str, odds: int | None) -> None:
    assert check_three_card_table(table) == ""
    assert odds_for(table, three_card_name(table, evaluate_three([parse_card(name) for name in cards.split()]))) == odds


@pytest.mark.parametrize("table", [{"full-house": 5}, {"mini-royl": 50}, {"pair": -1}, {"pair": "1"}, ["pair"], 5])
def test_a_three_card_table_that_cannot_be_used_is_told_why(table: Plain) -> None:
    assert check_three_card_table(table)
