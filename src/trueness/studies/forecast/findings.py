"""All analyses of a forecast study in one call; validation first, since the others stand on it.

An analysis that a study does not allow (one formulation, no repeats, no baseline) is there too and says why.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

from trueness.outside import Json
from trueness.studies.forecast import selection
from trueness.studies.forecast.ablation import ablation, guidelines
from trueness.studies.forecast.analysis import Analysis
from trueness.studies.forecast.comparisons import comparisons
from trueness.studies.forecast.conformal import conformal
from trueness.studies.forecast.contamination import contamination
from trueness.studies.forecast.effects import effects
from trueness.studies.forecast.failures import failures
from trueness.studies.forecast.forecast_frames import Forecasts
from trueness.studies.forecast.hypotheses import hypotheses
from trueness.studies.forecast.learner_ranking import ranking
from trueness.studies.forecast.pairwise_contrasts import contrasts
from trueness.studies.forecast.reasoning import reasoning
from trueness.studies.forecast.robustness import robustness
from trueness.studies.forecast.validation import Validation, validation
from trueness.studies.forecast.verdict_convergence import convergence


@dataclass(frozen=True, eq=False)
class Findings:
    """The analyses by name, in the order in which a report tells them."""

    study: str
    arm: str  # in words: which arm the findings are about, unless they compare arms
    validation: Validation
    hypotheses: Analysis
    comparisons: Analysis
    robustness: Analysis
    ranking: Analysis
    contrasts: Analysis
    reasoning: Analysis
    effects: Analysis
    ablation: Analysis
    guidelines: Analysis
    contamination: Analysis
    failures: Analysis
    convergence: Analysis
    conformal: Analysis

    def analyses(self) -> Iterator[Analysis]:
        """Validation first, as an analysis like the others."""
        yield self.validation.analysis()
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, Analysis):
                yield value

    def sentences(self) -> dict[str, tuple[str, ...]]:
        """What each analysis says."""
        return {analysis.name: analysis.sentences for analysis in self.analyses()}

    def to_dict(self) -> dict[str, Json]:
        """Plain JSON; the validation first."""
        return {
            "study": self.study,
            "arm": self.arm,
            "valid": self.validation.is_valid,
            "analyses": [analysis.to_dict() for analysis in self.analyses()],
        }

    def __str__(self) -> str:
        parts = [f"{name}\n" + "\n".join(f"  {line}" for line in lines) for name, lines in self.sentences().items()]
        return "\n\n".join(parts)


def findings(forecasts: Forecasts) -> Findings:
    """Every analysis of the study."""
    arms = ablation(forecasts)
    pairs, framing = contrasts(forecasts), robustness(forecasts)
    return Findings(
        study=forecasts.study,
        arm=selection.arm_text(forecasts),
        validation=validation(forecasts),
        hypotheses=hypotheses(forecasts, pairs, framing),
        comparisons=comparisons(forecasts),
        robustness=framing,
        ranking=ranking(forecasts),
        contrasts=pairs,
        reasoning=reasoning(forecasts),
        effects=effects(forecasts),
        ablation=arms,
        guidelines=guidelines(arms),
        contamination=contamination(forecasts),
        failures=failures(forecasts),
        convergence=convergence(forecasts),
        conformal=conformal(forecasts),
    )
