"""The command line as users meet it: a process, its exit code, its files, one line of error."""

import argparse
import csv
import gzip
import io
import os
import re
import runpy
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from pages import data_of

import nelayout as nl
from nelayout.cli import COMMANDS, _parser, compare_command, embed_command, main
from nelayout.cli.arguments import PICTURES, in_options
from nelayout.graphs.files import FORMATS, WRITERS, read_graph, read_positions

GML = """graph [
  node [ id 0 label "a" kind "x" ]
  node [ id 1 label "b" kind "x" ]
  node [ id 2 label "c" kind "y" ]
  node [ id 3 label "d" kind "y" ]
  edge [ source 0 target 1 strength 2 ]
  edge [ source 1 target 2 strength 1 ]
  edge [ source 2 target 3 strength 1 ]
  edge [ source 3 target 0 strength 1 ]
  edge [ source 0 target 2 strength 1 ]
]
"""
HOW: dict[str, Any] = {
    "env": {**os.environ, "PYTHONPATH": str(Path(nl.__file__).parents[1]), "COLUMNS": "100"},
    "capture_output": True, "text": True,
}  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "graph.gml").write_text(GML)
    return tmp_path


def table(path):
    """{node: coordinates} of a CSV file."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {row["node"]: [float(row[axis]) for axis in "xyz" if axis in row] for row in rows}


def test_options_are_the_keywords(folder, nelayout):
    options = "--weight strength --mass unit --seed 3 --scale 5 --dim 3 --max-iter 20"
    assert nelayout(f"layout graph.gml -m ws-sne -o out.csv {options}") == (0, "", "")
    G = nx.read_gml(folder / "graph.gml")
    pos = nl.ws_sne_layout(G, weight="strength", mass="unit", seed=3, scale=5, dim=3, max_iter=20)
    assert table(folder / "out.csv") == {v: place.tolist() for v, place in pos.items()}


def but_for_reading(table):
    """The lines of a plan but those with the seconds of files, of loaded loops and of dots, which layouts part."""
    others = ("split", "total", "compile", "move nodes apart", "the whole process")
    return [line.split() for line in table.splitlines() if not line.strip().startswith(others)]


def test_a_plan_is_that_of_the_library(folder, nelayout):
    """But for the seconds that the file took."""
    plan = nl.plan(read_graph(folder / "graph.gml"), "ws-sne", dim=3, weight="strength")
    code, out, said = nelayout("plan graph.gml -m ws-sne --dim 3 --weight strength")
    assert (code, but_for_reading(out), said) == (0, but_for_reading(repr(plan)), "")


def test_a_table_of_rows_has_the_plan_of_embed(folder, nelayout, fails):
    X = np.random.default_rng(0).normal(size=(300, 6)).round(4)
    np.savetxt(folder / "rows.csv", X, delimiter=",", fmt="%.4f")
    plan = nl.plan(X)
    code, out, said = nelayout("plan rows.csv")
    assert (code, said) == (0, "nelayout: rows.csv is a table of rows: this is the plan of nelayout embed\n")
    lines = but_for_reading(out)
    assert lines.pop(2)[:3] == ["read", "the", "file"]
    assert lines == but_for_reading(repr(plan))
    assert nelayout("plan rows.csv -m nerv --quiet")[1].startswith("nerv: 300 nodes")
    (folder / "neither.csv").write_text("a,b\n1.5,x\n2.5\n")
    fails("plan neither.csv", "neither.csv")


def test_background_and_edges_of_a_picture(folder, nelayout, fails):
    """The picture is that of `nelayout.draw`, to the byte."""
    pytest.importorskip("matplotlib")
    look = "--background dark --edges bundled --quiet"
    assert nelayout(f"layout graph.gml -o out.png --weight strength {look}") == (0, "", "")
    G = read_graph(folder / "graph.gml").graph
    pos = nl.layout(G, weight="strength", seed=0)
    nl.draw(G, pos, folder / "own.png", background="dark", edges="bundled", weight="strength")
    assert (folder / "out.png").read_bytes() == (folder / "own.png").read_bytes()
    line = "--background is for pictures (png, svg, pdf); csv is not a picture: leave it out"
    fails("layout graph.gml -o out.csv --background dark", line)
    fails("layout graph.gml -o two.png --background drak", "--background must be")
    assert nelayout("layout graph.gml -o two.svg --background none --quiet") == (0, "", "")


def test_a_page_of_a_drawing_in_space(folder, nelayout):
    assert nelayout("layout graph.gml -o out.html --dim 3 --quiet") == (0, "", "")
    assert len(data_of((folder / "out.html").read_text("utf-8"))["drawings"][0]["xyz"]) == 12


@pytest.mark.parametrize("ending", ["json", "svg"])
def test_a_graph_that_falls_apart_without_its_edges_of_weight_0_says_so(folder, nelayout, ending):
    (folder / "zeros.csv").write_text("source,target,weight\na,b,1\nb,c,0\nc,d,2\n")
    status, out, err = nelayout(f"layout zeros.csv -o out.{ending}")
    assert (status, out) == (0, "")
    assert err.splitlines() == [
        "nelayout: 1 edges of weight 0 taken as no edge; --weight none takes every edge as 1",
        (
            "nelayout: without its 1 edges of weight 0 the graph has 2 components instead of 1, which are drawn apart; "
            "--weight none keeps it together"
        ),
        "nelayout: 2 components, packed; distances between components have no meaning",
    ]
    assert nelayout(f"layout zeros.csv -o out.{ending} --weight none") == (0, "", "")


def test_format_names_the_input_where_the_output_says_its_own(folder, nelayout):
    (folder / "graph.dat").write_text(GML)
    assert nelayout("layout graph.dat -o out.csv --format gml --quiet") == (0, "", "")


def test_start_and_fixed_nodes(folder, nelayout):
    (folder / "start.csv").write_text("node,x,y\na,3,4\nb,5,4\nelsewhere,0,0\n")
    assert nelayout("layout graph.gml -o out.csv --pos start.csv --fixed a --fixed b --quiet") == (0, "", "")
    rows = table(folder / "out.csv")
    assert (rows["a"], rows["b"]) == ([3.0, 4.0], [5.0, 4.0])
    assert np.isfinite([rows["c"], rows["d"]]).all()


@pytest.mark.parametrize("options", ["", " --fixed a"])
def test_layers_stay_and_nodes_in_them(folder, nelayout, options):
    (folder / "start.csv").write_text("node,x,y\na,3,4\nb,3,5\nc,7,4\nd,7,5\n")
    assert nelayout(f"layout graph.gml -o out.csv --pos start.csv --fixed-axis x --quiet{options}") == (0, "", "")
    rows = table(folder / "out.csv")
    assert [place[0] for place in rows.values()] == [3.0, 3.0, 7.0, 7.0]
    assert not options or rows["a"] == [3.0, 4.0]


def test_a_failure_of_a_process_is_one_line(folder, fails):
    def run(command):
        done = subprocess.run([sys.executable, "-m", "nelayout", *command.split()], cwd=folder, check=False, **HOW)
        return done.returncode, done.stdout, done.stderr

    fails("layout nothing.gml -o out.png", "there is no file 'nothing.gml'; check the name and the folder", run=run)


@pytest.mark.parametrize("command", ["layout", "embed", "compare"])
def test_every_option_with_one_value_is_refused_twice(nelayout, command):
    """Also options that come later: no option lets the last value win without a word."""
    for action in parser_of(command)._actions:
        if action.option_strings and action.nargs != 0 and not isinstance(action, argparse._AppendAction):
            name = action.option_strings[-1]
            code, _, said = nelayout(f"{command} x {name} 1 {name} 1")
            assert (code, f"{name} is given 2 times; give it once" in said) == (2, True)


STREAMS = [("stdout",), ("stderr",), ("stdin",), ("stdin", "stdout", "stderr")]


@pytest.mark.parametrize("out", ["o.csv", "o.png"])
@pytest.mark.parametrize("closed", STREAMS)
def test_closed_streams_do_not_keep_a_file_from_being_written(folder, monkeypatch, capsys, closed, out):
    monkeypatch.chdir(folder)
    (folder / "edges.csv").write_text("source,target,seats\na,b,1\nb,c,2\n")  # the column makes a note
    for name in closed:
        monkeypatch.setattr(sys, name, None)
    assert main(["layout", "edges.csv", "-o", out, "--max-iter", "2"]) == 0
    assert [getattr(sys, name) for name in closed] == [None] * len(closed)
    assert (folder / out).stat().st_size > 50
    assert main(["layout", "no.csv", "-o", out]) == 1
    assert "mistake" not in capsys.readouterr().err


def test_closed_streams_that_are_needed_are_said(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "stdout", None)
    assert main(["layout", "graph.gml", "-o", "-", "--format", "gml:csv"]) == 1
    assert capsys.readouterr().err == "nelayout: standard output is closed; give -o FILE\n"
    assert main(["methods"]) == 0
    monkeypatch.setattr(sys, "stdin", None)
    assert main(["layout", "-", "-o", "o.csv"]) == 1
    assert capsys.readouterr().err == "nelayout: standard input is empty; a graph file was expected\n"


@pytest.mark.skipif(os.name == "nt", reason="a POSIX shell")
def test_a_shell_may_close_all_streams(folder):
    command = f"{sys.executable} -m nelayout layout graph.gml -o out.csv --max-iter 2 <&- >&- 2>&-"
    assert subprocess.run(["sh", "-c", command], cwd=folder, check=False, env=HOW["env"]).returncode == 0
    assert len(table(folder / "out.csv")) == 4


@pytest.mark.full
@pytest.mark.skipif(os.name == "nt", reason="limits are POSIX")
def test_a_file_that_becomes_too_large_is_named_and_not_left(folder):
    command = f"ulimit -f 1; {sys.executable} -m nelayout layout graph.gml -o out.html --quiet --max-iter 2"
    done = subprocess.run(["sh", "-c", command], cwd=folder, check=False, **HOW)
    said = "nelayout: out.html: cannot be written: File too large; free some space or choose another folder\n"
    assert (done.returncode, done.stderr) == (1, said)
    assert [path.name for path in folder.iterdir()] == ["graph.gml"]


@pytest.mark.parametrize("command", ["layout graph.gml", "compare graph.gml -m ws-sne", "embed table.csv"])
def test_labels_and_colors_of_pictures_are_those_of_attributes(folder, nelayout, monkeypatch, command):
    """The attribute heads the legend, nodes of one kind have one color, and labels are texts."""
    pytest.importorskip("matplotlib")
    from nelayout import pictures
    from nelayout.pictures import picture

    figures: list[Any] = []
    for module in (pictures, picture):
        monkeypatch.setattr(module, "render", lambda figure, *_: figures.append(figure) or b"")
    rows = "".join(f"{v},{v * v % 7},{'xxyy'[v % 4]},{'abcd'[v % 4]}\n" for v in range(12))
    (folder / "table.csv").write_text(f"p,q,kind,name\n{rows}")
    label = "name" if command.startswith("embed") else "id"
    assert nelayout(f"{command} -o out.png --quiet --color kind --label {label}")[0] == 0
    (figure,) = figures
    ax = figure.axes[0]
    legend = figure.subfigs[0].legends[0] if command.startswith("compare") else ax.get_legend()
    assert legend.get_title().get_text() == "kind"
    assert {text.get_text() for text in ax.texts} >= set("abcd")
    (dots,) = [each for each in ax.collections if type(each).__name__ == "EllipseCollection"]
    assert len({tuple(color) for color in dots.get_facecolors()}) == 2


def test_methods_lists_the_catalogue(nelayout):
    code, out, _ = nelayout("methods")
    assert code == 0
    lines = out.splitlines()
    assert [line.split()[0] for line in lines if not line.startswith(" ")] == [row["name"] for row in nl.methods()]
    below = next(k for k, line in enumerate(lines) if line.startswith("nerv")) + 1
    assert lines[below].split() == ["--set", "kappa=0.5", "--set", "background=0.01"]


@pytest.mark.parametrize(
    ("settings", "function", "keywords"),
    [
        ("-m nerv --set kappa=0.2 --set background=0.05", nl.nerv_layout, {"kappa": 0.2, "background": 0.05}),
        ("-m hssne --set tail=3", nl.hssne_layout, {"tail": 3.0}),
        ("-m ftsne --set divergence=js", nl.ftsne_layout, {"divergence": "js"}),
        ("-m ws_sne --set kernel=gaussian", nl.ws_sne_layout, {"kernel": "gaussian"}),
        ("-m nerv:0.2 --set background=0.05", nl.nerv_layout, {"kappa": 0.2, "background": 0.05}),
        ("-m polylog:2.5", nl.polylog_layout, {"r": 2.5}),
    ],
)
def test_own_parameters_are_those_of_the_layout_functions(folder, nelayout, settings, function, keywords):
    assert nelayout(f"layout graph.gml -o out.csv --quiet {settings}")[0] == 0
    pos = function(nx.read_gml("graph.gml"), weight=None, seed=0, **keywords)
    assert table(folder / "out.csv") == {v: place.tolist() for v, place in pos.items()}


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example_that_the_parser_takes(command, nelayout):
    code, said, _ = nelayout(f"{command} --help")
    assert code == 0
    for example in COMMANDS[command].examples:
        assert example in said
        assert _parser().parse_args(example.split()[1:]).run is not None
    listed = said.partition("\nformats:\n")[2]
    if command in ("layout", "compare"):
        assert all(re.search(rf"\b{ending}\b", listed) for entry in FORMATS.values() for ending in entry.endings)
    written = {
        "layout": (*WRITERS, *PICTURES), "embed": (*embed_command.WRITTEN, *PICTURES, *embed_command.FORMATS),
        "compare": compare_command.WRITERS,
    }
    assert all(re.search(rf"\b{kind}\b", listed) for kind in written.get(command, ()))


def parser_of(command):
    return _parser().parse_args([command, "x", "-o", "y"]).parser


def test_messages_speak_of_options():
    said = {
        "weight='my value' would use the numbers": "--weight 'my value' would use the numbers",
        "weight=None takes every edge as 1": "--weight none takes every edge as 1",
        "name it with format=, one of csv": "name it with --format, one of csv",
        'it looks like gml: say format="gml"': "it looks like gml: say --format gml",
        "nodes are fixed without positions: give them in pos": "nodes are fixed without positions: give them in --pos",
        "with another weight_kind": "with another --weight-kind",
        "pass dim=3, or positions": "pass --dim 3, or positions",
        "weight= uses one of them": "--weight uses one of them",
        "scale must be > 0 or None, given -1.0": "--scale must be > 0 or none, given -1.0",
        "give it in `mass` or ``seed``": "give it in --mass or --seed",
        "use nelayout.embed; nelayout.methods() lists them": "use nelayout embed; nelayout methods lists them",
        "the scale of the drawing, by weight": "the scale of the drawing, by weight",
        "there is no file 'pos', 'None' or 'pos=1'": "there is no file 'pos', 'None' or 'pos=1'",
        "pos.csv, ./pos and data/pos": "pos.csv, ./pos and data/pos",
        "random_state=3 and kappa=0.3": "--seed 3 and kappa=0.3",
    }
    layout = parser_of("layout")
    assert {message: in_options(message, layout) for message in said} == said
    spoken = "labels=, n_neighbors must be smaller, or pos"
    for command, own in {
        "layout": "--label, n_neighbors must be smaller, or --pos",
        "embed": "--label, --n-neighbors must be smaller, or pos",
        "compare": "--classes, n_neighbors must be smaller, or --pos",
    }.items():
        assert in_options(spoken, parser_of(command)) == own


@pytest.mark.parametrize("command", ["layout", "embed", "compare"])
def test_every_keyword_that_is_an_option_is_written_as_one(command):
    """A message with any option's keyword in it names the option; none is forgotten when options come."""
    parser = parser_of(command)
    for option in parser._option_string_actions:
        if option.startswith("--"):
            keyword = option[2:].replace("-", "_")
            assert in_options(f"pass {keyword}=3", parser) == f"pass {option} 3"
            assert in_options(f"give it in `{keyword}`", parser) == f"give it in {option}"
            assert in_options(f"{keyword} must be small", parser) == f"{option} must be small"


