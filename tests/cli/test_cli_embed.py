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
from nelayout.errors import InputError
from nelayout.graphs.files import read_positions
from nelayout.graphs.files.record import Source
from nelayout.vectors.tables import read_table

X = np.round(np.random.default_rng(5).standard_normal((30, 3)) + 4 * (np.arange(30)[:, None] % 2), 3)
NAMES = ["height", "width", "depth"]
KIND = ["oak" if i % 2 else "ash" for i in range(30)]


def text(rows, separator=","):
    return "".join(separator.join(map(str, row)) + "\n" for row in rows)


def labeled():
    return [[*row, kind] for row, kind in zip(X.tolist(), KIND, strict=True)]


@pytest.fixture
def folder(tmp_path, nelayout):
    """The same numbers in every format, run from their folder."""
    (tmp_path / "table.csv").write_text(text([[*NAMES, "kind"], *labeled()]))
    (tmp_path / "bare.csv").write_text(text(X.tolist()))
    (tmp_path / "semicolons.csv").write_text(text([NAMES, *X.tolist()], ";"))
    (tmp_path / "table.tsv").write_text(text([NAMES, *X.tolist()], "\t"))
    np.save("rows.npy", X)
    np.savez("rows.npz", X=X, kind=np.array(KIND), year=np.arange(30))
    sp.save_npz("sparse.npz", sp.csr_array(X))
    return tmp_path


def positions(path):
    if path.endswith(".csv"):
        with Path(path).open(newline="") as file:
            return np.array([[float(row[axis]) for axis in "xyz" if axis in row] for row in csv.DictReader(file)])
    if path.endswith(".npy"):
        return np.load(path)
    with np.load(path) as found:
        return found["positions"]


@pytest.fixture
def embed(folder, nelayout):
    """Embed without a word, and read the positions."""

    def run(options, out="out.csv"):
        assert nelayout(f"embed {options} -o {out} --quiet") == (0, "", "")
        return positions(out)

    return run


PLAIN = nl.embed(X, random_state=0)


@pytest.mark.parametrize(
    "source",
    ["bare.csv", "semicolons.csv", "table.tsv", "rows.npy", "rows.npz", "sparse.npz", "table.csv --color kind"],
)
def test_every_format_gives_the_points_of_the_library(embed, source):
    assert np.array_equal(embed(source), PLAIN)


def test_parquet(folder, embed, fails):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    columns = dict(zip(NAMES, X.T, strict=True))
    parquet.write_table(pyarrow.table({**columns, "kind": KIND}), "table.parquet")
    assert np.array_equal(embed("table.parquet --color kind", "out.npz"), PLAIN)
    with np.load("out.npz") as found:
        assert found["kind"].tolist() == KIND
    lists = {"kind": KIND, "vector": X.tolist(), "__index_level_0__": list(range(5, 35))}
    parquet.write_table(pyarrow.table(lists), "lists.parquet")
    assert np.array_equal(embed("lists.parquet --columns vector"), PLAIN)
    assert (folder / "out.csv").read_text().splitlines()[1].startswith("5,")
    hole = [None if i == 3 else x for i, x in enumerate(X[:, 0].tolist())]
    parquet.write_table(pyarrow.table({**columns, "height": hole}), "hole.parquet")
    (folder / "no.parquet").write_text("PAR1 it is not")
    for name, line in {
        "table": "table.parquet, row 1: the column 'kind' holds 'ash', not a number; give --color kind if it holds "
        "classes, or name the columns to use with --columns height,width,depth\n",
        "hole": "hole.parquet, row 4: the column 'height' has no value",
        "no": "no.parquet: cannot be read as parquet",
    }.items():
        fails(f"embed {name}.parquet -o out.csv", line)


def test_options_are_the_keywords(embed):
    options = "-m gamma-quadlog --n-neighbors 4 --metric cosine --pca 2 --init pca --dim 1 --seed 3 --max-iter 9"
    how = {"n_neighbors": 4, "metric": "cosine", "pca": 2, "init": "pca", "random_state": 3, "max_iter": 9}
    assert np.array_equal(embed(f"rows.npy {options}"), nl.embed(X, "gamma-quadlog", n_components=1, **how))


