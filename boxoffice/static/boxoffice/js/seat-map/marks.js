// The marks of the seats in view, once they are large enough to be read: letter, wheelchair, tick, hatching. Each is
// an element of its own, a checkbox for those who hear the page. Seats out of view have none. From nearer by those that
// can be had have their number too, and the letter makes room for it.

import { letter, square, svg, tick, wheelchair } from "./svg.js";

export const READABLE = 15; // pixels from seat to seat from which on letters can be read
export const NUMBERED = 30; // pixels from seat to seat from which on there is room for the number
const MOST = 1800; // marks at once; on a window so large the plain squares must do

export function openMarks(hall, { seats, grid, camera, words }) {
  const layer = svg("g", { class: "marks" });
  const numbers = svg("g", { class: "seat-numbers", "aria-hidden": "true" });
  const marks = new Map();
  const numbered = new Map();
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

  function makeNumber(seat) {
    const place = { x: hall.x[seat], y: hall.y[seat] + 5, "data-tier-index": hall.tierOf[seat] };
    const { length } = hall.number[seat];
    const looks = `seat-number letter-${words.tierOf(seat).color}${length > 2 ? " long" : ""}`;
    const number = svg("text", { ...place, class: looks }, hall.number[seat]);
    numbered.set(seat, number);
    return number;
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
    dropBut(wanted, marks);
    const fresh = document.createDocumentFragment();
    // In the order of the plan, for those who hear them one after another.
    for (const seat of [...wanted].sort((a, b) => a - b)) if (!marks.has(seat)) fresh.append(make(seat));
    layer.append(fresh);
    updateNumbers();
  }

  // A wheelchair says more than a number, and so does a tick; what is taken needs none.
  function updateNumbers() {
    const bears = (seat) => seats.stateOf(seat) === "free" && !words.tierOf(seat).wheelchair;
    const wanted = new Set(camera.pitch() < NUMBERED ? [] : [...marks.keys()].filter(bears));
    dropBut(wanted, numbered);
    numbers.append(...[...wanted].filter((seat) => !numbered.has(seat)).map(makeNumber));
  }

  return {
    layer,
    numbers,
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
      updateNumbers();
    },
  };
}

function dropBut(wanted, drawn) {
  for (const [seat, element] of drawn) {
    if (wanted.has(seat)) continue;
    element.remove();
    drawn.delete(seat);
  }
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
