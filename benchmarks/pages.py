"""How fast pages of compared drawings open and answer in a browser: `python -m benchmarks.pages`.

    python -m benchmarks.pages                          # medians of five openings of each page
    python -m benchmarks.pages --pictures docs/images   # writes the pictures of docs/comparing.md, too

Needs chromium, its chromedriver and selenium.  Drawings are kept in --folder: networkx's spring layout of 22,470 nodes
takes half an hour.
"""

from __future__ import annotations

import argparse
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import nelayout as nl
from benchmarks import problems

DRAWINGS = {"ws-SNE": "ws-sne", "auto": "auto", "networkx spring": "nx:spring", "igraph DrL": "igraph:drl"}
SWITCHES = ("--headless=new", "--no-sandbox", "--disable-gpu", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
WINDOW = "--window-size=1440,1270"
REPEATS = 5
# Milliseconds between a move of the mouse over the most connected node and the end of the painting that follows.
HOVER = """
const panel = nelayout.panels[0], box = panel.upper.getBoundingClientRect(), times = [];
const [x, y] = panel.toScreen(nelayout.data.order.at(-1));
const move = (x, y) => panel.upper.dispatchEvent(
  new PointerEvent("pointermove", { clientX: box.left + x, clientY: box.top + y, pointerType: "mouse" }));
for (let k = 0; k < 9; k++) {
  move(2, 2);
  const begun = performance.now();
  move(x, y);
  times.push(performance.now() - begun);
}
return times.sort((a, b) => a - b)[4];
"""
SELECT = "nelayout.select([nelayout.data.names.indexOf(arguments[0])], false)"
PLACE = """
const panel = nelayout.panels[0], box = panel.upper.getBoundingClientRect();
const [x, y] = panel.toScreen(nelayout.data.order.at(-1));
return [Math.round(box.left + x), Math.round(box.top + y)];
"""


def airports(folder: Path) -> Any:
    """Flights between US airports; Anchorage is to be selected."""
    import networkx as nx

    G = nx.read_graphml(Path(__file__).parents[1] / "examples" / "data" / "usairports2010.graphml")
    return nl.compare(G, drawn(G, folder, "airports")).page(title="US airports in 2010")


def facebook(folder: Path) -> Any:
    """Pages of Facebook that like each other, by kind."""
    problem = problems.load("musae_facebook")
    names = np.load(problems.data_folder() / "graphs" / "musae_facebook.npz")["label_names"]
    found = nl.compare(problem.adjacency, drawn(problem.adjacency, folder, "facebook"), names[problem.labels])
    return found.page(title="Pages of Facebook")


PAGES: dict[str, Callable[[Path], Any]] = {"airports": airports, "facebook": facebook}


def drawn(G: Any, folder: Path, name: str) -> dict[str, Any]:
    """The drawings of a page, those of the folder where it has them."""
    found = {}
    for title, method in DRAWINGS.items():
        file = folder / f"{name}.{method.replace(':', '-')}.npy"
        if not file.exists():
            positions = nl.compare(G, {title: method}, measures=["stress"]).drawings[title]
            rows = positions.values() if isinstance(positions, dict) else positions
            np.save(file, np.array(list(rows)))
        Y = np.load(file)
        found[title] = dict(zip(G, Y, strict=True)) if hasattr(G, "nodes") else Y
    return found


def started() -> Any:
    """A new browser without a screen."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    for switch in (*SWITCHES, WINDOW):
        options.add_argument(switch)
    options.binary_location = shutil.which("chromium") or ""
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))


def opened(file: Path) -> Any:
    """A new browser with the page, as soon as all edges are painted."""
    driver = started()
    driver.get(file.resolve().as_uri())
    while not driver.execute_script("return document.documentElement.dataset.complete"):
        time.sleep(0.05)
    return driver


def measured(file: Path) -> tuple[float, float, float]:
    """Seconds to the first picture and to all edges, milliseconds of a hover."""
    driver = opened(file)
    try:
        marks = driver.execute_script("return {...document.documentElement.dataset}")
        return int(marks["painted"]) / 1e3, int(marks["complete"]) / 1e3, driver.execute_script(HOVER)
    finally:
        driver.quit()


def picture(name: str, file: Path, path: Path) -> None:
    """Anchorage selected, or the most connected page of Facebook under the mouse; 256 colors make a small file."""
    from PIL import Image
    from selenium.webdriver.common.actions.action_builder import ActionBuilder

    driver = opened(file)
    try:
        if name == "airports":
            driver.execute_script(SELECT, "ANC")
        else:
            builder = ActionBuilder(driver, duration=0)
            builder.pointer_action.move_to_location(*driver.execute_script(PLACE))
            builder.perform()
        time.sleep(2)
        driver.save_screenshot(str(path))
        Image.open(path).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)
    finally:
        driver.quit()


def main(arguments: list[str] | None = None) -> None:
    """Draw, open, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pages", description=__doc__)
    parser.add_argument("--pages", nargs="+", choices=list(PAGES), default=list(PAGES))
    parser.add_argument("--folder", type=Path, default=Path(__file__).parent / "results" / "pages", help="of drawings")
    parser.add_argument("--pictures", type=Path, metavar="FOLDER", help="where to write page-NAME.png")
    given = parser.parse_args(arguments)
    given.folder.mkdir(parents=True, exist_ok=True)
    print("| | file | first picture | all edges | a hover |\n|---|---|---|---|---|")
    for name in given.pages:
        file = given.folder / f"{name}.html"
        PAGES[name](given.folder).write(file)
        runs = [measured(file) for _ in range(REPEATS)]
        first, every, hover = np.median(runs, axis=0)
        print(f"| {name} | {file.stat().st_size / 1e6:.1f} MB | {first:.1f} s | {every:.1f} s | {hover:.0f} ms |")
        if given.pictures:
            picture(name, file, given.pictures / f"page-{name}.png")


if __name__ == "__main__":
    main()
