"""The oracle: answers queries by brute force from the definitions; it shares nothing with the engine."""

from tests.oracle.errors import NotCovered, Refused, Undetermined
from tests.oracle.query import Answer, Catalog, answer

__all__ = ["Answer", "Catalog", "NotCovered", "Refused", "Undetermined", "answer"]
