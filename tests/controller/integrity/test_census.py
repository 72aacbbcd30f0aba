"""The census refuses a card beyond the set on that very read, also when some cards could not be read."""

from collections import Counter

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.decks import ONE_DECK, SIX_DECKS, DeckSpec, census_of
from controller.integrity.census import Beyond, BeyondReason, ShoeCensus
from controller.integrity.errors import IntegrityError
from firmware_bridge.cards import CUT_CARD, JOKER, parse_card

NINE_OF_HEARTS = parse_card("9h").code
KING_OF_HEARTS = parse_card("Kh").code


def drawn(census: ShoeCensus, *codes: int) -> ShoeCensus:
    for code in codes:
        after = census.draw(code)
        assert isinstance(after, ShoeCensus)
        census = after
    return census


def reason_of(result: ShoeCensus | Beyond) -> BeyondReason:
    assert isinstance(result, Beyond)
    return result.reason


@pytest.mark.requirement("EQ-10", "EQ-11")
def test_the_second_nine_of_hearts_of_one_deck_is_refused_on_that_read() -> None:
    census = drawn(ShoeCensus.of(ONE_DECK), NINE_OF_HEARTS)
    assert reason_of(census.draw(NINE_OF_HEARTS)) is BeyondReason.DUPLICATE


def test_six_decks_give_six_and_refuse_the_seventh() -> None:
    census = drawn(ShoeCensus.of(SIX_DECKS), *[NINE_OF_HEARTS] * 6)
    assert census.may_come(NINE_OF_HEARTS) == 0
    assert reason_of(census.draw(NINE_OF_HEARTS)) is BeyondReason.DUPLICATE


@pytest.mark.requirement("EQ-01")
def test_cards_that_do_not_belong_are_foreign() -> None:
    census = ShoeCensus.of(DeckSpec(without_ranks=(10,)))
    for code in (JOKER.code, CUT_CARD.code, parse_card("Td").code, 0xFF, 0x5D):
        assert reason_of(census.draw(code)) is BeyondReason.FOREIGN


@pytest.mark.requirement("EQ-02", "EQ-08")
def test_a_card_with_the_back_of_the_other_deck_is_foreign() -> None:
    census = ShoeCensus.of(DeckSpec(back="red"))
    assert reason_of(census.draw(NINE_OF_HEARTS, "blue")) is BeyondReason.FOREIGN
    assert reason_of(census.draw(0, "blue")) is BeyondReason.FOREIGN
    assert isinstance(census.draw(NINE_OF_HEARTS, "red"), ShoeCensus)
    assert isinstance(ShoeCensus.of(ONE_DECK).draw(NINE_OF_HEARTS, "blue"), ShoeCensus)


def test_a_whole_shoe_comes_out_and_then_nothing() -> None:
    census = ShoeCensus.of(ONE_DECK)
    census = drawn(census, *census_of(ONE_DECK))
    assert census.left == 0
    assert census.missing().cards == ()
    assert census.missing().sentence == "Every card of the set has been seen."
    assert reason_of(census.draw(0)) is BeyondReason.SURPLUS


@pytest.mark.requirement("EQ-10")
def test_what_is_missing_at_the_end_is_named() -> None:
    codes = [code for code in census_of(ONE_DECK) if code != KING_OF_HEARTS]
    missing = drawn(ShoeCensus.of(ONE_DECK), *codes).missing()
    assert missing.exact
    assert missing.absent == 1
    assert missing.cards == ((KING_OF_HEARTS, 1),)
    assert "Kh" in missing.sentence


@pytest.mark.requirement("EQ-34")
def test_an_unread_card_makes_the_census_inexact_but_not_blind() -> None:
    census = drawn(ShoeCensus.of(ONE_DECK), NINE_OF_HEARTS, 0)
    assert not census.exact
    assert census.left == 50
    assert reason_of(census.draw(NINE_OF_HEARTS)) is BeyondReason.DUPLICATE
    assert isinstance(census.draw(KING_OF_HEARTS), ShoeCensus)


@pytest.mark.requirement("EQ-34")
def test_with_an_unread_card_the_53rd_card_is_refused_even_if_its_identity_was_never_seen() -> None:
    codes = [code for code in census_of(ONE_DECK) if code != KING_OF_HEARTS]
    census = drawn(ShoeCensus.of(ONE_DECK), 0, *codes)
    assert census.left == 0
    assert census.may_come(KING_OF_HEARTS) == 0
    assert reason_of(census.draw(KING_OF_HEARTS)) is BeyondReason.SURPLUS


