// A seat map as one would write it first: an element for each seat, with its name, pressed directly.

const NAMESPACE = "http://www.w3.org/2000/svg";
const map = document.getElementById("map");
const chosen = document.getElementById("chosen");

const json = async (address) => (await fetch(address)).json();
const [layout, states] = await Promise.all([json(map.dataset.layout), json(map.dataset.states)]);

function svg(name, attributes, text = "") {
  const element = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.textContent = text;
  return element;
}

function* rows() {
  for (const zone of layout.zones) for (const row of zone.rows) yield [zone, row];
}

let index = 0;
for (const [zone, row] of rows()) {
  const tiers = row.tiers.flatMap(([tier, count]) => Array(count).fill(tier));
  const [from, step] = row.numbers ?? [0, 0];
  let [id, x, y] = [0, 0, 0];
  row.ids.forEach((more, place) => {
    id += more;
    const state = states.all[index++];
    if (zone.standing) return;
    x += row.x[place];
    y += row.y[place];
    const tier = layout.tiers[tiers[place]];
    const fill = state === "f" ? `hsl(${tier.color * 60} 50% 60%)` : "none";
    const seat = svg("rect", { x: x - 10, y: y - 10, width: 20, height: 20, rx: 4, fill, stroke: "#555", "data-seat": id });
    const number = typeof from === "number" ? from + step * place : row.numbers[place];
    seat.append(svg("title", {}, `${zone.name}, row ${row.name}, seat ${number} · ${tier.name}, ${tier.price}`));
    map.append(seat);
  });
}
map.setAttribute("viewBox", `0 0 ${layout.size[0]} ${layout.size[1]}`);
map.addEventListener("click", ({ target }) => {
  if (!target.dataset.seat) return;
  target.setAttribute("fill", "#000");
  chosen.textContent = target.querySelector("title").textContent;
});
performance.mark("seat-map-ready");
