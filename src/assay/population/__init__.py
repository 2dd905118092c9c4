"""Does a model know real distributions: P(V1 given V2 = v) in a population against what the model believes."""