class Screen(io.StringIO):
    """A terminal."""

    def isatty(self):
        return True


@pytest.mark.parametrize("command", ["layout graph.gml", "compare graph.gml -m ws-sne", "embed table.csv"])
def test_a_terminal_says_while_the_picture_is_drawn(folder, nelayout, monkeypatch, command):
    pytest.importorskip("matplotlib")
    (folder / "table.csv").write_text("".join(f"{v},{v * v % 17}\n" for v in range(17)))
    said = {}
    for options in ("-o out.png", "-o out.csv", "-o out.png --quiet"):
        screen = Screen()
        monkeypatch.setattr(sys, "stderr", screen)
        assert nelayout(f"{command} {options}")[0] == 0
        said[options] = screen.getvalue()
    words = "nelayout: drawing the picture"
    assert said["-o out.png"].endswith(f"{words}\r{' ' * len(words)}\r")  # and leaves nothing behind
    assert words not in said["-o out.csv"]
    assert said["-o out.png --quiet"] == ""


@pytest.mark.full
def test_a_closed_pipe_is_no_error(folder):
    command = f"{sys.executable} -m nelayout layout graph.gml -o - --format json --quiet | true"
    assert subprocess.run(["sh", "-c", command], cwd=folder, check=False, **HOW).stderr == ""


