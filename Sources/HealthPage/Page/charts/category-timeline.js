// Samples of a category over time, with a lane for each value: symptoms, hours of standing and others.

import { get } from "../api.js";
import { h, say } from "../dom.js";
import { clock, count, duration, moment, number, sameDay, startOfDay } from "../format.js";
import { choiceName, typeName } from "../names.js";
import { ItemChart } from "./item-chart.js";
import { Lanes, xOf } from "./lanes.js";

/** Number of days up to the last sample that are shown if the user has not chosen a range. */
const shownDays = 31;
/** Milliseconds. Samples with the same value are drawn as one block if the gap between them is not longer. */
const joined = 1000;
/** Severities have the same colors for all types. Other values have the color of their lane. */
const severities = { notPresent: "quiet", mild: "step-3", moderate: "step-4", severe: "step-5" };
const laneColors = ["step-1", "step-4", "step-2", "step-5", "step-3"];

export class CategoryTimeline {
  #turn = 0;

  /** @param {object} type An element of the response of `/api/types`. */
  constructor(type) {
    this.type = type;
    this.note = h("p.quiet");
    this.chart = new ItemChart({
      label: `${typeName(type.type)} over time`,
      boundsOf: (...of) => this.#boundsOf(...of), paint: (...to) => this.#paint(...to),
      textOf: (item) => [
        timesText(item), item.name, item.end > item.start && duration(item.end - item.start),
        item.count > 1 && count(item.count, "sample"),
      ].filter(Boolean).join(" · "),
      columns: [
        ["From", ({ start }) => moment(start)], ["To", ({ end }) => moment(end)],
        ["Value", (item) => item.name || "–"], ["Duration", ({ start, end }) => duration(end - start), true],
      ],
    });
    this.element = h("div.stack", { hidden: true }, this.chart.element, this.note, this.chart.table);
  }

  close() {
    this.#turn += 1;
    this.chart.close();
  }

  /** Shows the samples in a range from a source. Each parameter may be null for no restriction. */
  async show({ from, to, source }) {
    const mine = ++this.#turn;
    const { type, last } = this.type;
    const isWhole = !from && !to;
    const start = isWhole ? startOfDay(last, 1 - shownDays) : from;
    try {
      const answer = await get("/api/categories", { type, from: start, to, source });
      if (mine !== this.#turn) return;
      const items = itemsOf(answer);
      this.element.hidden = !items.length;
      if (!items.length) return;
      this.lanes = [...answer.values].reverse().map(({ name }) => wordOf(name));
      const times = items.map(({ end }) => end);
      this.time = { start: start ?? items[0].start, end: to ?? Math.max(...times, startOfDay(last, 1)) };
      this.chart.take(items, "Each block is a sample, or several without a pause.");
      const isEarlier = isWhole && this.type.first < start;
      say(this.note, answer.isCut
        ? `The latest ${number(answer.time.length)} samples. Choose a shorter time for earlier ones.`
        : isEarlier ? `The last ${number(shownDays)} days. Choose days for another time.` : "");
      this.note.hidden = !answer.isCut && !isEarlier;
    } catch (error) {
      if (mine !== this.#turn) return;
      this.element.hidden = this.note.hidden = false;
      say(this.note, error.message);
    }
  }

  #boundsOf({ start, end }, _, width) {
    const [from, to] = [xOf(this.time, start, width), xOf(this.time, end, width)];
    // Extend a narrow block for the pointer, so that it can be hit.
    return to - from < 6 ? [from - 3, from + 3] : [from, to];
  }

  #paint(pen, { items }, width, height, colours) {
    if (!items.length) return;
    const lanes = new Lanes(this.time, this.lanes, width, height);
    lanes.paintNames(pen, colours);
    for (const item of items) {
      const lane = this.lanes.length - 1 - item.value;
      lanes.paintBlock(pen, item, lane, colours[item.colour], 3);
    }
    lanes.paintTimes(pen, colours);
  }
}

/** Returns the name of a value; empty for a type with only one value. */
function wordOf(name) {
  return !name || name === "notApplicable" ? "" : choiceName(name);
}

/** Combines samples to blocks. */
function itemsOf({ values, time, end, value }) {
  const items = [];
  const last = new Map();
  time.forEach((start, i) => {
    const before = last.get(value[i]);
    if (before && before.end > before.start && start - before.end <= joined) {
      before.end = Math.max(before.end, end[i]);
      before.count += 1;
      return;
    }
    const { name } = values[value[i]];
    const item = { start, end: end[i], value: value[i], name: wordOf(name), count: 1,
      colour: severities[name] ?? laneColors[value[i] % laneColors.length] };
    last.set(value[i], item);
    items.push(item);
  });
  return items;
}

function timesText({ start, end }) {
  if (end <= start) return moment(start);
  return `${moment(start)} to ${sameDay(start, end) ? clock(end) : moment(end)}`;
}
