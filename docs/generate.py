"""Write the pages of the reference that the source states already: `python docs/generate.py`.

Sphinx runs this before each build (see conf.py). The pages are not kept in the repository.
"""

import argparse
import inspect
from functools import partial
from pathlib import Path
from unittest import mock

import nelayout as nl
from nelayout.cli import COMMANDS, _parser
from nelayout.core.catalogue import METHODS
from nelayout.graphs import headings
from nelayout.graphs.files import CONVERSIONS, FORMATS, WRITERS
from nelayout.keywords.options import DEFAULTS, GRAPH_TEXTS, GROUPS, LAYOUT_DEFAULTS, TEXTS

REFERENCE = Path(__file__).resolve().parent / "reference"
# Topics of the Python API, and their names.
TOPICS = {
    "Layouts of graphs": (
        "layout ws_sne_layout gamma_quadlog_layout gamma_linlog_layout linlog_layout quadlog_layout polylog_layout "
        "ee_layout forceatlas2_layout tfdp_layout tsne_layout tsnet_layout drgraph_layout ssne_layout hssne_layout "
        "mds_ks_layout sne_layout nerv_layout jse_layout alpha_sne_layout ftsne_layout"
    ),
    "Runs and methods": (
        "solve Solution evaluate Evaluated plan Plan estimate method methods Method CoarseToFine Descend "
        "choose_alpha AlphaChoice"
    ),
    "Several machines": "distributed.layout distributed.solve distributed.Drawn",
    "Tables": "embed solve_vectors NeighborEmbedding knn_graph entropic_affinity embed_cells add_cells",
    "Comparison": (
        "measure measures Measured measure_vectors rank_curves rank_curves_vectors RankCurves stability align "
        "compare compare_vectors Comparison benchmark Benchmark"
    ),
    "Trust": "audit Audit Misplaced Torn Hidden Cluster uncertainty Uncertainty SecondPlace",
    "Graphs that change": "add_nodes layout_sequence LayoutSequence Live",
    "Pictures and pages": "draw plot node_size_from_points node_size_from_labels explore Page view View to_json",
    "Errors": "InputError InputTypeError Unsupported MissingExtra DeviceError",
    "Parts of methods": "kernels divergences optimizers",
    "Other packages and files": (
        "example_graph plugins.igraph.register plugins.igraph.unregister graphs.files.read_graph "
        "graphs.files.read_positions graphs.files.write_positions graphs.files.Look"
    ),
}


def table(head: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *[[" ".join(cell.replace("|", r"\|").split()) for cell in row] for row in rows]]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def command_line() -> str:
    """Return the page of the commands: the help text of each."""
    parts = ["# Command line\n\n`nelayout COMMAND --help` prints these texts. "]
    parts.append("[Read and write graphs](../howto/in-out.md) has examples that you can copy.\n")
    parts.append(
        "The exit status is 0 if the command is done, 1 if the input or the run failed, 2 for wrong usage, 130 after "
        "Ctrl-C and 143 after SIGTERM. Output files appear complete or not at all. nelayout never overwrites its "
        "input.\n"
    )
    with mock.patch.dict("os.environ", {"COLUMNS": "90", "NO_COLOR": "1"}):
        commands = next(a for a in _parser()._actions if isinstance(a, argparse._SubParsersAction)).choices
        parts += [f"## nelayout {name}\n\n```text\n{commands[name].format_help().strip()}\n```\n" for name in COMMANDS]
    return "\n".join(parts)


def sentences(text: str) -> str:
    """Return a type and an explanation below it as two sentences.

    >>> sentences("dict or array\\n    positions to start\\n    from")
    'dict or array. Positions to start from'
    """
    kind, _, rest = (" ".join(part.split()) for part in text.replace("(columns\n", "(columns ").partition("\n"))
    return f"{kind}. {rest[0].upper()}{rest[1:]}" if rest else kind


def name_and_default(name: str) -> str:
    """Return a keyword with its default, which may differ for functions that return a record."""
    other = "" if DEFAULTS[name] == LAYOUT_DEFAULTS[name] else f" (`solve`, `plan`, `estimate`: `{DEFAULTS[name]!r}`)"
    return f"`{name}`, default `{LAYOUT_DEFAULTS[name]!r}`{other}"


