"""Counterfactual faithfulness: does a piece of reasoning depend on what it says it depends on?"""
