"""`nelayout embed`: every format gives the points of `nl.embed`; what is no number is named with its place."""

import csv
import io
import json
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import nelayout as nl
from nelayout.cli import main

X = np.round(np.random.default_rng(5).standard_normal((30, 3)) + 4 * (np.arange(30)[:, None] % 2), 3)
NAMES = ["height", "width", "depth"]
KIND = ["oak" if i % 2 else "ash" for i in range(30)]


def nelayout(command):
    """The exit code."""
    return main(command.split())


def fails_in_one_line(options, line, folder, capsys):
    """Embed without success: one line on standard error that begins so, and no file is touched."""
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    capsys.readouterr()
    assert main(["embed", *options.split()]) == 1
    out, said = capsys.readouterr()
    assert (out, said.count("\n"), "mistake in nelayout" in said) == ("", 1, False)
    assert said.startswith(f"nelayout: {line}")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def text(rows, separator=","):
    return "".join(separator.join(map(str, row)) + "\n" for row in rows)


def labeled():
    return [[*row, kind] for row, kind in zip(X.tolist(), KIND, strict=True)]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The same numbers in every format, run from their folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table.csv").write_text(text([[*NAMES, "kind"], *labeled()]))
    (tmp_path / "bare.csv").write_text(text(X.tolist()))
    (tmp_path / "semicolons.csv").write_text(text([NAMES, *X.tolist()], ";"))
    (tmp_path / "table.tsv").write_text(text([NAMES, *X.tolist()], "\t"))
    np.save("rows.npy", X)
    np.savez("rows.npz", X=X, kind=np.array(KIND), year=np.arange(30))
    sp.save_npz("sparse.npz", sp.csr_array(X))
    return tmp_path


def positions(path):
    with Path(path).open(newline="") as file:
        return np.array([[float(row[axis]) for axis in "xyz" if axis in row] for row in csv.DictReader(file)])


PLAIN = nl.embed(X, random_state=0)


@pytest.mark.parametrize(
    "source",
    ["bare.csv", "semicolons.csv", "table.tsv", "rows.npy", "rows.npz", "sparse.npz", "table.csv --color kind"],
)
def test_every_format_gives_the_points_of_the_library(folder, source):
    assert nelayout(f"embed {source} -o out.csv --quiet") == 0
    assert positions("out.csv").tolist() == PLAIN.tolist()


def test_parquet(folder, capsys):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    columns = dict(zip(NAMES, X.T, strict=True))
    parquet.write_table(pyarrow.table({**columns, "kind": KIND}), "table.parquet")
    assert nelayout("embed table.parquet --color kind -o out.npz --quiet") == 0
    with np.load("out.npz") as found:
        assert found["positions"].tolist() == PLAIN.tolist()
        assert found["kind"].tolist() == KIND
    lists = {"kind": KIND, "vector": X.tolist(), "__index_level_0__": list(range(5, 35))}
    parquet.write_table(pyarrow.table(lists), "lists.parquet")
    assert nelayout("embed lists.parquet --columns vector -o out.csv --quiet") == 0
    assert positions("out.csv").tolist() == PLAIN.tolist()
    assert (folder / "out.csv").read_text().splitlines()[1].startswith("5,")
    assert nelayout("embed table.parquet -o out.csv") == 1
    assert capsys.readouterr().err == (
        "nelayout: table.parquet, row 1: the column 'kind' holds 'ash', not a number; give --color kind if it "
        "holds classes, or name the columns to use with --columns height,width,depth\n"
    )
    hole = [None if i == 3 else x for i, x in enumerate(X[:, 0].tolist())]
    parquet.write_table(pyarrow.table({**columns, "height": hole}), "hole.parquet")
    assert nelayout("embed hole.parquet -o out.csv") == 1
    assert "hole.parquet, row 4: the column 'height' has no value" in capsys.readouterr().err
    (folder / "no.parquet").write_text("PAR1 it is not")
    assert nelayout("embed no.parquet -o out.csv") == 1
    assert "no.parquet: cannot be read as parquet" in capsys.readouterr().err


