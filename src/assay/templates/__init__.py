"""Plans that `assay new` writes and `assay run` without a file uses."""
