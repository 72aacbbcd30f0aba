"""The fourteen lines of Fast Action Hold 'Em one by one, and house ways that a casino writes itself."""

import itertools
import random
import tomllib

import pytest

from controller.hands.errors import HandError
from controller.hands.house_way import FAST_ACTION_HOUSE_WAY, HouseWayError, Pair, choose, parse_house_way, parse_rank
from firmware_bridge.cards import FRENCH_CARDS, JOKER, Card, parse_card


def hand(text: str) -> list[Card]:
    return [parse_card(name) for name in text.split()]


LINES = [
    # the line, the four cards, the two kept
    (1, "Kc Kc 9h 4d", "Kc Kc"),
    (1, "3h 3h As Ad", "3h 3h"),  # a low suited pair before a higher plain one
    (1, "3h 3h 9c 9c", "9c 9c"),  # the higher of two suited pairs
    (2, "3h 3d 9c 9s", "9c 9s"),
    (2, "As Ks 4d 4h", "4d 4h"),
    (3, "As Ts Kd 2h", "As Ts"),  # suited before the higher king
    (3, "As Ts Ks 2h", "As Ks"),
    (4, "Ad Th Jh 9s", "Jh Th"),  # suited running before the ace with an unsuited ten
    (4, "Kd Qd Jd 2h", "Kd Qd"),
    (5, "As 9s Td 3h", "As Td"),  # the suited nine is no ten
    (5, "As Kd Qh 3h", "As Kd"),
    (6, "Jc Qd 9h 2s", "Qd Jc"),
    (6, "Jc Qd Kh 2s", "Kh Qd"),
    (7, "As 9s 8d 3h", "As 9s"),
    (7, "As 9s 4s 8d", "As 9s"),
    (8, "Kd Td 9h 2s", "Kd Td"),
    (9, "Kd Jc 9h 2s", "Kd Jc"),
    (10, "As 9d 8h 3c", "As 9d"),
    (11, "8h 7h Kd 3c", "8h 7h"),
    (11, "8h 7h 5c 4c", "8h 7h"),
    (11, "Kd 3h 2h 9s", "3h 2h"),
    (12, "Kd 9d 7h 4c", "Kd 9d"),
    (12, "Kd 9d 3d 6c", "Kd 9d"),
    (13, "Kd Tc 9h 4s", "Tc 9h"),
    (13, "Kd 8c 7h 3s", "8c 7h"),
    (14, "Kd 9c 7h 4s", "Kd 9c"),
]


@pytest.mark.rule("13:69F-21.8(i)")
@pytest.mark.parametrize(("line", "cards", "kept"), LINES)
def test_each_line_of_fast_action_hold_em(line: int, cards: str, kept: str) -> None:
    for order in itertools.permutations(hand(cards)):
        choice = choose(FAST_ACTION_HOUSE_WAY, order)
        assert choice.line == line
        assert sorted(card.code for card in choice.keep) == sorted(card.code for card in hand(kept))
        assert sorted(card.code for card in (*choice.keep, *choice.rest)) == sorted(card.code for card in order)


def test_every_line_has_an_example() -> None:
    assert {line for line, _, _ in LINES} == set(range(1, len(FAST_ACTION_HOUSE_WAY) + 1))


def test_a_ten_unsuited_beside_a_jack_is_not_good_enough_for_line_six() -> None:
    assert choose(FAST_ACTION_HOUSE_WAY, hand("Tc Jd 8h 2s")).line == 13


def plain_line(cards: list[Card]) -> int:  # noqa: PLR0911  # the rule's own list, read word for word
    """The line that decides, straight from the words of the rule."""
    pairs = [(a, b) for a, b in itertools.combinations(cards, 2)]
    rank = {card.code: 14 if card.rank == 1 else card.rank for card in cards}

    def ranks(pair: tuple[Card, Card]) -> list[int]:
        return sorted(rank[card.code] for card in pair)

    def suited(pair: tuple[Card, Card]) -> bool:
        return pair[0].suit == pair[1].suit

    equal = [pair for pair in pairs if ranks(pair)[0] == ranks(pair)[1]]
    with_ace = [pair for pair in pairs if 14 in ranks(pair)]
    running = [pair for pair in pairs if ranks(pair)[1] - ranks(pair)[0] == 1]
    if any(map(suited, equal)):
        return 1
    if equal:
        return 2
    if any(suited(pair) and ranks(pair)[0] >= 10 for pair in with_ace):
        return 3
    if any(suited(pair) and ranks(pair)[0] >= 10 for pair in running):
        return 4
    if any(ranks(pair)[0] >= 10 for pair in with_ace):
        return 5
    if any(not suited(pair) and ranks(pair)[0] >= 11 for pair in running):
        return 6
    if any(map(suited, with_ace)):
        return 7
    if any(suited(pair) and ranks(pair)[0] >= 10 for pair in pairs):
        return 8
    if any(ranks(pair)[0] >= 11 for pair in pairs):
        return 9
    if with_ace:
        return 10
    if any(map(suited, running)):
        return 11
    if any(map(suited, pairs)):
        return 12
    return 13 if running else 14


