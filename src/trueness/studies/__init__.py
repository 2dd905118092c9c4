"""One folder a study, the same file names in each; beside them what every study may build on."""
