"""What is the graph of my data, how sure is each edge, and which learner should be believed on data like these?"""

STUDY = {
    "order": 6,
    "class": "plan:Learn",
    "offers": {("command", "learn"): "command:plan_of"},
    "command": {
        "help": "a table in; a graph with the odds of every edge, and which learner to believe, out",
        "file": "a table (CSV, TSV, text, parquet, JSONL), or a data set's name",
        "options": {
            "graph": "your own guess (.dot, .json, .csv): is it better than chance, and what do the data speak against",
            "time": "begin no fit after so long by the clock, 90s or 5m; then what is known is said and written",
            "knowledge": "a .toml file with required, forbidden or tiers",
            "kinds": "continuous | discrete | ordered | drop: age=continuous,stage=ordered,id=drop; else guessed",
            "drop": "columns to leave out, by comma",
            "decimal": "comma | point: what 1,234 or 1.234 means in a column where the file does not tell",
            "rows": "rows to draw of a simulated data set, or to take of a table",
            "folder": "where the study is kept (default: results/learn-NAME)",
        },
    },
}
