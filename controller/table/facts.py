"""What became of an act: the facts that one table's state is the fold of.

A fact is past tense and frozen. It holds all that applying it needs, so that an old record folds to the same state whatever today's
rules say. Cards are `Sealed` in facts; `shown` repeats a card in clear only where the procedure has shown it.

`controller.table.apply` folds facts into the state, `controller.table.decide` is the only place that makes them.
"""

from __future__ import annotations

from controller.table.fact_base import Fact
from controller.table.fact_beside import HostCompared, RoundLeft, ShoeJoined
from controller.table.fact_deck import (
    CardRemoved,
    CardReplaced,
    CutCardSeen,
    DeckCleared,
    DeckLoaded,
    DeckQuarantined,
    DeckShuffled,
    DeckUnshuffled,
    ShoeEmptied,
    ShoeEnded,
    SpareShuffled,
    SpareUnshuffled,
    StrayCard,
)
from controller.table.fact_people import (
    Decided,
    Declared,
    DiscardsCollected,
    Exposed,
    HandDead,
    HandJudged,
    HandSet,
    HandShown,
    SetFoundWrong,
    SideDecided,
    TurnTaken,
)
from controller.table.fact_rest import BettingClosed, BurnedInstead, Exchanged, HeldOut, RestDue, RestShuffled
from controller.table.fact_round import (
    AsideReleased,
    BetsClosed,
    CardDealt,
    CardDiscarded,
    CardPutAside,
    CardsReordered,
    EvidenceConfirmed,
    IdleHandsRacked,
    Irregular,
    RoundCollected,
    RoundCompleted,
    RoundStarted,
    RoundVoided,
    StackCardRead,
    StackDealt,
    StartFixed,
    StepEntered,
    StubCounted,
    StubExplained,
    StubRacked,
    Wagered,
)
from controller.table.fact_table import (
    AlarmRaised,
    AlarmSettled,
    CarriedAlarm,
    DealerChanged,
    DeviceHeard,
    DeviceModeTold,
    Resumed,
    StateCarried,
    Suspended,
    TableClosed,
    TableOpened,
)
from controller.table.fact_turn import (
    AsideBurned,
    CardOffered,
    HandChose,
    HandClosed,
    HandsBegun,
    HandSplit,
    HoleTold,
    OfferPassed,
    OfferTaken,
    TurnsEnded,
)

AnyFact = (
    TableOpened | TableClosed | DeviceHeard | DeviceModeTold | StateCarried | DeckLoaded | DeckShuffled | SpareShuffled | SpareUnshuffled
    | DeckUnshuffled | DeckQuarantined | DeckCleared | CardRemoved | CardReplaced | RoundStarted | Wagered | BetsClosed | StartFixed
    | StepEntered | CardDealt | CardsReordered | CardPutAside | StrayCard | CardDiscarded | StackCardRead | StackDealt | CutCardSeen
    | Decided | SideDecided | HandSet | DiscardsCollected | Exposed | HandShown | TurnTaken
    | SetFoundWrong | HandJudged | Declared | StubCounted
    | StubExplained | StubRacked | IdleHandsRacked | Irregular | HandDead | RoundVoided | AlarmRaised | AlarmSettled | Suspended | Resumed
    | AsideReleased | EvidenceConfirmed | RoundCollected | RoundCompleted | ShoeEmptied | ShoeEnded | DealerChanged
    | HandsBegun | HandChose | HandSplit | HandClosed | HoleTold | TurnsEnded | CardOffered | OfferTaken | OfferPassed | AsideBurned
    | BettingClosed | Exchanged | BurnedInstead | HeldOut | RestDue | RestShuffled | ShoeJoined | RoundLeft | HostCompared
)  # fmt: skip

__all__ = [
    "AlarmRaised",
    "AlarmSettled",
    "AnyFact",
    "AsideBurned",
    "AsideReleased",
    "BetsClosed",
    "BettingClosed",
    "BurnedInstead",
    "CardDealt",
    "CardDiscarded",
    "CardOffered",
    "CardPutAside",
    "CardRemoved",
    "CardReplaced",
    "CardsReordered",
    "CarriedAlarm",
    "CutCardSeen",
    "DealerChanged",
    "Decided",
    "DeckCleared",
    "DeckLoaded",
    "DeckQuarantined",
    "DeckShuffled",
    "DeckUnshuffled",
    "Declared",
    "DeviceHeard",
    "DeviceModeTold",
    "DiscardsCollected",
    "EvidenceConfirmed",
    "Exchanged",
    "Exposed",
    "Fact",
    "HandChose",
    "HandClosed",
    "HandDead",
    "HandJudged",
    "HandSet",
    "HandShown",
    "HandSplit",
    "HandsBegun",
    "HeldOut",
    "HoleTold",
    "HostCompared",
    "IdleHandsRacked",
    "Irregular",
    "OfferPassed",
    "OfferTaken",
    "RestDue",
    "RestShuffled",
    "Resumed",
    "RoundCollected",
    "RoundCompleted",
    "RoundLeft",
    "RoundStarted",
    "RoundVoided",
    "SetFoundWrong",
    "ShoeEmptied",
    "ShoeEnded",
    "ShoeJoined",
    "SideDecided",
    "SpareShuffled",
    "SpareUnshuffled",
    "StackCardRead",
    "StackDealt",
    "StartFixed",
    "StateCarried",
    "StepEntered",
    "StrayCard",
    "StubCounted",
    "StubExplained",
    "StubRacked",
    "Suspended",
    "TableClosed",
    "TableOpened",
    "TurnTaken",
    "TurnsEnded",
    "Wagered",
]
