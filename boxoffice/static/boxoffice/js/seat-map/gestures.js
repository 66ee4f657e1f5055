// Mouse wheel, drag, pinch and tap, turned into moves of the camera and into "this place was pressed".

const SLACK = { mouse: 4, touch: 10, pen: 8 }; // pixels that a hand moves without meaning to
const WHEEL = 0.0016; // how much a pixel of the wheel weighs
const PASSING = 350; // milliseconds in which a wheel that scrolls the page does not begin to zoom instead

export function followGestures(svg, camera, press) {
  const pointers = new Map();
  let start = null;
  let moved = false;
  let kind = "mouse";
  let scrolledAt = -Infinity;

  const spot = (event) => {
    const box = svg.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const spread = () => {
    const [[ax, ay], [bx, by]] = [...pointers.values()];
    return { apart: Math.hypot(ax - bx, ay - by), middle: [(ax + bx) / 2, (ay + by) / 2] };
  };

  svg.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    camera.stop();
    kind = event.pointerType;
    pointers.set(event.pointerId, spot(event));
    if (pointers.size === 1) [start, moved] = [spot(event), false];
    else moved = true;
  });

  svg.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const here = spot(event);
    if (!moved && Math.hypot(here[0] - start[0], here[1] - start[1]) <= (SLACK[kind] ?? SLACK.mouse)) return;
    if (!moved || pointers.size === 2) svg.setPointerCapture(event.pointerId);
    moved = true;
    svg.classList.add("dragged");
    if (pointers.size === 2) return pinch(event.pointerId, here);
    pointers.set(event.pointerId, here);
    camera.panBy(here[0] - before[0], here[1] - before[1]);
  });

  function pinch(pointer, here) {
    const before = spread();
    pointers.set(pointer, here);
    const after = spread();
    camera.panBy(after.middle[0] - before.middle[0], after.middle[1] - before.middle[1]);
    if (before.apart > 0) camera.zoomBy(after.apart / before.apart, ...after.middle);
  }

  for (const end of ["pointerup", "pointercancel", "lostpointercapture"])
    svg.addEventListener(end, (event) => {
      pointers.delete(event.pointerId);
      if (pointers.size === 0) svg.classList.remove("dragged");
    });

  // The click, not the pointer's end: screen readers and switches send nothing else.
  svg.addEventListener("click", (event) => {
    if (moved && event.detail > 0) return;
    press({ target: event.target, spot: spot(event), touch: event.detail > 0 && kind === "touch" });
  });

  addEventListener(
    "wheel",
    (event) => {
      if (!svg.contains(event.target)) scrolledAt = event.timeStamp;
    },
    { passive: true, capture: true },
  );

  svg.addEventListener(
    "wheel",
    (event) => {
      const passing = event.timeStamp - scrolledAt < PASSING && !event.ctrlKey;
      // Nothing left to make smaller: then the wheel is the page's.
      if (passing || (event.deltaY > 0 && camera.isWhole())) {
        scrolledAt = event.timeStamp;
        return;
      }
      event.preventDefault();
      const pixels = event.deltaY * (event.deltaMode === 1 ? 20 : 1) * (event.ctrlKey ? 6 : 1);
      camera.stop();
      camera.zoomBy(Math.exp(-Math.min(Math.max(pixels, -240), 240) * WHEEL), ...spot(event));
    },
    { passive: false },
  );
}
