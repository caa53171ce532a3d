// Heart rate, or any other type with numbers, over time.

import { h, fill, named, plain, say, notice } from "../dom.js";
import { address, get, save } from "../api.js";
import { ago, clock, count, dateText, number, span, timeZone } from "../format.js";
import { typeName, typeNameInside, unitName, digitsFor } from "../names.js";
import { rangeAround, rangeNames, rangeTitle, shifted } from "../ranges.js";
import { fetchSeries } from "../charts/series.js";
import { TimeChart } from "../charts/time-chart.js";
import { rowsOf } from "../charts/chart-words.js";

/** More would not be told apart on the chart, nor in a legend. */
const mostSources = 4;

export async function mount(place, parameters, context) {
  const part = "heart-rate";
  const { types } = await get("/api/types");
  const type = types.find((each) => each.type === (parameters.type ?? "heartRate"));
  place.querySelector("h1").textContent = typeName(parameters.type ?? "heartRate");
  if (!type) {
    place.append(h("p.quiet", {}, `Nothing is stored of ${typeNameInside(parameters.type ?? "heartRate")}.`));
    return {};
  }
  const page = new SeriesPage(type, context, part);
  place.append(page.element);
  page.read(parameters, true);
  return { update: (next) => (next.type ?? "heartRate") === type.type && page.read(next, false),
    close: () => page.close() };
}

/** The chart of a type with everything around it. */
export class SeriesPage {
  constructor(type, context, part) {
    this.type = type;
    this.context = context;
    this.part = part;
    this.digits = digitsFor(type.unit);
    this.unit = unitName(type.unit, type.type);
    this.bounds = { first: type.first, last: Math.max(type.last, type.first + 3600_000) };
    this.chart = new TimeChart({
      label: `${typeName(type.type)}, ${this.unit}`, unit: this.unit, digits: this.digits,
      room: type.type === "heartRate" ? 40 : 4, load: (want) => this.#load(want),
      gaps: type.type === "heartRate" ? (want) => this.#gaps(want) : null,
      onView: (view) => this.#viewed(view), onData: () => this.#fillLegend(),
    });
    this.#build();
    this.onCommit = () => this.#freshen();
    context.stream.addEventListener("commit", this.onCommit);
  }

  close() {
    this.chart.close();
    this.context.stream.removeEventListener("commit", this.onCommit);
    clearTimeout(this.freshening);
    this.counting?.abort();
  }

