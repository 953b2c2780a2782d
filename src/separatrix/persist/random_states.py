"""States of numpy's sources of random numbers: what their compiled code takes on trust."""

from typing import Any

from separatrix.persist.kinds import Kind, anything, entries, number, unsigned, whole

_WIDE = entries(state=whole(0, 2**128 - 1), inc=whole(0, 2**128 - 1))
_WORD: dict[str, Kind] = {"has_uint32": whole(0, 1), "uinteger": whole(0, 2**32 - 1)}
_TWISTER = entries(key=unsigned("u4", 624), pos=whole(0, 624))
STATES: dict[str, dict[str, Kind]] = {
    "MT19937": {"state": _TWISTER},
    "PCG64": {"state": _WIDE, **_WORD},
    "PCG64DXSM": {"state": _WIDE, **_WORD},
    "Philox": {
        "state": entries(counter=unsigned("u8", 4), key=unsigned("u8", 2)),
        "buffer": unsigned("u8", 4),
        "buffer_pos": whole(0, 4),
        **_WORD,
    },
    "SFC64": {"state": entries(state=unsigned("u8", 4)), **_WORD},
}
# numpy's older class has the twister alone, and remembers the second of two normal numbers
OLDER = {"MT19937": {"state": _TWISTER, "has_gauss": whole(0, 1), "gauss": number(finite=False)}}


def is_random_state(kind: str, name: Any, state: dict[str, Any]) -> bool:
    """Whether a dict is the whole state of a RandomState or Generator.

    >>> import numpy as np
    >>> state = np.random.RandomState(0).get_state(legacy=False)
    >>> is_random_state("RandomState", "MT19937", state)
    True
    >>> is_random_state("RandomState", "MT19937", state | {"state": {**state["state"], "pos": -1}})
    False
    """
    known = OLDER if kind == "RandomState" else STATES
    return type(name) is str and name in known and entries(bit_generator=anything, **known[name])(state, {})