@pytest.mark.full
@pytest.mark.skipif(os.name == "nt", reason="signals are POSIX")
@pytest.mark.parametrize(("sent", "code", "line"), [("SIGINT", 130, "nelayout: interrupted\n"), ("SIGTERM", 143, "")])
def test_a_signal_ends_in_order_and_leaves_no_file(folder, sent, code, line):
    G = nx.random_geometric_graph(1500, 0.05, seed=1)
    nx.write_edgelist(G, folder / "large.txt", data=False)
    command = [sys.executable, "-c", SLOW, "layout", "large.txt", "-o", "out.json", "--quiet"]
    pipes = {"stderr": subprocess.PIPE, "stdout": subprocess.PIPE}
    process = subprocess.Popen(command, cwd=folder, env=HOW["env"], text=True, **pipes)
    assert process.stdout is not None
    assert process.stdout.readline() == "started\n"
    time.sleep(0.1)
    process.send_signal(getattr(signal, sent))
    try:
        _, said = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, said) == (code, line)
    assert sorted(p.name for p in folder.iterdir()) == ["graph.gml", "large.txt"]


SLOW = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # which shells take away from what runs in the background
import nelayout.cli, nelayout.layouts.solving
solve = nelayout.layouts.solving.solve
def slowly(*arguments, **options):  # says when the work has begun, and never ends by itself
    solve(*arguments, **options)  # compiled loops are loaded: a compiler's callbacks swallow an interrupt
    print("started", flush=True)
    while True:
        solve(*arguments, **options)
