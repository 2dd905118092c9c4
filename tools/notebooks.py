"""python tools/notebooks.py: run every notebook of docs/notebooks by Jupyter and keep what its cells gave.

Needs `pip install nbclient ipykernel`. Counts and times are left out: a run changes no byte that the project did not
change.
"""

import json
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[1] / "docs" / "notebooks"

for path in sorted(FOLDER.glob("*.ipynb")):
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(FOLDER.parents[1])}}).execute()
    notebook.metadata = {"language_info": {"name": "python"}}
    for place, cell in enumerate(notebook.cells):
        cell.id, cell.metadata = f"cell-{place}", {}
        if cell.cell_type == "code":
            cell.execution_count = None
            for output in cell.outputs:
                output.pop("execution_count", None)
                if output.output_type == "execute_result":
                    output.execution_count = None
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
