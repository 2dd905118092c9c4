"""A share or a rate of a cause is no value of what is left, nor of what has changed, unless the words say so."""

import pytest

from trueness.reading.reasoning_graph import read_reasoning
from trueness.reasoning import execute

GONE = [  # one cause with its value; what is said of a share of it; what that share is not
    (
        {"books": 50},
        ["He sells 40% of the books", "Two fifths of the books were sold", "He sells two fifths of his books",
         "40% of the books get sold", "2 in 5 books are sold", "The shop sells 40% of its books"],
        ["books left", "remaining_books", "unsold_books", "books_not_sold", "final_books", "new_book_count",
         "books_after_sale", "books still on shelf", "books_kept", "inventory"],
    ),
    (
        {"money": 90},
        ["He spends 1/3 of the money on books", "A third of the money goes to books", "She pays a third of the money"],
        ["remaining_money", "money left", "final_money", "money after shopping", "unspent money", "net_money"],
    ),
    (
        {"salary": 1000},
        ["30% of the salary is paid as tax", "He pays 30% of the salary as tax", "Tax takes 30% of the salary"],
        ["take-home pay", "net_salary", "salary after tax", "net pay", "after_tax_salary"],
    ),
    (
        {"passengers": 90},
        ["one third of the passengers leave the bus", "A third of the passengers get off the bus",
         "a third of the passengers left the bus"],
        ["passengers_on_bus", "passengers_left_on_bus", "passengers still on bus", "bus_passengers"],
    ),
    (
        {"students": 40},
        ["1 in 4 students walk", "25% of the students walk", "A quarter of the students walk to school"],
        ["non-walkers", "non_walking_students", "students_not_walking", "students who do not walk", "other_students"],
    ),
    (
        {"pages": 200},
        ["She reads 40% of the pages", "40% of the pages have been read", "reads two fifths of the pages"],
        ["pages_unread", "pages left", "pages_to_read", "pages still to read"],
    ),
    (
        {"water": 10},
        ["drinks twice the water", "He drinks half the water", "Half of the water evaporates"],
        ["water left", "remaining_water", "water_after_leak", "final_water", "new water level"],
    ),
    (
        {"houses": 100},
        ["40% of the houses have no garage", "40% of the houses lack a garage", "40% of houses are without a garage"],
        ["houses_with_garage", "garage_houses"],
    ),
    (
        {"students": 40},
        ["Half of the students skip breakfast", "half of the students never eat breakfast"],
        ["students_with_breakfast", "students eating breakfast"],
    ),
    ({"energy": 8}, ["10% of the energy is lost as heat", "Heat is 10% of the energy"], ["useful_energy"]),
    ({"deposit": 50}, ["5% of the deposit is charged as a fee"], ["net_deposit", "deposit after fee"]),
]  # fmt: skip
RATES = [  # what it is a rate of, the rate, what it changes, and what it gives
    ("original price", "discount rate", "sale_price final_price new_price price_after_discount amount_due", "discount"),
    ("price", "tax rate", "total_price price_with_tax gross_price final_price", "tax_amount"),
    ("gross income", "tax rate", "net_income take_home_pay income_after_tax disposable_income", "income_tax"),
    ("population", "growth rate", "new_population population_next_year future_population", "population_growth"),
    ("balance", "interest rate", "new_balance balance_after_one_year ending_balance", "interest_earned"),
    ("sample", "decay rate", "remaining_sample sample_left undecayed_sample", ""),
    ("labor force", "unemployment rate", "employed employed_workers", "unemployed_workers"),
    ("seedlings", "survival rate", "", "surviving_seedlings"),
    ("sales", "commission rate", "net_sales", "commission"),
]
APPLIED = [
    "Apply the {rate} to the {of}",
    "{of}: apply {rate} to {of}.",
    "{rate} applied to {of}",
    "Apply the {rate} to the {of} to get the {effect}",
    "The {effect} is calculated by applying the {rate} to the {of}",
]