def test_options_are_the_keywords(folder):
    options = "-m gamma-quadlog --n-neighbors 4 --metric cosine --pca 2 --init pca --dim 1 --seed 3 --max-iter 9"
    assert nelayout(f"embed rows.npy -o out.csv --quiet {options}") == 0
    how = {"n_neighbors": 4, "metric": "cosine", "pca": 2, "init": "pca", "random_state": 3, "max_iter": 9}
    Y = nl.embed(X, "gamma-quadlog", n_components=1, **how)
    assert positions("out.csv").tolist() == Y.tolist()


@pytest.mark.parametrize(
    ("options", "taken"),
    [
        ("--columns width,depth", [1, 2]), ("--columns depth --columns 2", [2, 1]),
        ("--columns 2-3 --color kind", [1, 2]), ("--columns 1,3 --color 4", [0, 2]),
        ("--color depth --columns height,width", [0, 1]),
    ],
)
@pytest.mark.full
def test_columns(folder, options, taken):
    assert nelayout(f"embed table.csv -o out.npy --quiet {options}") == 0
    assert np.load("out.npy").tolist() == nl.embed(X[:, taken], random_state=0).tolist()


def test_perplexity_and_own_parameters(folder):
    assert nelayout("embed bare.csv -m nerv --set kappa=0.2 --perplexity 5 -o out.csv --quiet") == 0
    expected = nl.embed(X, method="nerv", method_options={"kappa": 0.2}, perplexity=5, random_state=0)
    assert np.array_equal(positions("out.csv"), expected)


@pytest.mark.full
def test_label_and_color_stand_beside_positions_once(folder, capsys):
    (folder / "named.csv").write_text(
        text([[*NAMES, "kind", "x"], *([*row, f"tree {i}"] for i, row in enumerate(labeled()))])
    )
    assert nelayout("embed named.csv --color kind --label x -o out.csv --quiet") == 0
    rows = list(csv.DictReader(io.StringIO((folder / "out.csv").read_text())))
    assert list(rows[0]) == ["row", "x", "y", "label", "kind"]
    assert [(row["kind"], row["label"]) for row in rows] == [(kind, f"tree {i}") for i, kind in enumerate(KIND)]
    assert positions("out.csv").tolist() == PLAIN.tolist()
    assert nelayout("embed table.csv --color kind --label kind -o out.npz --quiet") == 0
    with np.load("out.npz") as found:
        assert sorted(found.files) == ["data", "format", "indices", "indptr", "kind", "positions", "shape"]
    assert nelayout("embed named.csv --color kind --label knd -o out.csv") == 1
    assert "unknown column for --label 'knd': did you mean 'kind'" in capsys.readouterr().err


def test_one_color_for_all_points(folder, capsys):
    pytest.importorskip("matplotlib")
    assert nelayout("embed bare.csv --color tomato -o out.png --quiet") == 0
    assert nelayout("embed table.csv --color tomato -o out.png --quiet") == 1
    assert "the column 'kind' holds 'ash', not a number" in capsys.readouterr().err
    assert nelayout("embed table.csv --color tomatoe -o out.png --quiet") == 1
    assert "unknown column for --color 'tomatoe'" in capsys.readouterr().err


@pytest.mark.full
def test_labels_stand_beside_positions(folder, capsys):
    assert nelayout("embed table.csv --color 4 -o out.csv") == 0
    assert nelayout("embed table.csv --color kind -o out.json") == 0
    rows = list(csv.DictReader(io.StringIO((folder / "out.csv").read_text())))
    assert list(rows[0]) == ["row", "x", "y", "kind"]
    assert [(int(row["row"]), row["kind"]) for row in rows] == list(enumerate(KIND))
    records = json.loads((folder / "out.json").read_text())
    expected = zip(range(30), *PLAIN.T.tolist(), KIND, strict=True)
    assert records == [dict(zip(["row", "x", "y", "kind"], row, strict=True)) for row in expected]
    capsys.readouterr()
    assert nelayout("embed rows.npz --color year -o out.npz") == 0
    with np.load("out.npz") as found:
        assert found["positions"].tolist() == PLAIN.tolist()
        assert found["year"].tolist() == list(range(30))
    assert nelayout("embed rows.npz --color year -o out.npy") == 0
    last = capsys.readouterr().err.splitlines()[-1]
    assert last == "nelayout: npy holds positions only; csv, json and npz keep the other columns as well"


