// Seats that nobody is going to buy come back sooner: when a tab leaves this site, it says so, and the server waits a
// minute before it believes it. A browser says the same when a page is loaded again, so each page of this site says
// "back" when it finds that the page before it has said "gone". While a phone sleeps nothing is said at all.

const KEY = "hold";
const LASTS = 15 * 60000; // ms: no hold lasts longer
const AGAIN = [0, 3000, 20000]; // ms: what was said last may arrive first

const held = document.getElementById("still-held");
let channel;

function read() {
  try {
    const hold = JSON.parse(sessionStorage.getItem(KEY));
    return hold && hold.until > Date.now() ? hold : null;
  } catch {
    return null; // a browser that keeps nothing for us
  }
}

function write(hold) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(hold));
  } catch {
    // Then nothing is said when the tab leaves, and the seats are free when the time is over.
  }
}

function form(hold) {
  const data = new FormData();
  data.set("csrfmiddlewaretoken", hold.csrf);
  return data;
}

function sayBack() {
  const hold = read();
  if (hold) fetch(hold.back, { method: "POST", body: form(hold), keepalive: true }).catch(() => {});
}

// Another tab with the same seats was closed, and this one is still there.
function listen() {
  if (channel || !window.BroadcastChannel) return;
  channel = new BroadcastChannel(KEY);
  channel.onmessage = ({ data }) => read()?.leave === data && setTimeout(sayBack, 2000);
}

if (held) {
  const { leave, back } = held.dataset;
  const before = read();
  write({
    leave,
    back,
    until: Date.now() + LASTS,
    left: before?.leave === leave && before.left,
    csrf: document.querySelector("[name=csrfmiddlewaretoken]").value,
  });
} else if (location.pathname.startsWith("/orders/") && read()) {
  write(null); // bought
}

addEventListener("pageshow", () => {
  const hold = read();
  if (!hold) return;
  listen();
  if (!hold.left) return;
  write({ ...hold, left: false });
  AGAIN.forEach((after) => setTimeout(sayBack, after));
});

addEventListener("pagehide", () => {
  const hold = read();
  if (!hold) return;
  navigator.sendBeacon(hold.leave, form(hold));
  write({ ...hold, left: true });
  channel?.postMessage(hold.leave);
  channel?.close();
  channel = undefined;
});