def keywords() -> str:
    """Return the page of the keywords that all layout functions take."""
    parts = [
        "# Common keywords\n\nEach layout function, `layout`, `solve`, `plan` and `estimate` take these keywords. "
        "A misspelt keyword is an error that names similar keywords.\n",
        "## Start\n",
        *(f"`{name}`\n: {sentences(text)}\n" for name, text in GRAPH_TEXTS.items()),
    ]
    for group, names in GROUPS.items():
        parts.append(f"## {group}\n")
        parts += [f"{name_and_default(name)}\n: {' '.join(TEXTS[name].split())}\n" for name in names]
    parts.append("## Keywords of single methods\n\n`layout`, `solve`, `plan`, `estimate` and `embed` take them too.\n")
    own = [[name, ", ".join(f"`{key}={value!r}`" for key, value in m.own)] for name, m in METHODS.items() if m.own]
    parts.append(table(["method", "keywords with their defaults"], own))
    return "\n".join(parts)


def methods() -> str:
    """Return the page of the named methods."""
    rows = [
        [f"`{row['name']}`", row["summary"], row["kernel"], row["divergence"], row["connection"], row["mass"]]
        for row in nl.methods()
    ]
    parts = [
        "# Methods\n\n`nl.layout(G, NAME)` takes these names, and each name but `auto` has a function "
        "`nl.NAME_layout`. `nl.methods()` returns this list. [One formula](../explain/one-formula.md) explains the "
        "columns and has the formula of each method. [Choose a method](../howto/choose.md) has pictures.\n",
        table(["name", "use", "kernel", "divergence", "scale factor", "mass"], rows),
        "## Sources\n",
        *(f"`{row['name']}`\n: {row['reference']}\n" for row in nl.methods()),
    ]
    return "\n".join(parts)


def measures() -> str:
    """Return the page of the measures."""
    found = nl.measures()
    parts = [
        "# Measures\n\n`nl.measure`, `nl.compare` and `nelayout compare` take these names. `nl.measures()` returns "
        "this list. [Compare layouts](../howto/compare.md) says which measure answers which question.\n",
        table(["name", "better", "definition"], [[f"`{m['name']}`", m["better"], m["definition"]] for m in found]),
        "## Cost, samples and sources\n",
        table(
            ["name", "needs", "cost", "sampled", "source"],
            [[f"`{m['name']}`", m["needs"], m["complexity"], m["sampling"], m["source"]] for m in found],
        ),
        "## What leaves a value unchanged\n",
        table(["name", "unchanged by"], [[f"`{m['name']}`", m["invariances"]] for m in found]),
    ]
    return "\n".join(parts)


def costs() -> str:
    """Return the page of seconds and memory: forecasts for graphs of a few sizes."""
    rows = []
    for n in (1_000, 5_000, 20_000, 100_000, 1_000_000):
        row = [f"{n:,}", f"{3 * n:,}"]
        for name in ("ws-sne", "auto"):
            plan = nl.plan(nodes=n, edges=3 * n, method=name)
            row += [_seconds(plan), f"{plan.process_bytes / 1e6:.0f}"]
        rows.append(row)
    tables = []
    for n, d in ((1_000, 50), (10_000, 50), (70_000, 784), (1_000_000, 50)):
        plan = nl.plan(rows=n, columns=d)
        tables.append([f"{n:,}", f"{d:,}", _seconds(plan), f"{plan.process_bytes / 1e6:.0f}"])
    head = ["nodes", "edges", "seconds, `ws-sne`", "MB, `ws-sne`", "seconds, `auto`", "MB, `auto`"]
    return (
        "# How long, how much memory\n\nThese numbers are forecasts by `nl.plan` for graphs with three edges a node, "
        "made when this page was built. They are right within about a factor of two. They hold for a whole process: "
        "Python starts, reads a table of edges and draws. Seconds are seconds of the CPU.\n\n"
        f"{table(head, rows)}\nA first run on a machine also compiles loops.\n\n"
        "A table of rows is read, searched for neighbors and drawn by `embed`:\n\n"
        f"{table(['rows', 'columns', 'seconds', 'MB'], tables)}\n"
        "## Ask for your graph or table\n\n"
        "| you have | call |\n|---|---|\n"
        "| a graph | `nl.plan(G)` |\n| a table with one row per sample | `nl.plan(X)` |\n"
        "| a file of either | `nelayout plan FILE` |\n"
        "| numbers of nodes and edges | `nl.plan(nodes=10**6, edges=5 * 10**6, method=\"ws-sne\")` |\n"
        "| numbers of rows and columns | `nl.plan(rows=70_000, columns=784)` |\n\n"
        "A plan prints each pass with seconds, memory and reason. `seconds` is the sum. `bytes` is what the drawing "
        "allocates at its peak. `process_bytes` is the whole process: Python and its packages, the graph or table, and "
        "the drawing. `nl.estimate` takes the same arguments.\n\n"
        "Sizes alone say little about a graph, so `assumed` lists what nelayout takes for granted. The graph is "
        "connected if it has edges enough; else it is a tree, and the other nodes have no edges. It is no ring, star "
        "or planar graph, and no two rows of a table are equal. A graph with many components takes less.\n\n"
        "If a run takes too long, set `time_limit=`: see [Limit a run](../howto/update.md#limit-watch-and-stop-a-run)."
        "\n\n## More\n\n[Benchmarks](../benchmarks.md) has measured seconds beside other packages. "
        "[Several machines](../scaling.md) has measured memory. `python -m benchmarks.forecasts` measures whole "
        "processes beside these forecasts.\n"
    )


