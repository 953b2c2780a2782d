"""Properties that are computed once an instance, without a lock.

Up to Python 3.11 ``functools.cached_property`` computes under a lock that belongs to the class: threads that fit
different models wait for each other, and a process that is forked meanwhile inherits the lock from a thread that does
not exist there, and waits for it for ever.
"""

import functools
from typing import Any, TypeVar, overload

T = TypeVar("T")


class cached_property(functools.cached_property[T]):
    """A property whose first value is kept in the instance.

    Two threads that ask for it at the same time may both compute it; both get the value of the first.

    >>> class Sum:
    ...     @cached_property
    ...     def total(self):
    ...         print("computed")
    ...         return 3
    >>> one = Sum()
    >>> one.total + one.total
    computed
    6
    """

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> "cached_property[T]": ...

    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> T: ...

    def __get__(self, instance: object | None, owner: type[Any] | None = None) -> Any:
        if instance is None:
            return self
        values: dict[str, Any] = instance.__dict__
        if self.attrname in values:  # only where a subclass calls this one itself
            return values[self.attrname]
        return values.setdefault(str(self.attrname), self.func(instance))
