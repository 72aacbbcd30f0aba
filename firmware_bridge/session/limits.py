"""The numbers of an SDP/1 session above the link, with the section each comes from. Times are seconds."""

from __future__ import annotations

from typing import Final

TID_MAX: Final = 0xFFFF  # 1.5: two bytes, 0 stands in events
COMMANDS_WAITING_MAX: Final = 8  # ours: one window and one; a table asks one thing at a time
REPEATS_MAX: Final = 2  # ours: STATUS and the same tid again, twice; then COMMAND_DONE must tell
STEP_SLACK_S: Final = 2.0  # ours: a lossy line may need all the link's retries for one step of the connect sequence
STATUS_INTERVAL_S: Final = 1.0  # 1.8: in a session STATUS when nothing sealed went out for 1 s
EVENTS_UNACKNOWLEDGED_MAX: Final = 8  # 1.7
RECENT_EVENTS: Final = 32  # ours: contents kept to compare repetitions with; a device repeats at most 8
GAP_RESUMES_MAX: Final = 3  # ours: a gap that three EVENT_RESUME do not close is not closed by a fourth
ESEQ_MAX: Final = 0xFFFFFFFF  # 1.7: four bytes, never wraps

SESSION_AGE_MAX_S: Final = 12 * 3600 - 300  # 1.10: a new session before 12 h; 5 min for what is under way
SESSION_FRAMES_SPARE: Final = 2**16  # 1.10: before 2^24 frames; so many for what is under way
SESSION_FRAMES_MIN: Final = 256  # ours: the connect sequence itself takes some ten
SETTLE_S: Final = 3.0  # ours: a connection that ran so long is good, and its loss is followed by RST at once
ROLE_OPERATOR: Final = 1  # 1.10: the daemon holds the operator's key only

RESPONSES_KEPT: Final = 16  # 1.5: the last 16 responses of commands that change something
PENDING_AFTER_S: Final = 0.4  # 1.5: PENDING within 0.5 s; 0.1 for the owner's timer
ANSWERS_WAITING_MAX: Final = 16  # ours: what a mechanism may owe at once; above it a command gets 04
EVENT_REPEATS_S: Final = (1.0, 2.0, 4.0)  # 1.7: no EVENT_ACK for 1 s (then 2, 4): again from the oldest
EVENT_ACK_LOST_S: Final = 5.0  # 1.7: 5 s: link lost
PROOF_FAILURES_MAX: Final = 3  # 1.10: three failures
PROOF_LOCK_S: Final = 10.0  # 1.10: 04 for 10 s
SESSION_IDLE_S: Final = 60  # ours: what the device side grants; the host's STATUS comes every second
SESSION_FRAMES_MAX: Final = 2**24  # 1.10
EXPIRY_SPARE: Final = 1024  # ours: what one read from the wire may still make a device seal
SESSION_EXPIRY_S: Final = 12 * 3600  # 1.10
