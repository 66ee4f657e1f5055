// Elements of a drawing, made one after another from their attributes.

const NAMESPACE = "http://www.w3.org/2000/svg";

export function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// A seat's mark, around the middle of the seat.
export const square = (classes) => svg("rect", { class: classes, x: -10, y: -10, width: 20, height: 20, rx: 4 });
export const tick = (classes) => svg("path", { class: `seat-tick ${classes}`, d: "M-5 0l3.5 4 6.5-8" });
export const letter = (classes, text) => svg("text", { class: `seat-letter ${classes}`, y: 4 }, text);

// Somebody in a wheelchair, seen from the side.
export const wheelchair = (classes) =>
  svg(
    "g",
    { class: `seat-wheelchair ${classes}` },
    svg("circle", { cx: -1.2, cy: -6.4, r: 1.7, class: "full" }),
    svg("path", { d: "M-1.2-3.6v5h4.4l2.4 4.8 1.8-.9M-1.2-1.6h3.6M-3-.8a4.4 4.4 0 1 0 5.6 5.4" }),
  );