def test_compare_reads_what_embed_writes(folder):
    from nelayout.graphs.files import read_positions

    (folder / "named.csv").write_text(text([[*NAMES, "label"], *labeled()]))
    assert nelayout("embed named.csv --color label -o out.csv --quiet") == 0
    found = read_positions("out.csv")
    assert {row: place.tolist() for row, place in found.items()} == dict(enumerate(PLAIN.tolist()))


HEADERS = {
    "1,2\n3,4\n5,7\n": 3, "a,b\n3,4\n5,6\n": 2, "a,1\n3,4\n5,6\n": 2, "1,b\n3,4\n5,6\n": 2, "# a,b\n3,4\n5,6\n": 2,
    "\n a , b \n\n3,4\n\n5,6\n": 2, '"a, b","c"\n3,4\n5,6\n': 2, "nan,1\n3,4\n": None,
}


@pytest.mark.parametrize("content", HEADERS)
def test_a_header_is_recognized(content):
    from nelayout.errors import InputError
    from nelayout.graphs.files.record import Source
    from nelayout.vectors.tables import read_table

    source = Source("it", content.encode())
    if HEADERS[content] is None:
        with pytest.raises(InputError, match="line 1: the column '1' has no value"):
            read_table(source, "csv")
    else:
        assert len(read_table(source, "csv").X) == HEADERS[content]


def test_a_name_that_is_asked_for_makes_a_header(folder):
    """Over columns of text and under numbers as names, nothing else tells a header from a row."""
    (folder / "digits.csv").write_text(text([["1", "2", "3", "kind"], *labeled()]))
    assert nelayout("embed digits.csv --color kind -o out.csv --quiet") == 0
    assert positions("out.csv").tolist() == PLAIN.tolist()
    (folder / "bare_kinds.csv").write_text(text(labeled()))
    assert nelayout("embed bare_kinds.csv --color 4 -o out.csv --quiet") == 0
    assert positions("out.csv").tolist() == PLAIN.tolist()
    assert (folder / "out.csv").read_text().splitlines()[0] == "row,x,y,color"


def test_a_first_column_without_name_names_the_rows(folder, capsys):
    rows = [[f"tree {i}", *row] for i, row in enumerate(X.tolist())]
    (folder / "frame.csv").write_text(text([["", *NAMES], *rows]))
    assert nelayout("embed frame.csv -o out.csv") == 0
    assert capsys.readouterr().err.splitlines()[0] == "nelayout: the first column has no name: it names the rows"
    assert positions("out.csv").tolist() == PLAIN.tolist()
    assert (folder / "out.csv").read_text().splitlines()[30].startswith("tree 29,")
    (folder / "frame.csv").write_text(text([["", "0", "1", "2"], *([i, *row] for i, row in enumerate(X.tolist()))]))
    assert nelayout("embed frame.csv -o out.csv --quiet") == 0
    assert positions("out.csv").tolist() == PLAIN.tolist()


@pytest.mark.full
def test_a_column_that_numbers_the_rows_is_noted(folder, capsys):
    (folder / "ids.csv").write_text(text([["id", *NAMES], *([i + 1, *row] for i, row in enumerate(X.tolist()))]))
    assert nelayout("embed ids.csv -o out.csv") == 0
    note = "the column 'id' only numbers the rows and counts as a coordinate; --columns leaves it out"
    assert capsys.readouterr().err.splitlines()[0] == f"nelayout: {note}"
    assert nelayout("embed ids.csv --columns 2-4 -o out.csv") == 0
    assert note not in capsys.readouterr().err
    assert positions("out.csv").tolist() == PLAIN.tolist()


def test_standard_input_and_output(folder, monkeypatch, capsys):
    for name, options in (("table.csv", "--color kind"), ("rows.npy", "--format npy:csv")):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO((folder / name).read_bytes())))
        assert nelayout(f"embed - -o - --quiet {options}") == 0
        out = capsys.readouterr().out
        (folder / "out.csv").write_text(out)
        assert positions("out.csv").tolist() == PLAIN.tolist()


