"""What a reply only mentions is not its forecast: classes of wrong readings that must not happen."""

import pytest

from trueness.reading import read_forecast

MENTIONED = {
    "of another measure": "Accuracy: 0.6-0.8. Specificity: 0.9-0.95. FDR: 0.2-0.4",
    "of the precision-recall curve": "AUPRC (precision-recall): 0.6-0.8",
    "of the skeleton": "In the skeleton phase precision is 0.8-0.9.",
    "of a macro average": "Macro-averaged precision: 0.6-0.8",
    "of another algorithm": "GES would reach precision of 0.8-0.9 here. PC is worse.",
    "of the literature": "In the literature, PC reaches a precision of 0.8-0.9 on ASIA.",
    "of a benchmark": "A 2018 benchmark gives a precision of 0.85 to 0.9.",
    "of a baseline": "Random guessing gives a precision of 0.2-0.3.",
    "below a heading of baselines": "Random baseline:\nPrecision: 0.2-0.3",
    "below a heading with a full stop": "Literature values.\nPrecision: 0.2-0.3",
    "below a sentence that points on": "The published results are as follows.\nPrecision: 0.2-0.3",
    "of a hypothesis": "If n were larger, precision would be 0.8-0.9.",
    "denied": "I would not say precision of 0.8-0.9.",
    "rejected": "Some claim a precision of 0.9-0.95, which is too optimistic.",
    "asked": "Is a precision of 0.9-1.0 plausible?",
    "wished": "The target precision is 0.9-1.0.",
    "a spread": "The standard deviation of precision is 0.05-0.08.",
    "a width": "The precision interval should be about 0.1-0.2 wide.",
    "a cost": "Each wrong edge costs 0.05-0.1 of precision.",
    "a change": "Precision drops by 0.1 to 0.2.",
    "a probability": "There is a 60-80% chance that precision is above 0.7.",
    "a definition": "A precision of 0.5 means that half of the edges are wrong.",
    "a scale": "Precision lies in [0, 1].",
    "an accuracy of writing": "I give the ranges with a precision of 0.05.",
    "a setting before the name": "At alpha = 0.01 precision is good.",
    "the index of a list": "Ranking by expected precision: 1. GES (good), 2. PC (fair).",
    "a format": "Use the format, e.g., Precision: [0.6, 0.8].",
    "a schema": '{"precision": {"type": "number", "minimum": 0, "maximum": 1}}',
    "a mean and its spread": '{"precision": {"mean": 0.7, "std": 0.05}}',
    "a mean and its spread in text": "Precision: 0.70 (SD 0.05)",
    "cases": '{"precision": {"best_case": 0.9, "worst_case": 0.5}}',
    "names as values": '{"metrics": ["precision", "recall"], "lower": [0.6, 0.5], "upper": [0.8, 0.7]}',
    "of one kind of edges": "Precision (edges): 0.6-0.8\nPrecision (non-edges): 0.9-0.95",
    "joined by an unknown word": "Precision: 0.60 xyz 0.80",
    "three numbers": "Precision: 0.6-0.7-0.8",
    "a number with a gap": "Precision: 0 .6 - 0 .8",
    "an upper bound": "Upper bound on precision: 0.9",
    "a confidence": "Confidence in precision: 0.7",
    "a difference": "Delta precision: 0.1-0.2",
    "a weight": '{"weights": {"precision": 0.5, "recall": 0.5}}',
    "an unlikely bound": "It's unlikely that precision exceeds 0.8.",
    "two bounds": "Precision: >0.6 and <0.8",
    "ends with remarks": "Precision: from 0.6 (small n) to 0.8 (large n)",
    "ends on two lines": "Precision: 0.6-\n0.8",
    "a need": "For a precision of 0.9-1.0 we would need 10 times more data.",
    "of another data set": "On ALARM, precision is 0.8-0.9; on ASIA I expect lower.",
    "of other networks": "On other networks precision is 0.8-0.9.",
    "of people": "Human experts expect precision of 0.8-0.9.",
    "columns of settings": "| Metric | Low alpha | High alpha |\n|---|---|---|\n| Precision | 0.62 | 0.71 |",
    "of another algorithm, behind the value": "Precision: 0.6-0.8 is what GES usually gets.",
    "of anything good": "A good precision is 0.8-0.9.",
    "of what it is not": "Not precision: 0.6-0.8",
    "of a test": "The chi-square tests have a precision of 0.95-0.97.",
    "of a classifier": "For comparison, a classifier on these data has precision 0.8-0.85.",
    "of a part of the edges": "Among the oriented edges, precision is 0.8-0.9.",
    "of another structure": "V-structure precision: 0.5-0.6",
    "of a user": "You suggested a precision of 0.6-0.8.",
    "of an earlier answer": "In my previous answer I said precision: 0.6-0.8.",
    "of other rows": "With 100,000 rows precision would be 0.8-0.9.",
    "of a case": "In case of a denser graph: precision 0.4-0.5.",
    "compared": "Precision will be 0.1 to 0.2 lower.",
    "withdrawn": "Precision: 0.6-0.8. On second thought I would lower that.",
    "for example, below": "I can give ranges, for example:\n\nPrecision: [0.6, 0.8]\n\nShall I go ahead?",
    "a sum": "Precision = 0.6 + 0.2",
    "a row that was cut off": "| Metric | Range |\n|---|---|\n| Recall | 0.5-0.7 |\n| Precision | 0.50-0.",
    "in Chinese, of the literature": "文献报道 PC 的精确率为 0.7-0.8。",
    "taken up by a pronoun": "Precision could be 0.6-0.8. It could also be 0.3-0.5.",
}


