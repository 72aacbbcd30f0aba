"""What a person or device would rightly do next: for each act that the table lists as `next`, one with the right content.

It reads the table's state and the bench's physical cards, as the people at a real table see seats, turns and their own cards.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

from controller.dealing.round import DEALER as DEALER_PLACE
from controller.dealing.round import Round, seat_of, seat_place
from controller.dealing.side_steps import DecideSide, ExposeSide
from controller.dealing.sizes import Size
from controller.dealing.steps import Decide, ExposeCards, Option, Order, SetHands, Settle, Stack, StateKind, Who
from controller.dealing.turn_steps import PlayHands
from controller.hands.points import is_blackjack
from controller.table import acts as a
from controller.table.judging import overall, to_declare
from controller.table.player_acts import options_of
from controller.table.side_acts import winner_of
from controller.table.turn_acts import choices_now
from firmware_bridge.cards import UNREADABLE, Card, Sealed, card_from_code
from tests.controller.table import right_sides
from tests.controller.table.bench import DEALER, SHOE, SHUFFLER, SUPERVISOR, Bench

AMOUNTS = (500, 1000, 1000, 2500, 750, 4, 10_000, None)


def right_act(bench: Bench, name: str) -> a.AnyAct | None:
    """An act of this name that the table has to accept now; None where the test has nothing to give, such as an empty device."""
    return _MAKE[name](bench)


def round_of(bench: Bench) -> Round:
    """The present round."""
    assert bench.state.round is not None
    return bench.state.round


def _load(bench: Bench) -> a.AnyAct:
    deck = bench.procedure.deck
    back = None
    if bench.procedure.settings.as_dict().get("two_decks"):
        back = "blue" if bench.state.last_back != "blue" else "red"
    return a.Load(decks=deck.decks, cards=deck.cards, back=back, by=SHOE, origin=bench.origin("shoe"))


def _shuffle(bench: Bench) -> a.AnyAct:
    cards = bench.procedure.deck.cards - len(bench.state.deck.short)
    if bench.state.round is not None and bench.state.round.returning:
        cards = bench.state.deck.ledger.device + bench.state.round.returning
    return a.Shuffle(counted=cards, by=SHUFFLER, origin=bench.origin("shuffler"))


def _wager(bench: Bench) -> a.AnyAct | None:
    rng, game = bench.rng, bench.procedure.game
    if right_sides.has_holder_wager(game):
        return right_sides.wager(bench)
    required = {kind.name for kind in game.wagers if kind.required} or {rng.choice(game.opening_wagers)}
    amounts: dict[str, int | None] = {}
    seat = rng.randint(1, bench.procedure.seats)
    others = [s.wagers for n, s in bench.state.round.seats.items() if n != seat] if bench.state.round is not None else []
    for kind in game.wagers_before(bench.procedure.settings):
        if kind.name in required or rng.random() < 0.3:
            told = [amount for wagers in others if (amount := wagers.get(kind.name)) is not None]
            amounts[kind.name] = told[0] if kind.alike and told else sized(kind.size, amounts, rng)
    return a.Wager(seat=seat, amounts=amounts, by=DEALER)


def _start(bench: Bench) -> a.AnyAct:
    rng, seats = bench.rng, bench.procedure.seats
    if bench.procedure.button_game:
        return a.Start(button=rng.randint(1, seats), by=DEALER)
    if bench.procedure.game.holder:
        return a.Start(seat=rng.randint(1, seats), by=DEALER)
    match rng.randrange(4):
        case 0:
            return a.Start(dice=rng.randint(3, 18), by=DEALER)
        case 1:
            return a.Start(number=rng.randint(1, seats + 1), by=DEALER)
        case 2:
            return a.Start(seat="dealer", by=DEALER)
        case _:
            return a.Start(seat=rng.randint(1, seats), by=DEALER)


def _card(bench: Bench) -> a.AnyAct | None:
    return bench.card_act(bench.pack[0]) if bench.pack else None


def _stack(bench: Bench) -> a.AnyAct | None:
    step = bench.procedure.step(bench.state.phase)
    assert isinstance(step, Stack)
    missing = step.size - len(round_of(bench).pending_stack)
    if len(bench.pack) < missing:
        return None
    cards = tuple(map(Sealed, bench.pack[:missing]))
    return a.StackOut(count=step.size, cards=cards, by=SHOE, origin=bench.origin("shoe"))


def _may_choose(bench: Bench, option: Option, seat: int) -> bool:
    return option.needs is None or not option.needs(round_of(bench), seat)


def _decide(bench: Bench) -> a.AnyAct | None:
    rng, round_ = bench.rng, round_of(bench)
    step = bench.procedure.step(bench.state.phase)
    if isinstance(step, DecideSide):
        return right_sides.decide(bench, step)
    plays = bench.procedure.plays_hands
    if plays is not None and (step is plays or round_.redeemable):
        return _choose_in_turn(bench, plays)
    options = options_of(bench.procedure, bench.state.phase)
    turns = [n for place in round_.turns if (n := seat_of(place)) is not None]
    seats = turns[:1] if isinstance(step, Decide) and step.order is Order.CLOCKWISE else turns
    at_any_time = [option for option in options if option.until_exposed]
    pairs = [(seat, option) for seat in seats for option in options if _may_choose(bench, option, seat)]
    pairs += [(n, option) for n in round_.live_seats() if not round_.seats[n].exposed for option in at_any_time]
    if not pairs:
        return None
    seat, option = rng.choice(pairs)
    return _decision(bench, seat, option)


def _choose_in_turn(bench: Bench, step: PlayHands) -> a.AnyAct:
    """Anything that the hand in turn may choose, or giving up the hand that was just doubled."""
    rng, round_ = bench.rng, round_of(bench)
    place = round_.turns[0] if round_.turns else ""
    words = choices_now(round_, step) if bench.procedure.step(bench.state.phase) is step else ()
    options = [option for option in (*step.options, step.accept, step.refuse) if option.choose in words]
    late = [option for option in step.options if option.redeems] if round_.redeemable and not round_.offered else []
    if late and (not options or rng.random() < 0.5):
        place, options = round_.redeemable, late
    option = rng.choice(options)
    seat = seat_of(place)
    assert seat is not None
    wagers = round_.played[place].wagers
    amount = sized(option.size, wagers, rng) if option.places is not None and rng.random() < 0.5 else None
    hand = int(place.split()[-1]) if " hand " in place else 1
    hand = None if round_.hand_in_turn(seat) == place and rng.random() < 0.5 else hand
    return a.Decide(seat=seat, choose=option.choose, amount=amount, hand=hand, by=a.By("player", str(seat)))


def _look(bench: Bench) -> a.AnyAct:
    return a.HoleCheck(blackjack=is_blackjack(bench.places[DEALER_PLACE]), by=DEALER)


def _decision(bench: Bench, seat: int, option: Option) -> a.Decide:
    rng, hand = bench.rng, bench.places.get(seat_place(seat), [])
    if option.exchanges:
        return _exchange(bench, seat, hand[: option.exchanges] if len(hand) > option.exchanges else hand)
    amount = None
    wagers = round_of(bench).seats[seat].wagers
    if option.places is not None and (rng.random() < 0.5 or _must_say(option.size, wagers)):
        amount = sized(option.size, wagers, rng)
    keep: tuple[Card, ...] = ()
    discard: tuple[Card, ...] = ()
    if bench.names and rng.random() < 0.5:
        if option.discard:
            discard = tuple(rng.sample(hand, option.discard))
        elif option.keep:
            keep = tuple(rng.sample(hand, option.keep))
    return a.Decide(seat=seat, choose=option.choose, amount=amount, keep=keep, discard=discard, by=a.By("player", str(seat)))


def _exchange(bench: Bench, seat: int, hand: list[Card]) -> a.Decide:
    """Cards thrown away, named where their player names them and no earlier ones are unknown."""
    thrown = tuple(bench.rng.sample(hand, bench.rng.randint(1, len(hand))))
    by, named = a.By("player", str(seat)), bench.names and bench.rng.random() < 0.5
    return a.Decide(seat=seat, choose="draw", discard=thrown if named else (), cards=None if named else len(thrown), by=by)


def _must_say(size: Size | None, wagers: Mapping[str, int | None]) -> bool:
    """More than one amount is allowed, so that it is not known without a word."""
    return size is not None and size.base(wagers) is not None and len(size.choices(wagers)) != 1


def sized(size: Size | None, wagers: Mapping[str, int | None], rng: random.Random) -> int | None:
    """An amount in cents that is allowed beside these wagers; None when nothing is told."""
    if size is None:
        return rng.choice(AMOUNTS)
    base = size.base(wagers)
    if base is None:
        return None
    low, high = size.limits(base)
    return rng.choice(size.choices(wagers) or (max(1, low), high))


def set_hands(bench: Bench, hand: list[Card], forms: tuple[tuple[str, int], ...]) -> dict[str, tuple[Card, ...]]:
    """The cards set in the game's hands, so that none ranks above the one that is to be higher."""
    game, settings = bench.procedure.game, bench.procedure.settings
    groups: dict[str, tuple[Card, ...]] = {}
    for _ in range(80):
        left = bench.rng.sample(hand, len(hand))
        groups = {}
        for name, size in forms:
            groups[name], left = tuple(left[:size]), left[size:]
        if game.set_flaw(settings, groups) is None:
            break
    return groups


