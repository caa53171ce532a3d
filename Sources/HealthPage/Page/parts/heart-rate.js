// Heart rate, or any other quantity type, over time.

import { h, fill, named, plain, refill, say, notice, whileSeen } from "../dom.js";
import { address, get, save } from "../api.js";
import { addButton } from "../entry.js";
import { afterCommits } from "../stream.js";
import {
  ago, averageName, count, dateText, number, since, span, startOfDay, timeZone,
} from "../format.js";
import { typeName, typeNameInside, unitName, digitsFor } from "../names.js";
import { Extremes } from "../extremes.js";
import { readable } from "../per-cent.js";
import { dayOfRange, isLatest, rangeAround, rangeNames, rangeTitle, shifted } from "../ranges.js";
import { DateRange, titleOfRange } from "../date-range.js";
import { lookOfSource, meetSources } from "../source-looks.js";
import { has, startsOf } from "../charts/arrangement.js";
import { ChartTable } from "../charts/chart-table.js";
import { fetchSeries, isRare, stepOfType } from "../charts/series.js";
import { roomFor } from "../charts/scale.js";
import { SleepShade } from "../charts/sleep-shade.js";
import { TimeChart } from "../charts/time-chart.js";
import { legendOf } from "../charts/legend.js";
import { fileName, keepFile } from "../charts/picture.js";
import { CompanionChoice } from "../companion-choice.js";
import { SelectedFigures } from "../selected-figures.js";
import { showZones } from "../zones-section.js";

/** Maximum number of sources on the chart. */
const mostSources = 6;
/** Maximum number of gaps in the list. */
const mostGaps = 100;
const dayLength = 86400_000;
/** The time in zones is shown for ranges up to this length. The server reads each heart rate for it. */
const longestZones = 32 * dayLength;
/** Minimum time in milliseconds between updates of the time in zones. */
const zonesEvery = 60_000;

/** Converts a time to milliseconds of local clock time, in which every day has 24 hours. */
const onClocks = (time) => time - new Date(time).getTimezoneOffset() * 60_000;

/** Whether nothing was measured. */
const isEmpty = ({ sum, min }) => sum === undefined && min === undefined;

export async function mount(place, parameters, context) {
  const part = "heart-rate";
  const [{ types }, { sources }] = await Promise.all([get("/api/types"), get("/api/sources")]);
  const type = types.find((each) => each.type === (parameters.type ?? "heartRate"));
  place.querySelector("h1").textContent = typeName(parameters.type ?? "heartRate");
  addChoice(place, types, parameters.type ?? "heartRate", context);
  if (!type) {
    const asked = parameters.type ?? "heartRate";
    place.append(h("p.quiet", {}, `No ${typeNameInside(asked)} is stored.`));
    const close = afterCommits(context.stream, async (signal) => {
      const { types } = await get("/api/types", {}, signal);
      if (types.some((each) => each.type === asked)) context.renew();
    });
    return { close };
  }
  const others = types.filter((each) => each.kind === "quantity" && each !== type);
  const page = new SeriesPage(type, context, part, writersOf(type.type, sources), beatingOf(sources), others);
  if (types.some((each) => each.type === "sleepAnalysis")) page.shadeSleep();
  place.append(page.element);
  page.read(parameters, true);
  return { update: (next) => (next.type ?? "heartRate") === type.type && page.read(next, false),
    close: () => page.close() };
}

/** Adds a menu of types beside the heading. */
function addChoice(place, types, shownType, context) {
  const numeric = types.filter((each) => each.kind === "quantity");
  if (numeric.length < 2) return;
  const heading = place.querySelector("h1");
  const row = h("div.row.spread.heading");
  heading.replaceWith(row);
  row.append(heading, h("select", {
    "aria-label": "What is shown",
    onchange: ({ target }) =>
      context.go("heart-rate", { type: target.value === "heartRate" ? null : target.value }),
  }, numeric.map(({ type }) => h("option", { value: type, selected: type === shownType }, typeName(type)))));
}

/**
 * The sources of a type: monitors first, then by number of samples. A source has the same position, and so
 * the same look, in every view.
 */
function writersOf(type, sources) {
  const isMonitor = ({ source }) => source.startsWith("org.hrgate.monitor.");
  return sources.filter((each) => each.samples[type])
    .sort((a, b) => isMonitor(b) - isMonitor(a) || b.samples[type] - a.samples[type]
      || a.source.localeCompare(b.source))
    .map(({ source, name }) => ({ source, name }));
}

