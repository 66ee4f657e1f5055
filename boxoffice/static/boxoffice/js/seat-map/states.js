// Asks the server how the seats stand, again and again while somebody looks, and says so when it gets no answer.

// The server's answer is up to one second old: together with this, what others do is seen within three seconds.
const PAUSE = 1600; // milliseconds
const JITTER = 300; // milliseconds, so that the fans of a sale do not all ask at the same moment
const LONGEST = 30_000; // milliseconds between two questions after many that failed
const PATIENCE = 8000; // milliseconds for one answer
const DOUBTFUL = 2; // failures in a row from which on one says that the map may be out of date

export function followStates(address, { all, changes, doubt, ended }) {
  let tag = "";
  let failures = 0;
  let timer = 0;
  let over = false;
  let asking = false;

  async function ask() {
    const answer = await fetch(tag ? `${address}?since=${tag}` : address, { signal: AbortSignal.timeout(PATIENCE) });
    if (answer.status === 204) return;
    if (answer.status === 409 || answer.status === 404) {
      over = true;
      return ended((await answer.json()).message);
    }
    if (!answer.ok) throw new Error(`states: ${answer.status}`);
    const told = await answer.json();
    if ("all" in told) await all(told.all);
    else if (told.since === tag) changes(told.changes);
    tag = told.tag;
  }

  async function turn() {
    if (asking || over || document.hidden) return;
    asking = true;
    try {
      await ask();
      if (failures >= DOUBTFUL) doubt(false);
      failures = 0;
    } catch {
      failures += 1;
      if (failures >= DOUBTFUL) doubt(true);
    }
    asking = false;
    if (over || document.hidden) return;
    const pause = Math.min(PAUSE * 2 ** failures, LONGEST);
    timer = setTimeout(turn, pause + Math.random() * JITTER * (failures + 1));
  }

  document.addEventListener("visibilitychange", () => {
    clearTimeout(timer);
    turn();
  });
  return turn();
}
