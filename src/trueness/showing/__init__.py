"""What tables, charts, papers and pages are made of. It knows rows and no study."""
