// Summary: pinned types with the last four weeks, and a comparison in sentences.

import { h, fill, refill, say, whileSeen } from "../dom.js";
import { get } from "../api.js";
import { addButton } from "../entry.js";
import { newestGoals } from "../goals.js";
import { placeIn } from "../explanations.js";
import { afterCommits } from "../stream.js";
import { ago, averageHeading, dateText, day, number, startOfDay, timeZone } from "../format.js";
import { digitsFor, typeName, unitName } from "../names.js";
import { readable } from "../per-cent.js";
import { palette, onTheme, sharpContext } from "../charts/palette.js";
import { isRare } from "../charts/series.js";
import { keepSetting, setting } from "../settings.js";

const usual = ["heartRate", "restingHeartRate", "heartRateVariabilitySDNN", "activeEnergyBurned"];
/** Types that are compared even if they are not pinned. */
const also = ["stepCount"];
/** Number of days that are drawn, and that are compared. */
const drawnDays = 28, comparedDays = 7;
/** Minimum time in milliseconds between updates of the days. */
const daysEvery = 60_000;

export async function mount(place, _, context) {
  const numericOf = ({ types }) => types.filter((each) => each.kind === "quantity");
  const [types, goals] = await Promise.all([
    get("/api/types"),
    // Without the goals, the rest is still worth showing.
    get("/api/goals").then((answer) => begunGoals(answer.goals), () => new Map()),
  ]);
  let numeric = numericOf(types);
  const problem = h("p.problem", { role: "alert" });
  if (!numeric.length) {
    place.append(h("p.quiet", {}, "Nothing is stored yet. This is where your measurements are summarized."),
      h("div.row", {}, addButton(null, "Add data", (type) => {
        keepSetting("pinned", [...new Set([...setting("pinned", usual, true), type])], true);
        context.renew();
      }, problem)), problem);
    const close = afterCommits(context.stream, async (signal) => {
      if (numericOf(await get("/api/types", {}, signal)).length) context.renew();
    });
    return { close };
  }
  const box = h("div.cards");
  const sentences = h("ul.stack");
  let cards = [];
  const highlights = new Map();
  let comparedAt = Date.now();
  const pinned = () => setting("pinned", usual, true)
    .filter((type) => numeric.some((each) => each.type === type));

  /** Requests the comparison for types that do not have one yet. */
  async function compare() {
    const has = (type) => numeric.some((each) => each.type === type);
    const wanted = [...new Set([...pinned(), ...usual, ...also])]
      .filter((type) => has(type) && !highlights.has(type));
    if (!wanted.length) return;
    const answer = await get("/api/summary", { zone: timeZone, types: wanted.join() });
    for (const type of wanted) highlights.set(type, null);
    for (const each of answer.highlights) highlights.set(each.type, readable(each));
  }

  function build() {
    cards.forEach((each) => each.close());
    cards = pinned().map((type) => new Card(numeric.find((each) => each.type === type), context,
      addButton(type, null, added, problem), goals.get(type)));
    fill(box, cards.map((each) => each.element));
    cards.forEach((each) => { each.askDays(); each.askNewest(); });
    sayCompared();
  }

  function sayCompared() {
    for (const each of cards) each.compare(highlights.get(each.type.type));
    const others = [...highlights].filter(([type, each]) =>
      each && !cards.some((card) => card.type.type === type));
    refill(sentences, others.map(([, each]) => h("li", {}, sentenceOf(each, typeName(each.type)))));
    sentences.hidden = !sentences.firstChild;
  }

  /**
   * Updates the newest value of each type. Daily values change slowly and are more expensive, so they are
   * updated less often.
   */
  async function renew(signal) {
    numeric = numericOf(await get("/api/types", {}, signal));
    for (const each of cards) each.type = numeric.find(({ type }) => type === each.type.type) ?? each.type;
    // The list of types is not replaced while the user uses it.
    if (numeric.length !== choices.children.length) fillChoice();
    const now = Date.now();
    const isRipe = now - comparedAt > daysEvery || startOfDay(now) !== startOfDay(comparedAt);
    if (isRipe) {
      highlights.clear();
      await compare();
      comparedAt = now;
    }
    const areOthers = pinned().join() !== cards.map((each) => each.type.type).join();
    if (areOthers && !box.contains(document.activeElement)) return build();
    if (isRipe) sayCompared();
    await Promise.all(cards.flatMap((each) => [each.askNewest(), isRipe && each.askDays()]));
  }

  /** Shows a sample that the user has added. If its type is not pinned, it is pinned. */
  async function added(type) {
    numeric = numericOf(await get("/api/types"));
    if (!numeric.some((each) => each.type === type)) return;
    fillChoice();
    if (!pinned().includes(type)) return pin(type, true);
    highlights.delete(type);
    say(problem, await compare().then(() => "", (error) => error.message));
    build();
  }

  const choices = h("div.two");
  const choice = h("details", {}, h("summary", {}, "Pinned types"), choices);

  function fillChoice() {
    refill(choices, numeric.map(({ type }) => h("label.row", {}, h("input", {
      type: "checkbox", checked: pinned().includes(type), onchange: ({ target }) => pin(type, target.checked),
    }), typeName(type))));
  }

  async function pin(type, isPinned) {
    const now = new Set(pinned());
    if (isPinned) now.add(type);
    else now.delete(type);
    keepSetting("pinned", [...now], true);
    say(problem, await compare().then(() => "", (error) => error.message));
    build();
  }

  fillChoice();
  await compare();
  build();
  place.append(h("div.row", {}, addButton(null, "Add data", added, problem)), problem, box, sentences,
    h("p.quiet", {}, h("small", {}, dayNote)), choice);
  const stopTicking = whileSeen(() => cards.forEach((each) => each.sayAge()));
  const stopRenewing = afterCommits(context.stream, renew);
  return {
    close() {
      stopTicking();
      stopRenewing();
      cards.forEach((each) => each.close());
    },
  };
}