def _set(bench: Bench) -> a.AnyAct | None:
    step = bench.procedure.step(bench.state.phase)
    assert isinstance(step, SetHands)
    if step.who is Who.DEALER:
        return _set_dealer(bench, step)
    seat = seat_of(bench.rng.choice(round_of(bench).turns))
    assert seat is not None
    hand = bench.places[seat_place(seat)]
    if not bench.names or bench.rng.random() < 0.5:
        return a.SetHand(seat=seat, by=a.By("player", str(seat)))
    if len(step.groups) == 1:
        return a.SetHand(seat=seat, keep=tuple(bench.rng.sample(hand, step.groups[0][1])))
    return a.SetHand(seat=seat, **set_hands(bench, hand, step.groups))  # type: ignore[arg-type]


def _set_dealer(bench: Bench, step: SetHands) -> a.AnyAct:
    hand = bench.places[DEALER_PLACE]
    advised = bench.procedure.game.house_way(bench.procedure.settings, tuple(hand))
    if advised is not None and len(step.groups) == 1:
        return a.SetHand(seat="dealer", keep=advised["keep"], by=DEALER)
    groups = advised or set_hands(bench, hand, step.groups)
    return a.SetHand(seat="dealer", by=DEALER, **groups)  # type: ignore[arg-type]


