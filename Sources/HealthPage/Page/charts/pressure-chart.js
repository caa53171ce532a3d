// Blood pressures over time: for each reading, or each group of them, from diastolic to systolic.

import { get } from "../api.js";
import { h, say } from "../dom.js";
import { count, days, moment, number } from "../format.js";
import { digitsFor, unitName } from "../names.js";
import { group, groupsOf, pairText } from "../pressures.js";
import { ItemChart } from "./item-chart.js";
import { timeTicks, valueScale } from "./scale.js";

const left = 44, right = 14, top = 12, bottom = 26;

export class PressureChart {
  #turn = 0;

  constructor() {
    this.unit = "mmHg";
    this.note = h("p.quiet");
    this.figures = h("p");
    const range = ([low, , high]) =>
      (low === high ? number(low, 1) : `${number(low, 1)} to ${number(high, 1)}`);
    this.chart = new ItemChart({
      label: "Blood pressure, from diastolic to systolic", boundsOf: (item) => this.#boundsOf(item),
      paint: (...to) => this.#paint(...to),
      textOf: (item) => `${whenText(item)} · ${this.#pair(item)}${item.count > 1
        ? ` on average, systolic ${range(item.systolic)}, diastolic ${range(item.diastolic)}`
          + ` (${count(item.count, "reading")})` : ""}`,
      columns: [
        ["When", whenText], ["Systolic", ({ systolic }) => range(systolic), true],
        ["Diastolic", ({ diastolic }) => range(diastolic), true],
        ["Average", (item) => this.#pair(item), true],
        ["Readings", (item) => number(item.count), true],
      ],
    });
    this.element = h("div.stack", { hidden: true },
      this.figures, this.chart.element, this.note, this.chart.table);
  }

  close() {
    this.#turn += 1;
    this.chart.close();
  }

  /** Shows the readings in a range from a source. Each parameter may be null for no restriction. */
  async show({ from, to, source }) {
    const mine = ++this.#turn;
    try {
      const answer = await get("/api/pressures", { from, to, source });
      if (mine !== this.#turn) return;
      this.unit = answer.unit;
      const items = groupsOf(answer);
      this.element.hidden = !items.length;
      say(this.figures, this.#figuresText(answer));
      const isGrouped = items.some((each) => each.count > 1);
      this.chart.take(items, isGrouped ? "The thick bars are the ranges of systolic and diastolic values."
        : `Each line goes from diastolic to systolic, in ${unitName(this.unit)}.`);
      say(this.note, answer.isCut
        ? `The latest ${number(answer.time.length)} readings. Choose a shorter time for earlier ones.` : "");
      this.note.hidden = !answer.isCut;
    } catch (error) {
      if (mine !== this.#turn) return;
      this.element.hidden = false;
      this.note.hidden = false;
      say(this.note, error.message);
    }
  }

  #pair({ systolic, diastolic }) {
    const rounded = ([, average]) => Number(average.toFixed(digitsFor(this.unit)));
    return `${pairText(rounded(systolic), rounded(diastolic), this.unit)} ${unitName(this.unit)}`;
  }

  /** The latest reading and the average of all readings. */
  #figuresText({ time, systolic, diastolic }) {
    if (!time.length) return "";
    const latest = `Latest: ${pairText(systolic.at(-1), diastolic.at(-1), this.unit)}`
      + ` ${unitName(this.unit)}, ${moment(time.at(-1))}.`;
    const all = group(time[0], time.at(-1), systolic, diastolic);
    return time.length === 1 ? latest
      : `${latest} Average of ${count(time.length, "reading")}: ${this.#pair(all)}.`;
  }

  #x({ start, end }) {
    const { items } = this.chart;
    const first = items[0].start, last = Math.max(items.at(-1).end, first + 3600_000);
    const width = this.chart.frame.clientWidth - left - right - 16;
    return left + 8 + (((start + end) / 2 - first) / (last - first)) * width;
  }

  /** Returns the range of a reading for the pointer. It extends halfway to the neighboring readings. */
  #boundsOf(item) {
    const { items } = this.chart;
    const i = items.indexOf(item), x = this.#x(item);
    const before = items[i - 1] ? (this.#x(items[i - 1]) + x) / 2 : x - 12;
    const after = items[i + 1] ? (this.#x(items[i + 1]) + x) / 2 : x + 12;
    return [Math.max(before, x - 12), Math.min(after, x + 12)];
  }

  #paint(pen, { items }, width, height, colours) {
    if (!items.length) return;
    const scale = valueScale(Math.min(...items.map(({ diastolic }) => diastolic[0])),
      Math.max(...items.map(({ systolic }) => systolic[2])), { room: this.unit === "mmHg" ? 40 : 5 });
    const y = (value) =>
      height - bottom - ((value - scale.low) / (scale.high - scale.low)) * (height - top - bottom);
    pen.strokeStyle = colours.hair;
    pen.fillStyle = colours.quiet;
    pen.lineWidth = 1;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    pen.beginPath();
    for (const value of scale.ticks) {
      const at = Math.round(y(value)) + 0.5;
      pen.moveTo(left, at);
      pen.lineTo(width - right, at);
      pen.fillText(number(value, scale.step < 1 ? 1 : 0), left - 6, at);
    }
    pen.stroke();
    pen.textAlign = "center";
    const first = items[0].start, last = Math.max(items.at(-1).end, first + 3600_000);
    for (const { time, label } of timeTicks(first, last, width - left - right, 84)) {
      const at = this.#x({ start: time, end: time });
      if (at > left + 14 && at < width - 30) pen.fillText(label, at, height - 10);
    }
    for (const item of items) this.#paintItem(pen, item, y, colours);
  }

  #paintItem(pen, item, y, colours) {
    const x = this.#x(item);
    const { systolic, diastolic } = item;
    pen.strokeStyle = colours.quiet;
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.moveTo(x, y(systolic[2]));
    pen.lineTo(x, y(diastolic[0]));
    pen.stroke();
    const bar = ([low, , high], colour) => {
      const length = y(low) - y(high);
      pen.fillStyle = colours[colour];
      pen.beginPath();
      if (length < 6) pen.arc(x, (y(low) + y(high)) / 2, 4, 0, 2 * Math.PI);
      else pen.roundRect(x - 3.5, y(high), 7, length, 3.5);
      pen.fill();
    };
    bar(systolic, "step-4");
    bar(diastolic, "step-1");
  }
}

function whenText({ start, end }) {
  return end > start ? days(start, end) : moment(start);
}