@pytest.mark.parametrize(
    ("options", "taken"),
    [
        ("--columns width,depth", [1, 2]), ("--columns depth --columns 2", [2, 1]),
        ("--columns 2-3 --color kind", [1, 2]), ("--columns 1,3 --color 4", [0, 2]),
        ("--color depth --columns height,width", [0, 1]),
    ],
)
@pytest.mark.full
def test_columns(embed, options, taken):
    assert np.array_equal(embed(f"table.csv {options}", "out.npy"), nl.embed(X[:, taken], random_state=0))


def test_perplexity_and_own_parameters(embed):
    expected = nl.embed(X, method="nerv", method_options={"kappa": 0.2}, perplexity=5, random_state=0)
    assert np.array_equal(embed("bare.csv -m nerv --set kappa=0.2 --perplexity 5"), expected)


@pytest.mark.full
def test_labels_and_colors_stand_beside_positions_once(folder, nelayout, embed, fails):
    (folder / "named.csv").write_text(
        text([[*NAMES, "kind", "x"], *([*row, f"tree {i}"] for i, row in enumerate(labeled()))])
    )
    assert np.array_equal(embed("named.csv --color kind --label x"), PLAIN)
    rows = list(csv.DictReader(io.StringIO((folder / "out.csv").read_text())))
    assert list(rows[0]) == ["row", "x", "y", "label", "kind"]
    expected = [(str(i), kind, f"tree {i}") for i, kind in enumerate(KIND)]
    assert [(row["row"], row["kind"], row["label"]) for row in rows] == expected
    embed("table.csv --color kind --label kind", "out.npz")
    with np.load("out.npz") as found:
        assert sorted(found.files) == ["data", "format", "indices", "indptr", "kind", "positions", "shape"]
    line = "named.csv: unknown column for --label 'knd': did you mean 'kind'"
    fails("embed named.csv --color kind --label knd -o out.csv", line)
    embed("table.csv --color 4")
    assert (folder / "out.csv").read_text().startswith("row,x,y,kind\n0,")
    assert nelayout("embed table.csv --color kind -o out.json --quiet")[0] == 0
    records = zip(range(30), *PLAIN.T.tolist(), KIND, strict=True)
    records = [dict(zip(["row", "x", "y", "kind"], row, strict=True)) for row in records]
    assert json.loads((folder / "out.json").read_text()) == records
    assert np.array_equal(embed("rows.npz --color year", "out.npz"), PLAIN)
    with np.load("out.npz") as found:
        assert found["year"].tolist() == list(range(30))
    last = nelayout("embed rows.npz --color year -o out.npy")[2].splitlines()[-1]
    assert last == "nelayout: npy holds positions only; csv, json and npz keep the other columns as well"


def test_one_color_for_all_points(nelayout, folder, fails):
    pytest.importorskip("matplotlib")
    assert nelayout("embed bare.csv --color tomato -o out.png --quiet")[0] == 0
    line = "table.csv, line 2: the column 'kind' holds 'ash', not a number"
    fails("embed table.csv --color tomato -o out.png --quiet", line)
    fails("embed table.csv --color tomatoe -o out.png --quiet", "table.csv: unknown column for --color 'tomatoe'")


def test_compare_reads_what_embed_writes(folder, embed):
    (folder / "named.csv").write_text(text([[*NAMES, "label"], *labeled()]))
    embed("named.csv --color label")
    found = read_positions("out.csv")
    assert {row: place.tolist() for row, place in found.items()} == dict(enumerate(PLAIN.tolist()))


HEADERS = {
    "1,2\n3,4\n5,7\n": 3, "a,b\n3,4\n5,6\n": 2, "a,1\n3,4\n5,6\n": 2, "1,b\n3,4\n5,6\n": 2, "# a,b\n3,4\n5,6\n": 2,
    "\n a , b \n\n3,4\n\n5,6\n": 2, '"a, b","c"\n3,4\n5,6\n': 2, "nan,1\n3,4\n": None,
}


@pytest.mark.parametrize("content", HEADERS)
def test_a_header_is_recognized(content):
    source = Source("it", content.encode())
    if HEADERS[content] is None:
        with pytest.raises(InputError, match="line 1: the column '1' has no value"):
            read_table(source, "csv")
    else:
        assert len(read_table(source, "csv").X) == HEADERS[content]