def _expose(bench: Bench) -> a.AnyAct | None:
    round_ = round_of(bench)
    step = bench.procedure.step(bench.state.phase)
    if isinstance(step, ExposeSide):
        return right_sides.expose(bench, step.side.value)
    if isinstance(step, ExposeCards):
        if step.what is Who.DEALER:
            return a.Expose(seat="dealer", cards=_named_if_unread(bench, DEALER_PLACE), by=DEALER)
        due = step.cards or range(1, len(round_.hands["community"]) + 1)
        hidden = [i for i in due if not round_.hands["community"][i - 1].shown]
        some = hidden[: bench.rng.randint(1, len(hidden))]
        named = tuple(bench.places["community"][i - 1] for i in some)
        return a.Expose(community=tuple(some), cards=named if _unread(round_, "community") else (), by=DEALER)
    assert isinstance(step, Settle)
    seat = seat_of(bench.rng.choice(round_.turns) if step.order is Order.ANY else round_.turns[0])
    assert seat is not None
    return expose_seat(bench, seat)


def expose_seat(bench: Bench, seat: int) -> a.Expose:
    """The hand of a seat turned up, with its cards named where nobody saw until now which were kept."""
    place, player = seat_place(seat), round_of(bench).seats[seat]
    hand = bench.places[place]
    forms = next((s.groups for s in bench.procedure.steps if isinstance(s, SetHands) and s.who is not Who.DEALER), ())
    if player.thrown:
        return a.Expose(seat=seat, cards=tuple(hand), by=DEALER)
    known = {name for name in player.groups if name != "discard"}
    if known and (player.status != "split" or "discard" in player.groups):
        return a.Expose(seat=seat, by=DEALER)
    if len(forms) > 1:
        return a.Expose(seat=seat, by=DEALER, **set_hands(bench, hand, forms))  # type: ignore[arg-type]
    if forms:
        if player.status == "split":
            return a.Expose(seat=seat, cards=tuple(hand), by=DEALER)
        return a.Expose(seat=seat, cards=tuple(bench.rng.sample(hand, forms[0][1])), by=DEALER)
    if bench.procedure.game.shows:
        left = [card for card in hand if Sealed(card) not in player.groups.get("discard", ())]
        return a.Expose(seat=seat, cards=tuple(bench.rng.sample(left, bench.procedure.game.shows)), by=DEALER)
    return a.Expose(seat=seat, cards=_named_if_unread(bench, place), by=DEALER)