/** The goals that apply today, by type. */
function begunGoals(goals) {
  const today = dateText(Date.now());
  return newestGoals(goals.filter(({ from }) => from <= today));
}

const dayNote = "Today is not counted. Each day counts the same, and in a day each hour with measurements.";

/**
 * The comparison as sentences: "Last 7 days: 71.3, average of the daily averages. 60 days before: 73.0. Your
 * normal range: 70.8 to 75.2. The last 7 days are within it." Averages have a decimal digit, because they may
 * differ by less than one.
 * @param {string} [name] The name of the type, if the sentences are not beside it. The unit is then included.
 */
function sentenceOf({ type, kind, unit, now, before, days, beforeDays, normal }, name = "") {
  const digits = digitsFor(unit, type), word = name ? unitName(unit, type) : "";
  const shown = kind === "daily" ? digits : Math.max(1, digits);
  const amount = (value) => number(value, shown, true);
  const figure = ({ value }) => [amount(value), word].filter(Boolean).join(" ");
  const measured = (each, of) =>
    (each.measured < of ? ` (${number(each.measured)} with measurements)` : "");
  const basis = kind === "daily" ? " a day" : ", average of the daily averages";
  const last = `${number(days)} days${measured(now, days)}: ${figure(now)}${basis}.`;
  const earlier = before ? `${measured(before, beforeDays)}: ${figure(before)}.` : ": nothing measured.";
  const range = normal ? ` Your normal range: ${amount(normal.low)} to ${amount(normal.high)}.`
    + ` The last ${number(days)} days are ${placeIn(normal, shown)} it.` : "";
  return `${name ? `${name}, last` : "Last"} ${last} ${number(beforeDays)} days before${earlier}${range}`;
}

/** Returns the reason why there is no comparison for a type. */
function whyNothing(type, now = Date.now()) {
  return type.first >= startOfDay(now)
    ? "Measured since today: there is no earlier day to compare."
    : `Nothing measured in the last ${number(comparedDays)} days.`;
}

