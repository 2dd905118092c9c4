"""Plans, cells, the engine, asking, the store and what it holds: a study is done here and shown elsewhere."""
