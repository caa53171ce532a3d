// All data: every type in the store, and its samples with their sources.

import { h, fill, ask, named, notice, plain, refill, say } from "../dom.js";
import { address, get, post, save } from "../api.js";
import { addButton } from "../entry.js";
import { deleteWithUndo, isBeingDeleted, sendDeletion } from "../undo.js";
import { SampleChoice } from "../sample-choice.js";
import { afterCommits } from "../stream.js";
import { count, dateText, day, days, moment, number, span, startOfDay } from "../format.js";
import { CategoryTimeline } from "../charts/category-timeline.js";
import { PressureChart } from "../charts/pressure-chart.js";
import { detailsOf, valueText, whenText } from "../sample-texts.js";
import { electrocardiogramCurve } from "../charts/electrocardiogram.js";
import { shortType, typeName, typeNameInside } from "../names.js";

const page = 100;
const pressures = "bloodPressure", sleep = "sleepAnalysis";

/** Whether a type has a chart. Sleep has a part of its own. */
function hasChart({ type, kind }) {
  return kind === "quantity" || kind === "category" || type === pressures;
}

export async function mount(place, { type, source, from, to }, context) {
  const { types } = await get("/api/types");
  const found = types.find((each) => each.type === type);
  if (!found) {
    const box = h("div");
    const problem = h("p.problem", { role: "alert" });
    const show = (type) => context.go("data", { type });
    const add = (type, text) => addButton(type, text, show, problem);
    place.append(h("div.row", {}, add(null, "Add data")), problem, box);
    fill(box, typesView(types, context, add));
    const close = afterCommits(context.stream, async (signal) => {
      refill(box, typesView((await get("/api/types", {}, signal)).types, context, add));
    });
    return { close };
  }
  place.querySelector("h1").textContent = typeName(type);
  const list = new SampleList(found, { source, from: Number(from) || null, to: Number(to) || null }, context);
  place.append(h("p", {}, h("a", { href: context.link("data") }, "All data")), list.element);
  await list.begin();
  const stop = afterCommits(context.stream, (signal) => list.lookForNewer(signal));
  return {
    close() {
      stop();
      list.chart?.close();
      sendDeletion();
    },
  };
}

function typesView(types, context, add) {
  if (!types.length) return h("p.quiet", {}, "Nothing is stored yet.");
  return h("div.scroll", { tabindex: 0, role: "region", "aria-label": "Types" }, h("table.types", {},
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Type"), h("th.number", { scope: "col" }, "Samples"),
      h("th", { scope: "col" }, "From"), h("th", { scope: "col" }, "To"),
      h("th", {}, h("span.unseen", {}, "Chart")), h("th", {}, h("span.unseen", {}, "Add")))),
    h("tbody", {}, types.map((each) => h("tr", {},
      h("th", { scope: "row" },
        h("a", { href: context.link("data", { type: each.type }) }, typeName(each.type))),
      h("td.number", {}, number(each.count)), h("td", {}, day(each.first, { weekday: null, year: true })),
      h("td", {}, day(each.last, { weekday: null, year: true })),
      h("td", {}, hasChart(each) && h("a", {
        href: chartLink(each, context), "aria-label": `Chart of ${typeNameInside(each.type)}`,
      }, "Chart")), h("td", {}, each.canAdd && add(each.type, null)))))));
}

function chartLink({ type, kind }, context) {
  if (type === sleep) return context.link("sleep");
  // Only quantity types have a chart page of their own. For other types, this page shows the chart above the
  // list of samples.
  if (kind !== "quantity") return context.link("data", { type });
  return context.link("heart-rate", { type: type === "heartRate" ? null : type, range: "all" });
}