nelayout.layouts.solving.solve = slowly
sys.exit(nelayout.cli.main(sys.argv[1:]))
"""


def test_our_own_mistakes_are_one_line_too(monkeypatch, nelayout, folder):
    def broken(*arguments, **options):
        raise ZeroDivisionError("oh")

    monkeypatch.setattr("nelayout.layouts.solving.solve", broken)
    code, _, said = nelayout("layout graph.gml -o out.json")
    assert said.startswith("nelayout: this is a mistake in nelayout, please report it: ZeroDivisionError: oh")
    assert (code, said.count("\n")) == (1, 1)


def test_example_data_is_what_its_script_makes(tmp_path, monkeypatch, capsys):
    """The arrays that the file holds, given to the script that made it, give the file back byte for byte."""
    folder = Path(__file__).parents[2] / "examples" / "data"
    G = nx.read_graphml(folder / "usairports2010.graphml")
    index = {node: i for i, node in enumerate(G)}
    edges = [(index[u], index[v], services) for u, v, services in G.edges(data="services")]
    rows, cols, weights = np.array(edges).T
    states, labels = np.unique([state for _, state in G.nodes(data="state")], return_inverse=True)
    coords = [(at.get("lon", np.nan), at.get("lat", np.nan)) for _, at in G.nodes(data=True)]
    names = [name for _, name in G.nodes(data="name")]
    arrays = {"rows": rows, "cols": cols, "weights": weights, "names": names, "labels": labels, "label_names": states}
    np.savez(tmp_path / "arrays.npz", coords=coords, **arrays)
    script, made = folder / "make_usairports2010.py", tmp_path / "made.graphml"
    monkeypatch.setattr(sys, "argv", [str(script), str(tmp_path / "arrays.npz"), str(made)])
    runpy.run_path(str(script), run_name="__main__")
    assert capsys.readouterr().out == f"{made}: {made.stat().st_size} bytes\n"
    assert made.read_bytes() == (folder / "usairports2010.graphml").read_bytes()


PAGES = sorted((Path(__file__).parents[2] / "docs").glob("*/*.md"))
SHELL = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
DOCUMENTED = {
    page.name: [
        line for block in SHELL.findall(page.read_text()) for line in block.splitlines() if line.startswith("nelayout ")
    ]
    for page in PAGES
}


@pytest.mark.full
@pytest.mark.parametrize("page", [name for name, commands in DOCUMENTED.items() if commands])
def test_documented_commands_run(page, tmp_path):
    """The commands of a page, one after the other, as they stand, in a folder that holds the examples."""
    for package in ("matplotlib", "sklearn", "pandas"):
        pytest.importorskip(package)
    if os.name == "nt":
        pytest.skip("the commands are written for a POSIX shell")
    root = Path(__file__).parents[2]
    (tmp_path / "examples").symlink_to(root / "examples")
    for name in ("2019.graphml", "2020.graphml", "2021.graphml"):
        shutil.copy(root / "examples" / "data" / "usairports2010.graphml", tmp_path / name)
    rows = [f"{k % 3 + k / 40},{k * k % 7},{k % 5},{'abc'[k % 3]}\n" for k in range(120)]
    (tmp_path / "table.csv").write_text("a,b,c,species\n" + "".join(rows))
    (tmp_path / "new.csv").write_text("a,b,c\n" + "".join(row.rpartition(",")[0] + "\n" for row in rows[:10]))
    (tmp_path / "edges.csv").write_text("from,to,messages\nann,bob,3\nbob,cy,1\ncy,ann,2\ncy,dot,5\n")
    (tmp_path / "nodes.csv").write_text("name,department\nann,sales\nbob,sales\ncy,design\ndot,design\n")
    commands = "\n".join(DOCUMENTED[page])
    script = f'nelayout() {{ {shlex.quote(sys.executable)} -m nelayout "$@"; }}\n{commands}\n'
    how = {**HOW, "env": {**HOW["env"], "PYTHONWARNINGS": "ignore"}}
    subprocess.run(["sh", "-e", "-c", script], cwd=tmp_path, check=True, **how)
    outputs = set(re.findall(r"(?:-o|>|--save) (\w[\w.-]+)", commands))
    assert all((tmp_path / name).stat().st_size for name in outputs)


@pytest.mark.parametrize("out", ["drawing.png", "drawing.svg", "drawing.html", "drawing.gexf", "again.csv"])
def test_draw_takes_positions_as_they_are(folder, nelayout, out):
    pytest.importorskip("matplotlib")
    assert nelayout("layout graph.gml -o pos.csv --quiet")[0] == 0
    assert nelayout(f"draw graph.gml --pos pos.csv -o {out} --quiet") == (0, "", "")
    if out.endswith("csv"):
        assert (folder / out).read_bytes() == (folder / "pos.csv").read_bytes()
    elif out.endswith("gexf"):
        drawn, given = read_positions(folder / out), read_positions(folder / "pos.csv")
        assert {v: list(place) for v, place in drawn.items()} == {v: list(place) for v, place in given.items()}
    else:
        assert (folder / out).stat().st_size > 1000


@pytest.mark.parametrize(
    ("rows", "code", "line"),
    [
        ("w,0,0\nz,1,1\n", 1, "places.csv: all 2 node names are unknown; the graph has e.g. 'a'. Give positions of"),
        ("a,0,0\nb,1,1\n", 1, "--pos has no position for node 'c' (2 of 4 nodes have none);"),
        (
            "a,0,0\nb,1,1\nc,2,0\nd,0,2\nz,1,1\n", 0,
            "nodes in places.csv that are not nodes of the graph: 1 of 5. They are left out; give no others\n",
        ),
    ],
)  # fmt: skip
def test_draw_checks_the_names_of_positions(folder, nelayout, rows, code, line):
    (folder / "places.csv").write_text(f"node,x,y\n{rows}")
    found, _, said = nelayout("draw graph.gml --pos places.csv -o o.svg")
    assert (found, said.startswith(f"nelayout: {line}"), said.count("\n")) == (code, True, 1), said
    assert nelayout("draw graph.gml -o o.csv")[0] == 2


def test_a_file_alone_is_drawn_beside_itself(folder, nelayout):
    """And nothing that is there is overwritten."""
    code, out, said = nelayout("graph.gml")
    assert (code, out, said.splitlines()[-1]) == (
        0, "", "nelayout: graph.png is drawn; -o OUT names another file or format"
    )  # fmt: skip
    picture = (folder / "graph.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    code, out, said = nelayout("graph.gml")
    assert (code, out) == (1, "")
    assert said.startswith("nelayout: graph.png exists, and it is not overwritten unasked. Give -o graph.png, or")
    assert nelayout("graph.gml -o graph.png --quiet") == (0, "", "")
    assert (folder / "graph.png").read_bytes() == picture
    (folder / "graph.png").unlink()
    (folder / "inner").mkdir()
    (folder / "inner" / "my.graph.gml.gz").write_bytes(gzip.compress((folder / "graph.gml").read_bytes()))
    assert nelayout("inner/my.graph.gml.gz --quiet") == (0, "", "")
    assert (folder / "inner" / "my.graph.png").read_bytes() == picture


@pytest.mark.parametrize("method", ["auto", "tsne"])
def test_new_nodes_are_placed_as_in_python_and_old_ones_stay(folder, nelayout, method):
    G = nx.read_gml(folder / "graph.gml")
    assert nelayout(f"layout graph.gml -m {method} --weight none -o old.csv")[0] == 0
    old = table(folder / "old.csv")
    first = next(iter(G))
    G.add_edges_from([("new one", first), ("new two", "new one")])
    nx.write_gml(G, folder / "next.gml")
    code, _, said = nelayout(f"add next.gml --pos old.csv -m {method} --weight none -o next.csv")
    assert (code, said.splitlines()[-1]) == (
        0, "nelayout: 2 of 6 nodes are new; the others stay where old.csv puts them"
    )  # fmt: skip
    python = nl.add_nodes(read_graph("next.gml").graph, old, method, weight=None, seed=0)
    placed = table(folder / "next.csv")
    assert placed == {v: place.tolist() for v, place in python.items()}
    assert {v: place for v, place in placed.items() if v in old} == old
