"""Forecasts against what was measured: frames in, frames and sentences out. Nothing here asks a model or runs a fit."""

STUDY = {
    "order": 2,  # it reads the runs of discovery
    "class": "plan:Forecast",
    "offers": {
        ("new", "human-sheet"): "new_sheet:new_sheet",
        ("check", "model"): "probe:probe",
        ("plan", ".json"): "original:settings_of",
    },
}
