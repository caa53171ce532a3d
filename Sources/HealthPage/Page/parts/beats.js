// Beats: RR intervals, heart rate variability with its coverage, and zones.

import { h, fill, isInUse, named, notice, refill, say } from "../dom.js";
import { address, get, save } from "../api.js";
import { serverNow } from "../server-clock.js";
import { afterCommits } from "../stream.js";
import { number, timeZone } from "../format.js";
import { rangeAround, rangeTitle, shifted } from "../ranges.js";
import { DateRange, titleOfRange } from "../date-range.js";
import { lookOfSource } from "../source-looks.js";
import { chartCSV } from "../charts/chart-csv.js";
import { ChartTable } from "../charts/chart-table.js";
import { fileName, keepFile } from "../charts/picture.js";
import { mark } from "../charts/legend.js";
import { TimeChart } from "../charts/time-chart.js";
import { PoincarePlot } from "../charts/poincare.js";
import { addTrends } from "../trends.js";
import { barsOf, bucketsOf, contentOf, valuesOf } from "../charts/beat-series.js";
import { variabilityView, windowLength, windowsView } from "../beat-views.js";
import { definitions, explain } from "../explanations.js";
import { showZones } from "../zones-section.js";

const minute = 60_000;
/** Minimum and maximum duration of one window in seconds. */
const shortestWindow = 10, longestWindow = 86_400;
/**
 * `pairedFor`: the longest range in milliseconds for which single intervals are requested. `pairedPixels`:
 * the width in pixels for these requests. The server returns at most twice this number of single intervals.
 */
const pairedFor = 240 * minute, pairedPixels = 10_000;
/** The programs for which the server can export RR intervals. */
const programs = [
  ["kubios", "Kubios"], ["elite-hrv", "Elite HRV"], ["neurokit2", "NeuroKit2"], ["pyhrv", "pyHRV"],
];
const noBeats = "No beats in this time.";
/** Ranges to choose from. Days and weeks are calendar days and weeks. */
const stretches = [["5 minutes", 5 * minute], ["Hour", 60 * minute], ["Day", "day"], ["Week", "week"]];

/** Returns `day` or `week` if a view is exactly a calendar day or week, otherwise undefined. */
function calendarRange({ from, to }) {
  return ["day", "week"].find((name) => {
    const range = rangeAround(name, (from + to) / 2);
    return Math.abs(range.from - from) < 1000 && Math.abs(range.to - to) < 1000;
  });
}

export async function mount(place, parameters, context) {
  const { types } = await get("/api/types");
  const { beats, rates } = measured(types);
  const missing = beats ? null : h("p.quiet");
  if (missing) place.append(missing);
  const sayMissing = ({ detail }) => { if (missing) say(missing, whyNoBeats(detail)); };
  context.stream.addEventListener("monitors", sayMissing);
  sayMissing({ detail: context.stream.last("monitors") });
  const page = beats || rates ? new BeatsPage(beats, rates, context) : null;
  if (page) place.append(page.element);
  const trends = addTrends(place, types);
  page?.start(parameters);
  const stopRenewing = afterCommits(context.stream, async (signal) => {
    const { types } = await get("/api/types", {}, signal);
    const now = measured(types);
    if ((!beats && now.beats) || (!page && now.rates)) return context.renew();
    await Promise.all([trends.renew(types), page?.renew(now)]);
  }, () => Math.max(5000, page?.chart.pause ?? 0));
  return {
    close() {
      context.stream.removeEventListener("monitors", sayMissing);
      stopRenewing();
      page?.close();
      trends.close();
    },
  };
}

/** Why no beats are stored. A gateway stores them in parts of five minutes. */
function whyNoBeats(report) {
  const isComing = (report?.monitors ?? []).some((each) => each.beats?.count > 0);
  return isComing
    ? "Beats are coming in. The first part is stored within five minutes, and is shown here then."
    : "No beats are stored. They need a monitor that sends RR intervals, as most chest straps do.";
}

/** Returns the types that this part shows; undefined for a type without samples. */
function measured(types) {
  const [beats, rates] = ["heartbeatSeries", "heartRate"].map((type) =>
    types.find((each) => each.type === type));
  return { beats, rates };
}

/** The time of the last beat, or of the last heart rate if there are no beats. */
function endOf({ beats, rates }) {
  // An older server does not report the end. A heartbeat series is at most five minutes long.
  const end = beats ? beats.end ?? beats.last + 5 * minute : rates.end ?? rates.last;
  return Math.min(end, serverNow());
}

