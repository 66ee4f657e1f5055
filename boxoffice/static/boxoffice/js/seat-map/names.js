// Names of zones and rows. Zones are named over their seats as long as one looks from afar, and above them from near
// by, where the rows have their names at both ends. Where that place is out of the window, the name stands at the edge
// of what is seen of the zone.

import { PITCH } from "./hall.js";
import { READABLE } from "./marks.js";
import { svg } from "./svg.js";

const LETTERS = 12.5; // pixels
const WIDE = 0.58; // of a letter, on average
const BESIDE = 19; // from the middle of a row's last seat to the row's name
const ABOVE = PITCH; // from the middle of a zone's first row to the zone's name
const OVER_NAMES = 1.4 * PITCH; // likewise, where the rows run downwards and their own names stand there
const FROM_AFAR = 10; // pixels from seat to seat, below which a name may cover seats
const INSIDE = 8; // pixels from the window's edge to a name that stands there

export function openNames(hall, camera) {
  const zones = svg("g", { class: "zone-names", "aria-hidden": "true" });
  const rows = svg("g", { class: "row-names", "aria-hidden": "true" });
  const named = hall.zones.filter((zone) => !zone.standing && zone.name);
  const labels = (hall.zones.length > 1 ? named : []).map((zone) => ({ zone, text: zones.appendChild(label(zone)) }));
  let shown = new Set();

  function update() {
    const { scale } = camera.now;
    const size = LETTERS / scale;
    zones.setAttribute("font-size", size);
    for (const { zone, text } of labels) {
      const { left, right, top, bottom } = zone.box;
      const fits = (right - left + 2 * PITCH) * scale > zone.name.length * LETTERS * WIDE;
      const over = camera.pitch() < FROM_AFAR;
      text.toggleAttribute("hidden", over && !fits);
      const half = (zone.name.length * size * WIDE) / 2;
      // Not beyond the hall's edge, where it would be cut off.
      const x = Math.min(Math.max((left + right) / 2, half), Math.max(hall.size[0] - half, half));
      const away = runsDown(hall, zone) ? OVER_NAMES : ABOVE;
      const y = over ? (top + bottom) / 2 + size / 3 : top - away;
      const place = (!over && placeInView(zone.box, { x, y, half, size, away })) || [x, y];
      text.setAttribute("x", place[0]);
      text.setAttribute("y", place[1]);
    }
    nameRows();
  }

  // Where the name of a zone stands whose own place for it is out of the window: at the left or right of what is seen
  // of the zone, below its last row or at the window's lower edge, since the stage's sign is mostly at the upper one.
  // Nothing where too little of the zone is seen.
  function placeInView(box, { x, y, half, size, away }) {
    const inside = INSIDE / camera.now.scale;
    const [viewLeft, viewTop] = camera.placeAt(0, 0);
    const [viewRight, viewBottom] = camera.placeAt(camera.view.width, camera.view.height);
    const left = Math.max(box.left - PITCH / 2, viewLeft + inside) + half;
    const right = Math.min(box.right + PITCH / 2, viewRight - inside) - half;
    const upper = viewTop + inside + size;
    const lower = viewBottom - inside;
    if (left > right || box.bottom < upper || box.top > lower) return null;
    const below = Math.min(box.bottom + away + size / 2, lower);
    return [Math.min(Math.max(x, left), right), y < upper ? below : Math.min(y, lower)];
  }

  function nameRows() {
    const wanted = new Set(camera.pitch() < READABLE ? [] : hall.rows.filter(isInView));
    if (wanted.size === shown.size && [...wanted].every((row) => shown.has(row))) return;
    rows.replaceChildren(...[...wanted].flatMap((row) => namesOf(hall, row)));
    shown = wanted;
  }

  function isInView(row) {
    if (!row.name || hall.zones[row.zone].standing) return false;
    return [row.first, row.end - 1].some((seat) => {
      const [left, top] = camera.pixelAt(hall.x[seat], hall.y[seat]);
      return left > -60 && top > -60 && left < camera.view.width + 60 && top < camera.view.height + 60;
    });
  }

  return { zones, rows, update };
}

const label = ({ name }) => svg("text", { class: "zone-name" }, name);

function namesOf(hall, { name, first, end }) {
  const last = end - 1;
  const [dx, dy] = direction(hall, first, last);
  const at = (seat, way) => ({ x: hall.x[seat] + way * dx * BESIDE, y: hall.y[seat] + way * dy * BESIDE + 4 });
  return [at(first, -1), at(last, 1)].map((place) => svg("text", { class: "row-name", ...place }, name));
}

function runsDown(hall, { rows: [row] }) {
  const [dx, dy] = direction(hall, row.first, row.end - 1);
  return Math.abs(dy) > Math.abs(dx);
}

function direction({ x, y }, first, last) {
  const length = Math.hypot(x[last] - x[first], y[last] - y[first]);
  return length ? [(x[last] - x[first]) / length, (y[last] - y[first]) / length] : [1, 0];
}
