// The map: draws the hall, moves over it, and turns what is pressed on it into choices. The seats themselves are kept
// in seat-map/seats.js; nothing here says what is chosen.

import { drawBase } from "./seat-map/base.js";
import { openCamera } from "./seat-map/camera.js";
import { openCursor } from "./seat-map/cursor.js";
import { followGestures } from "./seat-map/gestures.js";
import { layGrid } from "./seat-map/grid.js";
import { drawDecoration, drawStage, drawStanding } from "./seat-map/ground.js";
import { NUMBERED, openMarks, READABLE } from "./seat-map/marks.js";
import { openNames } from "./seat-map/names.js";
import { openPins } from "./seat-map/pins.js";
import { openStageSign } from "./seat-map/stage-sign.js";
import { svg } from "./seat-map/svg.js";
import { openTip } from "./seat-map/tip.js";

const FINGER = 24; // pixels from seat to seat that a finger can tell apart
const MOUSE = 9; // and a mouse
const REACH = 16; // in the map's units: how far from a seat's middle one may press and still mean it
const SOON = 70; // milliseconds without a move, after which what is in view gets its marks
const LATEST = 160; // milliseconds of moving after which it gets them all the same
const LARGER = 1.6;

export function drawMap(hall, { seats, words, toggle, count, leave }) {
  const map = document.getElementById("map");
  const frame = document.getElementById("map-frame");
  document.getElementById("stage-above").hidden = Boolean(hall.stage);
  const camera = openCamera(map, hall);
  const grid = layGrid(hall);
  const base = drawBase(hall, seats);
  const marks = openMarks(hall, { seats, grid, camera, words });
  const pins = openPins(hall, seats, camera);
  const names = openNames(hall, camera);
  const tip = openTip(document.getElementById("tip"), camera);
  const standing = drawStanding(hall, { free: seats.free, words, choose: count });
  const stageSign = openStageSign(document.getElementById("stage-sign"), hall, camera);
  const ring = svg("rect", { class: "seat-ring", x: -13, y: -13, width: 26, height: 26, rx: 6, hidden: "" });
  const stage = drawStage(hall, words.stage);
  const ground = svg("g", { "aria-hidden": "true" }, ...drawDecoration(hall), ...stage.elements);
  const layers = [base.layer, marks.layer, marks.numbers, names.rows, names.zones, pins.layer, ring];
  const world = svg("g", {}, ground, ...standing.elements, ...layers);
  base.layer.setAttribute("aria-hidden", "true");
  map.replaceChildren(svg("defs", {}, ...marks.symbols), world);

  let told = -1; // the seat that the small sign speaks of
  function say(seat) {
    told = seat;
    if (seat < 0) tip.hide();
    else tip.show(hall.x[seat], hall.y[seat], words.sentence(seat, seats.stateOf(seat)));
  }
  const cursor = openCursor(hall, { svg: map, ring, camera, marks, seats, toggle, say, leave });

  const reach = () => Math.max(REACH, 10 / camera.now.scale);
  const seatAt = (spot, within) => grid.nearest(...camera.placeAt(...spot), within);

  followGestures(map, camera, ({ target, spot, touch }) => {
    const area = standing.zoneOf(target);
    if (area) return count(area);
    const heard = hall.indexOf.get(Number(target.dataset?.seat));
    const seat = heard ?? seatAt(spot, reach());
    // Where a finger or a mouse cannot tell one seat from the next, the first press brings them closer.
    const tooSmall = camera.pitch() < (touch ? FINGER : MOUSE) && !camera.isClosest();
    if (tooSmall) return camera.closeTo(...camera.placeAt(...spot));
    if (seat < 0) return;
    cursor.moveTo(seat);
    toggle(seat);
    say(seat);
  });

  map.addEventListener("pointermove", (event) => {
    if (event.pointerType === "touch" || map.classList.contains("dragged")) return;
    const box = map.getBoundingClientRect();
    const seat = seatAt([event.clientX - box.left, event.clientY - box.top], reach());
    map.classList.toggle("on-seat", seat >= 0);
    say(seat);
  });
  map.addEventListener("pointerleave", () => say(cursor.seat()));

  // Let one tier stand out, or with null none.
  let standsOut = null;
  function highlight(tier) {
    standsOut = tier;
    for (const element of map.querySelectorAll("[data-tier-index]"))
      element.classList.toggle("aside", tier !== null && element.dataset.tierIndex !== String(tier));
  }

  let pending = 0;
  let since = 0;
  function settle() {
    pending = 0;
    map.classList.toggle("far", camera.pitch() < READABLE);
    map.classList.toggle("near", camera.pitch() >= NUMBERED);
    // Whether a finger chooses at once is told of the whole hall, so that the hint stays as it is on the way.
    if (camera.isWhole()) frame.classList.toggle("small", camera.pitch() >= FINGER || camera.isClosest());
    base.layer.setAttribute("stroke-width", Math.min(0.8 / camera.now.scale, 5));
    marks.update();
    names.update();
    stage.update(camera.now.scale);
    standing.update(camera.now.scale);
    if (standsOut !== null) highlight(standsOut);
  }

  function follow() {
    const { x, y, scale } = camera.now;
    const { width, height } = camera.view;
    world.setAttribute("transform", `translate(${width / 2 - x * scale} ${height / 2 - y * scale}) scale(${scale})`);
    pins.update();
    cursor.update();
    if (!map.classList.contains("on-seat")) say(cursor.seat());
    map.classList.toggle("whole", camera.isWhole());
    document.getElementById("zoom-in").disabled = camera.isClosest();
    for (const id of ["zoom-out", "zoom-whole"]) document.getElementById(id).disabled = camera.isWhole();
    stageSign.update();
    const now = performance.now();
    if (!pending) since = now;
    clearTimeout(pending);
    pending = setTimeout(settle, now - since > LATEST ? 0 : SOON);
  }

  seats.watch((changed) => {
    base.redraw(changed);
    marks.redraw(changed);
    pins.redraw(changed);
    standing.update(camera.now.scale);
    if (changed.includes(told)) say(told);
    if (standsOut !== null) highlight(standsOut);
  });
  document.getElementById("zoom-in").addEventListener("click", () => camera.glideBy(LARGER));
  document.getElementById("zoom-out").addEventListener("click", () => camera.glideBy(1 / LARGER));
  document.getElementById("zoom-whole").addEventListener("click", () => camera.showAll());
  camera.watch(follow);
  follow();
  settle();
  map.removeAttribute("aria-hidden");
  map.setAttribute("role", "group");

  return {
    highlight,
    show: (seat) => camera.closeTo(hall.x[seat], hall.y[seat]),
  };
}