class BeatsPage {
  /**
   * @param {object} [beats] Undefined if there are only heart rates, for example from a watch. Then only
   *   zones are shown.
   */
  constructor(beats, rates, context) {
    this.beats = beats;
    this.end = endOf({ beats, rates });
    this.known = { beats, rates };
    this.context = context;
    /** The selected source; null for all. */
    this.source = null;
    this.legend = h("div.legend.one", { role: "group", "aria-label": "Whose beats" });
    this.chart = new TimeChart({
      label: "Tachogram: the time between beats, in milliseconds", unit: "ms", digits: 0, room: 200,
      holds: 3000, grid: true, load: (want) => this.#load(want),
      gaps: beats && (async ({ from, to, signal }) => (await get("/api/gaps", { from, to }, signal)).gaps),
      onView: (view) => this.#viewed(view), onData: () => this.#drawn(),
      placeOf: lookOfSource,
    });
    /** All sources with beats, in the order of their looks. */
    this.sources = [];
    this.table = new ChartTable(this.chart, () => `${this.title.textContent}, ms`);
    this.plot = new PoincarePlot();
    this.title = h("h2", { "aria-live": "polite" });
    this.choice = h("div.choice", { role: "group", "aria-label": "Stretch" },
      stretches.map(([name, length]) => h("button", {
        type: "button", data: { length }, onclick: () => this.#choose(length),
      }, name)));
    this.dates = new DateRange((from, to) => this.chart.show(from, to, { animated: true }));
    this.variability = h("div.stack");
    this.windowTable = h("div.stack");
    this.plotNote = h("p.quiet");
    this.zones = h("div.stack.zones");
    this.rr = h("a.button", { onclick: save }, "RR intervals");
    this.program = h("select", {
      "aria-label": "Program that reads the intervals", onchange: () => this.#sayRR(),
    }, programs.map(([value, name]) => h("option", { value }, `for ${name}`)));
    const button = (text, onclick) => h("button", { type: "button", onclick }, text);
    const turner = (label, by, sign) =>
      h("button", { type: "button", "aria-label": label, onclick: () => this.#turn(by) }, sign);
    this.saving = h("div.row", {}, h("span.quiet", {}, "Save what is shown:"),
      button("CSV", () => this.#saveTable()), this.rr, this.program,
      button("PNG", () => this.#savePicture()));
    this.below = h("div.stack", {}, h("div.row.spread", {}, this.table.element, this.saving),
      h("div.pair", {}, this.variability,
        h("div.stack", {}, h("h2", {}, "Poincaré plot"), this.plot.element, this.plotNote, this.plot.table)),
      this.windowTable);
    this.element = h("div.stack", {},
      h("div.row.spread", {},
        h("div.row.turning", {}, turner("Before", -1, "‹"), this.title, turner("After", 1, "›")),
        this.choice), this.dates.element,
      this.beats && [this.chart.element, this.legend, this.below], this.zones);
  }

  start({ from, to, source }) {
    this.source = source || null;
    const day = rangeAround("day", this.end - 1);
    if (Number(to) > Number(from)) this.chart.show(Number(from), Number(to), { now: true });
    else if (this.beats) this.chart.show(this.end - 5 * minute, this.end, { now: true });
    else this.chart.show(day.from, day.to, { now: true });
  }

  close() {
    this.chart.close();
    this.plot.close();
    this.asking?.abort();
  }

  /**
   * Shows new data. If the view ends at the latest beat, it moves along. Does nothing while the user is using
   * the part.
   */
  async renew(now) {
    const { from, to } = this.chart.view;
    const { known } = this;
    // New data counts only if the view reaches the previous end (with a minute of tolerance), because that is
    // where new data is expected.
    const isNew = (what) => now[what] && now[what].count !== known[what]?.count
      && to > endOf({ [what]: known[what] ?? now[what] }) - minute;
    const isMain = isNew(this.beats ? "beats" : "rates");
    if (!isMain && !isNew("rates")) {
      this.chart.forget();
      Object.assign(this, { known: now, end: endOf(now) });
      return;
    }
    const parts = [this.variability, this.windowTable, this.zones, this.plot.table, this.table.element];
    if (this.chart.cursor || parts.some(isInUse)) return;
    const isAtEnd = Math.abs(to - this.end) < 1000;
    Object.assign(this, { known: now, end: endOf(now) });
    if (!isMain) return showZones(this.zones, this.#options(from, to), this.context,
      { signal: this.asking.signal, put: refill });
    const by = isAtEnd ? Math.max(0, this.end - to) : 0;
    const view = { from: from + by, to: to + by };
    const drawn = this.chart.refresh(view);
    if (by) this.chart.show(view.from, view.to, { animated: true });
    await Promise.all([drawn, this.#ask(view, refill)]);
  }

  #options(from, to) {
    return { from: Math.round(from), to: Math.round(to), source: this.source };
  }

  #choose(length) {
    const { from, to } = this.chart.view;
    // The right edge of the view, which usually is the latest data, stays in place.
    const end = Math.min(to, Math.max(this.end, from));
    const range = typeof length === "string" ? rangeAround(length, end - 1) : { from: end - length, to: end };
    this.chart.show(range.from, range.to, { animated: true });
  }

  #turn(by) {
    const name = calendarRange(this.chart.view);
    if (!name) return this.chart.pan(by, { animated: true });
    const range = rangeAround(name, shifted(name, this.chart.view, by));
    this.chart.show(range.from, range.to, { animated: true });
  }

  async #load({ from, to, step, signal }) {
    if (!this.beats) return [];
    const pixels = step === 0 ? 2000 : Math.min(2000, Math.max(1, Math.round((to - from) / step)));
    const { recordings } = await get("/api/beats", { from, to, pixels }, signal);
    for (const { source, name } of recordings) {
      if (!this.sources.some((each) => each.source === source)) this.sources.push({ source, name });
    }
    const layers = recordings.map((recording) => ({
      source: recording.source, name: recording.name,
      // If one source is drawn as bars, draw the others as bars too, even if they have few beats.
      data: recording.form === "ranges" ? bucketsOf(recording)
        : step > 0 ? barsOf(recording, { from, to, pixels }) : valuesOf(recording),
    }));
    return layers.length ? layers : [{ source: "", name: "", data: valuesOf({ segments: [] }) }];
  }

  /** Shows a sentence instead of an empty grid and empty tables if there are no beats in the view. */
  #sayNone() {
    const { chart } = this;
    const { from, to } = chart.view;
    // While the data of this view is being loaded, the last state stays.
    if (!(chart.loaded?.from <= from && chart.loaded.to >= to)) return;
    const { hasBeats, hasGaps } = contentOf(chart);
    this.below.hidden = !hasBeats;
    const isEmpty = !hasBeats && !hasGaps;
    chart.element.classList.toggle("empty", isEmpty);
    say(chart.status, isEmpty ? noBeats : "");
    chart.rest(isEmpty ? "" : hasBeats ? this.explanation : noBeats);
  }

  /** Updates the legend, whose buttons restrict the chart and the tables below it to one source. */
  #drawn() {
    const { layers, hidden } = this.chart;
    hidden.clear();
    if (this.source) for (const { source } of layers) if (source !== this.source) hidden.add(source);
    this.table.refill();
    const isOfBars = layers.some((layer) => layer.data.form === "buckets");
    this.explanation = isOfBars
      ? "Each bar ranges from the shortest to the longest time between two beats, in milliseconds."
      : "Each point is a beat, as high as the time since the one before it, in milliseconds.";
    this.#sayNone();
    const present = layers.filter((layer) => layer.source);
    if (present.length < 2 && !this.source) return fill(this.legend);
    const button = (source, ...label) => h("button", {
      type: "button", "aria-pressed": String(this.source === source), onclick: () => this.#look(source),
    }, label);
    fill(this.legend, button(null, "All"), this.sources
      .filter(({ source }) => source === this.source || present.some((each) => each.source === source))
      .map(({ source, name }) => button(source, mark(lookOfSource(source)), named(name))));
  }

  #look(source) {
    this.source = source;
    this.#drawn();
    this.legend.querySelector('[aria-pressed="true"]')?.focus();
    this.chart.redraw();
    this.#viewed({ ...this.chart.view, settled: true });
  }

