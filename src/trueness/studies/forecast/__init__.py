"""Forecasts against what was measured: frames in, frames and sentences out. Nothing here asks a model or runs a fit."""

STUDY = {
    "order": 2,  # it reads the runs of discovery
    "class": "plan:Forecast",
    "offers": {
        ("new", "human-sheet"): "offers:new_sheet",
        ("check", "model"): "offers:probe",
        ("plan", ".json"): "offers:settings_of",
    },
}
