"""Whether widgets work in JupyterLab and marimo, and how fast: `python -m benchmarks.widgets`.

    python -m benchmarks.widgets --notebooks ~/notebooks/bin                # an environment with jupyterlab and marimo
    python -m benchmarks.widgets --notebooks ~/notebooks/bin --pictures .   # writes widget-*.png, too

The other environment also needs anywidget and what nelayout needs.  In each front end a node is selected, dragged and
seen by Python, and Python colors the nodes.  Then JupyterLab shows a million points.  Needs chromium, its chromedriver
and selenium.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.pages import started

PORT = 8917
POINTS = 1_000_000
MANY = 300_000  # nodes of a large selection
REPEATS = 5
SETUP = """import networkx as nx, nelayout as nl
G = nx.karate_club_graph()
view = nl.view(G, nl.layout(G, "ws-sne", seed=0), colors="club")"""
TOLD = '" ".join(map(str, ("TOLD", view.selection, view.pinned, view.positions[5].round(2), "END")))'
RECOLOR = 'view.colors = {v: f"kind {v % 3}" for v in G}; view.sizes = "degree"'
MILLION = f"""import time, numpy as np, nelayout as nl
from ipywidgets.widgets.widget import _remove_buffers
chance = np.random.default_rng(0)
Y = [chance.normal(size=({POINTS}, 2)) for _ in range(2)]
began = time.perf_counter()
large = nl.view(None, Y[0], colors=np.arange({POINTS}) % 7)
made = time.perf_counter() - began
state, _, buffers = _remove_buffers(large.get_state())
text = len(str({{name: value for name, value in state.items() if name != "_esm"}}))
print("MADE", made, text, sum(map(len, buffers)), "END")
large"""
MOVE = "Y.reverse(); large.positions = Y[0]"
# The page of a widget, wherever its shadow root is.
FIND = """
const all = (root) => [...root.querySelectorAll("*")].flatMap((e) => [e, ...(e.shadowRoot ? all(e.shadowRoot) : [])]);
const every = all(document), hosts = every.filter((e) => e.nelayout), host = hosts.at(-1), page = host?.nelayout;
"""
LEAVES = "const texts = every.filter((e) => !e.childElementCount).map((e) => e.textContent);"
TEXT = LEAVES + "return texts.findLast((t) => t.includes(`${arguments[0]} `) && t.includes(' END'))"
OUTPUTS = "return every.filter((e) => e.matches('.jp-OutputArea-output')).map((e) => e.textContent).join('\\n')"
PLACE = """
const p = page.panels[0], b = p.upper.getBoundingClientRect(), [x, y] = p.toScreen(arguments[0]);
return [Math.round(b.left + x), Math.round(b.top + y)];
"""
COUNT = """
window.moved = false;
page.setPlaces = (xy) => { Object.getPrototypeOf(page).setPlaces.call(page, xy); window.moved = true; };
"""
SELECT = f"""
const began = performance.now();
page.select(Array.from({{ length: {MANY} }}, (_, i) => i), false);
return performance.now() - began;
"""
DRAG = 'page.find("bar").querySelectorAll("[aria-label=Mouse] button")[3].click()'
STATE = "return [page.color, page.data.sizes !== null, [...page.selected], [...page.pinned]]"


class Browser:
    """A browser that looks for the last widget on the page."""

    def __init__(self) -> None:
        self.driver = started()
        self.driver.set_script_timeout(120)

    def run(self, script: str, *arguments: object) -> Any:
        """Return what a script returns that knows `page`."""
        return self.driver.execute_script(FIND + script, *arguments)

    def wait(self, script: str, *arguments: object, seconds: float = 120) -> Any:
        """Return the value of a script as soon as it is true."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            with contextlib.suppress(Exception):
                if value := self.run(script, *arguments):
                    return value
            time.sleep(0.02)
        raise TimeoutError(f"{script}\n{self.run(OUTPUTS)}")

    def mouse(self, *steps: object) -> None:
        """Move to each place in the window; "down" and "up" press and let go."""
        from selenium.webdriver.common.actions.action_builder import ActionBuilder

        builder = ActionBuilder(self.driver, duration=0)
        for step in steps:
            if isinstance(step, str):
                getattr(builder.pointer_action, f"pointer_{step}")()
            else:
                builder.pointer_action.move_to_location(*step)
        builder.perform()


@contextlib.contextmanager
def serving(command: list[str], folder: Path, alive: str) -> Iterator[str]:
    """Run a server in a folder, and yield its address."""
    env = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}
    with (folder / "server.log").open("w") as log:
        server = subprocess.Popen(command, cwd=folder, env=env, stdout=log, stderr=log)
        try:
            address = f"http://localhost:{PORT}"
            for _ in range(240):
                with contextlib.suppress(OSError):
                    urllib.request.urlopen(address + alive)  # noqa: S310  # our own server
                    break
                time.sleep(0.5)
            yield address
        finally:
            server.terminate()
            server.wait()


def used(browser: Browser, told: Any, recolor: Any) -> None:
    """Select a node, drag another, and color all: Python and the browser agree each time."""
    browser.wait("return host.dataset.complete")
    browser.mouse(browser.run(PLACE, 33), "down", "up")
    browser.wait("return page.selected.has(33)")
    browser.run(DRAG)
    x, y = browser.run(PLACE, 5)
    browser.mouse((x, y), "down", (x + 30, y + 10), (x + 60, y + 20), "up")
    browser.wait("return page.pinned.has(5)")
    time.sleep(1)
    text = told()
    assert "TOLD (33,) (5,)" in text, text
    recolor()
    assert browser.wait('return page.color === "color" && page.data.sizes !== null')
    assert browser.run(STATE) == ["color", True, [33], [5]]