  #build() {
    this.choice = h("div.choice", { role: "group", "aria-label": "Range" }, rangeNames.map(([name, label]) =>
      h("button", { type: "button", data: { range: name }, onclick: () => this.#choose(name) }, label)));
    this.title = h("h2", { "aria-live": "polite" });
    const turner = (label, by, sign) =>
      h("button", { type: "button", "aria-label": label, onclick: () => this.#turn(by) }, sign);
    this.before = turner("Before", -1, "‹");
    this.after = turner("After", 1, "›");
    this.today = h("button.plain",
      { type: "button", onclick: () => this.#choose(this.range ?? "day", Date.now()) }, "Today");
    this.figures = h("dl.figures");
    this.note = h("p.quiet");
    this.legend = h("div.legend", { role: "group", "aria-label": "Sources on the chart" });
    this.gapText = h("div");
    this.csv = h("a.button", { download: true }, "CSV");
    if (this.type.type === "heartRate") {
      this.rr = h("a.button", { onclick: save }, "RR intervals");
    }
    this.table = h("details", { ontoggle: () => this.#fillTable() }, h("summary", {}, "As a table"),
      h("div.scroll", { tabindex: 0, role: "region", "aria-label": "The chart as a table" }));
    this.element = h("div.stack", {},
      h("div.row.spread", {}, h("div.row", {}, this.before, this.after, this.title, this.today), this.choice),
      this.figures, this.note, this.chart.element, this.legend, this.gapText,
      h("div.row.spread", {}, this.table,
        h("div.row", {}, h("span.quiet", {}, "Save what is shown:"), this.csv, this.rr,
        h("button", { type: "button", onclick: () => this.#savePicture() }, "PNG"))),
      h("p.quiet", {},
        h("small", {}, `Times are those of ${timeZone}. On the chart, the wheel or two fingers zoom,`
        + " dragging moves, and arrow keys go from value to value.")));
    this.element.classList.add("series");
    this.element.addEventListener("keydown", (event) => this.#shortcut(event));
  }

  // Range -----------------------------------------------------------------------------------------------

  /** Takes a range from the address. */
  read({ range, at, from, to }, isFirst) {
    if (from && to && Number(to) > Number(from)) {
      this.range = null;
      this.#show({ from: Number(from), to: Number(to) }, isFirst);
      return true;
    }
    const name = rangeNames.some(([each]) => each === range) ? range : "day";
    const time = at ? Date.parse(`${at}T12:00`) : this.#defaultTime();
    this.range = name;
    this.#show(rangeAround(name, Number.isFinite(time) ? time : this.#defaultTime(), this.bounds), isFirst);
    return true;
  }

  /** Now, or the last time of which there is anything. */
  #defaultTime() {
    return Math.min(Date.now(), Math.max(this.bounds.last, this.bounds.first));
  }

  #choose(name, time = this.#anchor()) {
    const range = rangeAround(name, time, this.bounds);
    this.range = name;
    this.#keep(range);
    this.#show(range, false, true);
  }

  /** The time that stays in sight when the range changes: now if it is, else the end of what is shown. */
  #anchor() {
    const now = Date.now();
    const { from, to } = this.chart.view;
    if (from <= now && now <= to) return Math.min(now, this.#defaultTime());
    return Math.min(Math.max((from + to) / 2, this.bounds.first), this.bounds.last);
  }

  #turn(by) {
    if (!this.range || this.range === "all") return this.chart.pan(by, { animated: true });
    const range = rangeAround(this.range, shifted(this.range, this.chart.view, by), this.bounds);
    this.#keep(range);
    this.#show(range, false, true);
  }

  #keep({ from }) {
    const at = this.range === "all" ? null : dateText(from);
    this.context.remember(this.part, { ...this.#typeParameter(), range: this.range, at });
  }

  #typeParameter() {
    return this.type.type === "heartRate" ? {} : { type: this.type.type };
  }

  #show(range, isFirst, animated = false) {
    this.target = range;
    this.settledOn = null;
    this.chart.show(range.from, range.to, { animated, now: isFirst });
    this.#sayRange();
    this.#count(range);
  }

  #viewed({ from, to, settled }) {
    const own = this.target && Math.abs(from - this.target.from) < 1 && Math.abs(to - this.target.to) < 1;
    if (!own && this.target) {
      this.target = null;
      this.range = null;
    }
    this.#sayRange();
    if (!settled || this.settledOn === `${from} ${to}`) return;
    this.settledOn = `${from} ${to}`;
    this.#fillExports();
    if (!this.target) {
      this.context
        .remember(this.part, { ...this.#typeParameter(), from: Math.round(from), to: Math.round(to) });
      this.#count({ from, to });
    }
    if (this.table.open) this.#fillTable();
    this.#fillGaps();
  }

  #sayRange() {
    const { from, to } = this.target ?? this.chart.view;
    say(this.title, this.range ? rangeTitle(this.range, { from, to }) : span(from, to));
    for (const button of this.choice.children) {
      button.setAttribute("aria-pressed", String(button.dataset.range === this.range));
    }
    this.after.disabled = to > Date.now();
    this.before.disabled = from <= this.bounds.first;
    this.today.hidden = from <= Date.now() && Date.now() < to;
  }

  // Data ------------------------------------------------------------------------------------------------

  async #load(want) {
    const { type } = this.type;
    const sources = this.sources;
    // Sums count each stretch of time once, whoever wrote: there is but one bar of several sources.
    if (sources && sources.length > 1 && this.type.style !== "cumulative") {
      const layers = await Promise.all(sources.slice(0, mostSources).map(async (source) => ({
        ...source, data: await fetchSeries({ ...want, type, source: source.source }),
      })));
      // A source that has nothing here takes no room beside the others.
      const some = layers
        .filter(({ data }) => (data.form === "values" ? data.time.length : data.count.some((n) => n > 0)));
      return some.length ? some : layers.slice(0, 1);
    }
    const [source] = sources ?? [];
    return [{ source: source?.source ?? "", name: source?.name ?? "",
      data: await fetchSeries({ ...want, type }) }];
  }

  async #gaps({ from, to, signal }) {
    const answer = await get("/api/gaps", { from, to }, signal);
    this.gaps = answer.gaps;
    this.gapsCut = answer.cut;
    queueMicrotask(() => this.#fillGaps());
    return answer.gaps;
  }

  /** The figures of exactly what is shown. */
  async #count({ from, to }) {
    this.counting?.abort();
    const counting = this.counting = new AbortController();
    let figures;
    this.figures.setAttribute("aria-busy", "true");
    try {
      figures = await get("/api/statistics", { type: this.type.type, from, to }, counting.signal);
    } catch (error) {
      if (error.name === "AbortError") return;
      this.figures.removeAttribute("aria-busy");
      fill(this.figures, h("div", {}, h("dd.small", {}, error.message)));
      return;
    }
    if (counting.signal.aborted) return;
    this.figures.removeAttribute("aria-busy");
    this.#fillFigures(figures);
    const before = (this.sources ?? []).map((each) => each.source).join();
    this.sources = figures.sources ?? [];
    // One source is drawn as the whole. Of several each is drawn by itself, so that none hides another.
    if (this.sources.length > 1 && this.sources.map((each) => each.source).join() !== before) this.chart
      .refresh();
  }

  #fillFigures(figures) {
    const { digits } = this;
    if (!figures.count) {
      fill(this.figures, h("div", {}, h("dt", {}, "measured here"), h("dd", {}, "nothing")));
      say(this.note, "");
      this.note.hidden = true;
      return;
    }
    const one = (name, value, small) =>
      h("div", {}, h("dt", {}, name), h("dd", {}, value, small && h("small", {}, ` ${small}`)));
    const latest = figures.latest;
    fill(this.figures,
      figures.sum !== undefined ? one("in all", number(figures.sum, digits), this.unit) : [
        one("least", number(figures.min, digits)), one("greatest", number(figures.max, digits)),
        one("average", number(figures.average, 1)),
      ],
      latest && one(`latest, ${ago(latest.time)}`, number(latest.value, digits)));
    const several = (figures.sources?.length ?? 0) > 1;
    this.note.hidden = false;
    const unit = this.unit ? `In ${this.unit}, of` : "Of";
    const together = several ? ` from ${figures.sources.length} sources together` : "";
    say(this.note, `${unit} ${count(figures.count, "value")}${together}.`);
  }

  #fillLegend() {
    const { layers } = this.chart;
    if (layers.length < 2) return fill(this.legend);
    fill(this.legend, layers.map((layer, i) => h("button", {
      type: "button", "aria-pressed": String(!this.chart.hidden.has(layer.source)),
      onclick: (event) => {
        const { hidden } = this.chart;
        if (hidden.has(layer.source)) hidden.delete(layer.source);
        else hidden.add(layer.source);
        event.currentTarget.setAttribute("aria-pressed", String(!hidden.has(layer.source)));
        this.chart.redraw();
      },
    }, h(["i.dot", "i.dot.second", "i.dot.third"][i % 3]), named(layer.name || layer.source))));
  }

  #fillGaps() {
    const { from, to } = this.chart.view;
    const gaps = (this.gaps ?? []).filter((gap) => gap.start < to && (gap.end ?? Infinity) > from);
    if (!gaps.length) return fill(this.gapText);
    const wasOpen = this.gapText.querySelector("details")?.open;
    fill(this.gapText, h("details", { open: wasOpen },
      h("summary", {},
        `${count(gaps.length, "gap")}${this.gapsCut ? ", and shorter ones" : ""}, with the cause`),
      h("div.scroll", { tabindex: 0, role: "region", "aria-label": "Gaps" }, h("table", {},
        h("thead", {},
          h("tr", {}, ["When", "Monitor", "Cause"].map((name) => h("th", { scope: "col" }, name)))),
        h("tbody", {}, gaps.slice(-100).reverse().map((gap) => h("tr", {},
          h("td", {}, gap.end ? span(gap.start, gap.end) : `since ${clock(gap.start)}`),
          h("td", {}, named(gap.name ?? gap.monitor)), h("td", {}, gap.text))))))));
  }

  #fillTable() {
    if (!this.table.open) return;
    const rows = rowsOf(this.chart);
    const isRange = rows.some((row) => row.low !== undefined);
    const isSum = this.chart.layers.some((layer) => layer.data.isSum);
    const columns = !isRange ? [["Value", "value"]] : isSum ? [["Sum", "high"]]
      : [["Least", "low"], ["Greatest", "high"], ["Average", "average"], ["Values", "count"]];
    const withName = this.chart.layers.length > 1 || this.chart.layers[0]?.data.isMixed;
    fill(this.table.querySelector(".scroll"), h("table", {},
      h("caption", {},
        rows.length < 500 ? `${this.title.textContent}, ${this.unit}`
        : "The first 500 rows; zoom in for the others"),
      h("thead", {},
        h("tr", {}, h("th", { scope: "col" }, "When"), withName && h("th", { scope: "col" }, "Source"),
        columns.map(([name]) => h("th.number", { scope: "col" }, name)))),
      h("tbody", {},
        rows.map((row) =>
        h("tr", {}, h("th", { scope: "row" }, row.when), withName && h("td", {}, named(row.name)),
        columns.map(([, key]) => h("td.number", {}, row[key])))))));
  }

  // Fresh data ------------------------------------------------------------------------------------------

  /** Something was committed: what is shown is asked for anew where it may reach into the present. */
  #freshen() {
    if (this.freshening || this.chart.view.to < Date.now() - 60_000) return;
    const step = this.chart.loaded?.step ?? 0;
    this.freshening = setTimeout(() => {
      this.freshening = 0;
      if (document.hidden) return;
      this.chart.refresh();
      this.#count(this.target ?? this.chart.view);
    }, Math.min(60_000, Math.max(2000, step / 6)));
  }

  // Saving ----------------------------------------------------------------------------------------------

  #fillExports() {
    const from = Math.round(this.chart.view.from), to = Math.round(this.chart.view.to);
    this.csv.href = address("/api/export.csv", { type: this.type.type, from, to });
    if (this.rr) this.rr.href = address("/api/export.rr", { from, to });
  }

  async #savePicture() {
    const blob = await this.chart.picture(`${typeName(this.type.type)}, ${this.title.textContent}`);
    const link = h("a", { href: URL.createObjectURL(blob), download: `${this.type.type}.png` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    notice("The picture was saved.");
  }

  #shortcut(event) {
    if (event.target.closest("input, select") || event.ctrlKey || event.metaKey || event.altKey) return;
    const name = { d: "day", w: "week", m: "month", h: "half", y: "year", a: "all" }[event.key];
    if (name) this.#choose(name);
  }
}