class SampleList {
  constructor(type, { source, from, to }, context) {
    this.type = type;
    this.source = source ?? "";
    /** Milliseconds since 1970; `to` is exclusive. Null for no bound. */
    this.from = from;
    this.to = to;
    this.context = context;
    this.chosen = new SampleChoice({
      remove: () => this.#deleteChosen(), removeAll: () => this.#deleteAll(),
    });
    /** Start of the newest sample on the first page; null until that is loaded. */
    this.newest = null;
    /** Number of the current request. Responses to earlier ones are ignored. */
    this.turn = 0;
    this.summary = h("p.quiet");
    this.choice = h("select",
      { "aria-label": "Source", onchange: (event) => this.#choose(event.target.value) });
    const dayField = (label, name, value) => h("label.row", {}, h("span.quiet", {}, label),
      h("input", { type: "date", value, onchange: ({ target }) => this.#bound(name, target.value) }));
    this.days = h("div.row", {}, dayField("From", "from", from ? dateText(from) : ""),
      dayField("To", "to", to ? dateText(to - 1) : ""));
    this.body = h("tbody");
    this.more = h("button", { type: "button", onclick: () => this.#load() }, "Show older samples");
    this.deleteType = h("button.danger",
      { type: "button", hidden: true, onclick: () => this.#deleteOfSource(this.type.type) });
    this.deleteSource = h("button.danger",
      { type: "button", hidden: true, onclick: () => this.#deleteOfSource(null) });
    this.problem = h("p.problem", { role: "alert" });
    /** Offers newer samples. The list itself stays unchanged while the user pages and selects. */
    this.newer = h("p.offer", { role: "status" });
    this.add = type.canAdd && addButton(type.type, "Add", (added) => {
      if (added !== this.type.type) return context.go("data", { type: added });
      return this.begin().catch((error) => say(this.problem, error.message));
    }, this.problem);
    this.csv = h("a.button", { onclick: save }, "CSV");
    this.region = h("div.scroll", { tabindex: 0, role: "region", "aria-label": "Samples" },
      h("table.samples", {},
        h("thead", {},
          h("tr", {}, h("th", {}, h("span.unseen", {}, "Choose")), h("th", { scope: "col" }, "When"),
          h("th.number", { scope: "col" }, "Value"), h("th", { scope: "col" }, "Source"),
          h("th", { scope: "col" }, "Details"))),
        this.body));
    this.chart = type.type === pressures ? new PressureChart()
      : type.kind === "category" && type.type !== sleep ? new CategoryTimeline(type) : null;
    this.element = h("div.stack", {}, this.chart?.element, this.summary,
      h("div.row", {}, this.choice, this.days, this.add, this.csv,
        (type.kind === "quantity" || type.type === sleep)
          && h("a.button", { href: chartLink(type, context) }, "Chart"),
        this.deleteType, this.deleteSource), this.problem, this.newer,
      this.chosen.all, this.region, h("div.row", {}, this.more), this.chosen.bar);
  }

  async begin() {
    await this.#count();
    await this.#restart();
  }

  async #count() {
    const { sources } = await get("/api/sources");
    this.sources = sources.filter((each) => each.samples[this.type.type]);
    // If all samples of the selected source were deleted, show all sources.
    if (!this.sources.some((each) => each.source === this.source)) this.source = "";
    fill(this.choice, h("option", { value: "" }, "All sources"),
      this.sources.map((each) => h("option", { value: each.source, selected: each.source === this.source },
        `${plain(each.name)} (${number(each.samples[this.type.type])})`)));
  }

  #choose(source) {
    this.source = source;
    this.#again();
  }

  /**
   * Sets the first or the last day from a date field; an empty text removes it. The last day is included in
   * the list.
   */
  #bound(name, text) {
    const date = text ? new Date(`${text}T00:00`) : null;
    if (date && !Number.isFinite(date.getTime())) return;
    if (date && name === "to") date.setDate(date.getDate() + 1);
    this[name] = date?.getTime() ?? null;
    this.#again();
  }

  #again() {
    const { source, from, to } = this;
    this.context.remember("data", { type: this.type.type, source, from, to });
    this.#restart();
  }

  /** Offers to show samples that are newer than the listed ones, if there are any. */
  async lookForNewer(signal) {
    // The first page is not loaded yet.
    if (this.newest === null) return;
    const mine = this.turn;
    const { samples: [last] } = await this.#ask({ limit: 1 }, signal);
    // If the newest sample was deleted, the first one in the response is older. There is nothing newer then.
    if (mine !== this.turn || this.newer.firstChild || !(last?.start > this.newest)) return;
    fill(this.newer, h("button", {
      type: "button",
      onclick: () => {
        this.region.focus({ preventScroll: true });
        this.begin().catch((error) => say(this.problem, error.message));
      },
    }, "Show newer samples"));
  }

  #ask(parameters, signal) {
    const { type: { type }, source, from, to } = this;
    return get("/api/samples", { type, source, from, to, ...parameters }, signal);
  }

  async #restart() {
    this.turn += 1;
    fill(this.body);
    fill(this.newer);
    this.newest = null;
    this.next = null;
    this.chosen.restart();
    say(this.problem, "");
    this.#saySummary();
    await this.#load();
  }

  #saySummary() {
    const source = this.sources.find((each) => each.source === this.source);
    const total = source ? source.samples[this.type.type]
      : this.sources.reduce((sum, each) => sum + each.samples[this.type.type], 0);
    const { from, to } = this;
    this.chart?.show({ from, to, source: this.source });
    const time = from && to ? `From ${moment(from)} to ${moment(to)}` : from ? `Since ${moment(from)}`
      : to ? `Before ${moment(to)}` : "";
    say(this.summary, time ? `${time}, the latest first.` : `${count(total, "sample")}, the latest first.`);
    this.csv.href = address("/api/export.csv", { type: this.type.type, source: this.source, from, to });
    this.deleteType.hidden = this.deleteSource.hidden = !source;
    if (source) {
      const whose = `${plain(source.name)}${this.#time()} …`;
      say(this.deleteType, `Delete ${typeNameInside(this.type.type)} of ${whose}`);
      say(this.deleteSource, `Delete everything of ${whose}`);
    }
  }

  /** The chosen days as text to append; empty if no day is chosen. */
  #time() {
    const { from, to } = this;
    const areDays = [from, to].every((time) => !time || time === startOfDay(time));
    if (from && to) return `, ${areDays ? days(from, to) : span(from, to)}`;
    const date = (time) => areDays ? day(time, { weekday: null }) : moment(time);
    if (from) return `, from ${date(from)} on`;
    return to ? `, until ${date(areDays ? to - 1 : to)}` : "";
  }

  async #load() {
    const mine = this.turn;
    this.more.disabled = true;
    try {
      const { samples, next } = await this.#ask({ limit: page, after: this.next });
      if (mine !== this.turn) return;
      if (!this.next) this.newest = samples[0]?.start ?? -Infinity;
      this.body.append(...samples.map((sample) => this.#row(sample)));
      this.next = next;
      this.more.hidden = !next;
      this.chosen.hasMore = Boolean(next);
      this.chosen.say();
      if (!this.body.children.length) fill(this.body,
        h("tr", {}, h("td", { colspan: 5 }, "No values in this time.")));
    } catch (error) {
      if (mine !== this.turn) return;
      say(this.problem, error.message);
    }
    this.more.disabled = false;
  }

  #row(sample) {
    const when = whenText(sample);
    // The curve of an electrocardiogram takes the whole width, so it is a row of its own.
    const curve = sample.electrocardiogram
      && h("tr.curve-row", {}, h("td", { colspan: 5 }, electrocardiogramCurve(sample.uuid)));
    const showCurve = curve && (({ target }) => (target.open ? row.after(curve) : curve.remove()));
    const row = h("tr", { hidden: isBeingDeleted(sample) },
      h("td", {}, this.chosen.box(sample, `Choose ${when}`, () => row)),
      h("td", {}, when), h("td.number", {}, valueText(sample)), h("td", {}, named(sample.source.name)),
      h("td", {}, h("details", { ontoggle: showCurve }, h("summary", {}, "Show"), detailsOf(sample),
        h("button.danger", {
          type: "button", "aria-label": `Delete ${when}`,
          onclick: () => this.#delete({ uuids: [sample.uuid] }),
        }, "Delete"))));
    return row;
  }

  #deleteChosen() {
    return this.#delete({ uuids: this.chosen.uuids });
  }

  /** Deletes all samples in the list, including samples that are not loaded yet. */
  #deleteAll() {
    const { type: { type }, source, from, to } = this;
    return this.#delete({ type, ...(source && { source }), ...(from && { from }), ...(to && { to }) },
      `of ${typeNameInside(type)}${this.#time()}`);
  }