def test_unread_cards_are_explained_at_the_end_by_what_was_not_seen() -> None:
    codes = [code for code in census_of(ONE_DECK) if code not in (KING_OF_HEARTS, NINE_OF_HEARTS)]
    missing = drawn(ShoeCensus.of(ONE_DECK), 0, 0, *codes).missing()
    assert missing.absent == 0
    assert "must have been" in missing.sentence
    one_lost = drawn(ShoeCensus.of(ONE_DECK), 0, *codes).missing()
    assert one_lost.absent == 1
    assert "1 missing and 1 unread among" in one_lost.sentence


def test_an_unread_card_that_is_named_later_counts_from_then_on() -> None:
    census = drawn(ShoeCensus.of(ONE_DECK), 0)
    named = census.identify(KING_OF_HEARTS)
    assert isinstance(named, ShoeCensus)
    assert named.exact
    assert named.left == 51
    assert reason_of(named.draw(KING_OF_HEARTS)) is BeyondReason.DUPLICATE
    seen = drawn(census, KING_OF_HEARTS)
    assert reason_of(seen.identify(KING_OF_HEARTS)) is BeyondReason.DUPLICATE
    assert reason_of(seen.identify(JOKER.code)) is BeyondReason.FOREIGN
    with pytest.raises(IntegrityError):
        ShoeCensus.of(ONE_DECK).identify(KING_OF_HEARTS)


def test_a_card_pushed_back_may_come_again() -> None:
    fresh = ShoeCensus.of(ONE_DECK)
    assert drawn(fresh, NINE_OF_HEARTS).put_back(NINE_OF_HEARTS) == fresh
    assert drawn(fresh, 0).put_back(0) == fresh
    for code in (0, NINE_OF_HEARTS, JOKER.code):
        with pytest.raises(IntegrityError):
            fresh.put_back(code)


def test_a_damaged_card_taken_out_is_beyond_until_it_is_replaced() -> None:
    fresh = ShoeCensus.of(ONE_DECK)
    without = fresh.without(NINE_OF_HEARTS)
    assert isinstance(without, ShoeCensus)
    assert without.size == 51
    assert reason_of(without.draw(NINE_OF_HEARTS)) is BeyondReason.FOREIGN
    assert without.with_added(NINE_OF_HEARTS) == fresh
    assert isinstance(without.without(NINE_OF_HEARTS), Beyond)
    for code in (0, CUT_CARD.code, 0xFF):
        with pytest.raises(IntegrityError):
            fresh.with_added(code)


@pytest.mark.requirement("EQ-72")
def test_neither_a_census_nor_a_refusal_tells_a_card() -> None:
    census = drawn(ShoeCensus.of(DeckSpec(back="red")), NINE_OF_HEARTS)
    other = drawn(ShoeCensus.of(DeckSpec(back="red")), KING_OF_HEARTS)
    assert repr(census) == repr(other)
    one, two = census.draw(NINE_OF_HEARTS), other.draw(KING_OF_HEARTS)
    assert isinstance(one, Beyond)
    assert isinstance(two, Beyond)
    assert (repr(one), one.sentence) == (repr(two), two.sentence)


@given(
    decks=st.integers(1, 8),
    jokers=st.integers(0, 2),
    reads=st.lists(st.sampled_from([0, *census_of(DeckSpec(jokers=1)), 0xFF]), max_size=120),
)
def test_the_census_agrees_with_counting_by_hand(decks: int, jokers: int, reads: list[int]) -> None:
    spec = DeckSpec(decks=decks, jokers=jokers)
    census, seen, out = ShoeCensus.of(spec), Counter[int](), 0
    for code in reads:
        possible = out < spec.cards and (code == 0 or seen[code] < spec.copies(code))
        after = census.draw(code)
        assert isinstance(after, ShoeCensus) is possible
        if isinstance(after, ShoeCensus):
            census = after
            seen[code] += 1
            out += 1
            assert census.left == spec.cards - out
            assert census.unknown == seen[0]
            assert census.may_come(code) <= census.left
    missing = census.missing()
    assert missing.absent == spec.cards - out
    assert dict(missing.cards) == {code: spec.copies(code) - seen[code] for code in spec.codes if spec.copies(code) > seen[code]}


def test_a_census_survives_being_stored() -> None:
    census = drawn(ShoeCensus.of(SIX_DECKS), NINE_OF_HEARTS, 0)
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(census), type=ShoeCensus) == census
