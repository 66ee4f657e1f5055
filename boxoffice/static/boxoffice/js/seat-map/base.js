// All seats at once, in as few shapes as there are zones, tiers and states: one path of small squares for each. What is
// out of view costs nothing, and a seat that changes redraws the two paths that it leaves and enters.

import { svg } from "./svg.js";

const HALF = 8.5; // a little less than the marks that lie over them when one comes closer

export function drawBase(hall, seats) {
  const layer = svg("g", { class: "base" });
  const groups = hall.zones.map(() => layer.appendChild(svg("g")));
  const paths = new Map();

  const lookOf = (seat) => {
    const state = seats.stateOf(seat);
    return state === "free" || state === "chosen" ? `of-${hall.tiers[hall.tierOf[seat]].color}` : state;
  };
  const keyOf = (seat) => `${hall.zoneOf[seat]} ${hall.tierOf[seat]} ${lookOf(seat)}`;
  const drawn = new Array(hall.count);

  function pathFor(key) {
    let path = paths.get(key);
    if (!path) {
      const [zone, tier, look] = key.split(" ");
      path = { element: svg("path", { class: look, "data-tier-index": tier }), seats: new Set() };
      groups[zone].append(path.element);
      paths.set(key, path);
    }
    return path;
  }

  function put(seat, stale) {
    const key = keyOf(seat);
    if (drawn[seat] === key) return;
    if (drawn[seat]) {
      pathFor(drawn[seat]).seats.delete(seat);
      stale.add(drawn[seat]);
    }
    drawn[seat] = key;
    pathFor(key).seats.add(seat);
    stale.add(key);
  }

  function redraw(changed) {
    const stale = new Set();
    for (const seat of changed) if (!Number.isNaN(hall.x[seat])) put(seat, stale);
    for (const key of stale) {
      const { element, seats: members } = pathFor(key);
      let line = "";
      for (const seat of members)
        line += `M${hall.x[seat] - HALF} ${hall.y[seat] - HALF}h${2 * HALF}v${2 * HALF}h${-2 * HALF}z`;
      element.setAttribute("d", line);
    }
  }

  redraw(hall.id.keys());
  return { layer, redraw };
}
