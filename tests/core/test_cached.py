"""Properties that are kept: computed once, and without waiting for another instance."""

import threading

from separatrix.core.cached import cached_property

SECONDS = 30  # by the clock: a thread that waits for a lock waits for ever


class Slow:
    """A value that is there when somebody lets it."""

    def __init__(self):
        self.asked, self.go, self.count = threading.Event(), threading.Event(), 0

    @cached_property
    def value(self):
        """As often as it was computed."""
        self.asked.set()
        self.go.wait(SECONDS)
        self.count += 1
        return [self.count]


def test_an_instance_does_not_wait_for_another():
    """Nor, then, does a forked process wait for a thread that it does not have."""
    slow, quick = Slow(), Slow()
    quick.go.set()
    busy = threading.Thread(target=lambda: slow.value)
    busy.start()
    assert slow.asked.wait(SECONDS)
    answers = []
    other = threading.Thread(target=lambda: answers.append(quick.value), daemon=True)
    other.start()
    other.join(SECONDS / 3)
    slow.go.set()
    busy.join()
    assert answers == [[1]]


def test_threads_that_ask_together_get_one_value():
    slow, answers = Slow(), []
    asking = [threading.Thread(target=lambda: answers.append(slow.value)) for _ in range(3)]
    for thread in asking:
        thread.start()
    slow.go.set()
    for thread in asking:
        thread.join()
    assert len({id(answer) for answer in answers}) == 1
    assert slow.value is answers[0]


def test_a_value_is_kept_and_may_be_forgotten():
    slow = Slow()
    slow.go.set()
    assert slow.value is slow.value
    del slow.value
    assert slow.value == [2]
    assert isinstance(Slow.value, cached_property)
