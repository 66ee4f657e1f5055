// Sentences with a number in them. The server sends the forms, already translated, as data attributes:
// data-hold-none, data-hold-one, data-hold-other; %s stands for the number, or
// for what else is told.

const rules = new Intl.PluralRules(document.documentElement.lang);
const figures = new Intl.NumberFormat(document.documentElement.lang);

export function phrase(element, name, count, told = figures.format(count)) {
  const form = count === 0 && element.dataset[`${name}None`] ? "None" : rules.select(count) === "one" ? "One" : "Other";
  return element.dataset[name + form].replace("%s", () => told);
}

export function money(element, minor) {
  const decimals = Number(element.dataset.moneyDecimals);
  const figures = (minor / 10 ** decimals).toLocaleString(document.documentElement.lang, {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
  return minor ? element.dataset.moneyPattern.replace("%s", figures) : element.dataset.moneyFree;
}