def test_what_was_done_on_the_way_is_said(folder, capsys):
    np.save("far.npy", [[0.0], [1.0], [10.0], [11.0]])
    command = "embed far.npy --n-neighbors 1 -o out.csv"
    assert nelayout(command) == 0
    assert capsys.readouterr() == (
        "",
        "nelayout: the graph of the 1 nearest neighbors has 2 components; 1 shortest edge between them was added\n",
    )
    assert nelayout(f"{command} --quiet") == 0
    assert capsys.readouterr() == ("", "")


def test_labels_color_the_points(folder, monkeypatch):
    """One color a class, also where whole numbers would else be a scale; a scale where they are too many."""
    pytest.importorskip("matplotlib")
    from nelayout import pictures as drawing

    given = []

    def draw(G, pos, path, **how):
        given.append((G, pos, how["color"]))

    monkeypatch.setattr(drawing, "draw", draw)
    np.savez("many.npz", X=X, kind=np.arange(30) % 27, year=1900 + np.arange(30) / 2)
    for label in ("kind", "year"):
        assert main(["embed", "many.npz", "--color", label, "-o", "out.png", "--quiet"]) == 0
    (G, pos, kinds), (_, _, years) = given
    assert G is None
    assert pos.tolist() == PLAIN.tolist()
    assert kinds == [str(i % 27) for i in range(30)]
    assert years == [1900 + i / 2 for i in range(30)]


def test_npz_holds_the_graph_that_was_drawn(folder):
    """Its entries are those of the library, and scipy and `nelayout layout` read them as they stand."""
    assert nelayout("embed bare.csv --perplexity 12 -m tsne -o out.npz --quiet") == 0
    with np.load("out.npz") as found:
        graph = sp.csr_array((found["data"], found["indices"], found["indptr"]), shape=found["shape"])
    assert graph.toarray().tolist() == nl.entropic_affinity(X, perplexity=12).toarray().tolist()
    assert graph.toarray().tolist() == sp.load_npz("out.npz").toarray().tolist()
    assert nelayout("layout out.npz -m ws-sne -o drawn.json --quiet") == 0
    assert nelayout("embed out.npz --n-neighbors 4 -o again.npy --quiet") == 0  # the positions, not the graph
    with np.load("out.npz") as found:
        assert np.load("again.npy").tolist() == nl.embed(found["positions"], n_neighbors=4, random_state=0).tolist()


NEW = np.round(np.random.default_rng(6).standard_normal((6, 3)) + 2, 3)


@pytest.fixture
def saved(folder):
    """A map that is fitted to columns with names, and tables of new rows: three of them, and a fitted one."""
    pytest.importorskip("sklearn")
    (folder / "new.csv").write_text(text([NAMES, *NEW.tolist(), X[4].tolist()]))
    turned = [[kind, *row[::-1]] for kind, row in zip(KIND, NEW.tolist(), strict=False)]
    (folder / "turned.csv").write_text(text([["kind", *NAMES[::-1]], *turned]))
    assert nelayout("embed table.csv --color kind -o out.csv --save map.pickle --n-neighbors 7 --seed 2 --quiet") == 0
    return nl.NeighborEmbedding(n_neighbors=7, random_state=2).fit(X)


def test_a_saved_map_takes_new_rows(saved):
    assert positions("out.csv").tolist() == saved.embedding_.tolist()
    assert nelayout("embed new.csv --model map.pickle -o placed.csv --quiet") == 0
    assert positions("placed.csv").tolist() == saved.transform(np.vstack([NEW, X[4]])).tolist()
    assert positions("placed.csv")[-1].tolist() == positions("out.csv")[4].tolist()
    assert nelayout("embed --model map.pickle --transform new.csv -o again.csv --quiet") == 0
    assert Path("again.csv").read_bytes() == Path("placed.csv").read_bytes()
    assert nelayout("embed turned.csv --model map.pickle -o placed.npz --color kind --quiet") == 0
    with np.load("placed.npz") as found:
        assert sorted(found.files) == ["kind", "positions"]
        assert found["positions"].tolist() == saved.transform(NEW).tolist()
    np.save("more.npy", np.c_[np.zeros(6), NEW])
    assert nelayout("embed more.npy --model map.pickle --columns 2-4 -o placed.npy --quiet") == 0
    assert np.load("placed.npy").tolist() == saved.transform(NEW).tolist()


