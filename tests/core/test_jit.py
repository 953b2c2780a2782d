"""The cache of compiled loops is named by the sources that loops are made of."""

import re
from pathlib import Path

import separatrix
from separatrix.core.jit import sources_of_loops

ROOT = Path(separatrix.__file__).parent


def test_every_file_with_a_decorated_loop_or_verb_counts_and_an_estimator_does_not():
    decorated = re.compile(r"^@(compiled|compiled_exactly|part|part_exactly|generic|implements\(.*)$", re.M)
    loops = {path for path in ROOT.rglob("*.py") if decorated.search(path.read_text())}
    assert len(loops) > 20
    assert loops <= sources_of_loops(ROOT)
    assert ROOT / "estimators" / "linear" / "lasso.py" not in sources_of_loops(ROOT)


def test_a_constant_imported_by_a_loop_counts(tmp_path):
    (tmp_path / "loops.py").write_text(
        "from separatrix.core.jit import compiled\nfrom separatrix.numbers import (\n    WIDTH,\n)\n"
    )
    (tmp_path / "numbers.py").write_text("from separatrix.rooms import deep\nWIDTH = 3\n")
    (tmp_path / "rooms").mkdir()
    (tmp_path / "rooms" / "deep.py").write_text("HEIGHT = 4\n")
    (tmp_path / "other.py").write_text("import numpy\n")
    assert {path.name for path in sources_of_loops(tmp_path)} == {"loops.py", "numbers.py", "deep.py"}
