// The table of a chart's contents, for readers who do not see the chart.

import { h, fill, named } from "../dom.js";
import { number } from "../format.js";
import { rowText, rowsOf } from "./chart-words.js";

/** Maximum number of rows. */
const most = 500;

export class ChartTable {
  /** @param {object} chart A {@link TimeChart}. @param {() => string} title The contents with their unit. */
  constructor(chart, title) {
    this.chart = chart;
    this.title = title;
    this.body = h("div.scroll.long",
      { tabindex: 0, role: "region", "aria-label": `${chart.options.label}, as a table` });
    this.element = h("details", { ontoggle: () => this.refill() }, h("summary", {}, "As a table"), this.body);
  }

  /** Fills the table if it is open. */
  refill() {
    if (!this.element.open) return;
    // A page may have several charts, so the label names the one that the table belongs to.
    this.body.setAttribute("aria-label", `${this.chart.options.label}, as a table: ${this.title()}`);
    const { rows, isRange } = rowsOf(this.chart);
    const layers = this.chart.shownLayers();
    const columns = columnsOf(layers, isRange);
    const withName = layers.length > 1 || layers[0]?.data.isMixed;
    const caption = rows.length <= most ? this.title()
      : `The first ${number(most)} of ${number(rows.length)} rows; zoom in for the others`;
    fill(this.body, h("table", {}, h("caption", {}, caption),
      h("thead", {},
        h("tr", {}, h("th", { scope: "col" }, "When"), withName && h("th", { scope: "col" }, "Source"),
        columns.map(([name]) => h("th.number", { scope: "col" }, name)))),
      h("tbody", {}, rows.slice(0, most).map((row) => {
        const text = rowText(this.chart, row, isRange);
        return h("tr", {}, h("th", { scope: "row" }, text.when), withName && h("td", {}, named(text.name)),
          columns.map(([, key]) => h("td.number", {}, text[key])));
      }))));
  }
}

/** The columns: only the sum for sums, and no column without values. */
function columnsOf(layers, isRange) {
  if (!isRange) return [["Value", "value"]];
  if (layers.some(({ data }) => data.sums)) return [["A day", "high"]];
  if (layers.some(({ data }) => data.isSum)) return [["Sum", "high"]];
  const has = (known) => layers.some(({ data }) => data.form === "values" || known(data));
  return [
    ["Lowest", "low"], ["Highest", "high"],
    ...(has((data) => data.average.some((value) => value !== null)) ? [["Average", "average"]] : []),
    ...(has((data) => !data.isUncounted) ? [["Values", "count"]] : []),
  ];
}