@pytest.mark.full
def test_a_saved_map_is_an_estimator_of_python(saved, folder):
    loaded = pickle.loads((folder / "map.pickle").read_bytes())
    assert loaded.feature_names_in_.tolist() == NAMES
    assert loaded.get_params() == saved.get_params()
    frame = pytest.importorskip("pandas").DataFrame(NEW, columns=NAMES)
    assert loaded.transform(frame).tolist() == saved.transform(NEW).tolist()
    (folder / "own.pickle").write_bytes(pickle.dumps(saved))
    assert nelayout("embed bare.csv --model own.pickle -o placed.csv --quiet") == 0
    assert positions("placed.csv").tolist() == saved.embedding_.tolist()


@pytest.mark.full
def test_a_picture_shows_new_rows_over_the_map(saved, monkeypatch):
    pytest.importorskip("matplotlib")
    from nelayout import pictures as drawing
    from nelayout.pictures.colors import PLAIN, UNKNOWN

    given = []
    monkeypatch.setattr(drawing, "draw", lambda G, pos, path, **how: given.append((pos, how["color"])))
    for options in ("", " --color kind", " --color tomato"):
        table = "turned.csv" if "kind" in options else "new.csv"
        assert nelayout(f"embed {table} --model map.pickle -o out.png --quiet{options}") == 0
    assert [len(pos) for pos, _ in given] == [37, 36, 37]
    assert given[1][0].tolist() == [*saved.embedding_.tolist(), *saved.transform(NEW).tolist()]
    assert [colors[30:] for _, colors in given] == [[PLAIN] * 7, KIND[:6], ["#ff6347"] * 7]
    assert [set(colors[:30]) for _, colors in given] == [{UNKNOWN}, {None}, {UNKNOWN}]


MISPLACED = {
    "other.csv --model map.pickle": "other.csv: there is no column 'depth'; the map was fitted to height, width,",
    "bare.csv --model map.pickle": "bare.csv: the columns have no names; the map was fitted to height, width, depth:",
    "new.csv --model map.pickle --columns 1-2": "new.csv: 2 columns are coordinates, and the map in map.pickle was",
    "new.csv --model mapp.pickle": "there is no file 'mapp.pickle'; did you mean 'map.pickle'?",
    "new.csv --model bare.csv": "bare.csv cannot be read as a model (UnpicklingError): give a file that nelayout",
    "new.csv --model dict.pickle": "dict.pickle holds a dict, not a fitted NeighborEmbedding: give a file that",
    "new.csv --model map.pickle -o map.pickle --format csv": "the output 'map.pickle' is the input file; choose",
    "new.csv --save new.csv": "the output 'new.csv' is the input file; choose another name",
    "new.csv --save nowhere/map.pickle": "",
    "table.csv --save next.pickle": "",
}


@pytest.mark.full
@pytest.mark.parametrize("options", MISPLACED)
def test_a_row_that_cannot_be_placed_is_one_line(saved, folder, capsys, options):
    (folder / "other.csv").write_text(text([["width", "height", "deep"], *NEW.tolist()]))
    (folder / "dict.pickle").write_bytes(pickle.dumps({"a": 1}))
    output = "" if " -o " in options else " -o placed.csv"
    fails_in_one_line(f"{options}{output}", MISPLACED[options], folder, capsys)


@pytest.mark.parametrize(
    "option",
    [
        "-m tsne", "--set kappa=0.2", "--n-neighbors 5", "--perplexity 5", "--metric cosine", "--pca 2", "--init pca",
        "--dim 3", "--seed 0", "--max-iter 5", "--save next.pickle",
    ],
)  # fmt: skip
def test_a_finished_map_takes_no_option_of_a_new_one(folder, capsys, option):
    assert nelayout(f"embed bare.csv --model map.pickle -o out.csv {option}") == 2
    name = "--method" if option[1] == "m" else option.split()[0]
    assert capsys.readouterr().err.startswith(f"nelayout: {name} is for a new map, and --model names a finished one")


