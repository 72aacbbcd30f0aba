"""Where the money of a finished round went, worked out again from wagers and results alone.

What players win or lose, what the house keeps and what lies in the pot must add up to nothing; commissions and vigorish to the cent.
"""

from __future__ import annotations

from controller.dealing.procedure import Procedure
from controller.dealing.round import Round, Seat
from controller.dealing.show_steps import ShowHands
from controller.hands.poker import evaluate
from controller.table.state import TableState
from tests.controller.table.money_twenty_one import (
    check_blackjack,
    check_double_attack,
    check_spanish,
    check_triple_attack,
    check_void_hands,
)


def check_money(procedure: Procedure, before: TableState, after: TableState) -> None:
    """Check a round that was just completed."""
    round_ = after.round
    if round_ is None:
        return
    if round_.void:
        _void(procedure, round_)
        return
    _CHECKS.get(procedure.game.key, _any_game)(procedure, round_)


def _void(procedure: Procedure, round_: Round) -> None:
    """Wagers go back, except what was paid at once and side wagers that stand."""
    sides = {kind.name for kind in procedure.game.wagers if kind.side and round_.void_side_bets_stand}
    sides |= {step.wager for step in procedure.steps if isinstance(step, ShowHands) and step.stands}
    early = procedure.game.settled_early(round_)
    for number, seat in round_.seats.items():
        if seat.status == "natural":
            continue
        if number in early:
            assert "void" not in round_.results[str(number)].values(), f"seat {number} was settled before the round was void"
            continue
        if round_.played_by(number):
            check_void_hands(round_, number)
            continue
        for wager, pay in round_.pays[str(number)].items():
            result = round_.results[str(number)][wager]
            assert result in ("void", "odds") or wager in sides, f"seat {number} {wager} in a void round: {result}"
            if result != "win":
                assert pay in (0, None) or (result, pay) == ("lose", -(seat.wagers[wager] or 0)), f"seat {number} {wager} void: {pay}"


def _known(seat: Seat, names: tuple[str, ...]) -> bool:
    return all(seat.wagers[name] is not None for name in names if name in seat.wagers)


def _paid(round_: Round, number: int) -> int:
    keys = [key for key in round_.pays if key == str(number) or key.startswith(f"{number} hand ")]
    return sum(pay or 0 for key in keys for pay in round_.pays[key].values())


def _any_game(procedure: Procedure, round_: Round) -> None:
    """A wager that loses costs what was placed, one that pushes costs nothing, and none costs more than it is."""
    for key, pays in round_.pays.items():
        seat = round_.seats.get(int(key.split()[0])) if key[0].isdigit() else None
        for name, pay in pays.items():
            placed = seat.wagers.get(name) if seat is not None else None
            match round_.results[key][name]:
                case "lose" if placed is not None:
                    assert pay == -placed, f"{key}: {name} lost {pay} of {placed}"
                case "push":
                    assert pay in (0, None), f"{key}: {name} pushed and paid {pay}"
                case "win":
                    assert pay is None or pay >= 0, f"{key}: {name} won {pay}"