def executed(rule, effect, causes):
    dag = {"target_variable": effect, "knowns": causes, "causal_graph": []}
    dag["causal_graph"] = [{"cause": list(causes), "effect": effect, "rule": rule}]
    return execute(read_reasoning(dag).graph).target


def test_a_share_that_is_gone_is_not_what_is_left():
    taken = [
        (rule, effect, value)
        for causes, rules, effects in GONE
        for rule in rules
        for effect in effects
        if (value := executed(rule, effect, causes)) is not None
    ]
    assert taken == []


def test_a_rate_that_is_applied_gives_the_piece_and_not_the_whole():
    wrong, pieces = [], 0
    for of, rate, changed, piece in RATES:
        for form in APPLIED:
            for size in ("20 %", 0.2):
                for effect in (*changed.split(), *piece.split()):
                    rule = form.format(of=of, rate=rate, effect=effect.replace("_", " "))
                    value = executed(rule, effect, {of: 500, rate: size})
                    right = value is None or (effect == piece and value == pytest.approx(100))
                    wrong += [] if right else [(rule, effect, value)]
                    pieces += effect == piece and value is not None
    assert wrong == []
    assert pieces >= 50


@pytest.mark.parametrize(
    ("rule", "effect", "causes", "value"),
    [
        ("Two thirds of the guests stay.", "guests_remaining", {"guests": 90}, 60),
        ("The sale price is 80% of the original price", "sale_price", {"original price": 50}, 40),
        ("The net pay is 80% of the gross pay", "net_pay", {"gross pay": 90}, 72),
        ("30% of the tickets remain unsold", "unsold_tickets", {"tickets": 50}, 15),
        ("He sells 40% of the books", "books_sold", {"books": 50}, 20),
        ("Multiply the price by the discount rate", "discount", {"price": 80, "discount rate": "25 %"}, 20),
        ("One third of the students take the bus", "students_on_bus", {"students": 90}, 30),
        ("He keeps 3/4 of the money", "money_kept", {"money": 40}, 30),
        ("He spends 1/3 of the money on books", "book_cost", {"money": 90}, 30),
        ("She saves 20% of her income", "savings", {"income": 90}, 18),
        ("The price is reduced by 20%", "sale_price", {"price": 100}, 80),
        ("Apply a 20% discount to the price", "sale_price", {"price": 100}, 80),
        ("Twice the old speed", "new_speed", {"old speed": 10}, 20),
        ("Half of the members do not play chess", "members_not_playing_chess", {"members": 10}, 5),
        ("Half of the remaining cookies were eaten by Tom", "tom_cookies", {"remaining cookies": 10}, 5),
        ("1 in 4 students walk", "walkers", {"students": 40}, 10),
        ("Apply the exchange rate to the dollars", "euros", {"dollars": 100, "exchange rate": 0.9}, 90),
        ("Half of the remaining money is spent", "money_left", {"remaining money": 50}, None),
        ("She spends half of the wage plus the bonus", "money_left", {"wage": 50, "bonus": 10}, None),
        ("She spends a quarter of the difference of income and rent", "money_left", {"income": 50, "rent": 9}, None),
        ("He sells 40% of the books minus the damaged ones", "books_left", {"books": 50, "damaged_books": 5}, None),
        ("10% of the price is the tax", "price_with_tax", {"price": 100}, None),
        ("The discount is 20% of the price", "price_after_discount", {"price": 50}, None),
        ("10% of the eggs are broken", "unbroken_eggs", {"eggs": 50}, None),
        ("20% of the phones are defective", "working_phones", {"phones": 50}, None),
        ("75% of the seats are occupied", "vacant_seats", {"seats": 8}, None),
        ("Ben gives half of his cards to Tom", "ben_cards", {"cards": 8}, None),
        ("Multiply the price by the number of adults and children combined", "cost",
         {"price": 12, "number of adults": 3, "number of children": 4}, None),
    ],
)  # fmt: skip
def test_a_share_that_is_said_to_be_the_effect(rule, effect, causes, value):
    assert executed(rule, effect, causes) == (None if value is None else pytest.approx(value))
