"""What commands refuse: one line that begins so, the exit code, and no file that is new or changed."""

import os

import networkx as nx
import numpy as np
import pytest

from nelayout.cli import COMMANDS

# File -> contents, in the folder of every command here.
TEXTS = {
    "bare.csv": "".join(f"{k},{k % 7},{k * k % 11}\n" for k in range(30)),
    "circle.csv": "node,x,y\n" + "".join(f"{v},{np.cos(v)},{np.sin(v)}\n" for v in range(9)),
    "empty.csv": "\n",
    "flowers.csv": "5.1,3.5,1.4,0.2,oak\n",
    "head.csv": "a,b\n",
    "hole.csv": "a,b\n1,2\n3,NA\n",
    "pairs.csv": "source,target,n\na,b,3\n",
    "part.csv": "node,x,y\n0,1,1\n",
    "short.csv": "a,b\n1,2\n3,4\n5\n",
    "start.csv": "node,x,y\na,3,4\n",
    "strange.csv": "node,x,y\nq,3,4\n",
    "table.csv": "height,width,depth,kind\n1,2,3,ash\n2,1,3,oak\n",
    "two.csv": "height,kind,soil\n1,oak,1\n2,ash,clay\n",
}
ARRAYS = {
    "line.npy": np.ones(5),
    "pair.npz": {"a": np.ones((2, 2)), "b": np.ones((2, 3))},
    "rows.npz": {"X": np.ones((30, 3)), "kind": np.array(["ash", "oak"] * 15)},
}


@pytest.fixture
def folder(tmp_path, nelayout):
    ring, bell = nx.cycle_graph(["a", "b", "c", "d"]), nx.barbell_graph(4, 1)
    nx.set_edge_attributes(ring, 2, "strength")
    nx.set_edge_attributes(bell, 1, "weight")
    nx.set_node_attributes(ring, dict.fromkeys("abcd", "x"), "kind")
    for v in bell:
        bell.nodes[v].update(kind="x", east=float(v), north=float(v))
    nx.write_gml(ring, tmp_path / "graph.gml")
    nx.write_gml(ring, tmp_path / "graph.csv")
    nx.write_graphml(bell, tmp_path / "graph.graphml")
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text)
    for name, arrays in ARRAYS.items():
        np.save(name, arrays) if name.endswith("npy") else np.savez(name, **arrays)
    return tmp_path


# Options -> beginning of the line, which is empty where libraries say it.
LAYOUT = {
    "nothing.gml -o out.png": "there is no file 'nothing.gml'; check the name and the folder",
    "cells.h5ad -o out.png": "'cells.h5ad': .h5ad files are not read; in Python, nelayout.embed_cells(",
    "grph.gml -o out.png": "there is no file 'grph.gml'; did you mean 'graph.gml'?",
    "graph.gml -o ./graph.gml --format json": "the output './graph.gml' is the input file; choose another name",
    ". -o out.png": "'.' is a folder; give a file in it",
    "graph.gml -o nowhere/out.png": "the output folder '{folder}/nowhere' does not exist; make it first",
    "graph.gml -o . --format png": "the output '.' is a folder; give the name of a file in it",
    "graph.gml -o .": "the output '.' is a folder; give the name of a file in it",
    "pairs.csv -o out.csv --weight m": "pairs.csv: unknown column for weight 'm'. Allowed: 'n'; --weight none",
    "graph.gml -o out.jsno": "'out.jsno': unknown output format 'jsno': did you mean 'json'",
    "graph.gml -o out.csv --pos start.csv --fixed z": "unknown node for --fixed 'z'. Allowed: 'a', 'b', 'c',",
    "graph.gml -o out.png --label knd": "unknown node attribute for --label 'knd': did you mean 'kind'?",
    "graph.gml -o out.png --color knd": "unknown node attribute or color for --color 'knd': did you mean",
    "graph.gml -o out.csv --pos strange.csv": "strange.csv: all 1 node names are unknown; the graph has e.g.",
    "graph.gml -o out.csv --scale -1": "--scale must be > 0 or none (the method's own units), given -1.0",
    "graph.gml -o out.csv --smoothing 1.5": "--smoothing must be in [0, 1), given 1.5: 0 is none, 0.99 is",
    "graph.gml -o out.csv --fixed a": "nodes are fixed without positions: give them in --pos",
    "graph.gml -o out.csv --weight strenth": "unknown edge attribute for --weight 'strenth': did you mean",
    "graph.gml -o out.csv --weight weight": "unknown edge attribute for --weight 'weight'. Allowed:",
    "graph.csv -o out.csv": "graph.csv: this is not an edge list; it looks like gml: say --format gml",
    "flowers.csv -o out.png": "flowers.csv, line 1: there are 5 columns and no headings source and target; name",
    "graph.gml -o out": "'out' has no ending that names the output format; name it with --format, one of arrow,",
    "graph.gml -o out.csv --mass kind": "",
}
COMPARE = {
    "-m ws-sne -o out.csv --weight nothing": "unknown edge attribute for --weight 'nothing'.",
    "-m ws-sne -o graph.graphml --format csv": "the output 'graph.graphml' is the input file; choose another name",
    "--pos c=circle.csv -o ./circle.csv": "the output './circle.csv' is the input file; choose another name",
    "-m ws-sne -o out.gif": "'out.gif': unknown output format 'gif'. Allowed: 'csv',",
    "-m ws-sne -o out.csv --classes knd": "unknown node attribute for --classes 'knd': did you mean 'kind'? Allowed:",
    "-m ws-sne -o out.csv --coords east,nort": "unknown node attribute for --coords 'nort': did you mean 'north'?",
    "-m ws-sne -o out.csv --coords east": "--coords east: give two node attributes with one number each, such as",
    "-m ws-sne -o out.csv --coords kind,east": "node '0' has kind 'x'; --coords needs attributes that are numbers",
    "--pos c=crcle.csv -o out.csv": "there is no file 'crcle.csv'; did you mean 'circle.csv'?",
    "--pos c=part.csv -o out.csv": "the drawing 'c' has no position for node '1' (8 of 9 nodes have none)",
    "-m ws-sne -o nowhere/out.csv": "",
}
EMBED = {
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
    "cells.h5ad -o out.csv": "'cells.h5ad': .h5ad files are not read; in Python, nelayout.embed_cells(",
    "tabel.csv -o out.csv": "there is no file 'tabel.csv'; did you mean 'table.csv'?",
    "table.csv --columns 1-3 -o table.csv": "the output 'table.csv' is the input file; choose another name",
    "table.xls -o out.csv": "'table.xls': unknown table format 'xls': did you mean 'xlsx'?",
    "bare.csv -o out.graphml": "",
    "bare.csv -o nowhere/out.csv": "",
    "bare.csv --metric euclidian -o out.csv": "",
    "bare.csv --n-neighbors 30 -o out.csv": "--n-neighbors must be from 1 to 29 (there are 30 rows); got 30",
    "table.csv --format npy -o out.csv": "",
}
REFUSED = {"layout --quiet": LAYOUT, "compare graph.graphml": COMPARE, "embed": EMBED}
FAILURES = {f"{command} {options}": line for command, lines in REFUSED.items() for options, line in lines.items()}