/** A type with its newest value or today's sum, and its days as a small chart. */
class Card {
  /**
   * @param {HTMLElement} add The button that adds a value.
   * @param {{value: number, unit: string}} [goal] The daily goal.
   */
  constructor(type, context, add, goal) {
    this.type = type;
    this.title = `${typeName(type.type)}, the last four weeks`;
    this.isSum = type.style === "cumulative";
    this.digits = digitsFor(type.unit, type.type);
    this.unit = unitName(type.unit, type.type);
    // A goal in another unit than the chosen one cannot be compared.
    const isComparable = goal && unitName(goal.unit) === this.unit;
    this.goalText = isComparable ? `, goal ${number(goal.value)} ${this.unit}` : "";
    this.intervals = [];
    this.canvas = h("canvas", { role: "img", "aria-label": this.title });
    this.value = h("p.big", {}, "–");
    this.when = h("p.quiet");
    this.scope = h("small", {}, "4 weeks");
    this.sentence = h("p");
    this.table = h("table");
    this.problem = h("p.problem");
    /** Error messages by request. */
    this.problems = {};
    const draw = () => sparkline(this.canvas, this.intervals, this.from, this.to, isRare(type));
    this.draw = draw;
    this.observer = new ResizeObserver(draw);
    this.observer.observe(this.canvas);
    this.stopTheme = onTheme(draw);
    const chart = { type: type.type === "heartRate" ? null : type.type, range: "month" };
    this.element = h("article.card", {},
      h("div.row.spread.card-head", {},
        h("h2", {}, h("a", { href: context.link("heart-rate", chart) }, typeName(type.type))),
        type.canAdd && add),
      this.value, this.when, this.problem, this.canvas, h("p.quiet", {}, this.scope),
      h("div.unseen", {}, this.table), this.sentence);
  }

  close() {
    this.observer.disconnect();
    this.stopTheme();
  }

  compare(highlight) {
    say(this.sentence, highlight ? sentenceOf(highlight) : whyNothing(this.type));
  }

  sayAge() {
    // Show a sum as today's until midnight, even without new samples.
    if (this.isSum && this.day) {
      const date = this.day === startOfDay(Date.now()) ? "today" : day(this.day);
      say(this.when, `${date}${this.goalText}`);
    }
    if (!this.isSum && this.latest) say(this.when, ago(this.latest.time));
  }

  askDays() {
    const { type: { type } } = this;
    const to = startOfDay(Date.now(), 1), from = startOfDay(to, -drawnDays);
    return this.#ask("days", { type, from, to, every: "1d", zone: timeZone }, ({ intervals }) => {
      Object.assign(this, { from, to, intervals });
      this.draw();
      say(this.scope, scopeText(intervals, this.digits));
      fillTable(this.table, this.unit ? `${this.title}, ${this.unit}` : this.title, intervals, this.digits);
    });
  }

  /** Requests the newest value. The type's last time limits the search. */
  askNewest() {
    const { type: { type, last } } = this;
    const today = startOfDay(Date.now());
    const stretch = this.isSum ? { from: today, to: startOfDay(today, 1) }
      : { from: last - 3600_000, to: last + 1000 };
    return this.#ask("newest", { type, ...stretch }, ({ sum = 0, latest }) => {
      Object.assign(this, { latest, day: today });
      fill(this.value, number(this.isSum ? sum : latest?.value, this.digits, true),
        h("small", {}, ` ${this.unit}`));
      this.sayAge();
    });
  }

  async #ask(what, parameters, take) {
    this.problems[what] = "";
    try {
      take(readable(await get("/api/statistics", parameters)));
    } catch (error) {
      this.problems[what] = error.message;
    }
    say(this.problem, this.problems.newest || this.problems.days || "");
  }
}

