"""Faults on purpose: nothing paid is lost, nothing is counted twice, the resumed result is the same bytes."""
