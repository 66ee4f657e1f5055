// Zoom: the drawing grows inside its window, and the window scrolls as every page does. The stage stands above it.

const STEP = 1.6;
const COMFORT = 44; // CSS pixels from seat to seat: what a thumb hits without looking
const PITCH = 24; // the distance of two neighbours in the map's units, as the server draws it

export function connectZoom(map) {
  const view = document.getElementById("map-window");
  const larger = document.getElementById("zoom-in");
  const smaller = document.getElementById("zoom-out");
  const width = Number(map.dataset.width);
  let factor = 1;

  // The size at factor 1: the whole width of the hall, but a small hall is not blown up.
  const fit = () => Math.min(view.clientWidth, (width * COMFORT) / PITCH);
  const most = () => Math.max(1, (width * COMFORT * 1.3) / PITCH / fit());
  const scale = () => (fit() * factor) / width;

  function set(wanted, middle) {
    const before = scale();
    const x = middle?.x ?? (view.scrollLeft + view.clientWidth / 2) / before;
    const y = middle?.y ?? (view.scrollTop + view.clientHeight / 2) / before;
    factor = Math.min(Math.max(wanted, 1), most());
    map.style.width = `${fit() * factor}px`;
    view.scrollTo(x * scale() - view.clientWidth / 2, y * scale() - view.clientHeight / 2);
    smaller.disabled = factor === 1;
    larger.disabled = factor === most();
  }

  const place = (event) => {
    const box = map.getBoundingClientRect();
    return [(event.clientX - box.left) / scale(), (event.clientY - box.top) / scale()];
  };

  larger.addEventListener("click", () => set(factor * STEP));
  smaller.addEventListener("click", () => set(factor / STEP));
  new ResizeObserver(() => set(factor)).observe(view);

  return {
    place,
    isTooSmall: () => PITCH * scale() < COMFORT * 0.75 && factor < most(),
    closer(event) {
      const [x, y] = place(event);
      set((COMFORT / PITCH) * (width / fit()), { x, y });
    },
    reveal({ x, y }) {
      const edge = PITCH * scale();
      const left = x * scale() - view.scrollLeft;
      const top = y * scale() - view.scrollTop;
      if (left < edge || left > view.clientWidth - edge || top < edge || top > view.clientHeight - edge)
        view.scrollTo(x * scale() - view.clientWidth / 2, y * scale() - view.clientHeight / 2);
    },
  };
}
