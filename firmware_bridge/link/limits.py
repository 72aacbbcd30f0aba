"""Every number of the SDP/1 link with the section it comes from. Times are seconds."""

from __future__ import annotations

from typing import Final

VERSION_LOWEST: Final = 1  # 1.9: the range this implementation offers in RST
VERSION_HIGHEST: Final = 1
SEQ_MODULO: Final = 16  # 1.4
WINDOW_MAX: Final = 7  # 1.4: W = 1..7 unacknowledged DATA frames
DUPLICATES_BEHIND: Final = 8  # 1.4: the 8 SEQ before the expected one are duplicates
BODY_MAX: Final = 240  # 1.3
BODY_LIMIT_MIN: Final = 128  # 1.4: an RST offers at least this
HEADER_SIZE: Final = 3  # 1.3: CTL, ADDR, SA
PING_ANSWER: Final = 0x80  # 1.3: the answer carries token + 80

ACK_DELAY_MAX_S: Final = 0.050  # 1.4: stand-alone ACK no later than 50 ms after a DATA frame
ACK_DELAY_S: Final = 0.030  # ours: leaves 20 ms for the owner's timer, and most DATA is answered by DATA sooner
T1_BASE_S: Final = 0.150  # 1.4: T1 = 150 ms + 3 x transmission time of a full frame
T1_FRAMES: Final = 3
T1_MAX_S: Final = 1.2  # 1.4: doubled at each retry up to 1.2 s
RETRIES_MAX: Final = 4  # 1.4: then link lost
NAK_REPEATS_MAX: Final = 16  # ours: a peer that only says NAK and never moves on is as good as gone

HEARTBEAT_S: Final = 1.0  # 1.8: whoever has sent nothing for 1 s sends PING
SILENCE_S: Final = 3.0  # 1.8: nothing valid (in a session: nothing sealed) for 3 s = link lost
RST_BACKOFF_S: Final = (1.0, 2.0, 4.0, 8.0, 15.0)  # 1.8: RST at 1, 2, 4, 8, then every 15 s
RSTACK_INTERVAL_S: Final = 2.0  # 1.4: a device that starts sends RSTACK every 2 s
RSTACK_TIMES: Final = 5  # 1.4: five times or until RST
RSTACK_ANSWER_INTERVAL_S: Final = 1.0  # 1.4: in answer to any other frame at most once a second
BAD_SEALS_MAX: Final = 3  # 1.10: three bad tags or counters
BAD_SEALS_WITHIN_S: Final = 10.0  # 1.10: in 10 s: TAMPER and FAULT

TURN_DATA_MAX: Final = 3  # 1.1: DATA frames in one turn on a bus; so the host offers no larger window there
TURN_BEGINS_S: Final = 0.005  # 1.1: a device begins its turn within 5 ms
TURN_LATENCY_S: Final = 0.030  # ours: a USB adapter hands bytes on after 16 ms, and both ways count
TURN_LATENCY_STREAM_S: Final = 0.100  # ours: a serial device server on a house's network answers within it
POLL_S: Final = 0.020  # ours: an idle device on a bus is asked fifty times a second: a card waits 10 ms on average
QUEUE_MAX: Final = 64  # ours: messages waiting for the window; above it nothing new is taken in (NAK no buffer)
BITS_PER_BYTE: Final = 10  # start bit, 8 data bits, stop bit
BAUD_OF_STREAMS: Final = 115_200  # 1.4: TCP and USB reckon as at 115200
WIRE_OVERHEAD: Final = 9  # header 3, checksum 2, COBS at most 2, both zeros
QUALITY_WITHIN_S: Final = 60  # 1.12: share of damaged frames in 60 s
QUALITY_WARNING_PER_MILLE: Final = 50  # 1.12: more than 5 %: warning
QUALITY_DEGRADED_PER_MILLE: Final = 200  # 1.12: 20 %: degrade and alarm
QUALITY_FRAMES_MIN: Final = 20  # ours: below it one burst of noise would be a grade of its own