  /** Deletes the samples of the selected source in the chosen days, of all types if `type` is undefined. */
  #deleteOfSource(type) {
    const { source, from, to } = this;
    const { name } = this.sources.find((each) => each.source === source);
    const what = type ? `of ${typeNameInside(type)}` : "of all types";
    return this.#delete({ source, ...(type && { type }), ...(from && { from }), ...(to && { to }) },
      `${what} from ${plain(name)}${this.#time()}`);
  }

  /**
   * Counts samples, and deletes exactly the counted samples.
   * @param {string} [which] What the samples are. If given, the user is asked to confirm, because the samples
   *   may not all be visible.
   */
  async #delete(selection, which) {
    say(this.problem, "");
    try {
      const { total, to, counts } = await post("/api/delete/count", selection);
      if (!total) return notice("There is nothing to delete.");
      const types = Object.entries(counts).sort((a, b) => b[1] - a[1]);
      const parts = types.map(([type, some]) => `${number(some)} of ${typeNameInside(type)}`);
      const listed = parts.length > 1 ? [`${parts.join(", ")}.`] : [];
      const yes = !which || await ask({
        title: `Delete ${count(total, "sample")}?`,
        text: [
          `${count(total, "sample")} ${which}: deleted from the store and from its sync destinations.`,
          ...listed,
        ],
        confirm: `Delete ${number(total)}`,
      });
      if (!yes) return;
      const hides = matching({ ...selection, to });
      deleteWithUndo({ ...selection, to, total }, {
        text: [`Deleting ${count(total, "sample")}.`, ...listed].join(" "), hides,
        undone: () => this.#hide(hides, false),
        deleted: () => this.#forget(),
        failed: (error) => say(this.problem, error.message),
      });
      this.#hide(hides, true);
    } catch (error) {
      say(this.problem, error.message);
    }
  }

  #hide(hides, isHidden) {
    const hasFocus = this.body.contains(document.activeElement);
    this.chosen.hide(hides, isHidden);
    if (hasFocus || !document.activeElement || document.activeElement === document.body) {
      this.region.focus({ preventScroll: true });
    }
  }

  /** Updates the list after a deletion. If it has become empty, loads it again. */
  async #forget() {
    if (!this.element.isConnected) return;
    this.chosen.dropHidden();
    try {
      if (!this.body.children.length) return await this.begin();
      await this.#count();
      this.#saySummary();
    } catch (error) {
      say(this.problem, error.message);
    }
  }
}

/** Whether a request deletes a listed sample. */
function matching({ uuids, type, source, from, to }) {
  const chosen = uuids && new Set(uuids);
  return (sample) => (!chosen || chosen.has(sample.uuid)) && (!type || shortType(sample.type) === type)
    && (!source || sample.source.bundleIdentifier === source)
    && (!from || sample.start >= from) && (!to || sample.start < to);
}
