"""What can go wrong around queries. Errors in statements are Spark's own exceptions."""

from __future__ import annotations


class CsqlError(Exception):
    """Base of the errors of this package."""


class JarNotFoundError(CsqlError):
    """The package does not hold its jar."""


class ExtensionNotLoadedError(CsqlError):
    """Spark runs, but without the extension."""


class VersionMismatchError(CsqlError):
    """Two versions that do not fit each other."""


class QueryFailedError(CsqlError):
    """A continuous query that was waited for has failed."""


class ThinClientError(CsqlError):
    """This PySpark can only talk to a Spark Connect server."""
