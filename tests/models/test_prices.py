"""Money: unknown is unknown, local is free, the plan has the last word."""

import pytest

from trueness.errors import SettingError
from trueness.models import price
from trueness.models.base import Price, price_list, stated_price


def test_an_unknown_price_is_none_and_not_zero():
    assert price("openai/a-model-of-next-year") is None


@pytest.mark.parametrize("name", ["embedded/smollm2", "mock/vacuous", "ollama/llama3.2", "vllm/a/b"])
def test_a_model_on_this_machine_costs_nothing(name):
    assert price(name).cost(None, None) == 0.0


@pytest.mark.parametrize("name", ["openai/gpt-4o-2024-08-06", "openai/gpt-4o"])
def test_a_dated_snapshot_costs_what_its_model_costs(name):
    assert price(name) == price("openai/gpt-4o") is not None


def test_every_listed_price_has_a_date():
    for name in price_list()["models"]:
        assert price(name).as_of[:2] == "20", name


def test_the_plan_overrides_the_list():
    assert stated_price({"input": 1, "output": 2}, "openai/gpt-4o") == Price(1.0, 2.0, "stated in the plan")


@pytest.mark.parametrize("wrong", [3, {"input": 1}, {"input": 1, "output": -2}, {"input": "1", "output": 2}])
def test_a_price_that_is_none_is_refused(wrong):
    with pytest.raises(SettingError, match="'price' of model openai/gpt-4o must be"):
        stated_price(wrong, "openai/gpt-4o")
