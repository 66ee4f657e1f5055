// The small sign beside a seat that says what it is and what it costs.

export function openTip(element, camera) {
  const AWAY = 18; // pixels from the seat's middle

  return {
    show(x, y, words) {
      element.textContent = words;
      element.hidden = false;
      const [left, top] = camera.pixelAt(x, y);
      const { offsetWidth: width, offsetHeight: height } = element;
      const across = Math.min(Math.max(left - width / 2, 4), Math.max(camera.view.width - width - 4, 4));
      const over = top - height - AWAY;
      element.style.transform = `translate(${Math.round(across)}px, ${Math.round(over < 4 ? top + AWAY : over)}px)`;
    },
    hide() {
      element.hidden = true;
    },
  };
}