def test_a_name_that_is_asked_for_makes_a_header(folder, embed):
    """Over columns of text and under numbers as names, nothing else tells a header from a row."""
    (folder / "digits.csv").write_text(text([["1", "2", "3", "kind"], *labeled()]))
    assert np.array_equal(embed("digits.csv --color kind"), PLAIN)
    (folder / "bare_kinds.csv").write_text(text(labeled()))
    assert np.array_equal(embed("bare_kinds.csv --color 4"), PLAIN)
    assert (folder / "out.csv").read_text().splitlines()[0] == "row,x,y,color"


def test_a_first_column_without_name_names_the_rows(folder, nelayout, embed):
    rows = [[f"tree {i}", *row] for i, row in enumerate(X.tolist())]
    (folder / "frame.csv").write_text(text([["", *NAMES], *rows]))
    said = nelayout("embed frame.csv -o out.csv")[2]
    assert said.splitlines()[0] == "nelayout: the first column has no name: it names the rows"
    assert np.array_equal(positions("out.csv"), PLAIN)
    assert (folder / "out.csv").read_text().splitlines()[30].startswith("tree 29,")
    (folder / "frame.csv").write_text(text([["", "0", "1", "2"], *([i, *row] for i, row in enumerate(X.tolist()))]))
    assert np.array_equal(embed("frame.csv"), PLAIN)


@pytest.mark.full
def test_a_column_that_numbers_the_rows_is_noted(folder, nelayout):
    (folder / "ids.csv").write_text(text([["id", *NAMES], *([i + 1, *row] for i, row in enumerate(X.tolist()))]))
    note = "the column 'id' only numbers the rows and counts as a coordinate; --columns leaves it out"
    assert nelayout("embed ids.csv -o out.csv")[2].splitlines()[0] == f"nelayout: {note}"
    code, _, said = nelayout("embed ids.csv --columns 2-4 -o out.csv")
    assert (code, note in said) == (0, False)
    assert np.array_equal(positions("out.csv"), PLAIN)


def test_standard_input_and_output(folder, monkeypatch, nelayout):
    for name, options in (("table.csv", "--color kind"), ("rows.npy", "--format npy:csv")):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO((folder / name).read_bytes())))
        code, out, _ = nelayout(f"embed - -o - --quiet {options}")
        assert code == 0
        (folder / "out.csv").write_text(out)
        assert np.array_equal(positions("out.csv"), PLAIN)


def test_what_was_done_on_the_way_is_said(nelayout, folder, embed):
    np.save("far.npy", [[0.0], [1.0], [10.0], [11.0]])
    note = "the graph of the 1 nearest neighbors has 2 components; 1 shortest edge between them was added\n"
    assert nelayout("embed far.npy --n-neighbors 1 -o out.csv") == (0, "", f"nelayout: {note}")
    embed("far.npy --n-neighbors 1")


@pytest.fixture
def drawn(monkeypatch):
    """What the commands of a test give to `draw`: graph, positions and colors."""
    pytest.importorskip("matplotlib")
    given = []
    monkeypatch.setattr("nelayout.pictures.draw", lambda G, pos, path, **how: given.append((G, pos, how["color"])))
    return given


def test_labels_color_the_points(drawn, nelayout, folder):
    """One color a class, also where whole numbers would else be a scale; a scale where they are too many."""
    np.savez("many.npz", X=X, kind=np.arange(30) % 27, year=1900 + np.arange(30) / 2)
    for label in ("kind", "year"):
        assert nelayout(f"embed many.npz --color {label} -o out.png --quiet")[0] == 0
    (G, pos, kinds), (_, _, years) = drawn
    assert G is None
    assert pos.tolist() == PLAIN.tolist()
    assert kinds == [str(i % 27) for i in range(30)]
    assert years == [1900 + i / 2 for i in range(30)]


def test_npz_holds_the_graph_that_was_drawn(embed, nelayout):
    """Its entries are those of the library, and scipy and `nelayout layout` read them as they stand."""
    Y = embed("bare.csv --perplexity 12 -m tsne", "out.npz")
    with np.load("out.npz") as found:
        graph = sp.csr_array((found["data"], found["indices"], found["indptr"]), shape=found["shape"])
    assert graph.toarray().tolist() == nl.entropic_affinity(X, perplexity=12).toarray().tolist()
    assert graph.toarray().tolist() == sp.load_npz("out.npz").toarray().tolist()
    assert nelayout("layout out.npz -m ws-sne -o drawn.json --quiet")[0] == 0
    again = embed("out.npz --n-neighbors 4", "again.npy")  # the positions, not the graph
    assert np.array_equal(again, nl.embed(Y, n_neighbors=4, random_state=0))


