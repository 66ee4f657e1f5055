// The marks of the seats in view, once they are large enough to be read: letter, wheelchair, tick, hatching. Each is
// an element of its own, a checkbox for those who hear the page. Seats out of view have none.

import { letter, square, svg, tick, wheelchair } from "./svg.js";

export const READABLE = 15; // pixels from seat to seat from which on letters can be read
const MOST = 1800; // marks at once; on a window so large the plain squares must do

export function openMarks(hall, { seats, grid, camera, words }) {
  const layer = svg("g", { class: "marks" });
  const marks = new Map();
  const kept = new Set();

  function look(seat) {
    const state = seats.stateOf(seat);
    return `#seat-${state === "free" ? `of-${hall.tierOf[seat]}` : state === "blocked" ? "sold" : state}`;
  }

  function draw(seat, mark) {
    const state = seats.stateOf(seat);
    mark.setAttribute("href", look(seat));
    mark.setAttribute("aria-label", words.sentence(seat, state));
    mark.setAttribute("aria-checked", String(state === "chosen"));
    if (state === "free" || state === "chosen") mark.removeAttribute("aria-disabled");
    else mark.setAttribute("aria-disabled", "true");
  }

  function make(seat) {
    const mark = svg("use", {
      x: hall.x[seat],
      y: hall.y[seat],
      role: "checkbox",
      tabindex: -1,
      "data-seat": hall.id[seat],
      "data-tier-index": hall.tierOf[seat],
    });
    draw(seat, mark);
    marks.set(seat, mark);
    return mark;
  }

  function inView() {
    if (camera.pitch() < READABLE) return new Set();
    const [left, top] = camera.placeAt(-20, -20);
    const [right, bottom] = camera.placeAt(camera.view.width + 20, camera.view.height + 20);
    const found = new Set(grid.inside(left, top, right, bottom));
    return found.size > MOST ? new Set() : found;
  }

  function update() {
    const wanted = inView();
    kept.forEach((seat) => wanted.add(seat));
    for (const [seat, mark] of marks) {
      if (wanted.has(seat)) continue;
      mark.remove();
      marks.delete(seat);
    }
    const fresh = document.createDocumentFragment();
    // In the order of the plan, for those who hear them one after another.
    for (const seat of [...wanted].sort((a, b) => a - b)) if (!marks.has(seat)) fresh.append(make(seat));
    layer.append(fresh);
  }

  return {
    layer,
    symbols: symbolsOf(hall),
    update,
    markOf(seat) {
      if (!marks.has(seat)) layer.append(make(seat));
      return marks.get(seat);
    },
    // This seat alone keeps its mark wherever one looks: it has the keyboard's focus.
    keep(seat) {
      kept.clear();
      kept.add(seat);
    },
    redraw(changed) {
      for (const seat of changed) if (marks.has(seat)) draw(seat, marks.get(seat));
    },
  };
}

function symbolsOf(hall) {
  const free = hall.tiers.map((tier, index) => {
    const sign = tier.wheelchair ? wheelchair : letter;
    const shape = square(`seat-shape tier-${tier.color}`);
    return svg("g", { id: `seat-of-${index}` }, shape, sign(`letter-${tier.color}`, tier.letter));
  });
  return [
    ...free,
    svg("g", { id: "seat-chosen" }, square("seat-shape seat-chosen"), tick("")),
    svg("g", { id: "seat-own" }, square("seat-shape seat-own"), tick("own")),
    svg("g", { id: "seat-held" }, square("seat-shape seat-held")),
    svg("g", { id: "seat-sold" }, square("seat-shape seat-sold")),
  ];
}
