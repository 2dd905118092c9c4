"""The safety net: one small finished study of each kind, every file and every form of output as it was."""