def _seconds(plan: nl.Plan) -> str:
    """Return the seconds of a plan without the compiling of loops."""
    seconds = sum(p.seconds for p in plan.passes if p.name != "compile and load loops")
    return f"{seconds:.2g}" if seconds < 10 else f"{seconds:.0f}"


def formats() -> str:
    """Return the page of the file formats."""
    rows = [
        [f"`{name}`", " ".join(f"`.{ending}`" for ending in entry.endings), "yes" if name in WRITERS else "no"]
        for name, entry in FORMATS.items()
    ]
    words = {"source": headings.FROM, "target": headings.TO, "weight": headings.WEIGHT, "node": headings.NODE}
    words["distance"] = headings.LENGTH | headings.LONG_UNITS
    parts = [
        "# File formats\n\nThese formats hold graphs. A compressed file may also end in `.gz`. "
        "[Read and write graphs](../howto/in-out.md) shows how to use them.\n",
        table(["format", "file endings", "written"], rows),
        "## Headings of edge lists\n\nIn a table, these headings name the columns. Upper and lower case are equal.\n",
        *(f"{name}\n: {' '.join(f'`{word}`' for word in sorted(group))}\n" for name, group in words.items()),
        "## Formats that other programs convert\n",
        table(["ending", "conversion"], [[f"`.{ending}`", how] for ending, how in CONVERSIONS.items()]),
    ]
    return "\n".join(parts)


def page_of(topic: str) -> str:
    """Return the name of the page of a topic, without ending.

    >>> page_of("Several machines")
    'topic-several-machines'
    """
    return "-".join(("topic", *topic.lower().split()))


def api() -> str:
    """Return the list of the topics."""
    pages = "\n".join(f"api/{page_of(topic)}" for topic in TOPICS)
    return (
        "# Python API\n\nEach topic has a page, and each object too: what it does, its parameters, an example, and the "
        "gallery examples that use it. [Common keywords](keywords.md) explains the keywords that all layout functions "
        f"take.\n\n```{{toctree}}\n:maxdepth: 2\n\n{pages}\n```\n"
    )


def topic_page(topic: str) -> str:
    """Return the page of a topic: a table of its objects."""
    names = "\n".join(f"   {name}" for name in TOPICS[topic].split())
    table_of_names = f".. currentmodule:: nelayout\n\n.. autosummary::\n   :toctree: .\n\n{names}"
    return f"# {topic}\n\n```{{eval-rst}}\n{table_of_names}\n```\n"


PAGES = {
    "api.md": api,
    **{f"api/{page_of(topic)}.md": partial(topic_page, topic) for topic in TOPICS},
    "command-line.md": command_line,
    "keywords.md": keywords,
    "methods.md": methods,
    "measures.md": measures,
    "costs.md": costs,
    "formats.md": formats,
}


def write() -> None:
    """Write each page whose text has changed."""
    for name, make in PAGES.items():
        text, path = inspect.cleandoc(make()) + "\n", REFERENCE / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.is_file() or path.read_text() != text:
            path.write_text(text)


if __name__ == "__main__":
    write()
