"""Reading: from the text of a reply to what it says, with the place it was read from."""

from trueness.reading.expected import Reading, Value, read_forecast
from trueness.reading.structured import Node, recover_json

__all__ = ["Node", "Reading", "Value", "read_forecast", "recover_json"]
