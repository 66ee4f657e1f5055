// Keeps the page of queues and workers fresh without moving what somebody reads: parts that have changed are replaced,
// the one on top of the screen stays where it is, and nothing happens while somebody selects text, has the focus in a
// part, or looks at another window. It ends once the page does not ask for it any more. Without this script the link
// "Refresh" does it.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const work = document.querySelector("[data-refresh]");
  if (!work) return;
  const seconds = Number(work.dataset.refresh);
  const toggle = work.querySelector("[data-refresh-toggle]");
  const away = work.querySelector("[data-refresh-away]");
  let stopped = false;
  let over = false;

  const isBeingRead = () => document.hidden || String(document.getSelection()) !== "";

  const replaceWhatChanged = (fresh) => {
    const parts = [...work.querySelectorAll("[data-live]")];
    const onTop = parts.find((part) => part.getBoundingClientRect().bottom > 0) || work;
    const before = onTop.getBoundingClientRect().top;
    for (const part of parts) {
      const newer = fresh.querySelector(`[data-live="${part.dataset.live}"]`);
      const isInUse = part.contains(document.activeElement) || part.matches(":hover:has(time:hover)");
      if (newer && !isInUse && newer.innerHTML !== part.innerHTML) part.innerHTML = newer.innerHTML;
    }
    const moved = onTop.getBoundingClientRect().top - before;
    if (moved && window.scrollY > 0) window.scrollBy({ top: moved, behavior: "instant" });
  };

  const refresh = async () => {
    if (stopped || isBeingRead()) return;
    try {
      const answer = await fetch(window.location.href, { credentials: "same-origin", redirect: "error" });
      if (!answer.ok) throw new Error(String(answer.status));
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (stopped || isBeingRead()) return;
      replaceWhatChanged(fresh);
      document.dispatchEvent(new Event("refreshed"));
      away.hidden = true;
      over = !fresh.querySelector("[data-refresh]");
    } catch {
      away.hidden = false;
    }
  };

  const keepOn = async () => {
    await refresh();
    if (over) {
      const told = toggle.closest("[data-refresh-note]");
      if (told) told.hidden = true;
    } else {
      window.setTimeout(keepOn, seconds * 1000);
    }
  };

  toggle.hidden = false;
  toggle.addEventListener("click", () => {
    stopped = !stopped;
    toggle.textContent = stopped ? toggle.dataset.go : toggle.dataset.stop;
    if (!stopped) refresh();
  });
  window.setTimeout(keepOn, seconds * 1000);
});