  #viewed({ from, to, settled }) {
    const name = calendarRange({ from, to });
    say(this.title, name ? rangeTitle(name, { from, to }) : titleOfRange({ from, to }));
    this.dates.show({ from, to });
    for (const button of this.choice.children) {
      const { length } = button.dataset;
      button.setAttribute("aria-pressed",
        String(length === name || Math.abs(Number(length) - (to - from)) < 1000));
    }
    if (!settled) return;
    this.#sayNone();
    const shown = this.#options(from, to);
    this.#sayRR();
    this.context.remember("beats", shown);
    this.table.refill();
    // If the view moved because of new data, `renew()` has already requested the tables for it.
    if (this.asked !== this.#keyOf({ from, to })) this.#ask({ from, to });
  }

  #sayRR() {
    const { from, to } = this.chart.view;
    this.rr.href = address("/api/export.rr", { ...this.#options(from, to), for: this.program.value });
  }

  #keyOf({ from, to }) {
    return JSON.stringify(this.#options(from, to));
  }

  /**
   * Requests the figures and tables below the chart.
   * @param put Inserts the response: `fill`, or `refill` during an update.
   */
  async #ask({ from, to }, put = fill) {
    this.asking?.abort();
    const { signal } = this.asking = new AbortController();
    this.asked = this.#keyOf({ from, to });
    const options = this.#options(from, to);
    await Promise.all([
      ...(this.beats ? [this.#askVariability(options, signal, put), this.#askPairs(options, signal),
        this.#askWindows(options, signal, put)] : []),
      showZones(this.zones, options, this.context, { signal, put }),
    ]);
  }

  /** Requests the variability of the whole range as one window. */
  async #askVariability({ from, to: end, source }, signal, put) {
    // Exclude the future, because the coverage is the share of the time in which there could be beats.
    const to = Math.min(end, Math.max(this.end, from + 1000));
    const heading = h("h2", {}, "Variability");
    this.whole = null;
    const seconds = Math.floor((to - from) / 1000);
    if (seconds > longestWindow || seconds < shortestWindow) {
      const words = seconds > longestWindow
        ? "These figures cover at most a day. The table below has them day by day."
        : "These figures need at least ten seconds.";
      return put(this.variability, heading, h("p.quiet", {}, words));
    }
    try {
      const { windows } = await get("/api/variability", { from, to, source, window: `${seconds}s` }, signal);
      this.whole = windows;
      this.#plot();
      put(this.variability, heading, windows.length
        ? [windows.map((each) => variabilityView(each, windows.length > 1)), definitions()]
        : h("p.quiet", {}, noBeats));
      if (windows.length) explain(this.variability, "variability", windows[0].source);
    } catch (error) {
      if (error.name !== "AbortError") put(this.variability, heading, h("p.problem", {}, error.message));
    }
  }

  /** Requests the variability of several windows, which show how it changes within the range. */
  async #askWindows({ from, to, source }, signal, put) {
    const length = windowLength(to - from);
    if (put === fill || !length) fill(this.windowTable);
    if (!length) return;
    try {
      const { windows } = await get("/api/variability", { from, to, source, window: length[0] }, signal);
      put(this.windowTable, windows.length > 1 && windowsView(windows, length));
    } catch (error) {
      if (error.name !== "AbortError") put(this.windowTable, h("p.problem", {}, error.message));
    }
  }

