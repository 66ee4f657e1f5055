// Where the stage is, as long as it is not in view: a sign at the edge of the window that it lies behind.

const ARROWS = ["→", "↘", "↓", "↙", "←", "↖", "↑", "↗"];
const MARGIN = 6; // pixels

export function openStageSign(sign, hall, camera) {
  const arrow = sign.querySelector("span");

  function update() {
    if (!hall.stage) return;
    const [x, y, width, height] = hall.stage;
    const [left, top] = camera.pixelAt(x + width / 2, y + height / 2);
    const halfway = [camera.view.width / 2, camera.view.height / 2];
    const [dx, dy] = [left - halfway[0], top - halfway[1]];
    sign.hidden = Math.abs(dx) < halfway[0] && Math.abs(dy) < halfway[1];
    if (sign.hidden) return;
    arrow.textContent = ARROWS[Math.round((Math.atan2(dy, dx) / Math.PI) * 4 + 8) % 8];
    const share = Math.min(halfway[0] / Math.abs(dx || 1), halfway[1] / Math.abs(dy || 1));
    const across = within(halfway[0] + dx * share - sign.offsetWidth / 2, camera.view.width - sign.offsetWidth);
    const down = within(halfway[1] + dy * share - sign.offsetHeight / 2, camera.view.height - sign.offsetHeight);
    sign.style.transform = `translate(${Math.round(across)}px, ${Math.round(down)}px)`;
  }

  return { update };
}

const within = (value, most) => Math.min(Math.max(value, MARGIN), most - MARGIN);
