"""The ledger keeps every card in exactly one place, and says in words when a witness sees another number."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.integrity.errors import IntegrityError
from controller.integrity.ledger import DeviceFlow, Imbalance, Ledger, Place, reconcile

counts = st.integers(min_value=0, max_value=60)
places = st.sampled_from(Place)
moves = st.one_of(
    st.tuples(st.just("move"), places, places, counts),
    st.tuples(st.just("load"), counts),
    st.tuples(st.just("take_out"), places, counts),
    st.tuples(st.just("put_in"), places, counts),
    st.tuples(st.sampled_from(["collect", "reload"])),
)


@pytest.mark.requirement("EQ-11")
@given(st.lists(moves, max_size=40))
def test_no_sequence_of_operations_loses_or_makes_a_card(operations: list[tuple[object, ...]]) -> None:
    ledger = Ledger().load(52)
    in_set = 52
    for name, *arguments in operations:
        after = getattr(ledger, str(name))(*arguments)
        if isinstance(after, Imbalance):
            assert after.counted > after.expected
            continue
        amount = arguments[-1] if arguments else 0
        assert isinstance(amount, int)
        in_set += {"load": amount, "put_in": amount, "take_out": -amount}.get(str(name), 0)
        ledger = after
        assert ledger.balance() is None
        assert ledger.loaded == in_set == sum(ledger.at(place) for place in Place)
        assert all(ledger.at(place) >= 0 for place in Place)


def test_a_card_moves_from_the_device_to_its_place() -> None:
    ledger = Ledger().load(52).move(Place.DEVICE, Place.DEALT)
    assert isinstance(ledger, Ledger)
    assert (ledger.device, ledger.dealt) == (51, 1)


def test_a_place_cannot_give_more_than_it_holds() -> None:
    wrong = Ledger().load(1).move(Place.DEVICE, Place.BURNED, 2)
    assert wrong == Imbalance("in the device", 1, 2, "the movement of cards")


def test_collecting_brings_the_round_into_the_rack_and_reloading_the_set_into_the_device() -> None:
    ledger = Ledger(52, 30, 10, 1, 5, 2, 4)
    rack = ledger.collect()
    assert (rack.device, rack.discarded, rack.dealt, rack.unread) == (30, 22, 0, 0)
    assert rack.reload() == Ledger(52, 52)


def test_a_damaged_card_makes_the_set_smaller_until_it_is_replaced() -> None:
    smaller = Ledger().load(52).take_out(Place.DEVICE)
    assert isinstance(smaller, Ledger)
    assert (smaller.loaded, smaller.device, smaller.aside) == (51, 51, 0)
    assert smaller.put_in(Place.DEVICE) == Ledger().load(52)


def test_a_witness_that_counts_another_number_is_named_with_what_to_do() -> None:
    wrong = Ledger().load(52).compare(Place.DEVICE, 51, "the shuffler")
    assert wrong is not None
    assert wrong.short == 1
    assert wrong.sentence.startswith("1 card missing: 52 cards should be in the device, the shuffler says 51.")
    assert "call a supervisor" in wrong.sentence
    assert Ledger().load(52).compare(Place.DEVICE, 52, "the shuffler") is None


def test_too_many_cards_are_said_as_such() -> None:
    wrong = Ledger().load(52).compare(Place.DEVICE, 54, "the shoe")
    assert wrong is not None
    assert wrong.short == -2
    assert wrong.sentence.startswith("2 cards too many")


def test_a_ledger_that_came_from_elsewhere_out_of_balance_is_noticed() -> None:
    assert Ledger(52, 51).balance() == Imbalance("in the set", 52, 51, "the ledger")
    assert Ledger(0, 1, -1).balance() == Imbalance("on the table", 0, -1, "the ledger")


def test_a_negative_number_of_cards_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(IntegrityError):
        Ledger().load(-1)
    with pytest.raises(IntegrityError):
        Ledger().load(5).move(Place.DEVICE, Place.DEALT, -1)
    with pytest.raises(IntegrityError):
        Ledger().put_in(Place.DEVICE, -1)


def test_a_ledger_survives_being_stored() -> None:
    ledger = Ledger(52, 30, 10, 1, 5, 2, 4)
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(ledger), type=Ledger) == ledger
    assert msgspec.json.decode(msgspec.json.encode(Place.UNREAD), type=Place) is Place.UNREAD


@pytest.mark.requirement("EQ-14", "EQ-69")
def test_cards_left_inside_the_shuffler_are_missing_at_the_shoe() -> None:
    shuffler = DeviceFlow("the shuffler", taken_in=312, given_out=296, inside=16)
    wrong = reconcile(shuffler, DeviceFlow("the shoe", taken_in=296, inside=296))
    assert wrong is not None
    assert wrong.short == 16
    assert "still holds 16" in wrong.sentence


@pytest.mark.requirement("EQ-69")
def test_the_shufflers_out_is_the_shoes_in() -> None:
    shuffler = DeviceFlow("the shuffler", 312, 312)
    assert reconcile(shuffler, DeviceFlow("the shoe", 312, 100, 212)) is None
    short = reconcile(shuffler, DeviceFlow("the shoe", 311, 0, 311))
    assert short is not None
    assert short.short == 1
    lost_inside = reconcile(DeviceFlow("the shuffler", 312, 300), DeviceFlow("the shoe", 300, 0, 300))
    assert lost_inside is not None
    assert lost_inside.short == 12
    assert reconcile(shuffler, DeviceFlow("the shoe", 312, 100, 200)) is not None
