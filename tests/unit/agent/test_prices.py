"""What a run costs: the list prices, one's own prices, and the budget."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest

from groundwire.agent.loop import Agent
from groundwire.agent.outcome import Ending
from groundwire.agent.prices import AS_OF, PRICES, Price, in_dollars, price_of
from groundwire.agent.reply import Usage
from groundwire.agent.tally import Limits
from groundwire.errors import UsageError
from groundwire.testing import ScriptedModel, calls, says
from tests.unit.agent.conftest import run

LIST = ("list_directory", {"path": "."})


@pytest.mark.parametrize(
    ("model", "listed"),
    [
        ("gemini-2.5-flash", "gemini-2.5-flash"),
        ("models/gemini-2.5-flash", "gemini-2.5-flash"),
        ("gemini-2.5-flash-preview-09-2025", "gemini-2.5-flash"),
        ("gemini-2.5-flash-lite", "gemini-2.5-flash-lite"),
        ("gemini-3-flash-preview", "gemini-3-flash"),
        ("gemini-3.1-pro-preview", "gemini-3.1-pro"),
    ],
)
def test_a_model_costs_what_the_longest_beginning_of_its_name_costs(model: str, listed: str) -> None:
    assert price_of(model) == PRICES[listed]


@pytest.mark.parametrize("model", ["gemini-2.5-flashy", "gemini-9-flash", "gpt-5", ""])
def test_an_unknown_model_has_no_price(model: str) -> None:
    assert price_of(model) is None


def test_ones_own_price_comes_first_and_may_be_for_a_new_model() -> None:
    own = {
        "gemini-2.5": {"input": 1.0, "output": 2.0},
        "gemini-9": {"input": 3.0, "output": 4.0, "search": 5.0},
    }
    assert price_of("gemini-2.5-flash-lite", own) == Price(1.0, 2.0)
    assert price_of("gemini-9-flash", own) == Price(3.0, 4.0, 5.0)


def test_tokens_cost_by_the_million_and_long_prompts_more() -> None:
    price = Price(1.0, 10.0, input_long=2.0, output_long=20.0)
    assert price.of(Usage(100_000, 10_000)) == pytest.approx(0.1 + 0.1)
    assert price.of(Usage(200_001, 10_000)) == pytest.approx(0.400002 + 0.2)
    assert Price(1.0, 10.0).of(Usage(300_000, 0)) == pytest.approx(0.3)


def test_the_list_has_a_date_and_no_model_is_free() -> None:
    assert date(2026, 1, 1) < AS_OF < date.today()
    assert all(0 < price.input < price.output and price.search > 0 for price in PRICES.values())


@pytest.mark.parametrize(
    ("cost", "shown"), [(0.0, "$0.00"), (0.00123, "$0.0012"), (0.5, "$0.5000"), (2, "$2.00")]
)
def test_small_costs_are_shown_with_more_digits(cost: float, shown: str) -> None:
    assert in_dollars(cost) == shown


def costly(response: dict[str, object], given: int, total: int) -> dict[str, object]:
    return {**response, "usageMetadata": {"promptTokenCount": given, "totalTokenCount": total}}


async def test_a_run_ends_when_its_money_is_spent(tmp_path: Path) -> None:
    replies = [costly(calls(LIST), 500_000, 600_000)] * 2
    price = Price(1.0, 10.0)  # a reply costs 1.50
    outcome, _, events = await run(tmp_path, replies, limits=Limits(cost=2.0, repetitions=9), price=price)
    assert (outcome.ending, outcome.exit_code) == (Ending.MONEY_BUDGET, 8)
    assert outcome.reason == "The budget of $2.00 is spent ($3.00 by the prices that were given)."
    assert outcome.cost == pytest.approx(3.0)
    assert [event.cost for event in events if hasattr(event, "cost")] == pytest.approx([0.0, 1.5])


async def test_a_search_costs_its_fee(tmp_path: Path) -> None:
    replies = [calls(("google_web_search", {"query": "x"})), says("ok")]
    outcome, _, _ = await run(tmp_path, replies, price=Price(1.0, 1.0, search=0.035))
    assert outcome.cost == pytest.approx(0.035)


async def test_the_cost_of_an_unknown_model_is_unknown_and_cannot_be_limited(tmp_path: Path) -> None:
    model = ScriptedModel([says("ok")], name="gemini-9-flash")
    outcome = await Agent(model=model, workspace=tmp_path).run("task")
    assert outcome.cost is None
    assert outcome.cost_basis == "no price is known for gemini-9-flash; see agent.prices"
    with pytest.raises(UsageError, match="no price for the model gemini-9-flash"):
        Agent(model=model, workspace=tmp_path, limits=Limits(cost=1.0))


@pytest.mark.parametrize(
    ("today", "basis"),
    [
        (AS_OF, "by the list prices of 2026-10-07"),
        (AS_OF + timedelta(days=90), "by the list prices of 2026-10-07"),
        (AS_OF + timedelta(days=91), "by the list prices of 2026-10-07, which are old: check them"),
    ],
)
async def test_a_cost_names_its_prices_and_says_when_they_are_old(
    tmp_path: Path, today: date, basis: str
) -> None:
    model = ScriptedModel([says("ok")], name="gemini-2.5-flash")
    outcome = await Agent(model=model, workspace=tmp_path, today=lambda: today).run("task")
    assert outcome.cost_basis == outcome.to_json()["cost_basis"] == basis


def test_ones_own_prices_are_named_as_such_and_never_old() -> None:
    price = price_of("m", {"m": {"input": 1.0, "output": 2.0}}, today=date(2099, 1, 1))
    assert price is not None
    assert price.basis == "by your own prices"


@pytest.mark.parametrize(("day", "dollars"), [(date(2026, 12, 31), 0.75), (date(2027, 1, 1), 1.50)])
def test_a_price_that_was_announced_counts_from_its_day_on(day: date, dollars: float) -> None:
    price = price_of("gemini-3.8-flash", today=day)
    assert price is not None
    assert price.input == dollars
