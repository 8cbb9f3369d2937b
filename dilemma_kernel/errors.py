"""The exception tree. Every error that leaves this software is one of these.

::

    DilemmaError
    ├── InputError                what a person gave cannot be used          exit 2
    │   ├── ScenarioError         a scenario or pack does not load or check
    │   ├── DesignError           an unknown factor or level, an empty design
    │   ├── SettingsError         the settings file
    │   ├── StudyError            an unknown, existing or unfinished study
    │   ├── UnknownModelError     a model name nothing answers to
    │   ├── MissingKeyError       no key, or an empty one
    │   ├── KeyRefused            the provider does not take the key
    │   └── MissingExtraError     an optional dependency is not installed
    ├── StoreError                the store cannot be opened, read or written
    │   └── StoreVersionError     the store was written by a newer version   exit 2
    ├── ModelError                a call to a model did not give a reply
    │   ├── ModelTimeout          no answer in time                          worth retrying
    │   ├── ModelUnavailable      cut connection, 5xx                        worth retrying
    │   ├── RateLimited           429; carries ``retry_after`` in seconds    worth retrying
    │   ├── ModelRejected         400, 404, 422: asking again changes nothing
    │   ├── ModelForbidden        401, 403
    │   ├── EmptyReply            no choice in the reply
    │   └── ContextOverflow       the prompt does not fit the model
    ├── EnvironmentFailure        an environment broke its contract
    └── BudgetExhausted           the next call would pass the budget        exit 3
"""


class DilemmaError(Exception):
    """Root of every error raised on purpose. Its text is one line that says what to do."""


class InputError(DilemmaError):
    """What a person gave cannot be used as it stands."""


class ScenarioError(InputError):
    """A scenario or a pack does not load, or fails its checks."""


class DesignError(InputError):
    """An unknown factor or level, or a design without cells."""


class SettingsError(InputError):
    """The settings file cannot be read or holds something unknown."""


class StudyError(InputError):
    """A study is unknown, exists already, or does not match what was asked."""


class UnknownModelError(InputError):
    """No adapter answers to this model name."""


class MissingKeyError(InputError):
    """The key that a model needs is missing or empty."""


class KeyRefused(InputError):
    """The provider does not take the key: no other call to this model would fare better."""


class MissingExtraError(InputError):
    """An optional dependency is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs the extra '{extra}': pip install 'dilemma-sim[{extra}]'")
        self.extra = extra


class StoreError(DilemmaError):
    """The store cannot be opened, read or written."""


class StoreVersionError(StoreError):
    """The store was written by a newer version of this software."""


class ModelError(DilemmaError):
    """A call to a model did not give a reply."""

    retryable = False
    """Whether asking the same again may help."""
    attempts = 1
    """Requests that were sent before it was given up."""


class ModelTimeout(ModelError):
    """No answer came in time."""

    retryable = True


class ModelUnavailable(ModelError):
    """The connection was cut, or the server answered 5xx."""

    retryable = True


class RateLimited(ModelError):
    """The server answered 429."""

    retryable = True

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        """Seconds that the server asked to wait, when it said."""


class ModelRejected(ModelError):
    """The server refused the request itself (400, 404, 422)."""


class ModelForbidden(ModelError):
    """The server refused the key (401, 403), or there is no money behind it."""

    variable: str | None = None
    """The environment variable that the key is read from, where that is known."""


class EmptyReply(ModelError):
    """The server answered without a single choice."""


class ContextOverflow(ModelError):
    """The prompt does not fit the model's context."""


class EnvironmentFailure(DilemmaError):
    """An environment broke its contract."""


class BudgetExhausted(DilemmaError):
    """The next call would pass the budget."""
