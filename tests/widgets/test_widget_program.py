"""The program of widgets under Node.js: a page and a model of which either tells the other what has changed."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from nelayout.pictures.pages import widget_program

WORLD = Path(__file__).with_name("world.js").read_text("utf-8")


def said(script, tmp_path):
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node on the PATH")
    (tmp_path / "program.mjs").write_text(f"{widget_program()}\n{WORLD}\n{script}", "utf-8")
    run = subprocess.run([node, str(tmp_path / "program.mjs")], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return [json.loads(line) for line in run.stdout.splitlines()]


def test_what_python_sets_is_shown_and_not_told_back(tmp_path):
    script = """
    python("selection", rows(1, 3));
    python("hidden", ["even"]);
    say([[...page.selected], [...page.hidden], [...page.levels]]);
    say(painted.edges);
    python("sizes", new DataView(new Float32Array([1, 2, 3, 4]).buffer));
    const values = { type: "f8", data: new Float64Array([0, 1, 0, 1]) };
    python("colors", { name: "own", kind: "numbers", low: 0, high: 1, log: false, unit: "", values });
    say([page.color, [...data.sizes], [...page.hidden], [...data.choices.keys()]]);
    python("camera", { x: 1, y: 2, zoom: 3 });
    await wait(150);
    say([page.panels[0].view, told]);
    """
    shown, edges, colored, (view, told) = said(script, tmp_path)
    assert shown == [[1, 3], ["even"], [3, 2, 3, 2]]
    assert edges == [1, 1, 2, 2, 3, 3], "edges of hidden nodes are points"
    assert colored == ["own", [1, 2, 3, 4], [], ["own", "kind"]]
    assert view == {"x": 1, "y": 2, "zoom": 3}
    assert told == ["hidden", "saved"], "other colors show all classes"


def test_what_the_reader_does_is_told_once(tmp_path):
    script = """
    page.select([3, 0], false);
    say([[...new Uint32Array(state.selection.buffer)], told.splice(0)]);
    page.hide(["odd"]);
    say([state.hidden, told.splice(0)]);
    page.search(2);
    say([state.searched, [...new Uint32Array(state.selection.buffer)], told.splice(0)]);
    for (let zoom = 2; zoom < 9; zoom++) {
      page.panels[0].view = { x: 0, y: 0, zoom };
      page.repaint(true);
      await wait(2);
    }
    await wait(200);
    say([state.camera, told.splice(0)]);
    for (const x of [5, 6, 7]) page.drag(1, x, 0.5, false);
    page.drag(1, 8, 0.5, true);
    say([[...page.panels[0].xy].slice(2, 4), [...new Uint32Array(state.pinned.buffer)], told.splice(0)]);
    await wait(200);
    say(told);
    page.stop();
    say(Object.keys(heard));
    """
    selection, hidden, searched, camera, dragged, after, listeners = said(script, tmp_path)
    assert selection == [[0, 3], ["selection", "saved"]]
    assert hidden == [["odd"], ["hidden", "saved"]]
    assert searched == [2, [2], ["selection", "saved", "searched", "saved"]]
    assert camera[0] == {"x": 0, "y": 0, "zoom": 8}
    assert 2 <= len(camera[1]) <= 6, "moves are told in pauses"
    place, pinned, told = dragged
    assert (place, pinned) == ([8, 0.5], [1])
    assert told == [{"kind": "dragged", "node": 1, "x": 8, "y": 0.5, "done": True}, "pinned", "saved"]
    assert after == []
    assert listeners == [], "a widget that is closed hears nothing"


def test_a_pause_keeps_what_is_shown_until_it_ends(tmp_path):
    script = """
    const at = (x) => new DataView(new Float32Array([x, x, x, x, x, x, x, x]).buffer);
    python("positions", at(1));
    python("paused", true);
    python("positions", at(2));
    python("positions", at(3));
    say(painted.xy[0]);
    python("paused", false);
    say(painted.xy[0]);
    """
    assert said(script, tmp_path) == [1, 3]
