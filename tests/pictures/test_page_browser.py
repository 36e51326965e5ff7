"""Pages in a real browser: they load without an error, and answer the mouse and the keys.

Chromium without a screen, by selenium; skipped where one of them is not installed.
"""

import json

import networkx as nx
import numpy as np
import pytest
from browsers import WEBGL, browser, mouse, severe, waited

import nelayout as nl

pytestmark = pytest.mark.full

EVIL = "</script><img src=x onerror=\"document.title='broken'\">"


@pytest.fixture(scope="module")
def driver():
    driver = browser(*WEBGL)
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two drawings of a club in which one name is markup, and one of a ring."""
    folder = tmp_path_factory.mktemp("pages")
    G = nx.relabel_nodes(nx.karate_club_graph(), {0: EVIL, 1: "one", 33: "Zoë"})
    drawings = {"spring": nx.spring_layout(G, seed=0), "circle": nx.circular_layout(G)}
    nl.compare(G, drawings, "club", measures=["stress", "crossings"]).to_html(folder / "club.html")
    ring = nx.cycle_graph(12)
    nl.explore(ring, nx.circular_layout(ring), folder / "ring.html", color="#0072b2")
    return folder


def opened(driver, path):
    driver.get(path.as_uri())
    waited(driver, "return document.documentElement.dataset.complete")
    return driver


@pytest.fixture
def club(driver, folder):
    return opened(driver, folder / "club.html")


def node(driver, name):
    return driver.execute_script("return nelayout.data.names.indexOf(arguments[0])", name)


def place(driver, panel, i):
    """The place of a node of a panel in the window."""
    return driver.execute_script(
        "const p = nelayout.panels[arguments[0]], b = p.upper.getBoundingClientRect();"
        "const [x, y] = p.toScreen(arguments[1]);"
        "return [Math.round(b.left + x), Math.round(b.top + y)]",
        panel,
        i,
    )


def corner(driver, panel):
    """A place of a panel without a node, in the window."""
    box = "const b = nelayout.panels[arguments[0]].upper.getBoundingClientRect();"
    return driver.execute_script(f"{box} return [Math.round(b.left) + 4, Math.round(b.top) + 4]", panel)


def press(driver, *keys):
    pytest.importorskip("selenium.webdriver").ActionChains(driver).send_keys(*keys).perform()


def selected(driver):
    return set(driver.execute_script("return [...nelayout.selected].map((i) => nelayout.data.names[i])"))


def pixels(driver, panel, canvas="lower"):
    """(height, width, 4) of a canvas, after the next frame."""
    shape, values = driver.execute_async_script(
        "const c = nelayout.panels[arguments[0]][arguments[1]], done = arguments[2];"
        "requestAnimationFrame(() => requestAnimationFrame(() => {"
        " const d = c.getContext('2d').getImageData(0, 0, c.width, c.height);"
        " done([[c.height, c.width, 4], Array.from(d.data)]); }))",
        panel,
        canvas,
    )
    return np.array(values).reshape(shape)


def at(driver, panel, i, canvas="lower"):
    """The colors of the pixels around a node, (5, 5, 4)."""
    x, y = driver.execute_script(
        "const p = nelayout.panels[arguments[0]]; return p.toScreen(arguments[1]).map((v) => Math.round(v * p.ratio))",
        panel, i,
    )
    return pixels(driver, panel, canvas)[y - 2 : y + 3, x - 2 : x + 3]


def test_a_page_loads_without_errors_and_paints_nodes_in_their_colors(club):
    assert severe(club) == []
    assert club.execute_script("return nelayout.painter.constructor.name") == "WebGLPainter"
    wanted = {"Mr. Hi": (0x00, 0x72, 0xB2), "Officer": (0xE6, 0x9F, 0x00)}
    rgb = club.execute_script("return Array.from(nelayout.rgb[0])")
    G = nx.karate_club_graph()
    colors = {tuple(rgb[3 * v : 3 * v + 3]) for v in G if G.nodes[v]["club"] == "Mr. Hi"}
    assert colors == {wanted["Mr. Hi"]}
    for v in (0, 33):
        for panel in (0, 1):
            middle = at(club, panel, v)[2, 2]
            assert np.abs(middle[:3] - wanted[G.nodes[v]["club"]]).max() <= 3
            assert middle[3] == 255


def test_edges_lie_where_the_graph_has_them(driver, folder):
    """Halfway between neighbors on the ring there is ink, halfway between others none."""
    opened(driver, folder / "ring.html")
    ink = pixels(driver, 0)[:, :, 3]
    where = driver.execute_script(
        "const p = nelayout.panels[0]; return [...Array(12).keys()].map((i) => p.toScreen(i).map((v) => v * p.ratio))"
    )
    P = np.array(where)

    def halfway(i, j):
        x, y = np.round((P[i] + P[j]) / 2).astype(int)
        return ink[y - 1 : y + 2, x - 1 : x + 2].max()

    assert min(halfway(i, (i + 1) % 12) for i in range(12)) > 40
    assert max(halfway(i, (i + 2) % 12) for i in range(12)) == 0
    driver.execute_script("document.querySelectorAll('#bar input[type=checkbox]')[0].click()")
    assert pixels(driver, 0)[:, :, 3].sum() < 0.7 * ink.sum()
    assert driver.execute_script("return nelayout.edges") is False


def test_hovering_in_one_drawing_shows_the_name_as_text_and_rings_in_all(club):
    evil = node(club, EVIL)
    before = pixels(club, 1, "upper")
    mouse(club, place(club, 0, evil))
    tip = waited(club, "const t = document.getElementById('tip'); return t.hidden ? null : t.textContent")
    assert tip.startswith(EVIL)
    assert club.execute_script("return document.querySelectorAll('#tip img, #aside img, #found img').length") == 0
    assert club.title.startswith("2 drawings of a graph")
    assert (pixels(club, 1, "upper") != before).any()
    mouse(club, (5, 5))
    assert club.execute_script("return [nelayout.hover, document.getElementById('tip').hidden]") == [-1, True]


def test_selecting_in_one_drawing_stands_out_in_the_others(club):
    first, neighbor = node(club, EVIL), node(club, "one")
    other = next(v for v in nx.non_neighbors(nx.karate_club_graph(), 0) if v not in (1, 33))
    faded, kept, usual = at(club, 1, node(club, str(other))), at(club, 1, neighbor), at(club, 1, first)
    mouse(club, place(club, 0, first), "down", "up")
    assert selected(club) == {EVIL}
    assert (at(club, 1, first) != usual).any(), "a ring around the selected node"
    assert at(club, 1, node(club, str(other)))[2, 2, :3].min() > faded[2, 2, :3].min() + 60, "others fade"
    assert np.abs(at(club, 1, neighbor)[2, 2] - kept[2, 2]).max() <= 3, "neighbors do not"
    listed = club.execute_script(
        "return [...document.querySelectorAll('#details .names button')].map((b) => b.textContent)"
    )
    relabeled = {0: EVIL, 1: "one", 33: "Zoë"}
    assert set(listed) == {relabeled.get(v, str(v)) for v in nx.karate_club_graph()[0]}
    assert EVIL in club.execute_script("return document.getElementById('details').textContent")
    mouse(club, corner(club, 0), "down", "up")
    assert selected(club) == set()
    assert np.abs(at(club, 1, node(club, str(other))) - faded).max() == 0


@pytest.mark.parametrize("tool", ["box", "lasso"])
def test_a_box_and_a_lasso_select_what_lies_within(club, tool):
    number = {"box": 1, "lasso": 2}[tool]
    club.execute_script(f"document.querySelectorAll('[aria-label=Mouse] button')[{number}].click()")
    left, top, width, height = club.execute_script(
        "const b = nelayout.panels[0].upper.getBoundingClientRect(); return [b.left, b.top, b.width, b.height]"
    )
    middle = int(left + width / 2), int(top + height / 2)
    corner = int(left + width - 2), int(top + 2)
    way = [corner] if tool == "box" else [(corner[0], middle[1]), corner, (middle[0], corner[1])]
    mouse(club, middle, "down", *way, "up")
    places = {
        club.execute_script(f"return nelayout.data.names[{i}]"): place(club, 0, i) for i in range(34)
    }
    within = {name for name, (x, y) in places.items() if x > middle[0] and y < middle[1]}
    assert 0 < len(within) < 34
    assert selected(club) == within
    said = club.execute_script("return document.getElementById('status').textContent")
    assert said == f"{len(within)} nodes selected"


def test_search_finds_by_a_part_of_the_name(club):
    Keys = pytest.importorskip("selenium.webdriver.common.keys").Keys

    press(club, "/")
    assert club.execute_script("return document.activeElement.id") == "search"
    press(club, "zo")
    found = club.execute_script("return [...document.querySelectorAll('#found li')].map((l) => l.textContent)")
    assert found == ["Zoë"]
    press(club, Keys.ENTER)
    assert selected(club) == {"Zoë"}
    club.execute_script("document.getElementById('search').value = ''")
    press(club, "onerror")
    assert club.execute_script("return document.querySelector('#found li').textContent") == EVIL
    press(club, Keys.ESCAPE)
    press(club, "nobody")
    assert club.execute_script("return document.getElementById('status').textContent") == "no node has this name"
    seen = "const f = document.getElementById('found'); return f.hidden ? '' : f.textContent"
    assert club.execute_script(seen) == "no node has this name"
    press(club, Keys.ENTER, Keys.ESCAPE)
    assert club.execute_script(seen) == ""
    assert selected(club) == {"Zoë"}


def test_everything_is_reached_by_keys(club):
    Keys = pytest.importorskip("selenium.webdriver.common.keys").Keys

    reached = []
    for _ in range(40):
        press(club, Keys.TAB)
        reached.append(club.execute_script(
            "const e = document.activeElement;"
            "return e.getAttribute('aria-label') || e.id || e.textContent || e.parentElement.textContent"
        ))
    for wanted in ("Search nodes by name", "color", "Edges", "Names", "Move together", "Box", "Lasso",
                   "Zoom in", "spring: 34 nodes, 78 edges", "circle: 34 nodes, 78 edges", "Keys"):
        assert wanted in reached
    club.execute_script("nelayout.panels[0].upper.focus()")
    press(club, Keys.ARROW_RIGHT)
    hub = club.execute_script("return nelayout.data.names[nelayout.hover]")
    assert hub == "Zoë", "the walk begins at the most connected node"
    assert hub in club.execute_script("return document.getElementById('status').textContent")
    start = place(club, 0, node(club, hub))
    press(club, Keys.ARROW_LEFT)
    after = club.execute_script("return nelayout.hover")
    assert place(club, 0, after)[0] < start[0]
    press(club, Keys.ENTER)
    assert selected(club) == {club.execute_script(f"return nelayout.data.names[{after}]")}
    press(club, "+")
    assert club.execute_script("return nelayout.panels.map((p) => p.view.zoom)") == [1.4, 1.4]
    press(club, "0", Keys.ESCAPE)
    assert club.execute_script("return nelayout.panels[0].view.zoom") == 1
    assert selected(club) == set()


def test_dragging_moves_what_is_under_the_mouse_and_the_other_drawing_with_it(club):
    x, y = place(club, 0, 5)
    other = place(club, 1, 5)
    start = corner(club, 0)
    mouse(club, start, "down", (start[0] + 30, start[1] + 12), (start[0] + 60, start[1] + 25), "up")
    assert place(club, 0, 5) == pytest.approx([x + 60, y + 25], abs=1)
    assert place(club, 1, 5) != other
    club.execute_script(
        "[...document.querySelectorAll('#bar label')].find((l) => l.textContent === 'Move together').click()"
    )
    other = place(club, 1, 5)
    mouse(club, start, "down", (start[0] + 30, start[1]), "up")
    assert place(club, 0, 5) == pytest.approx([x + 90, y + 25], abs=1)
    assert place(club, 1, 5) == other


def test_zooming_keeps_the_place_under_the_mouse(club):
    before = place(club, 0, 7)
    club.execute_script(
        "const p = nelayout.panels[0], [x, y] = p.toScreen(7); p.zoomAt(x, y, 3);"
    )
    assert place(club, 0, 7) == pytest.approx(before, abs=1)
    assert club.execute_script("return nelayout.panels[0].view.zoom") == pytest.approx(3)


def test_the_color_and_the_strength_of_edges_can_be_chosen(club):
    before = pixels(club, 0)
    club.execute_script(
        "const s = document.getElementById('color'); s.value = 'neighbors kept'; s.dispatchEvent(new Event('change'))"
    )
    rgb = club.execute_script("return nelayout.rgb.map((each) => Array.from(each))")
    assert rgb[0] != rgb[1], "each drawing keeps other neighbors"
    assert (pixels(club, 0) != before).any()
    assert "neighbors kept" in club.execute_script("return document.getElementById('legend').textContent")
    weights = np.array(club.execute_script("return Array.from(nelayout.data.weights)"))
    club.execute_script(
        "const r = document.getElementById('strongest'); r.value = 30; r.dispatchEvent(new Event('input'))"
    )
    shown = club.execute_script("return nelayout.shown")
    least = weights[shown - 1]
    assert shown == np.count_nonzero(weights >= least)
    assert f"weight ≥ {least:g}: {shown}" in club.execute_script("return document.getElementById('bar').textContent")
    wide = "document.querySelector('#bar output').getBoundingClientRect().width"
    widths = "const r = document.getElementById('strongest'); return [0, 1, 30, 77, 100].map((v) => {"
    widths += f" r.value = v; r.dispatchEvent(new Event('input')); return {wide}; }})"
    assert len(set(club.execute_script(widths))) == 1, "what stands behind it would move"
    assert severe(club) == []


def test_drawings_in_a_row_lie_on_one_line_whatever_their_names(driver, tmp_path):
    G = nx.karate_club_graph()
    pos = {"short": nx.circular_layout(G), "a name that is longer than the drawing is wide " * 3: nx.circular_layout(G)}
    nl.compare(G, pos, measures="stress").to_html(tmp_path / "names.html")
    opened(driver, tmp_path / "names.html")
    tops = driver.execute_script(
        "return nelayout.panels.map((p) => p.upper.getBoundingClientRect()).map((b) => [b.top, b.height])"
    )
    assert tops[0] == tops[1]


def test_a_class_in_the_legend_selects_its_nodes(club):
    club.execute_script("document.querySelector('#legend .classes button').click()")
    assert len(selected(club)) == sum(
        kind == "Mr. Hi" for _, kind in nx.karate_club_graph().nodes(data="club")
    )


def test_points_without_edges_have_no_tools_for_them(driver, tmp_path):
    nl.explore(None, [(0, 0), (1, 1), (2, 0)], tmp_path / "points.html", color=["a", "b", "a"])
    opened(driver, tmp_path / "points.html")
    assert severe(driver) == []
    assert "Edges" not in driver.execute_script("return document.getElementById('bar').textContent")
    assert driver.execute_script("return document.getElementById('count').textContent") == "3 nodes · 1 drawing"
    assert driver.title == "3 points"


def test_without_webgl_the_page_says_so_and_works(folder):
    driver = browser("--disable-3d-apis")
    try:
        opened(driver, folder / "club.html")
        assert driver.execute_script("return nelayout.painter.constructor.name") == "PlainPainter"
        assert "no WebGL 2" in driver.execute_script("return document.body.textContent")
        assert at(driver, 0, 33)[2, 2, :3].tolist() == [0xE6, 0x9F, 0x00]
        first = node(driver, EVIL)
        mouse(driver, place(driver, 0, first), "down", "up")
        assert selected(driver) == {EVIL}
    finally:
        driver.quit()


def test_a_notebook_frame_shows_the_page(driver, folder, tmp_path):
    G = nx.path_graph(3)
    shown = nl.explore(G, {v: (v, v * v) for v in G}, labels={0: EVIL})._repr_html_()
    (tmp_path / "notebook.html").write_text(f"<!doctype html><meta charset='utf-8'><title>notebook</title>{shown}")
    driver.get((tmp_path / "notebook.html").as_uri())
    driver.switch_to.frame(0)
    assert waited(driver, "return document.documentElement.dataset.painted")
    assert json.loads(driver.execute_script("return JSON.stringify(nelayout.data.names)")) == [EVIL, "1", "2"]
    driver.switch_to.default_content()
    assert driver.title == "notebook"
    assert severe(driver) == []


def test_twenty_thousand_nodes_are_drawn_whole(driver, tmp_path):
    """Every node of the graph is on the canvas, and a node at random is found by the mouse."""
    rng = np.random.default_rng(0)
    n, m = 20_000, 100_000
    G = nx.Graph(list(map(tuple, rng.integers(0, n, (m, 2)))))
    G.add_nodes_from(range(n))
    pos = dict(zip(G, rng.random((n, 2)), strict=True))
    nl.explore(G, pos, tmp_path / "large.html")
    opened(driver, tmp_path / "large.html")
    assert severe(driver) == []
    ink = pixels(driver, 0)[:, :, 3]
    for v in rng.integers(0, n, 30).tolist():
        x, y = driver.execute_script(
            "const p = nelayout.panels[0]; return p.toScreen(arguments[0]).map((v) => Math.floor(v * p.ratio))", v
        )
        assert ink[y, x] > 150
        assert driver.execute_script(
            "const p = nelayout.panels[0], [x, y] = p.toScreen(arguments[0]); return p.nodeAt(x, y)", v
        ) == v


@pytest.fixture
def ball(driver, tmp_path_factory):
    """Two drawings in space of one graph, and one in the plane, on a page of their own."""
    path = tmp_path_factory.mktemp("space") / "ball.html"
    G = nx.random_regular_graph(3, 40, seed=0)
    rng = np.random.default_rng(0)
    drawings = {"one": rng.normal(size=(40, 3)), "two": rng.normal(size=(40, 3)), "flat": rng.normal(size=(40, 2))}
    nl.compare(G, drawings, measures=["stress"]).to_html(path)
    return opened(driver, path)


def turned(driver, panel):
    """The turn (3, 3) of a panel, and its places as they are seen (n, 3): right, up, depth."""
    turn, seen = driver.execute_script(
        "const s = nelayout.panels[arguments[0]].seen; return [s.turn, Array.from(s.xyd)]", panel
    )
    return np.reshape(turn, (3, 3)), np.reshape(seen, (-1, 3))


def far_corner(driver, panel):
    """A place in the window where a drawing in space never has a node, and room to drag from it."""
    x, y = corner(driver, panel)
    return x + 4, y + 4


def test_dragging_turns_drawings_in_space_and_those_that_move_with_them(ball):
    assert severe(ball) == []
    places = np.reshape(ball.execute_script("return Array.from(nelayout.data.drawings[0].xyz)"), (-1, 3))
    (before, seen), (other, _) = turned(ball, 0), turned(ball, 1)
    assert np.allclose(seen[:, :2], places @ before[:2].T, atol=1e-5)
    flat = place(ball, 2, 3)
    painted = pixels(ball, 0)
    x, y = far_corner(ball, 0)
    mouse(ball, (x, y), "down", (x + 40, y), (x + 80, y), "up")
    (after, seen), (other_after, _) = turned(ball, 0), turned(ball, 1)
    step = after @ before.T
    angle = 80 * np.pi / min(ball.execute_script("const p = nelayout.panels[0]; return [p.width, p.height]"))
    about_up = [[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]]
    assert np.allclose(step, about_up, atol=1e-5), "what is in front follows the mouse to the right"
    assert np.allclose(after @ after.T, np.eye(3), atol=1e-6)
    assert np.allclose(other_after @ other.T, step, atol=1e-5), "the other drawing turns likewise"
    assert place(ball, 2, 3) == flat
    assert (pixels(ball, 0) != painted).any()
    towards = places @ after[2]
    order = ball.execute_script("return Array.from(nelayout.panels[0].seen.order)")
    assert (np.diff(towards[order]) > -np.ptp(towards) / 1000).all(), "the nearest nodes are painted last"
    assert np.allclose(np.argsort(seen[:, 2]), np.argsort(-towards))


def test_shift_moves_and_keys_turn_and_fit_turns_back(ball):
    before, _ = turned(ball, 0)
    Keys = pytest.importorskip("selenium.webdriver.common.keys").Keys
    webdriver = pytest.importorskip("selenium.webdriver")
    x, y = far_corner(ball, 0)
    was = place(ball, 0, 5)
    webdriver.ActionChains(ball).key_down(Keys.SHIFT).perform()
    mouse(ball, (x, y), "down", (x + 20, y), (x + 30, y + 10), "up")
    webdriver.ActionChains(ball).key_up(Keys.SHIFT).perform()
    assert np.allclose(turned(ball, 0)[0], before)
    assert place(ball, 0, 5) == pytest.approx([was[0] + 30, was[1] + 10], abs=1)
    ball.execute_script("nelayout.panels[0].upper.focus()")
    for key, axis in (("d", 1), ("s", 0), ("q", 2)):
        first, _ = turned(ball, 0)
        press(ball, key)
        step = turned(ball, 0)[0] @ first.T
        assert np.trace(step) == pytest.approx(1 + 2 * np.cos(np.pi / 18)), "ten degrees"
        assert step[axis, axis] == pytest.approx(1.0)
    press(ball, "0")
    assert np.allclose(turned(ball, 0)[0], before)


def test_hover_and_search_find_nodes_in_space(ball):
    """The mouse finds the front one of the nodes under it, and search brings a node into the panel."""
    _, seen = turned(ball, 0)
    screen = ball.execute_script("const p = nelayout.panels[0]; return p.page.data.names.map((_, i) => p.toScreen(i))")
    radius = ball.execute_script("return nelayout.panels[0].dot / 2")
    for i in range(0, 40, 7):
        under = np.flatnonzero(np.hypot(*(np.array(screen) - screen[i]).T) < radius)
        found = ball.execute_script("return nelayout.panels[0].nodeAt(...arguments[0])", screen[i])
        assert found == under[np.argmin(seen[under, 2])]
    quarter = "[0, 0, 1, 0, 1, 0, -1, 0, 0]"
    ball.execute_script(f"const p = nelayout.panels[0]; p.zoomAt(10, 10, 20); nelayout.turn(p, {quarter})")
    ball.execute_script("nelayout.select([7], false); nelayout.show(7)")
    width, height, (x, y) = ball.execute_script(
        "const p = nelayout.panels[0]; return [p.width, p.height, p.toScreen(7)]"
    )
    assert 0 < x < width
    assert 0 < y < height


def test_what_is_in_the_middle_stays_there_when_it_is_turned(ball):
    ball.execute_script(
        "const p = nelayout.panels[0]; p.view = { x: p.placeOf(9)[0], y: p.placeOf(9)[1], zoom: 4 };"
        "for (let k = 0; k < 5; k++) nelayout.turn(p, [0.8, 0, 0.6, 0, 1, 0, -0.6, 0, 0.8]);"
    )
    width, height, spot = ball.execute_script(
        "const p = nelayout.panels[0]; return [p.width, p.height, p.toScreen(9)]"
    )
    assert spot == pytest.approx([width / 2, height / 2], abs=0.1)


def touch(driver, kind, *points):
    driver.execute_cdp_cmd(
        "Input.dispatchTouchEvent",
        {"type": kind, "touchPoints": [{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(points)]},
    )


def test_two_fingers_zoom_and_move(club):
    """The places under both fingers stay under them."""
    left, top = corner(club, 0)
    a, b = (left + 150, top + 100), (left + 250, top + 160)
    script = (
        "const p = nelayout.panels[0], b = p.upper.getBoundingClientRect();"
        "return [(arguments[0] - b.left - p.width / 2) / p.scale + p.view.x,"
        " (p.height / 2 - arguments[1] + b.top) / p.scale + p.view.y]"
    )
    held = [club.execute_script(script, *finger) for finger in (a, b)]
    middle = (a[0] + b[0]) / 2, (a[1] + b[1]) / 2
    wide = [(30 + middle[0] + 1.5 * (x - middle[0]), 10 + middle[1] + 1.5 * (y - middle[1])) for x, y in (a, b)]
    touch(club, "touchStart", a)
    touch(club, "touchStart", a, b)
    touch(club, "touchMove", wide[0], b)
    touch(club, "touchMove", *wide)
    waited(club, "return nelayout.panels[0].view.zoom > 1.45")  # moves are told once a frame
    assert [club.execute_script(script, *finger) for finger in wide] == [pytest.approx(spot, abs=0.02) for spot in held]
    assert club.execute_script("return nelayout.panels[0].view.zoom") == pytest.approx(1.5, abs=0.02)
    touch(club, "touchEnd")
    assert selected(club) == set()
    club.execute_script("nelayout.fitAll()")


def test_the_page_is_dark_where_the_system_is_and_by_its_button(driver, folder):
    def scheme(value):
        driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": value}]}
        )
        waited(driver, f"return matchMedia('(prefers-color-scheme: {value})').matches")
        pixels(driver, 0)  # two frames later the page was told

    def luminance(selector):
        """Of a background from 0 to 1."""
        color = driver.execute_script(
            "return getComputedStyle(document.querySelector(arguments[0])).backgroundColor", selector
        )
        return np.mean([int(part) for part in color.removeprefix("rgb(").rstrip(")").split(",")]) / 255

    try:
        opened(driver, folder / "club.html")
        scheme("dark")
        opened(driver, folder / "club.html")
        for selector in ("body", "figure", "aside", "#bar", "select", "#below table"):
            assert luminance(selector) < 0.15, selector
        assert driver.execute_script("return Array.from(nelayout.rgb[0].slice(0, 3))") == [0x56, 0xB4, 0xE9]
        assert np.abs(at(driver, 0, 0)[2, 2, :3] - [0x56, 0xB4, 0xE9]).max() <= 3
        assert driver.execute_script("return document.getElementById('theme').getAttribute('aria-pressed')") == "true"
        scheme("light")
        assert luminance("figure") == 1.0, "the page follows the system"
        driver.execute_script("document.getElementById('theme').click()")
        assert luminance("figure") < 0.15
        scheme("dark")
        driver.execute_script("document.getElementById('theme').click()")
        scheme("light")
        assert luminance("figure") == 1.0
        driver.execute_script("document.getElementById('theme').click()")
        scheme("dark")
        scheme("light")
        assert luminance("figure") < 0.15, "the button wins over the system"
        assert severe(driver) == []
    finally:
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_without_webgl_a_drawing_in_space_turns_too(tmp_path):
    G = nx.cubical_graph()
    nl.explore(G, nl.layout(G, dim=3, seed=0), tmp_path / "cube.html")
    driver = browser("--disable-3d-apis")
    try:
        opened(driver, tmp_path / "cube.html")
        assert driver.execute_script("return nelayout.painter.constructor.name") == "PlainPainter"
        front = driver.execute_script("return nelayout.panels[0].seen.order.at(-1)")
        usual = driver.execute_script("return Array.from(nelayout.rgb[0]).slice(3 * arguments[0])", front)[:3]
        assert np.abs(at(driver, 0, front)[2, 2, :3] - usual).max() <= 8
        before = pixels(driver, 0)
        x, y = far_corner(driver, 0)
        mouse(driver, (x, y), "down", (x + 40, y + 20), (x + 80, y + 40), "up")
        assert (pixels(driver, 0) != before).any()
        assert severe(driver) == []
    finally:
        driver.quit()
def film(driver, folder):
    snapshots = [nx.path_graph(4), nx.cycle_graph(7), nx.cycle_graph(7).subgraph([0, 1, 6])]
    nl.layout_sequence(snapshots, "ws-sne", seed=0).to_html(folder / "film.html")
    opened(driver, folder / "film.html")
    return lambda: driver.find_element("css selector", "#film output").text


def shares(driver):
    return driver.execute_script("return Array.from(window.nelayout.film.shares)")


def test_a_film_opens_at_its_end_and_is_played_by_keys(driver, folder):
    Keys = pytest.importorskip("selenium.webdriver.common.keys").Keys
    said = film(driver, folder)
    assert said() == "snapshot 3 of 3: 3 nodes, 2 edges"
    assert sum(shares(driver)) == 3
    slider = driver.find_element("id", "time")
    slider.send_keys(Keys.ARROW_LEFT)
    waited(driver, "return window.nelayout.film.at === 1")
    assert said() == slider.get_attribute("aria-valuetext") == "snapshot 2 of 3: 7 nodes, 7 edges"
    assert shares(driver) == [1] * 7
    slider.send_keys(Keys.HOME)
    waited(driver, "return window.nelayout.film.at === 0")
    assert sum(shares(driver)) == 4
    button = driver.find_element("css selector", "#film button")
    driver.execute_script(
        "const { film } = window.nelayout, { show } = film; window.times = [];"
        "film.show = (time) => { window.times.push(time); show.call(film, time); };"
    )
    button.send_keys(Keys.ENTER)
    assert button.text == "Pause"
    waited(driver, "return window.nelayout.film.at === 2 && !window.nelayout.film.playing")
    assert button.text == "Play"
    times = driver.execute_script("return window.times")
    assert times == sorted(times)
    assert {0, 1, 2} <= set(times)
    driver.execute_script("window.nelayout.film.show(0.5)")
    assert any(0 < share < 1 for share in shares(driver))  # new nodes fade in
    assert not [entry for entry in driver.get_log("browser") if entry["level"] == "SEVERE"]


def test_a_search_goes_to_the_time_at_which_the_node_is_there(driver, folder):
    said = film(driver, folder)
    driver.find_element("id", "search").send_keys("4\n")
    waited(driver, "return window.nelayout.film.at === 1")
    assert said() == "snapshot 2 of 3: 7 nodes, 7 edges"
    assert "2 neighbors" in driver.find_element("id", "details").text
