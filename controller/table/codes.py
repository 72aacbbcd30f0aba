"""The closed lists of codes that a person can meet: refusals, irregularities, remedies, alarms.

Each code has one sentence of what happened and one of what to do now. A code never changes its meaning. The operator's pages are made
from these tables, one page per refusal, irregularity and alarm.
"""

from __future__ import annotations

import msgspec


class Code(msgspec.Struct, frozen=True):
    """A stable code with its two sentences."""

    code: str
    happened: str
    do: str


def _codes(*rows: tuple[str, str, str]) -> dict[str, Code]:
    return {row[0]: Code(*row) for row in rows}


REFUSALS = _codes(
    ("not-expected-now", "This act does not belong to the present step.", "Do one of the acts listed as next."),
    ("not-your-turn", "Another seat or place comes first.", "Go on with the place that is named, then come back."),
    ("not-wagered", "This seat has no wager that lets it act.", "Check the seat number; a seat joins before the bets are closed."),
    ("bad-amount", "The amount does not fit the wager.", "Enter the amount that the message names."),
    ("bad-option", "This choice does not exist here.", "Choose one of the words that the message lists."),
    ("bad-cards", "The cards named are not the cards of this hand, or not as many as the rule asks.", "Look at the cards again and name them."),
    ("role-not-allowed", "This act belongs to another role.", "Call the role that is named."),
    ("gate-locked", "The gate is locked, so no card may be asked for.", "Settle what is open first."),
    ("table-closed", "The table is closed.", "Open the table first."),
    ("alarm-open", "An alarm is open, and the table waits for it.", "A supervisor settles the alarm with one of the ways listed."),
    ("bad-position", "There is no such position at this table.", "Use a seat number of this table."),
    ("bad-count", "The number cannot be right.", "Count or look again and enter the number."),
    ("unknown-report", "This report is not known for this game.", "Use one of the reports that the message lists."),
    ("not-this-game", "This game has no such act.", "See the game's procedure: shoed games show."),
    ("journal-full", "The record cannot be written, so nothing new may start.", "Make room on the journal's disk; the table goes on by itself."),
)  # fmt: skip

IRREGULARITIES = _codes(
    ("card-face-up", "One card lay face up in the shoe or deck.", "Do not use it; follow the remedy shown."),
    ("cards-face-up", "A second card lay face up in the shoe or deck.", "Stop and follow the remedy shown."),
    ("card-drawn-in-error", "A card left the shoe that no step asked for.", "Leave it where it is, unseen; the remedy shown says where it goes."),
    ("wrong-count-seat", "A seat does not have the number of cards that the rule gives it.", "Stop dealing and follow the remedy shown."),
    ("wrong-count-dealer", "The dealer does not have the number of cards that the rule gives.", "Stop dealing and follow the remedy shown."),
    ("wrong-count-community", "The community area does not have the number of cards that the rule gives.", "Stop dealing; follow the remedy shown."),
    ("wrong-stack-size", "The shoe dispensed a stack of the wrong size.", "Leave the stack where it is and follow the remedy shown."),
    ("dealer-card-exposed", "A card of the dealer was seen before its time.", "Stop and follow the remedy shown."),
    ("community-card-exposed", "A community card was seen before its time.", "Stop and follow the remedy shown."),
    ("player-card-exposed", "The dealer exposed a card of a player.", "Stop and follow the remedy shown."),
    ("stub-count-wrong", "The stub does not have the number of cards that the round leaves.", "Count every hand, then report what you found."),
    ("device-malfunction", "A dealing device failed during the round.", "Follow the remedy shown; do not draw another card."),
    ("duplicate-card", "A card came out that this shoe cannot hold any more.", "Stop. Keep all cards on the table and call a supervisor."),
    ("foreign-card", "A card came out that does not belong to this set.", "Stop. Keep all cards on the table and call a supervisor."),
    ("missing-card", "A card of the set is missing.", "Look under the rail, in the other deck and in the device; call a supervisor."),
    ("too-few-cards", "The shoe has too few cards for this round.", "Start no new round; follow the remedy shown."),
    ("unreadable-card", "A card could not be read.", "Leave it face down; have the round's cards read again, or call a supervisor."),
    ("unshuffled-order", "The cards come in an order that a shuffle does not give.", "Stop. Keep the cards in order and call a supervisor."),
    ("cleared-early", "Cards were picked up before their time.", "Stop, and keep the cards that were picked up in their order."),
    ("wrong-place", "A card was put in the wrong place.", "Stop dealing and leave the cards where they lie."),
    ("hole-check-not-due", "The hole card was looked at although the up card did not call for it.", "Stop; a supervisor decides."),
    ("hole-check-wrong", "What was said of the hole card is not what it is.", "Stop and follow the remedy shown."),
    ("drawn-before-bets-closed", "A card left the shoe before the bets were closed.", "Leave it where it is, unseen; follow the remedy shown."),
    ("hand-fouled", "A player's hand came into touch with another hand or the muck.", "Leave the cards and follow the remedy shown."),
    ("wrong-discards", "A player's discards are not as many as the rule says.", "Stop; a supervisor decides."),
    ("wrong-set", "A hand is not set as the rules ask.", "Follow the remedy shown."),
    ("wrong-start", "The deal began at the wrong position.", "Follow the remedy shown."),
    ("invalid-roll", "The dice roll does not count.", "Follow the remedy shown."),
)  # fmt: skip

