"""Deck compositions and new-deck orders."""

import pytest

from controller.decks import (
    NEW_DECK_ORDERS,
    ONE_DECK,
    SIX_DECKS,
    DeckError,
    DeckSpec,
    NewDeckOrder,
    census_of,
    new_deck_codes,
)
from firmware_bridge.cards import FRENCH_CARDS, JOKER, parse_card


@pytest.mark.requirement("EQ-01")
def test_one_deck_is_the_52_french_cards_once_each() -> None:
    assert census_of(ONE_DECK) == {card.code: 1 for card in FRENCH_CARDS}
    assert ONE_DECK.cards == 52


def test_six_decks_hold_each_card_six_times() -> None:
    assert SIX_DECKS.cards == 312
    assert set(census_of(SIX_DECKS).values()) == {6}


def test_a_spanish_deck_has_no_tens_and_a_joker_deck_has_jokers() -> None:
    spanish = DeckSpec(decks=6, without_ranks=(10,))
    assert spanish.cards == 288
    assert spanish.copies(parse_card("Td").code) == 0
    jokers = DeckSpec(decks=2, jokers=2)
    assert jokers.cards == 108
    assert census_of(jokers)[JOKER.code] == 4


def test_codes_that_are_no_cards_have_no_copies() -> None:
    spec = DeckSpec(jokers=1)
    belonging = {code for code in range(256) if spec.copies(code)}
    assert belonging == {card.code for card in FRENCH_CARDS} | {JOKER.code}


@pytest.mark.parametrize(
    ("composition", "word"),
    [
        ({"decks": 0}, "decks"),
        ({"decks": 13}, "decks"),
        ({"jokers": -1}, "jokers"),
        ({"jokers": 5}, "jokers"),
        ({"without_ranks": (14,)}, "ranks"),
        ({"without_ranks": (3, 3)}, "ranks"),
        ({"without_ranks": tuple(range(1, 9))}, "ranks"),
    ],
)
def test_impossible_compositions_are_refused(composition: dict[str, object], word: str) -> None:
    with pytest.raises(DeckError, match=word):
        DeckSpec(**composition)  # type: ignore[arg-type]


@pytest.mark.parametrize("order", NEW_DECK_ORDERS, ids=lambda order: order.name)
@pytest.mark.parametrize("spec", [ONE_DECK, SIX_DECKS, DeckSpec(jokers=2), DeckSpec(decks=8, without_ranks=(10,))])
def test_a_packed_set_is_the_set_in_another_sequence(order: NewDeckOrder, spec: DeckSpec) -> None:
    packed = new_deck_codes(spec, order)
    assert {code: packed.count(code) for code in set(packed)} == census_of(spec)


def test_the_mirrored_packing_turns_round_in_the_middle() -> None:
    codes = new_deck_codes(ONE_DECK, NEW_DECK_ORDERS[0])
    names = [parse_card(name).code for name in ("Kd", "Kc")]
    assert list(codes[25:27]) == names
    assert codes[0] == parse_card("As").code
    assert codes[-1] == parse_card("Ah").code


def test_the_names_of_the_orders_are_unique() -> None:
    assert len({order.name for order in NEW_DECK_ORDERS}) == len(NEW_DECK_ORDERS)
    assert len({(order.suits, order.directions) for order in NEW_DECK_ORDERS}) == len(NEW_DECK_ORDERS)


@pytest.mark.parametrize(("suits", "directions"), [("shd", "++++"), ("shdd", "++++"), ("shdc", "+++"), ("shdc", "+++x")])
def test_an_order_without_four_suits_and_directions_is_refused(suits: str, directions: str) -> None:
    with pytest.raises(DeckError):
        NewDeckOrder("wrong", suits, directions)
