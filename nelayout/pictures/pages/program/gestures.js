// What mouse, fingers and keys do in a panel.

const TURN = Math.PI; // radians by which a drag across the shorter side of a panel turns a drawing in space
const KEY_TURN = Math.PI / 18; // radians of one key
// Keys that turn a drawing in space: angles about the axes to the right, upwards and towards the reader.
const TURNS = { w: [-1, 0, 0], s: [1, 0, 0], a: [0, -1, 0], d: [0, 1, 0], q: [0, 0, 1], e: [0, 0, -1] };
const STEPS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

// The middle of two fingers, and how far apart they are.
function spread(fingers) {
  const [[ax, ay], [bx, by]] = fingers.values();
  return { x: (ax + bx) / 2, y: (ay + by) / 2, apart: Math.max(1, Math.hypot(ax - bx, ay - by)) };
}

// What a drag does: Shift and the right button move a drawing in space; Shift draws a box in one that is moved anyway.
function dragOf(panel, event) {
  const { tool } = panel.page;
  if (event.button === 2 || (tool === "turn" && (event.shiftKey || !panel.seen))) return "move";
  return event.shiftKey && tool === "move" ? "box" : tool;
}

function listenTo(panel) {
  const { page, upper } = panel;
  const at = (event) => {
    const box = upper.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const fingers = new Map(); // places of the buttons and fingers that are down
  let [from, last, moved, drag, pinch, held] = [null, null, false, "", null, -1]; // `held`: the node that is dragged
  const letGo = () => {
    if (drag === "drag" && moved && from) page.drag(held, ...panel.placeOf(held), true);
  };
  upper.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 && !(event.button === 2 && panel.seen)) return;
    upper.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, at(event));
    if (fingers.size === 2) {
      letGo();
      from = panel.drawn = null;
      pinch = spread(fingers);
      page.setHover(-1, panel);
    }
    if (fingers.size > 1) return;
    [from, last, moved, drag] = [at(event), at(event), false, dragOf(panel, event)];
    panel.start = { ...panel.view };
    held = drag === "drag" ? panel.nodeAt(...from) : -1;
    if (held < 0 && drag === "drag") drag = "move";
    if (held >= 0) panel.grip = panel.placeOf(held);
  });
  upper.addEventListener("pointermove", (event) => {
    const [x, y] = at(event);
    if (fingers.has(event.pointerId)) fingers.set(event.pointerId, [x, y]);
    if (pinch) {
      if (fingers.size !== 2) return undefined;
      const now = spread(fingers);
      panel.zoomAt(pinch.x, pinch.y, now.apart / pinch.apart);
      panel.move({ x: panel.view.x - (now.x - pinch.x) / panel.scale, y: panel.view.y + (now.y - pinch.y) / panel.scale });
      pinch = now;
      return undefined;
    }
    if (!from) return page.setHover(panel.nodeAt(x, y), panel, event);
    moved ||= Math.hypot(x - from[0], y - from[1]) > 4;
    if (!moved) return undefined;
    if (drag === "turn") {
      const each = TURN / Math.min(panel.width, panel.height);
      page.turn(panel, turnBy((y - last[1]) * each, (x - last[0]) * each, 0));
    } else if (drag === "move") panel.move({ x: panel.start.x - (x - from[0]) / panel.scale, y: panel.start.y + (y - from[1]) / panel.scale });
    else if (drag === "drag") page.drag(held, panel.grip[0] + (x - from[0]) / panel.scale, panel.grip[1] - (y - from[1]) / panel.scale, false);
    else if (drag === "box") panel.drawn = [from, [x, from[1]], [x, y], [from[0], y]];
    else (panel.drawn ||= [from]).push([x, y]);
    last = [x, y];
    return panel.drawOver();
  });
  upper.addEventListener("pointerup", (event) => {
    fingers.delete(event.pointerId);
    if (!fingers.size) pinch = null;
    if (!from) return;
    letGo();
    if (panel.drawn) page.select(panel.nodesWithin(panel.drawn), event.shiftKey && page.tool !== "move");
    else if (!moved && event.button === 0) {
      const node = panel.nodeAt(...at(event));
      if (drag === "drag" && page.pinned.has(node)) page.setPinned([...page.pinned].filter((other) => other !== node));
      else page.select(node < 0 ? [] : [node], event.shiftKey);
    }
    from = panel.drawn = null;
    panel.drawOver();
  });
  upper.addEventListener("pointercancel", (event) => {
    fingers.delete(event.pointerId);
    if (!fingers.size) pinch = null;
    letGo();
    from = panel.drawn = null;
  });
  upper.addEventListener("contextmenu", (event) => { if (panel.seen) event.preventDefault(); });
  upper.addEventListener("pointerleave", () => page.setHover(-1, panel));
  upper.addEventListener("dblclick", (event) => panel.zoomAt(...at(event), 2));
  upper.addEventListener("wheel", (event) => {
    event.preventDefault();
    panel.zoomAt(...at(event), Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)));
  }, { passive: false });
  upper.addEventListener("focus", () => (page.active = panel));
  upper.addEventListener("keydown", (event) => pressed(panel, event));
}

function pressed(panel, event) {
  const { page } = panel;
  const [step, turn] = [STEPS[event.key], panel.seen && TURNS[event.key.toLowerCase()]];
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (turn) page.turn(panel, turnBy(...turn.map((share) => share * KEY_TURN)));
  else if (step && event.shiftKey) panel.move({ x: panel.view.x + (0.15 * step[0] * panel.width) / panel.scale, y: panel.view.y + (0.15 * step[1] * panel.height) / panel.scale });
  else if (step) {
    const node = page.hover < 0 ? (page.data.order.at(-1) ?? -1) : panel.nodeBeside(page.hover, step);
    if (node >= 0) {
      panel.bringIntoSight(node);
      page.setHover(node, panel);
      page.say(page.described(node, panel.index));
    }
  } else if (event.key === "+" || event.key === "=") panel.zoomAt(panel.width / 2, panel.height / 2, 1.4);
  else if (event.key === "-") panel.zoomAt(panel.width / 2, panel.height / 2, 1 / 1.4);
  else if (event.key === "0") page.fitAll();
  else if (event.key === "Enter" || event.key === " ") page.select(page.hover < 0 ? [] : [page.hover], event.shiftKey);
  else if (event.key === "Escape") page.select([], false);
  else return;
  event.preventDefault();
}
