// Below each instant of an order's story, which is the venue's, the time of whoever reads it with its zone, where that
// differs. The browser knows its zone; nothing of it is stored.

function clock(instant, zone, more = {}) {
  const parts = { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" };
  const language = document.documentElement.lang || undefined;
  return new Intl.DateTimeFormat(language, { ...parts, ...more, timeZone: zone }).format(instant);
}

function tell() {
  const told = document.getElementById("reader-time");
  if (!told) return;
  const mine = Intl.DateTimeFormat().resolvedOptions().timeZone;
  let differs = false;
  for (const time of document.querySelectorAll(".timeline time[datetime]")) {
    if (time.nextElementSibling?.matches(".reader")) continue;
    const instant = new Date(time.dateTime);
    const here = clock(instant, mine);
    if (Number.isNaN(instant.getTime()) || here === clock(instant, told.dataset.zone)) continue;
    const reader = document.createElement("span");
    reader.className = "reader";
    reader.textContent = clock(instant, mine, { timeZoneName: "short" });
    time.after(reader);
    differs = true;
  }
  if (differs) {
    told.textContent = told.dataset.words.replace("{zone}", mine);
    told.hidden = false;
  }
}

tell();
document.addEventListener("refreshed", tell); // what was replaced has the venue's times alone
