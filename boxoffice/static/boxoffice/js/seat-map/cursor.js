// The keyboard's place on the map: one tab stop for the whole hall, moved from seat to seat.

import { WAYS, step } from "./walk.js";

const LARGER = 1.6;
const SEEN = 20; // pixels from seat to seat, the least at which one walks without having asked for less
const AT_ONCE = 10; // seats of the row that "page up" and "page down" pass over

export function openCursor(hall, { svg, ring, camera, marks, seats, toggle, say, leave }) {
  let seat = firstSeat();
  let fromAfar = false; // somebody made the map smaller on purpose, and walks on it as it is

  function firstSeat() {
    const seated = [...hall.id.keys()].filter((index) => !Number.isNaN(hall.x[index]));
    return seated.find((index) => seats.isFree(index)) ?? seated[0] ?? -1;
  }

  function tabStop(index) {
    if (seat >= 0) marks.markOf(seat).setAttribute("tabindex", -1);
    seat = index;
    marks.keep(seat);
    marks.markOf(seat).setAttribute("tabindex", 0);
  }

  function moveTo(index) {
    tabStop(index);
    marks.markOf(index).focus({ preventScroll: true });
    placeRing();
  }

  function placeRing() {
    if (seat < 0) return;
    const size = Math.max(1, 18 / (26 * camera.now.scale));
    ring.setAttribute("transform", `translate(${hall.x[seat]} ${hall.y[seat]}) scale(${size})`);
  }

  function reveal() {
    const [x, y] = [hall.x[seat], hall.y[seat]];
    if (!fromAfar && camera.pitch() < SEEN) return camera.closeTo(x, y);
    const [left, top] = camera.pixelAt(x, y);
    const edge = Math.min(Math.max(camera.pitch() * 1.5, 24), camera.view.width / 4);
    const seen = left > edge && top > edge && left < camera.view.width - edge && top < camera.view.height - edge;
    if (!seen) camera.glide({ ...camera.now, x, y });
  }

  function goTo(index) {
    moveTo(index);
    reveal();
  }

  function press(key) {
    const row = hall.rows[hall.rowOf[seat]];
    if (WAYS[key]) return goTo(step(hall, seat, WAYS[key]));
    switch (key) {
      case "Enter":
      case " ":
        return toggle(seat);
      case "Home":
        return goTo(row.first);
      case "End":
        return goTo(row.end - 1);
      case "PageUp":
        return goTo(Math.max(seat - AT_ONCE, row.first));
      case "PageDown":
        return goTo(Math.min(seat + AT_ONCE, row.end - 1));
      case "+":
      case "=":
        fromAfar = false;
        return camera.glideBy(LARGER, ...camera.pixelAt(hall.x[seat], hall.y[seat]));
      case "-":
        fromAfar = true;
        return camera.glideBy(1 / LARGER);
      case "0":
        fromAfar = true;
        return camera.showAll();
      case "Escape":
        return leave();
    }
    return false;
  }

  // Around the drawing and not on it: Chromium makes a drawing that listens for the focus a tab stop of its own.
  const around = svg.parentElement;
  around.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !event.target.matches("[data-seat]")) return;
    if (press(event.key) !== false) event.preventDefault();
  });
  around.addEventListener("focusin", (event) => {
    const index = hall.indexOf.get(Number(event.target.dataset.seat));
    if (index === undefined) return;
    if (index !== seat) tabStop(index);
    placeRing();
    ring.removeAttribute("hidden");
    // Never under a pointer that is pressed: the click would hit the seat that was moved there.
    if (event.target.matches(":focus-visible") && !camera.isWhole()) reveal();
    say(seat);
  });
  around.addEventListener("focusout", () => {
    ring.setAttribute("hidden", "");
    say(-1);
  });
  if (seat >= 0) tabStop(seat);

  return { moveTo, update: placeRing, seat: () => (ring.hasAttribute("hidden") ? -1 : seat) };
}
