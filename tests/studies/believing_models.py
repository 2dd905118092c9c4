"""Models for population studies, by file name: they know the sex of people by age, or nothing, or will not say."""

from tests.population.believers import Believer, PlaceLover, Refuser, Wordy

WOMEN = {"18-44": 0.35, "45 or more": 0.75}


class Knowing(Believer):
    """Knows the made survey's shares."""

    def answer(self, text, settings):
        share = next(share for age, share in WOMEN.items() if f"aged {age}" in text)
        self.shares = {"male": 1 - share, "female": share}
        return super().answer(text, settings)


class KnowingInWords(Knowing, Wordy):
    """The same without log-probabilities."""


class FirstOption(PlaceLover):
    """Knows nothing and has a favourite place."""

    shares = {"male": 0.5, "female": 0.5}


class Unwilling(Refuser):
    """Refuses, or says nothing at all."""