/** Returns the identifiers of the sources that saved beats. */
function beatingOf(sources) {
  return sources.filter((each) => each.samples.heartbeatSeries).map((each) => each.source);
}

/** The chart of a type with its controls and figures. */
export class SeriesPage {
  /**
   * @param {string[]} beating The sources that saved beats.
   * @param {object[]} others Further types with numbers.
   */
  constructor(type, context, part, writers, beating, others) {
    this.type = type;
    this.beating = beating;
    /** All sources of this type, in the order of their looks. */
    this.writers = writers;
    meetSources(writers.map(({ source }) => source));
    this.isSum = type.style === "cumulative";
    this.counted = new Promise((resolve) => { this.haveCounted = resolve; });
    this.context = context;
    this.part = part;
    this.digits = digitsFor(type.unit, type.type);
    this.unit = unitName(type.unit, type.type);
    this.extremes = new Extremes((parameters) =>
      context.link(part, { ...this.#ownParameters(), ...parameters }));
    this.companions = new CompanionChoice(type, others, () => this.#companionsChanged());
    this.bounds = { first: type.first, last: Math.max(type.last, type.first + 3600_000) };
    this.chart = new TimeChart({
      label: `${typeName(type.type)}, ${this.unit}`, unit: this.unit, digits: this.digits,
      room: roomFor(type.unit, type.type === "heartRate" ? 40 : 4), load: (want) => this.#load(want),
      takesWheel: true,
      stepOf: stepOfType(type), ...(!this.isSum && isRare(type) ? { joins: Infinity } : {}),
      placeOf: lookOfSource,
      gaps: type.type === "heartRate" ? (want) => this.#gaps(want) : null,
      companions: (want) => this.companions.load(want, this.chart.width),
      onSelect: (selection, isOver) => this.selected.take(selection, isOver),
      onView: (view) => this.#viewed(view), onData: (layers) => this.#drawn(layers),
    });
    this.selected =
      new SelectedFigures(this.chart, () => ({ type: type.type, source: this.#visible() }), this);
    this.#build();
    this.stopRenewing = afterCommits(context.stream, (signal) => this.#renew(signal),
      () => Math.max(2000, this.chart.pause));
    // Without new measurements there are no commits, but the age of the latest value grows.
    this.stopTicking = whileSeen(() => this.#sayLatest());
  }

  close() {
    this.chart.close();
    this.shade?.close();
    this.stopTicking();
    this.stopRenewing();
    this.counting?.abort();
    this.zoning?.abort();
    this.selected.close();
    this.offering?.abort();
  }

  #build() {
    this.choice = h("div.choice", { role: "group", "aria-label": "Range" }, rangeNames.map(([name, label]) =>
      h("button", { type: "button", data: { range: name }, onclick: () => this.#choose(name) }, label)));
    this.dates = new DateRange((from, to) => this.#chooseDates(from, to));
    this.title = h("h2", { "aria-live": "polite" });
    const turner = (label, by, sign) =>
      h("button", { type: "button", "aria-label": label, onclick: () => this.#turn(by) }, sign);
    this.before = turner("Before", -1, "‹");
    this.after = turner("After", 1, "›");
    this.today = h("button.plain",
      { type: "button", onclick: () => this.#choose(this.range ?? "day", Date.now()) }, "Today");
    this.figures = h("dl.figures");
    this.latest = h("dt");
    this.bars = h("p.quiet", { hidden: true });
    this.sleepNote = h("p.quiet", { hidden: true }, "Shaded: asleep. ",
      h("a", { href: this.context.link("sleep") }, "Nights"));
    this.legend = h("div.legend", { role: "group", "aria-label": "Sources on the chart" });
    this.gapText = h("div");
    this.csv = h("a.button", { onclick: save }, "CSV");
    if (this.type.type === "heartRate") {
      this.rr = h("a.button", { hidden: true, onclick: save }, "RR intervals for Kubios");
    }
    this.table = new ChartTable(this.chart,
      () => `${this.title.textContent}${this.unit ? `, ${this.unit}` : ""}`);
    this.samples = h("a", {}, "Samples");
    if (this.type.type === "heartRate") {
      this.zonesLink = h("a", {}, "Zones and beats");
      this.zones = h("div.stack.zones");
    }
    this.problem = h("p.problem", { role: "alert" });
    const { type, canAdd } = this.type;
    this.add = canAdd && addButton(type, `Add ${typeNameInside(type)}`,
      (added) => added !== type && this.context.go("heart-rate", { type: added }), this.problem);
    this.element = h("div.stack", {},
      h("div.row.spread", {}, h("div.row.turning", {}, this.before, this.title, this.after, this.today),
        this.choice), this.dates.element,
      this.figures, this.chart.element, this.selected.element, this.bars, this.sleepNote, this.legend,
      this.companions.element, this.gapText, this.zones,
      h("div.row.spread", {}, this.table.element,
        h("div.row", {}, this.selected.button, this.add, this.samples, this.zonesLink,
          h("span.quiet", {}, "Save what is shown:"), this.csv, this.rr,
        h("button", { type: "button", onclick: () => this.#savePicture() }, "PNG"))),
      this.problem, h("p.quiet", {},
        h("small", {}, `Times in ${timeZone}. On the chart, the wheel or two fingers zoom,`
        + " dragging moves, dragging with Shift selects a time, and arrow keys go from value to value.")));
    this.element.classList.add("series");
    this.element.addEventListener("keydown", (event) => this.#shortcut(event));
  }

  // Range -----------------------------------------------------------------------------------------------

  /** Sets the range from the address. */
  read({ range, at, from, to, point, ...companions }, isFirst) {
    this.companions.read(companions);
    if (from && to && Number(to) > Number(from)) {
      this.range = null;
      this.#show({ from: Number(from), to: Number(to) }, isFirst);
      if (point) this.#pointAt(Number(point));
      return true;
    }
    const name = rangeNames.some(([each]) => each === range) ? range : "day";
    const time = at ? Date.parse(`${at}T12:00`) : this.#defaultTime();
    this.range = name;
    this.#show(rangeAround(name, Number.isFinite(time) ? time : this.#defaultTime(), this.bounds), isFirst);
    return true;
  }

  /**
   * Puts the cursor at the time that a link contains. The chart gets the focus, so that arrow keys move the
   * cursor.
   */
  #pointAt(time) {
    this.chart.frame.focus({ preventScroll: true });
    this.chart.point(time);
  }

  /** Returns the time that is shown first: now or, if the data ends earlier, the last time with data. */
  #defaultTime() {
    return Math.min(Date.now(), Math.max(this.bounds.last, this.bounds.first));
  }

  #choose(name, time = this.#anchor()) {
    const range = rangeAround(name, time, this.bounds);
    this.range = name;
    this.#keep(range);
    this.#show(range, false, true);
  }

  #chooseDates(from, to) {
    this.range = null;
    this.context.remember(this.part, { ...this.#ownParameters(), from, to });
    this.#show({ from, to }, false, true);
  }

  /**
   * Returns the time that stays visible when another range is chosen: now if it is visible, otherwise the
   * middle of the visible range.
   */
  #anchor() {
    const now = Date.now();
    const { from, to } = this.target ?? this.chart.view;
    if (from <= now && now <= to) return Math.min(now, this.#defaultTime());
    return Math.min(Math.max((from + to) / 2, this.bounds.first), this.bounds.last);
  }

  #turn(by) {
    if (!this.range || this.range === "all") return this.chart.pan(by, { animated: true });
    // If the chart is still moving, start from the range that it moves to.
    const shown = this.target ?? this.chart.view;
    const range = rangeAround(this.range, shifted(this.range, shown, by), this.bounds);
    this.#keep(range);
    this.#show(range, false, true);
  }

  #keep(range) {
    const at = this.range === "all" ? null : dateText(dayOfRange(this.range, range));
    this.context.remember(this.part, { ...this.#ownParameters(), range: this.range, at });
  }

  #keepBounds({ from, to }) {
    this.context
      .remember(this.part, { ...this.#ownParameters(), from: Math.round(from), to: Math.round(to) });
  }

  /** Returns the parameters of the address other than the range. */
  #ownParameters() {
    const { type } = this.type;
    return { type: type === "heartRate" ? null : type, ...this.companions.parameters };
  }

  #companionsChanged() {
    if (this.range) this.#keep(this.target ?? this.chart.view);
    else this.#keepBounds(this.chart.view);
    this.companions.setRange(this.range, this.target ?? this.chart.view);
    this.chart.refresh();
    this.#count(this.target ?? this.chart.view, true);
  }

  #show(range, isFirst, animated = false) {
    this.target = range;
    this.settledOn = null;
    if (this.companions.setRange(this.range, range)) this.chart.forget();
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
      this.#keepBounds({ from, to });
      this.#count({ from, to });
    }
    this.table.refill();
    this.#fillGaps();
    this.#sayShade();
  }

  #sayRange() {
    const { from, to } = this.target ?? this.chart.view;
    say(this.title, this.range ? rangeTitle(this.range, { from, to }) : titleOfRange({ from, to }));
    this.dates.show({ from, to });
    for (const button of this.choice.children) {
      button.setAttribute("aria-pressed", String(button.dataset.range === this.range));
    }
    this.after.disabled = isLatest(this.range, { to });
    this.before.disabled = from <= this.bounds.first;
    this.today.hidden = from <= Date.now() && isLatest(this.range, { to });
  }

  // Data ------------------------------------------------------------------------------------------------

  /** Shades the time asleep behind the chart. */
  shadeSleep() {
    if (this.isSum) return;
    this.shade = new SleepShade(() => {
      this.#sayShade();
      this.chart.redraw();
    });
    this.chart.options.underlay = (...to) => this.shade.paint(...to);
  }

  #sayShade() {
    if (this.shade) this.sleepNote.hidden = !this.shade.within(this.chart.view).length;
  }

  async #load(want) {
    this.shade?.ask(want);
    const { type } = this.type;
    // Overlapping sums of several sources are counted once, so there is one bar for all sources.
    if (this.isSum) {
      return [{ source: "", name: "", data: await fetchSeries({ ...want, type, isSum: true }) }];
    }
    // If there are several sources, draw those with data in this range.
    if (this.writers.length > 1 && !this.sources) await this.counted;
    const sources = this.sources ?? this.writers;
    if (sources.length > 1) {
      const layers = await Promise.all(sources.slice(0, mostSources).map(async (source) => ({
        ...source, data: await fetchSeries({ ...want, type, source: source.source }),
      })));
      // Leave out sources without data in this range, so that their bars take no width from those of others.
      const some = layers
        .filter(({ data }) => startsOf(data).some((_, i) => has(data, i)));
      return some.length ? some : layers.slice(0, 1);
    }
    const [{ source, name } = { source: "", name: "" }] = sources;
    const only = this.writers.length > 1 ? source : null;
    return [{ source, name, data: await fetchSeries({ ...want, type, source: only }) }];
  }

  /** Returns the sources that are not hidden; null if no source is hidden. */
  #visible() {
    const { hidden } = this.chart;
    const sources = this.sources ?? [];
    const visible = sources.map((each) => each.source).filter((each) => !hidden.has(each));
    return visible.length < sources.length ? visible : null;
  }

  async #gaps({ from, to, signal }) {
    const answer = await get("/api/gaps", { from, to }, signal);
    this.gaps = answer.gaps;
    this.gapsCut = answer.cut;
    queueMicrotask(() => this.#fillGaps());
    return answer.gaps;
  }

  /**
   * Loads the figures of the visible range. The old figures are pale until the response arrives, because they
   * may be of another range. During an update they are not, because they would blink.
   */
  async #count({ from, to }, isSame = false) {
    this.counting?.abort();
    const counting = this.counting = new AbortController();
    let figures, all, earlier;
    const { type } = this.type;
    const chosen = this.#visible();
    if (!isSame) this.figures.setAttribute("aria-busy", "true");
    try {
      [all, figures, earlier] = await Promise.all([
        get("/api/statistics", { type, from, to }, counting.signal),
        chosen && get("/api/statistics", { type, from, to, source: chosen }, counting.signal),
        this.companions.figures({ from, to, source: chosen }, counting.signal),
      ]);
      figures = readable(figures ?? all);
    } catch (error) {
      if (error.name === "AbortError") return;
      this.figures.removeAttribute("aria-busy");
      fill(this.figures, h("div", {}, h("dd.small.message", {}, error.message)));
      this.haveCounted();
      return;
    }
    if (counting.signal.aborted) return;
    this.figures.removeAttribute("aria-busy");
    this.earlierFigures = earlier;
    this.#fillFigures(figures, { from, to });
    this.#showZones({ from, to, source: chosen }, figures, isSame);
    const before = this.sources?.map((each) => each.source).join("\n");
    const present = new Set((all.sources ?? []).map((each) => each.source));
    this.sources = this.writers.filter((each) => present.has(each.source));
    const now = this.sources.map((each) => each.source).join("\n");
    this.haveCounted();
    // Other sources have data in this range now. Load the chart again, with a layer for each of them.
    if (before !== undefined && now && now !== before && !this.isSum) this.chart.refresh();
    this.#fillLegend();
    this.#fillExports();
  }

  /** Shows the time in zones. During updates it is requested rarely, because it changes little. */
  #showZones(options, figures, isSame) {
    if (!this.zones) return;
    const isShown = !isEmpty(figures) && options.to - options.from <= longestZones;
    this.zones.hidden = !isShown;
    if (!isShown || (isSame && Date.now() - this.zonesAt < zonesEvery)) return;
    this.zonesAt = Date.now();
    this.zoning?.abort();
    this.zoning = new AbortController();
    showZones(this.zones, options, this.context,
      { signal: this.zoning.signal, put: isSame ? refill : fill });
  }

  /** Requests the times of the lowest and the highest value, and then shows the figures again with them. */
  async #askExtremes(figures, asked) {
    if (await this.extremes.ask(asked, this.counting.signal)) this.#fillFigures(figures, asked, true);
  }

  #fillFigures(figures, { from, to }, isAsked = false) {
    const { digits } = this;
    this.shownFigures = figures;
    if (isEmpty(figures)) {
      fill(this.figures, h("div", {}, h("dt", {}, "measured in this time"), h("dd", {}, "nothing")));
      this.chart.rest();
      return;
    }
    const one = (name, value, small, link) =>
      h("div", {}, h("dt", {}, name), h("dd", {}, value, small && h("small", {}, ` ${small}`)),
        link && h("dd.when", {}, link));
    const { latest } = figures;
    const { earlierFigures: before, companions: { earlier } } = this;
    const asked = { type: this.type.type, from, to, source: this.#visible() };
    const known = this.extremes.of(asked);
    const when = (which) => this.extremes.linkTo(known?.[which], which, asked);
    if (!this.isSum && !isAsked) this.#askExtremes(figures, asked);
    this.#sayLatest();
    // Count the days that have begun, from the first day with data.
    const begun = Math.max(from, startOfDay(this.type.first));
    const days = Math.ceil((onClocks(Math.min(to, Date.now())) - onClocks(begun)) / dayLength);
    const several = (figures.sources?.length ?? 0) > 1;
    fill(this.figures,
      figures.sum !== undefined ? [
        one("in all", number(figures.sum, digits, true), this.unit),
        days > 1 && one("a day on average", number(figures.sum / days, digits, true), this.unit),
        before?.sum !== undefined && one(`in all, ${earlier}`, number(before.sum, digits, true), this.unit),
      ] : [
        one("lowest", number(figures.min, digits, true), null, when("lowest")),
        one("highest", number(figures.max, digits, true), null, when("highest")),
        one(averageName, number(figures.average, digits, true)),
        before?.average !== undefined
          && one(`${averageName}, ${earlier}`, number(before.average, digits, true)),
      ],
      latest && h("div", {}, this.latest, h("dd", {}, number(latest.value, digits, true))));
    const unit = this.unit ? `In ${this.unit}, of` : "Of";
    const together = several ? ` from ${figures.sources.length} sources together` : "";
    this.chart.rest(`${unit} ${count(figures.count, "value")}${together}.`);
  }

  /** Shows the latest value's label with its age. */
  #sayLatest() {
    const { latest } = this.shownFigures ?? {};
    if (latest) say(this.latest, `latest, ${ago(latest.time)}`);
  }

  #drawn(layers) {
    this.#fillLegend();
    this.table.refill();
    const isOfDays = layers.some((layer) => layer.data.sums);
    say(this.bars, isOfDays ? "Each bar covers several days and shows their daily average." : "");
    this.bars.hidden = !isOfDays;
  }

  #fillLegend() {
    const left = (this.sources ?? []).slice(this.isSum ? Infinity : mostSources);
    legendOf(this.legend, this.chart, left, () => {
      this.chart.redraw();
      this.table.refill();
      this.#fillGaps();
      this.#fillExports();
      this.#count(this.target ?? this.chart.view);
    });
  }

  #fillGaps() {
    const { from, to } = this.chart.view;
    const gaps = (this.gaps ?? []).filter((gap) => gap.start < to && (gap.end ?? Infinity) > from
      && !this.chart.hidden.has(gap.source));
    if (!gaps.length) return fill(this.gapText);
    const wasOpen = this.gapText.querySelector("details")?.open;
    const row = (gap) => h("tr", {}, h("td", {}, gap.end ? span(gap.start, gap.end) : since(gap.start)),
      h("td", {}, named(gap.name ?? gap.monitor)), h("td", {}, gap.text));
    fill(this.gapText, h("details", { open: wasOpen },
      h("summary", {},
        `${count(gaps.length, "gap")}${this.gapsCut ? ", and shorter ones" : ""}, with the cause`),
      h("div.scroll.long", { tabindex: 0, role: "region", "aria-label": "Gaps" }, h("table.stacked.gaps", {},
        gaps.length > mostGaps && h("caption", {},
          `The last ${number(mostGaps)} of ${number(gaps.length)}; zoom in for the others`),
        h("thead", {},
          h("tr", {}, ["When", "Monitor", "Cause"].map((name) => h("th", { scope: "col" }, name)))),
        h("tbody", {}, gaps.slice(-mostGaps).reverse().map(row))))));
  }

  // Fresh data ------------------------------------------------------------------------------------------

  /**
   * Updates the visible range if it includes the present. Otherwise data outside of it is loaded again when
   * needed.
   */
  async #renew(signal) {
    // Update only a view that includes the present. It may end shortly before now: up to the pause between
    // updates, plus a minute.
    if (this.chart.view.to < Date.now() - 60_000 - this.chart.pause) return this.chart.forget();
    if (this.rr) this.beating = beatingOf((await get("/api/sources", {}, signal)).sources);
    await Promise.all([this.chart.refresh(), this.#count(this.target ?? this.chart.view, true)]);
  }

  // Saving ----------------------------------------------------------------------------------------------

  #fillExports() {
    const from = Math.round(this.chart.view.from), to = Math.round(this.chart.view.to);
    const { type } = this.type;
    const source = this.#visible();
    this.csv.href = address("/api/export.csv", { type, from, to, source });
    if (this.rr) {
      this.rr.href = address("/api/export.rr", { from, to, source });
      this.#offerIntervals({ from, to, source });
    }
    if (this.zonesLink) this.zonesLink.href = this.context.link("beats", { from, to });
    const isOne = source?.length === 1;
    this.samples.href = this.context.link("data", { type, from, to, source: isOne ? source[0] : null });
  }

  /** Shows the link to the RR intervals only if a visible source has beats in this range. */
  async #offerIntervals({ from, to, source }) {
    this.offering?.abort();
    const { signal } = this.offering = new AbortController();
    const asked = (source ?? this.beating).filter((each) => this.beating.includes(each));
    // A series may have begun before the range. So check for each source whether the last series that began
    // before the end of the range extends into the range.
    const found = await Promise.all(asked.map((source) =>
      get("/api/samples", { type: "heartbeatSeries", source, to, limit: 1 }, signal)))
      .catch(() => null);
    if (signal.aborted) return;
    // If the request failed, show the link. The server reports an error if there are no beats.
    this.rr.hidden = found !== null && !found.some(({ samples: [last] }) => last?.end > from);
  }

  async #savePicture() {
    const { digits, shownFigures: figures = {} } = this;
    const parts = figures.sum !== undefined ? [["in all", number(figures.sum, digits, true)]] : [
      ["lowest", number(figures.min, digits, true)], ["highest", number(figures.max, digits, true)],
      [averageName, number(figures.average, digits, true)],
    ];
    const said = isEmpty(figures) ? "nothing measured" : parts.map((each) => each.join(" ")).join(", ");
    const unit = this.unit ? `In ${this.unit}: ` : "";
    const { view } = this.chart;
    const blob = await this.chart.picture(`${typeName(this.type.type)}, ${this.title.textContent}`,
      [`${unit}${said}. Times in ${timeZone}.`]);
    keepFile(blob, fileName(view, `${this.type.type}.png`));
    notice("The picture was saved.");
  }

  #shortcut(event) {
    if (event.target.closest("input, select") || event.ctrlKey || event.metaKey || event.altKey) return;
    const name = { d: "day", n: "night", w: "week", m: "month", h: "half", y: "year", a: "all" }[event.key];
    if (name) this.#choose(name);
  }
}