NEW = np.round(np.random.default_rng(6).standard_normal((6, 3)) + 2, 3)


@pytest.fixture
def saved(folder, nelayout):
    """A map that is fitted to columns with names, and tables of new rows: three of them, and a fitted one."""
    pytest.importorskip("sklearn")
    (folder / "new.csv").write_text(text([NAMES, *NEW.tolist(), X[4].tolist()]))
    turned = [[kind, *row[::-1]] for kind, row in zip(KIND, NEW.tolist(), strict=False)]
    (folder / "turned.csv").write_text(text([["kind", *NAMES[::-1]], *turned]))
    command = "embed table.csv --color kind -o out.csv --save map.pickle --n-neighbors 7 --seed 2 --quiet"
    assert nelayout(command)[0] == 0
    return nl.NeighborEmbedding(n_neighbors=7, random_state=2).fit(X)


def test_a_saved_map_takes_new_rows(saved, embed):
    old = positions("out.csv")
    assert np.array_equal(old, saved.embedding_)
    placed = embed("new.csv --model map.pickle", "placed.csv")
    assert np.array_equal(placed, saved.transform(np.vstack([NEW, X[4]])))
    assert np.array_equal(placed[-1], old[4])
    embed("--model map.pickle --transform new.csv", "again.csv")
    assert Path("again.csv").read_bytes() == Path("placed.csv").read_bytes()
    assert np.array_equal(embed("turned.csv --model map.pickle --color kind", "placed.npz"), saved.transform(NEW))
    with np.load("placed.npz") as found:
        assert sorted(found.files) == ["kind", "positions"]
    np.save("more.npy", np.c_[np.zeros(6), NEW])
    again = embed("more.npy --model map.pickle --columns 2-4", "placed.npy")
    assert np.array_equal(again, saved.transform(NEW))


@pytest.mark.full
def test_a_saved_map_is_an_estimator_of_python(saved, folder, embed):
    loaded = pickle.loads((folder / "map.pickle").read_bytes())
    assert loaded.feature_names_in_.tolist() == NAMES
    assert loaded.get_params() == saved.get_params()
    frame = pytest.importorskip("pandas").DataFrame(NEW, columns=NAMES)
    assert loaded.transform(frame).tolist() == saved.transform(NEW).tolist()
    (folder / "own.pickle").write_bytes(pickle.dumps(saved))
    assert np.array_equal(embed("bare.csv --model own.pickle"), saved.embedding_)


@pytest.mark.full
def test_a_picture_shows_new_rows_over_the_map(saved, drawn, nelayout):
    from nelayout.pictures.colors import PLAIN, UNKNOWN

    for options in ("", " --color kind", " --color tomato"):
        table = "turned.csv" if "kind" in options else "new.csv"
        assert nelayout(f"embed {table} --model map.pickle -o out.png --quiet{options}")[0] == 0
    assert [len(pos) for _, pos, _ in drawn] == [37, 36, 37]
    assert drawn[1][1].tolist() == [*saved.embedding_.tolist(), *saved.transform(NEW).tolist()]
    assert [colors[30:] for *_, colors in drawn] == [[PLAIN] * 7, KIND[:6], ["#ff6347"] * 7]
    assert [set(colors[:30]) for *_, colors in drawn] == [{UNKNOWN}, {None}, {UNKNOWN}]


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
def test_a_row_that_cannot_be_placed_is_one_line(saved, folder, fails, options):
    (folder / "other.csv").write_text(text([["width", "height", "deep"], *NEW.tolist()]))
    (folder / "dict.pickle").write_bytes(pickle.dumps({"a": 1}))
    fails(f"embed {options}{'' if ' -o ' in options else ' -o placed.csv'}", MISPLACED[options])


def test_without_scikit_learn_a_model_names_the_command(folder, monkeypatch, fails):
    monkeypatch.setitem(sys.modules, "sklearn.base", None)
    monkeypatch.delitem(sys.modules, "nelayout.vectors.estimator", raising=False)
    line = "scikit-learn is needed for the estimator NeighborEmbedding and is not installed; install it with: "
    fails("embed bare.csv -o out.csv --save map.pickle", f'{line}pip install "nelayout[vectors]"\n')
