"""Tasks: who answers, what is asked, what is true. A task makes cells of work and performs one unit of it."""
