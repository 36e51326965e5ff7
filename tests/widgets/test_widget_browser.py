"""Widgets in a real browser, with a model as notebooks have it: what the reader does and what Python sets.

`benchmarks/widgets.py` does the same in JupyterLab and marimo.
"""

import base64
import json
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from browsers import WEBGL, browser, mouse, severe, waited

import nelayout as nl
from nelayout.pictures.pages import widget_program

pytest.importorskip("anywidget", reason="anywidget, the extra [widget], is not installed")
pytestmark = pytest.mark.full

G = nx.karate_club_graph()
MODEL = Path(__file__).with_name("cell.js").read_text("utf-8")


def plain(x):
    """The value of a traitlet as JSON, with base64 in place of bytes."""
    if isinstance(x, (bytes, memoryview)):
        return {"base64": base64.b64encode(x).decode()}
    if isinstance(x, dict):
        return {key: plain(value) for key, value in x.items()}
    return [plain(value) for value in x] if isinstance(x, (list, tuple)) else x


@pytest.fixture(scope="module")
def driver():
    driver = browser(*WEBGL)
    yield driver
    driver.quit()


@pytest.fixture
def shown(driver, tmp_path):
    """A function that shows a view in a cell of 900 pixels, on a background."""

    def show(view, background="rgb(255 255 255)"):
        state = {name: plain(value) for name, value in view.get_state().items() if name != "_esm"}
        (tmp_path / "cell.html").write_text(
            f"<!doctype html><meta charset=utf-8><body style='margin:0;background:{background}'>"
            f"<div style='height:90px'></div><div id=cell style='width:900px'></div>"
            f"<script type='text/plain' id=program>{widget_program()}</script>"
            f"<script type='application/json' id=state>{json.dumps(state)}</script>"
            f"<script type=module>{MODEL}</script>",
            "utf-8",
        )
        driver.get((tmp_path / "cell.html").as_uri())
        waited(driver, "return window.host && host.dataset.complete")
        return driver

    return show


@pytest.fixture
def view():
    return nl.view(G, nx.kamada_kawai_layout(G), colors="club")


def place(driver, i):
    return driver.execute_script(
        "const p = nelayout.panels[0], b = p.upper.getBoundingClientRect(), [x, y] = p.toScreen(arguments[0]);"
        "return [Math.round(b.left + x), Math.round(b.top + y)]",
        i,
    )


def pixel(driver, i):
    """The color in the middle of a node after the next frame, (4,)."""
    return driver.execute_async_script(
        "const p = nelayout.panels[0], [i, done] = arguments; requestAnimationFrame(() => requestAnimationFrame(() => {"
        " const [x, y] = p.toScreen(i).map((v) => Math.round(v * p.ratio));"
        " done(Array.from(p.lower.getContext('2d').getImageData(x, y, 1, 1).data)); }))",
        i,
    )


def numbers(driver, name):
    return driver.execute_script("return Array.from(new Uint32Array(model.get(arguments[0]).buffer))", name)


def test_a_click_is_told_as_node_numbers(shown, view):
    driver = shown(view)
    mouse(driver, place(driver, 33), "down", "up")
    assert numbers(driver, "selection") == [33]
    tip = driver.execute_script("return host.shadowRoot.querySelector('#tip').getBoundingClientRect().toJSON()")
    assert tip["left"] == pytest.approx(place(driver, 33)[0] + 16, abs=1), "the tip is beside the mouse"
    assert severe(driver) == []


def test_a_class_without_its_check_is_hidden_with_its_edges(shown, view):
    driver = shown(view)
    assert pixel(driver, 33)[:3] == [0xE6, 0x9F, 0x00]
    driver.execute_script("host.shadowRoot.querySelectorAll('.classes input')[1].click()")
    assert driver.execute_script("return model.get('hidden')") == ["Officer"]
    assert pixel(driver, 33)[3] == 0
    assert pixel(driver, 0)[:3] == [0x00, 0x72, 0xB2]
    mouse(driver, place(driver, 33))
    assert driver.execute_script("return nelayout.hover") == -1, "the mouse does not find it"
    ends = driver.execute_script("return Array.from(nelayout.data.ends)")
    assert len(ends) == 2 * G.number_of_edges(), "the edges themselves stay"
    driver.execute_script("python('hidden', [])")
    assert pixel(driver, 33)[:3] == [0xE6, 0x9F, 0x00]
    assert severe(driver) == []