  async #askPairs({ from, to, source }, signal) {
    this.single = null;
    this.whyNoPairs = "Zoom in to four hours or less to see the single beats.";
    try {
      if (to - from <= pairedFor) {
        const { recordings } = await get("/api/beats", { from, to, source, pixels: pairedPixels }, signal);
        const recording = recordings.find((each) => each.form === "intervals" && each.segments.length);
        if (recording) {
          const { name } = recording;
          const of = recordings.length > 1 ? name : null;
          this.single = { source: recording.source, of, data: valuesOf(recording), from, to };
        }
        this.whyNoPairs = recordings.length
          ? `There are more than ${number(2 * pairedPixels)} beats in this time: zoom in to see single beats.`
          : noBeats;
      }
      this.#plot();
    } catch (error) {
      if (error.name !== "AbortError") say(this.plotNote, error.message);
    }
  }

  #plot() {
    if (!this.single) {
      this.plot.take({ time: [], value: [] }, 0, 0);
      this.plot.element.hidden = this.plot.table.hidden = true;
      say(this.plotNote, this.whyNoPairs);
      return;
    }
    const { source, of, data, from, to } = this.single;
    const figures = this.whole?.find((each) => each.source === source && each.sd1);
    this.plot.take(data, from, to, figures);
    const isEmpty = this.plot.element.hidden = this.plot.table.hidden = !this.plot.pairs.length;
    fill(this.plotNote, isEmpty ? "No two beats in a row without an artifact."
      : [of && [named(of), ": "], `${number(this.plot.pairs.length)} pairs, in milliseconds: each interval`,
        " (upwards) after the one before it (to the right).", figures && " The ellipse is SD1 by SD2."]);
  }

  #saveTable() {
    keepFile(chartCSV(this.chart, "ms"), fileName(this.chart.view, "beats.csv"));
  }

  async #savePicture() {
    const blob = await this.chart.picture(`Beats, ${this.title.textContent}`,
      [`The time between beats, in milliseconds. Times in ${timeZone}.`]);
    keepFile(blob, fileName(this.chart.view, "beats.png"));
    notice("The picture was saved.");
  }
}