REMEDIES = {
    "discard-and-continue": "the card goes to the discard rack and dealing goes on with the next card",
    "use-as-next": "the card is used as the next card",
    "hand-dead": "this hand is out of the round",
    "round-void": "the round is void, wagers go back, the cards are shuffled again",
    "all-hands-void": "all hands are void, wagers go back, the cards are shuffled again",
    "all-hands-void-side-bets-stand": "all hands are void, only side wagers stand",
    "reshuffle": "the cards are shuffled again",
    "deck-off-table": "all hands are void and the whole deck leaves the table",
    "supervisor-decides": "a supervisor decides",
    "replay-device-events": "the device tells its events again",
    "rescan": "the cards of the round are read again in order",
    "rearrange-and-continue": "the cards are put in the right places and play goes on",
    "put-back-and-continue": "the cards are put back and play goes on",
    "player-chooses": "the player chooses to play or to void the hand",
    "shake-again": "the dice are shaken again",
    "reset-house-way": "the dealer's hand is set again by the house way",
    "offer-to-players": "the card is offered to the players in turn",
    "burn-it": "the card is burned",
    "reshuffle-and-continue": "the discards are shuffled with what is left, and dealing goes on",
    "play-on": "what happened stands and play goes on",
}

ALARMS = IRREGULARITIES | _codes(
    ("device-lost", "The line to a device is lost.", "Check cable and power; the table goes on when the device is back and nothing is missing."),
    ("device-restarted", "A device restarted.", "Look at the device and the cards on the table; a supervisor then lets the round go on or voids it."),
    ("device-mode", "A shuffler is not in the mode that shuffles at random.", "Set the device to random shuffling and run a whole cycle."),
    ("device-warning", "A device warns of something that does not stop the game.", "Have the device looked at when the table is free."),
    ("device-error", "A device reports an error.", "Mend what the message names, then a supervisor clears it."),
    ("lid-open", "The lid of a device is open.", "Close the lid; a supervisor then decides about the cards."),
    ("tamper", "A device reports that somebody tampered with it.", "Keep people away from the device and call security."),
    ("foreign-usb", "A USB device is plugged in that does not belong here.", "Leave it where it is, let nobody near it and call security."),
    ("count-mismatch", "The number of cards is not what it must be.", "Find the missing or extra cards; load a verified deck."),
    ("not-shuffled", "There is no finished shuffle of these cards.", "Run a whole shuffle before dealing."),
    ("stub-count-due", "The stub must be counted in this round.", "Count the stub face down and enter the number."),
    ("deck-turn", "It is the other deck's turn.", "Take this deck out and use the other one."),
    ("declared-differs", "The result declared by the dealer is not what the cards say.", "Look at the hand together with a supervisor."),
    ("partial-knowledge", "Events of a device are lost, so not every card is known.", "Count the cards; a supervisor lets the round go on or voids it."),
    ("told-differs", "A device, or another host on its line, tells another course of the round than the cards.", "Look at the round together with a supervisor."),
    ("wrong-identity", "Another device answers than the one registered for this table.", "Unplug it and connect the registered device."),
    ("clock", "The clock stepped.", "Have the clock of this machine checked."),
    ("journal", "The record cannot be written.", "Make room on the journal's disk or mend it; nothing is dealt until it can be written."),
)  # fmt: skip

RESOLVE_WORDS = ("continue", "void", "replace-deck", "recount", "reshuffle", "hand-dead")


def sentence(code: str) -> str:
    """What happened and what to do, for a refusal or an alarm."""
    entry = REFUSALS.get(code) or ALARMS[code]
    return f"{entry.happened} {entry.do}"
