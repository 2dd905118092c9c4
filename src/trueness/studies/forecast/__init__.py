"""Forecasts against what was measured: frames in, frames and sentences out. Nothing here asks a model or runs a fit."""