def _unread(round_: Round, place: str) -> bool:
    return any(held.card == Sealed(UNREADABLE) for held in round_.hands.get(place, ()))


def _named_if_unread(bench: Bench, place: str) -> tuple[Card, ...]:
    return tuple(bench.places[place]) if _unread(round_of(bench), place) else ()


def _declare(bench: Bench) -> a.AnyAct:
    round_ = round_of(bench)
    key = to_declare(round_)[0]
    seat, _, hand = key.partition(" hand ")
    if not seat.isdigit() or (winner_of(round_) is not None and bench.rng.random() < 0.5):
        return right_sides.declare(bench)
    word = overall(round_.results[key], bench.procedure.game.telling_wagers)
    return a.Declare(seat=int(seat), hand=int(hand) if hand else None, result=word, by=DEALER)


def _stub_count(bench: Bench) -> a.AnyAct:
    expected = bench.view().stub_expected
    assert expected is not None
    return a.StubCount(cards=expected, by=DEALER)


def _collect(bench: Bench) -> a.AnyAct:
    discards = bench.procedure.kinds[bench.state.phase] is StateKind.SETTING
    return a.Collect(what="discards" if discards else "round", by=DEALER)


def _rescan(bench: Bench) -> a.AnyAct | None:
    round_ = round_of(bench)
    opening = list(bench.muck) if round_.burned == 1 and "burn" in round_.hands else []
    lying = sum(len(held) for place, held in round_.hands.items() if place != "burn")
    if lying != len(bench.laid) or len(opening) > 1:
        return None
    return a.Rescan(cards=tuple(map(Sealed, opening + bench.laid)), by=SUPERVISOR)


def _replace(bench: Bench) -> a.AnyAct:
    card = card_from_code(bench.state.deck.short[0])
    assert card is not None
    return a.ReplaceCard(card=card, by=SUPERVISOR)


def _resolve(bench: Bench) -> a.AnyAct | None:
    ways = sorted({way for alarm in bench.state.alarms for way in alarm.ways})
    if "void" in ways and any(alarm.code == "lid-open" and alarm.detail == "open" for alarm in bench.state.alarms):
        ways = ["void"]
    return a.Resolve(choose=bench.rng.choice(ways) if ways else "continue", by=SUPERVISOR)


_MAKE: dict[str, Callable[[Bench], a.AnyAct | None]] = {
    "open": lambda bench: a.Open(by=SUPERVISOR),
    "close": lambda bench: a.Close(by=SUPERVISOR),
    "load": _load,
    "shuffle": _shuffle,
    "wager": _wager,
    "start": _start,
    "close_bets": lambda bench: a.CloseBets(by=DEALER),
    "card": _card,
    "stack": _stack,
    "decide": _decide,
    "set": _set,
    "expose": _expose,
    "declare": _declare,
    "stub_count": _stub_count,
    "collect": _collect,
    "hole_check": _look,
    "rescan": _rescan,
    "replace_card": _replace,
    "resolve": _resolve,
}

__all__ = ["expose_seat", "right_act", "round_of", "set_hands"]
