// Which part of the hall is looked at: a place in the middle, and how many pixels a unit of the map has.

import { PITCH } from "./hall.js";

const COMFORT = 44; // pixels from seat to seat: what a thumb hits without looking, and where a small hall ends to grow
const CLOSEST = 72; // pixels from seat to seat
const EDGE = 48; // pixels that may be seen beyond the hall, so that the outermost seats can come to the middle
const GLIDE = 200; // milliseconds

const still = matchMedia("(prefers-reduced-motion: reduce)");

export function openCamera(svg, { size: [width, height] }) {
  const view = { width: 1, height: 1 };
  const now = { x: width / 2, y: height / 2, scale: 1 };
  const watchers = [];
  let gliding = 0;
  let aim = null; // where a glide under way will end
  let whole = true; // the whole hall is shown, also when the window changes its size

  const least = () => Math.min(view.width / width, view.height / height, COMFORT / PITCH);
  const most = () => Math.max(CLOSEST / PITCH, least());

  function within({ x, y, scale }) {
    const bounded = Math.min(Math.max(scale, least()), most());
    return {
      scale: bounded,
      x: between(x, width, view.width / bounded, EDGE / bounded),
      y: between(y, height, view.height / bounded, EDGE / bounded),
    };
  }

  function place(wanted) {
    Object.assign(now, within(wanted));
    whole = now.scale <= least() * 1.001;
    watchers.forEach((watcher) => watcher(camera));
  }

  function stop() {
    cancelAnimationFrame(gliding);
    aim = null;
  }

  function glide(wanted) {
    stop();
    if (still.matches) return place(wanted);
    const from = { ...now };
    const to = (aim = within(wanted));
    const began = performance.now();
    const step = (time) => {
      const share = Math.min(Math.max((time - began) / GLIDE, 0), 1);
      const eased = 1 - (1 - share) ** 3;
      const scale = from.scale * (to.scale / from.scale) ** eased;
      place({ scale, x: from.x + (to.x - from.x) * eased, y: from.y + (to.y - from.y) * eased });
      if (share < 1) gliding = requestAnimationFrame(step);
      else aim = null;
    };
    gliding = requestAnimationFrame(step);
  }

  // Larger or smaller by this factor, while the place under (left, top) of the window stays there.
  function zoomed(factor, left = view.width / 2, top = view.height / 2) {
    const before = aim ?? now;
    const scale = Math.min(Math.max(before.scale * factor, least()), most());
    const less = 1 / before.scale - 1 / scale;
    return { scale, x: before.x + (left - view.width / 2) * less, y: before.y + (top - view.height / 2) * less };
  }

  function measure() {
    const stays = whole;
    view.width = svg.clientWidth || 1;
    view.height = svg.clientHeight || 1;
    place(stays ? { ...now, scale: 0 } : now);
  }

  const camera = {
    now,
    view,
    watch: (watcher) => watchers.push(watcher),
    pitch: () => PITCH * now.scale,
    isWhole: () => whole,
    isClosest: () => now.scale >= most() * 0.999,
    placeAt: (left, top) => [now.x + (left - view.width / 2) / now.scale, now.y + (top - view.height / 2) / now.scale],
    pixelAt: (x, y) => [(x - now.x) * now.scale + view.width / 2, (y - now.y) * now.scale + view.height / 2],
    glide,
    glideBy: (factor, left, top) => glide(zoomed(factor, left, top)),
    zoomBy: (factor, left, top) => place(zoomed(factor, left, top)),
    panBy: (left, top) => place({ ...now, x: now.x - left / now.scale, y: now.y - top / now.scale }),
    showAll: () => glide({ x: width / 2, y: height / 2, scale: 0 }),
    closeTo: (x, y) => glide({ x, y, scale: COMFORT / PITCH }),
    stop,
    measure,
  };
  measure();
  new ResizeObserver(measure).observe(svg);
  return camera;
}

// The middle of a window of that length over something of this length: never beyond its edges and a little.
function between(middle, length, seen, edge) {
  if (seen >= length) return length / 2;
  return Math.min(Math.max(middle, seen / 2 - edge), length - seen / 2 + edge);
}
