// The table behind a chart: what is drawn, row by row, for whoever reads it rather than sees it.

import { h, fill, named } from "../dom.js";
import { rowsOf } from "./chart-words.js";

/** More are not written. */
const most = 500;

export class ChartTable {
  /**
   * @param {object} chart A {@link TimeChart}.
   * @param {() => string} title What is shown, with its unit.
   */
  constructor(chart, title) {
    this.chart = chart;
    this.title = title;
    this.body = h("div.scroll", { tabindex: 0, role: "region", "aria-label": "The chart as a table" });
    this.element = h("details", { ontoggle: () => this.refill() }, h("summary", {}, "As a table"), this.body);
  }

  /** Writes what is drawn now, where somebody looks. */
  refill() {
    if (!this.element.open) return;
    // Several charts stand on one part.
    this.body.setAttribute("aria-label", `The chart as a table: ${this.title()}`);
    const rows = rowsOf(this.chart, most);
    const { layers } = this.chart;
    const isRange = rows.some((row) => row.low !== undefined);
    const isSum = layers.some((layer) => layer.data.isSum);
    const isOfDays = layers.some((layer) => layer.data.sums);
    const columns = !isRange ? [["Value", "value"]] : isSum ? [[isOfDays ? "A day" : "Sum", "high"]]
      : [["Least", "low"], ["Greatest", "high"], ["Average", "average"], ["Values", "count"]];
    const withName = layers.length > 1 || layers[0]?.data.isMixed;
    fill(this.body, h("table", {},
      h("caption", {}, rows.length < most ? this.title()
        : `The first ${most} rows; zoom in for the others`),
      h("thead", {},
        h("tr", {}, h("th", { scope: "col" }, "When"), withName && h("th", { scope: "col" }, "Source"),
        columns.map(([name]) => h("th.number", { scope: "col" }, name)))),
      h("tbody", {}, rows.map((row) =>
        h("tr", {}, h("th", { scope: "row" }, row.when), withName && h("td", {}, named(row.name)),
        columns.map(([, key]) => h("td.number", {}, row[key])))))));
  }
}
