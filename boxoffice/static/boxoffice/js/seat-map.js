// The map: each drawn seat stands for one checkbox. One tab stop for the whole hall; arrow keys move through it.

import { connectZoom } from "./seat-map-zoom.js";

const REACH = 20; // in the map's units: how far beside a seat a tap may land and still mean it
const ASIDE = 2.5; // how much a step to the side weighs against a step ahead when an arrow key looks for a seat
const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export function connectMap({ boxes, describe, toggle }) {
  const map = document.getElementById("map");
  const ring = document.getElementById("ring");
  const said = document.getElementById("said");
  const hint = document.getElementById("said-hint");
  const boxOf = new Map(boxes.map((box) => [box.value, box]));
  const seats = [...map.querySelectorAll("[data-seat]")].map((mark) => ({
    mark,
    x: Number(mark.getAttribute("x")),
    y: Number(mark.getAttribute("y")),
    box: boxOf.get(mark.dataset.seat),
  }));
  const seatOf = new Map(seats.map((seat) => [seat.mark, seat]));
  const seatOfBox = new Map(seats.map((seat) => [seat.box, seat]));
  const zoom = connectZoom(map);
  let current = seats.find((seat) => !seat.box.disabled) ?? seats[0];

  function draw(box) {
    const { mark } = seatOfBox.get(box);
    mark.setAttribute("aria-checked", String(box.checked));
    mark.setAttribute("href", box.checked ? "#chosen" : `#tier-${box.dataset.of}`);
  }

  function say(seat) {
    said.textContent = seat ? sentence(seat) : "";
    hint.hidden = Boolean(seat);
  }

  function sentence({ box }) {
    const state = box.parentElement.querySelector(".unseen")?.textContent.trim();
    return state ? `${box.dataset.label} · ${state}` : describe(box);
  }

  function nearest(x, y) {
    let best = null;
    let closest = REACH;
    for (const seat of seats) {
      const distance = Math.hypot(seat.x - x, seat.y - y);
      if (distance < closest) [best, closest] = [seat, distance];
    }
    return best;
  }

  function ahead(from, [dx, dy]) {
    let best = from;
    let least = Infinity;
    for (const seat of seats) {
      const along = (seat.x - from.x) * dx + (seat.y - from.y) * dy;
      const aside = Math.abs((seat.x - from.x) * dy) + Math.abs((seat.y - from.y) * dx);
      if (along > 1 && along + ASIDE * aside < least) [best, least] = [seat, along + ASIDE * aside];
    }
    return best;
  }

  function focus(seat) {
    seat.mark.focus({ preventScroll: true });
  }

  for (const seat of seats) {
    seat.mark.setAttribute("role", "checkbox");
    seat.mark.setAttribute("aria-checked", String(seat.box.checked));
    seat.mark.setAttribute("aria-label", sentence(seat));
    if (seat.box.disabled) seat.mark.setAttribute("aria-disabled", "true");
    seat.mark.setAttribute("tabindex", seat === current ? "0" : "-1");
  }
  map.removeAttribute("aria-hidden");
  map.setAttribute("role", "group");

  map.addEventListener("click", (event) => {
    const seat = seatOf.get(event.target) ?? nearest(...zoom.place(event));
    // Where a finger cannot tell one seat from the next, the first tap brings them closer.
    if (event.pointerType === "touch" && zoom.isTooSmall()) return zoom.closer(event);
    if (!seat) return;
    focus(seat);
    toggle(seat.box);
    say(seat);
  });
  map.addEventListener("pointermove", (event) => say(seatOf.get(event.target) ?? null));
  map.addEventListener("pointerleave", () => say(document.activeElement === current.mark ? current : null));
  map.addEventListener("focusin", (event) => {
    current.mark.setAttribute("tabindex", "-1");
    current = seatOf.get(event.target);
    current.mark.setAttribute("tabindex", "0");
    ring.setAttribute("transform", `translate(${current.x} ${current.y})`);
    ring.removeAttribute("hidden");
    // Never under a pointer that is pressed: the click would hit the seat that was moved there.
    if (event.target.matches(":focus-visible")) zoom.reveal(current);
    say(current);
  });
  map.addEventListener("focusout", () => {
    ring.setAttribute("hidden", "");
    say(null);
  });
  map.addEventListener("keydown", (event) => {
    if (event.key === " " || event.key === "Enter") toggle(current.box);
    else if (WAYS[event.key]) focus(ahead(current, WAYS[event.key]));
    else if (event.key === "Home") focus(seats[0]);
    else if (event.key === "End") focus(seats.at(-1));
    else return;
    event.preventDefault();
  });

  return { draw };
}
