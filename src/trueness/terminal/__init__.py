"""What the terminal shows: tables, progress, the end of a run, the catalogue."""