def test_python_changes_colors_sizes_and_positions(shown, view):
    driver = shown(view)
    before = place(driver, 5)
    view.colors = {v: "#123456" if v == 5 else "#654321" for v in G}
    view.sizes = [3.0 if v == 5 else 1.0 for v in G]
    view.positions = -view.positions
    state = view.get_state()
    for name in ("colors", "sizes", "positions"):
        driver.execute_script("python(...arguments)", name, plain(state[name]))
    assert pixel(driver, 5)[:3] == [0x12, 0x34, 0x56]
    left, top, width, height = driver.execute_script(
        "const b = nelayout.panels[0].upper.getBoundingClientRect(); return [b.left, b.top, b.width, b.height]"
    )
    x, y = place(driver, 5)
    assert (x + before[0], y + before[1]) == pytest.approx((2 * left + width, 2 * top + height), abs=2)
    dot = driver.execute_script("return nelayout.panels[0].dot")
    assert (
        driver.execute_script(
            "const p = nelayout.panels[0], [x, y] = p.toScreen(5); return p.nodeAt(x + arguments[0], y)", 1.4 * dot
        )
        == 5
    ), "a larger dot is hit at its rim"
    assert severe(driver) == []


def test_a_dragged_node_is_pinned_until_a_click(shown, view):
    driver = shown(view)
    driver.execute_script("host.shadowRoot.querySelectorAll('[aria-label=Mouse] button')[3].click()")
    x, y = place(driver, 8)
    mouse(driver, (x, y), "down", (x + 20, y + 10), (x + 50, y + 25))
    driver.execute_script("python(...arguments)", "positions", plain(view.get_state()["positions"]))
    assert place(driver, 8) == pytest.approx([x + 50, y + 25], abs=1), "Python does not take it from the mouse"
    mouse(driver, "up")
    assert numbers(driver, "pinned") == [8]
    last = driver.execute_script("return told.filter((each) => each.kind).at(-1)")
    assert (last["node"], last["done"]) == (8, True)
    view._handle_custom_msg(last, [])
    driver.execute_script("python(...arguments)", "positions", plain(view.get_state()["positions"]))
    assert place(driver, 8) == pytest.approx([x + 50, y + 25], abs=1), "Python puts it where the browser has it"
    mouse(driver, (x + 50, y + 25), "down", "up")
    assert numbers(driver, "pinned") == []
    assert numbers(driver, "selection") == []


def test_views_of_one_model_follow_each_other_and_end(shown, view):
    driver = shown(view)
    driver.execute_script("nelayout.select([1, 2], false); nelayout.panels[0].zoomAt(10, 10, 3)")
    waited(driver, "return model.get('camera').zoom === 3")
    assert driver.execute_script("return nelayout.selected.size") == 2
    driver.execute_script("close_widget(); told.length = 0; nelayout.panels[0].zoomAt(10, 10, 2)")
    assert driver.execute_script("return told") == []


@pytest.mark.parametrize(
    ("background", "theme"), [("rgb(17 17 17)", "dark"), ("oklch(0.98 0 0)", "light"), ("#fff", "light")]
)
def test_the_theme_is_that_of_the_notebook(shown, view, background, theme):
    driver = shown(view, background)
    assert driver.execute_script("return host.dataset.theme") == theme
    driver.execute_script("document.body.style.background = arguments[0]", "white" if theme == "dark" else "black")
    waited(driver, f"return host.dataset.theme !== {theme!r}")


def test_a_view_in_space_turns(shown):
    space = nl.view(G, np.random.default_rng(0).normal(size=(34, 3)))
    driver = shown(space)
    turn = [0.0, 1.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    driver.execute_script("python('camera', { x: 0, y: 0, zoom: 1, turn: arguments[0] })", turn)
    assert driver.execute_script("return nelayout.panels[0].seen.turn") == turn
    space.positions = 2 * space.positions + 1
    driver.execute_script("python(...arguments)", "positions", plain(space.get_state()["positions"]))
    assert driver.execute_script("return nelayout.panels[0].seen.turn") == turn, "new positions keep it turned"
    driver.execute_script("nelayout.fitAll()")
    waited(driver, "return model.get('camera').turn[0] !== 0")
    tools = driver.execute_script("return host.shadowRoot.querySelector('[aria-label=Mouse]').textContent")
    assert tools == "TurnMoveBoxLasso"
    assert severe(driver) == []