/** What a small chart shows. It has no axis, so the text contains its lowest and highest value. */
function scopeText(intervals, digits) {
  if (!intervals.length) return "4 weeks";
  const [low, high] = endsOf(intervals);
  const text = (value) => number(value, digits, true);
  if (intervals[0].sum !== undefined) return `4 weeks, up to ${text(high)} a day`;
  return low === high ? "4 weeks" : `4 weeks, lowest ${text(low)}, highest ${text(high)}`;
}

/** The lowest and the highest value of a small chart. The bars of sums begin at zero. */
function endsOf(intervals) {
  const isSum = intervals[0].sum !== undefined;
  return [Math.min(...intervals.map((each) => (isSum ? 0 : each.min))),
    Math.max(...intervals.map((each) => (isSum ? each.sum : each.max)))];
}

/** The contents of the small chart for readers who do not see it. */
function fillTable(table, caption, intervals, digits) {
  const isSum = intervals[0]?.sum !== undefined;
  const columns = isSum ? [["Sum", ({ sum }) => number(sum, digits, true)]] : [
    ["Lowest", ({ min }) => number(min, digits, true)], ["Highest", ({ max }) => number(max, digits, true)],
    [averageHeading, (each) => number(each.average, digits, true)],
  ];
  fill(table, h("caption", {}, caption),
    h("thead", {}, h("tr", {}, ["Day", ...columns.map(([name]) => name)].map((name) =>
      h("th", { scope: "col" }, name)))),
    h("tbody", {}, intervals.map((each) => h("tr", {}, h("th", { scope: "row" }, day(each.start)),
      columns.map(([, text]) => h("td", {}, text(each)))))));
}

/** A small chart of days: bars for sums, otherwise range and average. */
function sparkline(canvas, intervals, from, to, isRare) {
  const { clientWidth: width, clientHeight: height } = canvas;
  if (!width || !height) return;
  const pen = sharpContext(canvas, width, height);
  const colours = palette();
  pen.clearRect(0, 0, width, height);
  if (!intervals.length) return;
  const isSum = intervals[0].sum !== undefined;
  const lows = intervals.map((each) => (isSum ? 0 : each.min)),
  highs = intervals.map((each) => (isSum ? each.sum : each.max));
  let [low, high] = endsOf(intervals);
  // A minimum span of the axis keeps small changes small: two percent of the value fill half of the height.
  const least = 0.04 * Math.max(Math.abs(low), Math.abs(high)) || 1;
  if (high - low < least) [low, high] = [(low + high - least) / 2, (low + high + least) / 2];
  const x = (time) => ((time - from) / (to - from)) * width;
  const y = (at) => height - 5 - ((at - low) / (high - low)) * (height - 10);
  const day = x(from + 86400_000);
  pen.fillStyle = colours.accent;
  pen.globalAlpha = isSum ? 0.8 : 0.3;
  pen.beginPath();
  intervals.forEach((each, i) => {
    const wide = Math.max(2, day * 0.5);
    const at = x(each.start) + (day - wide) / 2;
    const top = y(highs[i]);
    pen.roundRect(at, top, wide, Math.max(2, y(lows[i]) - top), Math.min(2, wide / 2));
  });
  pen.fill();
  pen.globalAlpha = 1;
  if (isSum) return;
  pen.strokeStyle = colours.accent;
  pen.lineWidth = 1.75;
  pen.lineJoin = "round";
  pen.beginPath();
  intervals.forEach((each, i) => {
    const at = [x(each.start) + day / 2, y(each.average)];
    if (i && (isRare || each.start - intervals[i - 1].end < 3600_000 * 2)) pen.lineTo(...at);
    else pen.moveTo(...at);
  });
  pen.stroke();
  if (!isRare) return;
  pen.beginPath();
  for (const each of intervals) {
    const [px, py] = [x(each.start) + day / 2, y(each.average)];
    pen.moveTo(px + 2.5, py);
    pen.arc(px, py, 2.5, 0, 2 * Math.PI);
  }
  pen.fill();
}