def test_without_scikit_learn_a_model_names_the_command(folder, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "sklearn.base", None)
    monkeypatch.delitem(sys.modules, "nelayout.vectors.estimator", raising=False)
    assert nelayout("embed bare.csv -o out.csv --save map.pickle") == 1
    assert capsys.readouterr().err == (
        "nelayout: scikit-learn is needed for the estimator NeighborEmbedding and is not installed; "
        'install it with: pip install "nelayout[vectors]"\n'
    )
    assert not (folder / "out.csv").exists()


FAILURES = {
    "table.csv -o out.csv": "table.csv, line 2: the column 'kind' holds 'ash', not a number; give --color kind",
    "two.csv --color kind -o out.csv": "two.csv, line 3: the column 'soil' holds 'clay', not a number; give the",
    "hole.csv -o out.csv": "hole.csv, line 3: the column 'b' has no value; fill it in, leave the row out, or name the",
    "short.csv -o out.csv": "short.csv, line 4: there are 1 cells, and 2 in the first row",
    "head.csv -o out.csv": "head.csv: there is a header and no row",
    "empty.csv -o out.csv": "empty.csv is empty; a table was expected",
    "table.csv --color knd -o out.csv": "table.csv: unknown column for --color 'knd': did you mean 'kind'? Allowed:",
    "table.csv --columns hight -o out.csv": "table.csv: unknown column for --columns 'hight': did you mean 'height'?",
    "bare.csv --color kind -o out.csv": "bare.csv: the columns have no names; give --color a number from 1 to 3, not",
    "table.csv --columns 2-9 -o out.csv": "table.csv: --columns 2-9 is not a range of the columns 1 to 4",
    "table.csv --columns 2,width -o out.csv": "table.csv: the column 'width' is twice in --columns",
    "table.csv --color 4 --columns 3-4 -o out.csv": "table.csv: the column '4' is the --color, not a coordinate",
    "rows.npz --color knd -o out.csv": "rows.npz: unknown array for --color 'knd': did you mean 'kind'? Allowed:",
    "pair.npz -o out.csv": "pair.npz: holds a (2, 2) of float64, b (2, 3) of float64; expected one array of numbers,",
    "line.npy -o out.csv": "line.npy: holds an array (5,) of float64; expected one array of numbers, (n, d) with a",
    "tabel.csv -o out.csv": "there is no file 'tabel.csv'; did you mean 'table.csv'?",
    "table.csv --columns 1-3 -o table.csv": "the output 'table.csv' is the input file; choose another name",
    "table.xlsx -o out.csv": "'table.xlsx': unknown table format 'xlsx'. Allowed: 'arrow', 'csv', 'feather', 'npy',",
    "bare.csv -o out.graphml": "",
    "bare.csv -o nowhere/out.csv": "",
    "bare.csv --metric euclidian -o out.csv": "",
    "bare.csv --n-neighbors 30 -o out.csv": "--n-neighbors must be from 1 to 29 (there are 30 rows); got 30",
    "table.csv --format npy -o out.csv": "",
}


@pytest.mark.parametrize("options", FAILURES)
def test_a_failure_is_one_line_and_leaves_no_file(folder, capsys, options):
    (folder / "two.csv").write_text("height,kind,soil\n1,oak,1\n2,ash,clay\n")
    (folder / "hole.csv").write_text("a,b\n1,2\n3,NA\n")
    (folder / "short.csv").write_text("a,b\n1,2\n3,4\n5\n")
    (folder / "head.csv").write_text("a,b\n")
    (folder / "empty.csv").write_text("\n")
    np.savez("pair.npz", a=np.ones((2, 2)), b=np.ones((2, 3)))
    np.save("line.npy", np.ones(5))
    fails_in_one_line(options, FAILURES[options], folder, capsys)
