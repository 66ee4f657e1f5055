// The fan's own seats, chosen and held, always large enough to be seen.

import { svg } from "./svg.js";

const LEAST = 15; // pixels
const SIDE = 20; // of a mark, in the map's units

export function openPins(hall, seats, camera) {
  const layer = svg("g", { class: "pins", "aria-hidden": "true" });
  const pins = new Map();

  function scale(seat, pin) {
    const size = Math.max(1, LEAST / (SIDE * camera.now.scale));
    pin.setAttribute("transform", `translate(${hall.x[seat]} ${hall.y[seat]}) scale(${size})`);
  }

  return {
    layer,
    update: () => pins.forEach((pin, seat) => scale(seat, pin)),
    redraw(changed) {
      for (const seat of changed) {
        const state = seats.stateOf(seat);
        pins.get(seat)?.remove();
        pins.delete(seat);
        if ((state !== "chosen" && state !== "own") || Number.isNaN(hall.x[seat])) continue;
        const pin = layer.appendChild(svg("use", { href: `#seat-${state}` }));
        pins.set(seat, pin);
        scale(seat, pin);
      }
    },
  };
}