@pytest.mark.rule("13:69F-21.8(i)")
def test_5_000_random_hands_of_six_decks_are_decided_by_the_line_that_the_words_say() -> None:
    rng = random.Random(21)
    shoe = list(FRENCH_CARDS) * 6
    seen = set()
    for _ in range(5_000):
        cards = rng.sample(shoe, 4)
        choice = choose(FAST_ACTION_HOUSE_WAY, cards)
        assert choice.line == plain_line(cards), cards
        seen.add(choice.line)
    assert seen == set(range(1, 15))


IN_TOML = """
house_way = [
  { prefer = "pair", suited = true },
  { prefer = "pair" },
  { prefer = "ace-with-highest", suited = true, at_least = "T" },
  { prefer = "running", suited = true, at_least = "10" },
  { prefer = "ace-with-highest", at_least = "T" },
  { prefer = "running", suited = false, at_least = "J" },
  { prefer = "ace-with-highest", suited = true },
  { prefer = "highest", suited = true, at_least = "T" },
  { prefer = "highest", at_least = "J" },
  { prefer = "ace-with-highest" },
  { prefer = "running", suited = true },
  { prefer = "highest", suited = true, running = false },
  { prefer = "running" },
  { prefer = "highest" },
]
"""


def test_the_same_house_way_can_be_written_in_a_configuration() -> None:
    written = parse_house_way(tomllib.loads(IN_TOML)["house_way"])
    rng = random.Random(22)
    for _ in range(500):
        cards = rng.sample(list(FRENCH_CARDS) * 6, 4)
        assert choose(written, cards) == choose(FAST_ACTION_HOUSE_WAY, cards)


def test_whether_ace_and_deuce_are_running_is_a_setting() -> None:
    rows = [{"prefer": "running", "ace_low": True}, {"prefer": "highest"}]
    assert choose(parse_house_way(rows), hand("As 2d 9h 6c")).line == 1
    assert choose(parse_house_way([{"prefer": "running"}, {"prefer": "highest"}]), hand("As 2d 9h 6c")).line == 2
    assert choose(parse_house_way(rows), hand("As 2d 9h 8c")).keep == tuple(hand("9h 8c"))


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([], "last line"),
        ([{"prefer": "pair"}], "last line"),
        ([{"prefer": "highest", "suited": True}], "last line"),
        ([{"prefer": "highest", "running": False}], "last line"),
        ([{"prefer": "pairs"}, {"prefer": "highest"}], "line 1.*nearest is 'pair'"),
        ([{}, {"prefer": "highest"}], "line 1: prefer"),
        ([{"prefer": 3}, {"prefer": "highest"}], "line 1: prefer"),
        (["pair", {"prefer": "highest"}], "line 1 must be a table"),
        ([{"prefer": "pair"}, {"prefer": "running", "suit": True}, {"prefer": "highest"}], "line 2: unknown key 'suit'.*'suited'"),
        ([{"prefer": "pair", "suited": "yes"}, {"prefer": "highest"}], "line 1"),
        ([{"prefer": "pair", "at_least": "1"}, {"prefer": "highest"}], "line 1.*no rank"),
        ([{"prefer": "pair", "at_least": 10}, {"prefer": "highest"}], "line 1"),
    ],
)
def test_a_house_way_that_cannot_be_followed_is_refused_with_its_line(rows: list[dict[str, object]], words: str) -> None:
    with pytest.raises(HouseWayError, match=words):
        parse_house_way(rows)


def test_a_list_that_decides_nothing_is_noticed_even_if_nobody_checked_it() -> None:
    with pytest.raises(HouseWayError, match="no line"):
        choose((Pair(),), hand("As Kd 9h 4c"))


@pytest.mark.parametrize("cards", [[], hand("As Kd"), [*hand("As Kd 9h"), JOKER]])
def test_a_house_way_needs_three_ranked_cards_or_more(cards: list[Card]) -> None:
    with pytest.raises(HandError):
        choose(FAST_ACTION_HOUSE_WAY, cards)


def test_ranks_are_written_as_on_the_cards() -> None:
    assert [parse_rank(text) for text in ("2", "9", "T", "10", "J", "Q", "K", "A")] == [2, 9, 10, 10, 11, 12, 13, 14]
    for wrong in ("", "1", "11", "23", "TJ", "a", "Z"):
        with pytest.raises(HouseWayError):
            parse_rank(wrong)