def notebook(cells: list[str]) -> str:
    """Return a notebook of code cells as text."""
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    made = [
        {"cell_type": "code", "id": f"cell-{k}", "metadata": {}, "execution_count": None, "outputs": [], "source": cell}
        for k, cell in enumerate(cells)
    ]
    return json.dumps({"cells": made, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5})


def lab(notebooks: Path, folder: Path, pictures: Path | None) -> None:
    """Use a widget in JupyterLab, and show a million points."""
    cells = [f"{SETUP}\nview", f"print({TOLD})", RECOLOR, MILLION, MOVE]
    (folder / "a.ipynb").write_text(notebook(cells))
    command = [str(notebooks / "jupyter-lab"), "--allow-root", "--no-browser", f"--port={PORT}"]
    command += ["--IdentityProvider.token=", "--LabApp.expose_app_in_browser=True"]
    with serving(command, folder, "/api") as address:
        browser = Browser()
        try:
            browser.driver.get(f"{address}/lab/tree/a.ipynb")
            browser.wait("return window.jupyterapp && document.querySelector('.jp-Notebook .jp-CodeCell')")
            time.sleep(3)

            def cell(k: int) -> None:
                browser.run(
                    "const shown = jupyterapp.shell.currentWidget.content; shown.activeCellIndex = arguments[0];"
                    "jupyterapp.commands.execute('notebook:run-cell')",
                    k,
                )

            def told(k: int, word: str) -> str:
                cell(k)
                return browser.wait(TEXT, word)

            cell(0)
            used(browser, lambda: told(1, "TOLD"), lambda: cell(2))
            if pictures:
                time.sleep(2)
                browser.driver.save_screenshot(str(pictures / "widget-jupyterlab.png"))
            print("JupyterLab: selection, drag and colors agree")
            began = time.perf_counter()
            _, made, text, size, _ = told(3, "MADE").split()
            browser.wait(f"return page.data.n === {POINTS} && host.dataset.complete", seconds=300)
            print(
                f"{POINTS:,} points: {float(made):.2f} s to make the widget, {int(text) / 1e3:.1f} kB of text and "
                f"{int(size) / 1e6:.1f} MB of bytes, {time.perf_counter() - began:.1f} s from the cell to the picture"
            )
            moves, selects = [], []
            for _ in range(REPEATS):
                browser.run(COUNT)
                began = time.perf_counter()
                cell(4)
                browser.wait("return window.moved")
                moves.append(time.perf_counter() - began)
                selects.append(browser.run(SELECT) / 1e3)
            print(
                f"new positions of all: {np.median(moves):.2f} s from the cell to the browser; "
                f"a selection of {MANY:,}: {np.median(selects):.2f} s"
            )
            if pictures:
                browser.run("host.scrollIntoView()")
                time.sleep(5)
                browser.driver.save_screenshot(str(pictures / "widget-million.png"))
        finally:
            browser.driver.quit()


def marimo(notebooks: Path, folder: Path, pictures: Path | None) -> None:
    """Use a widget in marimo."""
    cells = [
        ("", f"import marimo as mo\n{SETUP}\nview_ = mo.ui.anywidget(view)\nview_", "G, mo, view, view_"),
        ("mo, view, view_", f"view_.value\nmo.md({TOLD})", ""),
        ("mo", 'button = mo.ui.button(label="recolor", value=0, on_click=lambda k: k + 1)\nbutton', "button,"),
        ("G, button, view", f"if button.value:\n    {RECOLOR}", ""),
    ]
    parts = ["import marimo\n\napp = marimo.App()\n"]
    for takes, code, gives in cells:
        body = "\n".join(f"    {line}" for line in code.splitlines())
        parts.append(f"\n@app.cell\ndef _({takes}):\n{body}\n    return {gives}\n")
    (folder / "a.py").write_text("\n".join(parts) + '\n\nif __name__ == "__main__":\n    app.run()\n')
    command = [str(notebooks / "marimo"), "run", "--headless", "--no-token", "--port", str(PORT), "a.py"]
    with serving(command, folder, "/health") as address:
        browser = Browser()
        try:
            browser.driver.get(address)
            press = "every.find((e) => e.tagName === 'BUTTON' && e.textContent.trim() === 'recolor').click()"
            used(browser, lambda: browser.run(TEXT, "TOLD"), lambda: browser.run(press))
            if pictures:
                time.sleep(2)
                browser.driver.save_screenshot(str(pictures / "widget-marimo.png"))
            print("marimo: selection, drag and colors agree")
        finally:
            browser.driver.quit()


def main(arguments: list[str] | None = None) -> None:
    """Use widgets in each front end, and print what was found."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.widgets", description=__doc__)
    parser.add_argument("--notebooks", type=Path, required=True, help="folder of jupyter-lab and marimo")
    parser.add_argument("--pictures", type=Path, metavar="FOLDER", help="where to write widget-*.png")
    parser.add_argument("--only", choices=["lab", "marimo"], help="one front end")
    given = parser.parse_args(arguments)
    for use in (lab, marimo):
        if given.only in (None, use.__name__):
            with tempfile.TemporaryDirectory() as folder:
                use(given.notebooks.resolve(), Path(folder), given.pictures)


if __name__ == "__main__":
    main()