def _colorado(procedure: Procedure, round_: Round) -> None:
    table = procedure.settings.table("pay_table")
    for number, seat in round_.seats.items():
        if seat.status == "dead" or not _known(seat, ("ante", "bet")):
            continue
        stake = sum(seat.wagers.get(name) or 0 for name in ("ante", "bet"))
        result = round_.results[str(number)]["ante"]
        pays = [round_.pays[str(number)][name] for name in ("ante", "bet") if name in seat.wagers]
        if result == "lose":
            assert pays == [-(seat.wagers[name] or 0) for name in ("ante", "bet") if name in seat.wagers]
        elif result == "odds" or not table:
            assert pays == [None] * len(pays)
        else:
            odds = {pay // (seat.wagers[name] or 1) for name, pay in zip(("ante", "bet"), pays, strict=False) if pay is not None}
            assert stake
            assert len(odds) <= 1


def _fast_action(procedure: Procedure, round_: Round) -> None:
    for number, seat in round_.seats.items():
        if seat.status == "dead" or not _known(seat, ("wager",)):
            continue
        wager = seat.wagers["wager"] or 0
        paid = _paid(round_, number)
        match seat.status:
            case "surrendered":
                assert paid == -(wager - wager // 2)
            case "natural":
                assert paid == 5 * wager
            case "split":
                assert seat.wagers["second"] == wager
                allowed = (-wager,) if round_.dealer_natural else (2 * wager, 0, -2 * wager)
                assert paid in allowed
                assert {f"{number} hand 1", f"{number} hand 2"} <= set(round_.pays)
            case _:
                assert paid == (wager if round_.results[str(number)]["wager"] == "win" else -wager)


POT = ("ante", "bet", "double")


def _winners_pot(procedure: Procedure, round_: Round) -> None:
    """Players' net + what the house gets = 0: house gets antes folded early, the commission, and the dealer's share of the pot."""
    seats = [seat for seat in round_.seats.values() if seat.status != "dead"]
    if len(seats) != len(round_.seats) or not all(_known(seat, POT) for seat in seats):
        return
    stakes = {seat.number: sum(seat.wagers.get(name) or 0 for name in POT) for seat in seats}
    early = sum(stakes[s.number] for s in seats if s.status == "folded" and s.lost["ante"] == "house")
    pot = sum(stakes.values()) - early
    net = sum(_paid_pot(round_, seat) for seat in seats)
    house = -net
    winners = [n for n in round_.live_seats() if round_.results[str(n)]["ante"] == "win"]
    if not winners:
        assert house == early + pot, "the pot that no player wins goes to the house"
        return
    kept = house - early
    percent, fixed = procedure.settings.number("commission_percent"), procedure.settings.number_or_none("commission_fixed")
    dealer = evaluate(round_.cards_at("dealer", "the test settles the round again")).value
    best = evaluate(round_.cards_at(f"seat {winners[0]}", "the test settles the round again")).value
    assert best >= dealer
    odd = len(winners) + (dealer == best)
    share = pot // odd if dealer == best else 0
    most = (pot - share) * percent // 100
    commission = most if fixed is None else min(most, fixed * 100)
    assert 0 <= kept - share - commission < 2 * odd, f"pot {pot}, {len(winners)} winners: the house keeps {kept}"
    assert procedure.settings.text("odd_chips") == "house" or kept == share + commission
    shares = [_paid_pot(round_, round_.seats[n]) + stakes[n] for n in winners]
    assert max(shares) - min(shares) <= odd


def _paid_pot(round_: Round, seat: Seat) -> int:
    return sum(round_.pays[str(seat.number)][name] or 0 for name in POT if name in seat.wagers)


def _with_vigorish(procedure: Procedure, round_: Round) -> None:
    name = procedure.game.required_wager
    for number, seat in round_.seats.items():
        wager = seat.wagers[name]
        if seat.status == "dead" or wager is None:
            continue
        result, pay = round_.results[str(number)][name], round_.pays[str(number)][name]
        match result:
            case "win":
                assert pay == wager - _vigorish(procedure.settings.text("vigorish_rounding"), wager)
            case "push":
                assert pay == 0
            case _:
                assert pay == -wager
        if seat.status == "surrendered":
            assert result == "lose"


def _vigorish(rounding: str, won: int) -> int:
    """Five percent: 0.05 * won cents, in twentieths of a cent."""
    whole, rest = divmod(won, 20)
    match rounding:
        case "cent":
            return whole + (rest >= 10)
        case "quarter":
            quarters, rest = divmod(won, 500)
            return 25 * (quarters + (rest >= 250))
        case _:
            quarters, rest = divmod(won, 500)
            return 25 * (quarters + (rest > 0))


def _flop(procedure: Procedure, round_: Round) -> None:
    """The pot goes to the players to the cent, but for odd cents that the house keeps."""
    _any_game(procedure, round_)
    seats = [seat for seat in round_.seats.values() if seat.status != "dead"]
    if len(seats) != len(round_.seats) or not all(_known(seat, ("pot",)) for seat in seats):
        return
    assert len({seat.wagers["pot"] for seat in seats}) == 1, "pot wagers are alike"
    results = {seat.number: round_.results[str(seat.number)]["pot"] for seat in seats}
    kept = -sum(round_.pays[str(seat.number)]["pot"] or 0 for seat in seats)
    winners = sum(result == "win" for result in results.values())
    assert winners
    assert 0 <= kept < winners
    assert not kept or procedure.settings.text("odd_chips") == "house"


def _casino_war(procedure: Procedure, round_: Round) -> None:
    """A surrender costs half, a war its two equal wagers or wins one of them."""
    for number, seat in round_.seats.items():
        initial, results = seat.wagers["initial"], round_.results.get(str(number), {})
        if seat.status == "dead" or initial is None or "initial" not in results:
            continue
        pays = round_.pays[str(number)]
        if seat.status == "surrendered":
            assert pays["initial"] == -(initial - initial // 2)
        elif "war" in seat.wagers:
            bonus = procedure.settings.number("second_tie_bonus")
            assert seat.wagers["war"] == initial
            assert (pays["initial"], pays["war"]) in ((-initial, -initial), (0, initial), (0, initial * (1 + bonus)))
        else:
            assert pays["initial"] in (initial, -initial)


def _poker(procedure: Procedure, round_: Round) -> None:
    """The players' pot is not followed: no amounts, but somebody wins each part of it unless the last hand is dead."""
    assert all(pay is None for pays in round_.pays.values() for pay in pays.values())
    assert set(round_.results) == set(map(str, round_.seats))
    if not round_.live_seats():
        return
    for part in {name for results in round_.results.values() for name in results} - {kind.name for kind in procedure.game.wagers}:
        assert any(results.get(part) == "win" for results in round_.results.values()), part
    assert any("win" in results.values() for results in round_.results.values())


_CHECKS = {
    "casino-war": _casino_war,
    "blackjack": check_blackjack,
    "spanish-21": check_spanish,
    "double-attack-blackjack": check_double_attack,
    "triple-attack-blackjack": check_triple_attack,
    "poker": _poker,
    "colorado-hold-em-poker": _colorado,
    "fast-action-hold-em": _fast_action,
    "flop-poker": _flop,
    "winners-pot-poker": _winners_pot,
    "supreme-pai-gow": _with_vigorish,
    "pai-gow-poker": _with_vigorish,
}