@pytest.mark.parametrize("command", FAILURES)
def test_a_failure_is_one_line_and_leaves_no_file(folder, fails, command):
    fails(command, FAILURES[command].format(folder=os.path.realpath(folder)))


ALLOWED = "'add', 'audit', 'compare', 'draw', 'embed', 'layout', 'methods', 'plan', 'warm-up'"
# Wrong usage, which argument parsers answer in other programs: the line ends with the help to look at.
WRONG = {
    "": "the following arguments are required: COMMAND; see nelayout --help",
    "layuot x --sed 3": f"unknown command 'layuot': did you mean 'layout'? Allowed: {ALLOWED}; see nelayout --help",
    "grph": f"unknown command 'grph'. Allowed: {ALLOWED}; see nelayout --help",
    "layout -": "-o OUT must be given for standard input; see nelayout layout --help",
    "layout graph.gml graph.gml": "a film of 2 FILEs is written to a file: give -o film.html or -o film.gif",
    "layout graph.gml --scheduler local": "OUT must be a parquet, arrow or csv file with --scheduler; got none. Name",
    "draw x --seed 3": "unrecognized arguments: --seed (nelayout layout has it); see nelayout draw --help",
    "layout x --classes 3": "unrecognized arguments: --classes (nelayout compare has it); see nelayout layout --help",
    "draw x --dpi=300": "unrecognized arguments: --dpi=300 (in Python, nelayout.draw has dpi=); see nelayout draw",
    "layout graph.gml --title x": "unrecognized arguments: --title (in Python, nelayout.draw has title=)",
    "layout graph.gml --center 3": "unrecognized arguments: --center (in Python, nelayout.layout has center=)",
    "layout graph.gml --continue": "unrecognized arguments: --continue (--checkpoint FILE keeps the state of a run",
    "layout graph.gml -o x.csv --resume": "--resume goes on from the file of --checkpoint: give --checkpoint FILE",
    "add graph.gml -o x.png": "the following arguments are required: --pos; see nelayout add --help",
    "layout x -o y.png --sed 3": "unrecognized arguments: --sed (did you mean --seed?); see nelayout layout --help",
    "layout x --estimate": "unrecognized arguments: --estimate (nelayout plan FILE says seconds and memory); see "
    "nelayout layout --help",
    "layout x --wieght=a": "unrecognized arguments: --wieght=a (did you mean --weight?); see nelayout layout --help",
    "layout x -o y.png z": "unrecognized arguments: z; see nelayout layout --help",
    "layout x -o y.png -m ws-sen": "argument -m/--method: unknown method 'ws-sen': did you mean 'ws-sne'",
    "layout x --seed a": "argument --seed: invalid whole number of 0 or more value: 'a'; see nelayout layout --help",
    "layout x -o y -o z.csv": "-o/--output is given 2 times; give it once (nelayout draw FILE --pos FIRST -o SECOND "
    "needs no second run); see nelayout layout --help",
    "embed x --output=y --dim 1 -o z": "-o/--output is given 2 times; give it once; see nelayout embed --help",
    "compare x --seed 1 --seed=2 --seed 3": "--seed is given 3 times; give it once; see nelayout compare --help",
    "compare graph.graphml -m ws-sne --quiet": "without -o OUT there is the table alone, and --quiet leaves it out;",
    "compare graph.graphml -m ws-sne --seeds 0": "--seeds 0 draws nothing; give 1 or more",
    "compare graph.graphml -m nx:spring --set k=2": "--set k: nx:spring draws with its package's defaults",
    "compare graph.graphml -m nx:spring --pos c=circle.csv --smoothing 0.5": "--smoothing 0.5 is for nelayout's own",
    "compare graph.graphml -o out.csv": "there is nothing to compare: give at least one -m METHOD or --pos NAME=FILE",
    "compare graph.graphml -m ws-sne -m WS_SNE -o out.csv": "the drawing 'ws-sne' is given twice; each method once",
    "compare graph.graphml -m ws-sne --pos ws-sne=circle.csv -o out.csv": "the drawing 'ws-sne' is given twice;",
    "compare graph.graphml --pos circle.csv -o out.csv": "argument --pos: 'circle.csv' is not NAME=FILE, such as",
    "embed bare.csv": "the following arguments are required: -o/--output",
    "embed bare.csv -o x.csv --pca some": "argument --pca: invalid number value: 'some'",
    "embed bare.csv -o x.csv --init pac": "argument --init: unknown choice 'pac': did you mean 'pca'? Allowed:",
    "embed bare.csv -o x.csv --save -": "--save takes the name of a file of its own, not -;",
    "embed bare.csv -o x.csv --save x.csv": "--save takes the name of a file of its own, not x.csv;",
    "embed bare.csv -o x.csv -m wsne": "argument -m/--method: unknown method 'wsne': did you mean",
    "embed --transform new.csv -o out.csv": "--transform adds rows to a finished map: give its file, written by",
    "embed new.csv --transform more.csv --model map.pickle -o out.csv": "--transform more.csv and FILE new.csv both",
    "embed --model map.pickle -o out.csv": "the following arguments are required: FILE",
}
# Of every command that draws.
PARAMETERS = {
    "-m nerv --set kapa=2": "--set: unknown parameter of nerv 'kapa': did you mean 'kappa'? Allowed: ",
    "-m linlog --set kapa=2": "--set kapa: the method linlog has no keywords of its own; leave it out",
    "-m tsne --set kappa=2": "--set: the method 'tsne' has no keyword 'kappa'; kappa is a keyword of 'nerv'",
    "-m nerv --set kappa=0.2 --set kappa=0.3": "--set kappa is given twice, 0.2 and 0.3; give it once",
    "-m nerv:0.2 --set kappa=0.3": "--set: kappa is given twice: in the name 'nerv:0.2' and as a keyword",
    "-m nerv:3": "argument -m/--method: kappa must be a number from 0 to 1; got 3.0",
    "-m tsne:3": "argument -m/--method: method 'tsne:3': tsne takes no number; write 'tsne'",
    "-m nerv --set kappa=3": "--set: kappa must be a number from 0 to 1; got 3.0",
    "-m nerv --set method=3": "--set: unknown parameter of nerv 'method'. Allowed: 'background', 'kappa'",
    "-m nerv --set kappa": "argument --set: 'kappa' is not NAME=VALUE, such as kappa=0.2",
}
# Of a map that is finished.
FINISHED = (
    "-m tsne", "--set kappa=0.2", "--n-neighbors 5", "--perplexity 5", "--metric cosine", "--pca 2", "--init pca",
    "--dim 3", "--seed 0", "--max-iter 5", "--save next.pickle",
)  # fmt: skip
for command in ("layout graph.gml", "embed table.csv", "compare graph.gml"):
    WRONG |= {f"{command} -o out.csv {settings}": line for settings, line in PARAMETERS.items()}
for option in FINISHED:
    name = "--method" if option == "-m tsne" else option.split()[0]
    WRONG[f"embed bare.csv --model map.pickle -o out.csv {option}"] = (
        f"{name} is for a new map, and --model names a finished one"
    )


@pytest.mark.parametrize("command", WRONG)
def test_wrong_usage_is_one_line(folder, fails, command):
    first = command.partition(" ")[0]
    help_of = f"{first} " if first in COMMANDS else ""
    assert fails(command, WRONG[command], 2).endswith(f"; see nelayout {help_of}--help\n")
