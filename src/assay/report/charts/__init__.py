"""One file a chart: the frame it draws (one row a mark), how it is drawn, what its caption says."""







__all__ = [
    "calibration",
    "calibration_chart",
    "calibration_frame",
    "differences",
    "differences_chart",
    "differences_frame",
    "heatmap",
    "heatmap_chart",
    "heatmap_frame",
    "intervals",
    "intervals_chart",
    "intervals_frame",
    "runs",
    "runs_chart",
    "runs_frame",
]