@pytest.mark.parametrize("text", MENTIONED.values(), ids=MENTIONED)
def test_what_is_only_mentioned_is_no_forecast(text):
    assert read_forecast(text).values["precision"] is None


FORECAST = {
    "based on the literature": "Based on the literature, I expect precision of 0.6-0.8.",
    "after a denial": "I would not say precision of 0.8-0.9 but precision of 0.6-0.8.",
    "beside other algorithms": "GES would do better (precision 0.8-0.9). For PC I forecast precision 0.6-0.8.",
    "after a hypothesis": "If n were larger, precision would be 0.8-0.9. As it is:\n\nPrecision: 0.6-0.8",
    "after the literature": "PC reaches a precision of 0.8-0.9 in the literature. I expect precision of 0.6-0.8.",
    "with its conditions": "Precision (alpha = 0.05, n = 10,000): 0.6-0.8",
    "with its scale": "Precision (0 to 1): 0.6-0.8",
    "below its heading": "### Precision\nWith 28 pairs about 1 edge is wrong.\nEstimated range: 0.6-0.8",
    "with a confidence": "Precision: 0.6-0.8 (confidence: 70%)",
    "beside a baseline": '{"precision": [0.6, 0.8], "precision_random": [0.2, 0.3]}',
    "as quantiles": '{"precision": {"q2.5": 0.6, "q50": 0.7, "q97.5": 0.8}}',
    "as a formula": "Precision = TP/(TP+FP) = 0.6-0.8",
    "by its letter": "P: 0.6-0.8 | R: 0.5-0.7 | F1: 0.55-0.75",
    "in an HTML table": "<table><tr><td>Precision</td><td>0.6 &ndash; 0.8</td></tr><tr><td>SHD</td><td>4</td></tr>",
    "as if": "If I had to guess: precision 0.6-0.8",
    "instead of another": "I expect precision of 0.6-0.8 rather than 0.7-0.9.",
    "below struck-out text": "Precision: ~~0.7-0.9~~ 0.6-0.8",
    "in items with letters": "1. Precision\n   a. Lower bound: 0.6\n   b. Upper bound: 0.8",
    "beside its mean and spread": "Precision: 0.6-0.8 (mean 0.7, sd 0.05)",
    "of the algorithm that is forecast": "Unlike NOTEARS, whose precision is 0.3, PC should have precision of 0.6-0.8.",
    "as tens": "Precision: between sixty and eighty percent",
    "in percent": "All values in percent.\nPrecision: 60-80",
    "below an assumption": "LiNGAM requires non-Gaussian noise.\nPrecision: 0.6-0.8",
    "below a condition that is told": "If the noise is Gaussian, LiNGAM fails.\n\nPrecision: 0.6-0.8",
    "below a word on the literature": "The literature reports good results for PC.\nPrecision: 0.6-0.8",
}


@pytest.mark.parametrize("text", FORECAST.values(), ids=FORECAST)
def test_the_forecast_is_found_beside_what_is_mentioned(text):
    value = read_forecast(text).values["precision"]
    assert value is not None
    assert (value.low, value.high) == (0.6, 0.8)


def test_what_may_be_of_something_else_puts_the_answer_before_it_in_doubt():
    reading = read_forecast("Precision: 0.6-0.8\nThe second tool shows a precision of 0.4-0.5.")
    assert reading.values["precision"] is None
    assert "precision:subject" in reading.flags


def test_an_answer_in_text_that_differs_from_the_json_is_no_answer():
    reading = read_forecast('Precision: 0.6-0.8\nRecall: 0.5-0.7\n\n{"precision": [0.5, 0.9], "recall": [0.5, 0.7]}')
    assert reading.values["precision"] is None
    assert reading.values["recall"] is not None
