// Keeps the page of sales fresh without moving what somebody reads, and lets the arrow keys walk along a chart. Parts that
// have changed are replaced; nothing happens while somebody selects text, has the focus in a part, or looks at another
// window. What was opened stays open. Without this script the link "Refresh" and the tables do it.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const sales = document.querySelector(".sales[data-refresh]");
  if (!sales) return;
  showOwnDays(sales.querySelector(".sales-filter"));
  walkAlongCharts(sales);
  keepFresh(sales);
});

// The two days matter for a period of one's own only.
function showOwnDays(form) {
  const period = form.elements.period;
  const follow = () => form.classList.toggle("own", period.value === "own");
  form.classList.add("with-script");
  period.addEventListener("change", follow);
  follow();
}

function walkAlongCharts(sales) {
  const steps = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity };
  const point = (chart, nth) => {
    const columns = [...chart.querySelectorAll(".column")];
    const at = Math.min(Math.max(nth, 0), columns.length - 1);
    columns.forEach((column, each) => column.classList.toggle("read", each === at));
    chart.dataset.at = at;
    chart.querySelector("[data-chart-words]").textContent = columns[at]?.querySelector("title").textContent ?? "";
  };
  sales.addEventListener("keydown", (event) => {
    const chart = event.target.closest?.("[data-chart]");
    if (!chart || !(event.key in steps)) return;
    event.preventDefault();
    const last = chart.querySelectorAll(".column").length - 1;
    const from = chart.dataset.at === undefined ? (steps[event.key] < 0 ? last + 1 : -1) : Number(chart.dataset.at);
    point(chart, Math.min(Math.max(from + steps[event.key], 0), last));
  });
  sales.addEventListener("focusin", (event) => {
    const words = event.target.matches?.("[data-chart]") && event.target.querySelector("[data-chart-words]");
    if (words && !words.textContent) words.textContent = words.dataset.hint;
  });
  sales.addEventListener("pointerover", (event) => {
    const column = event.target.closest?.(".column");
    const chart = column?.closest("[data-chart]");
    if (chart) point(chart, [...chart.querySelectorAll(".column")].indexOf(column));
  });
}

function keepFresh(sales) {
  const seconds = Number(sales.dataset.refresh);
  const toggle = sales.querySelector("[data-refresh-toggle]");
  const away = sales.querySelector("[data-refresh-away]");
  let stopped = false;

  const isBeingRead = () => document.hidden || String(document.getSelection()) !== "";
  const html = (part) => part.cloneNode(true).innerHTML.replaceAll(' open=""', "");

  const replace = (part, newer) => {
    const open = [...part.querySelectorAll("details[open]")].map((each) => each.dataset.keep);
    part.innerHTML = newer.innerHTML;
    for (const each of part.querySelectorAll("details")) each.open = open.includes(each.dataset.keep);
  };

  const replaceWhatChanged = (fresh) => {
    const parts = [...sales.querySelectorAll("[data-live]")];
    const onTop = parts.find((part) => part.getBoundingClientRect().bottom > 0) || sales;
    const before = onTop.getBoundingClientRect().top;
    for (const part of parts) {
      const newer = fresh.querySelector(`[data-live="${part.dataset.live}"]`);
      const isInUse = part.contains(document.activeElement) || part.matches(":hover:has(.column:hover, time:hover)");
      if (newer && !isInUse && html(newer) !== html(part)) replace(part, newer);
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
      if (!stopped && !isBeingRead()) replaceWhatChanged(fresh);
      away.hidden = true;
    } catch {
      away.hidden = false;
    }
  };

  const keepOn = async () => {
    await refresh();
    window.setTimeout(keepOn, seconds * 1000);
  };

  toggle.hidden = false;
  toggle.addEventListener("click", () => {
    stopped = !stopped;
    toggle.textContent = stopped ? toggle.dataset.go : toggle.dataset.stop;
    if (!stopped) refresh();
  });
  window.setTimeout(keepOn, seconds * 1000);
}
