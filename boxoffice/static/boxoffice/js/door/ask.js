// Asks the server, and remembers the mark of whatever got no answer. Whoever asks again must not hear that the ticket is
// in already, through the very request whose answer got lost: with the same mark the server answers the same again.

const PATIENCE = 8000; // ms until a request counts as lost
const REMEMBERED = 15 * 60 * 1000; // ms; nobody waits at a door for longer
const PLACE = "door-unanswered"; // outlives a reload, which is what people try first

let unanswered = {};

try {
  unanswered = JSON.parse(sessionStorage.getItem(PLACE)) ?? {};
} catch {
  // No storage: remembered as long as the page.
}

function keep() {
  try {
    sessionStorage.setItem(PLACE, JSON.stringify(unanswered));
  } catch {
    // As above.
  }
}

// Not randomUUID, which browsers have under https:// only.
function drawn() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function markOf(name) {
  for (const [each, { at }] of Object.entries(unanswered)) if (Date.now() - at > REMEMBERED) delete unanswered[each];
  unanswered[name] ??= { mark: drawn(), at: Date.now() };
  keep();
  return unanswered[name].mark;
}

// stop: an AbortController, for whoever goes on without the answer. Returns {answer}, or {lost}: "reload" when the login or the page is out of date, "failed" when the server could not,
// "lost" when nothing came back.
export async function ask({ address, body, token, stop }) {
  const name = [address, body.get("do"), body.get("code").replace(/[\s-]/g, "").toUpperCase()].join(" ");
  body.set("attempt", markOf(name));
  const lapse = setTimeout(() => stop.abort(), PATIENCE);
  try {
    const response = await fetch(address, {
      method: "POST",
      body,
      headers: { Accept: "application/json", "X-CSRFToken": token },
      signal: stop.signal,
    });
    if (response.status === 401 || response.status === 403) return { lost: "reload" };
    const answer = await response.json().catch(() => null);
    if (!answer?.html) return { lost: "failed" };
    delete unanswered[name];
    keep();
    return { answer };
  } catch {
    return { lost: "lost" };
  } finally {
    clearTimeout(lapse);
  }
}

// What changes by itself: the count and the list. Returns {state}, or {lost}: "over", "silent", "offline".
export async function look(address) {
  try {
    const response = await fetch(address, {
      headers: { Accept: "application/json" },
      signal: AbortSignal.timeout?.(PATIENCE),
    });
    if (response.ok) return { state: await response.json() };
    return { lost: response.status === 401 || response.status === 403 ? "over" : "silent" };
  } catch {
    return { lost: "offline" };
  }
}
