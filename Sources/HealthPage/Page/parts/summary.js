// Summary: what somebody pinned, with the last four weeks, and sentences that say what was compared.

import { h, fill, say, whileSeen } from "../dom.js";
import { get } from "../api.js";
import { ago, average, day, number, startOfDay, timeZone } from "../format.js";
import { digitsFor, typeName, typeNameInside, unitName } from "../names.js";
import { readable } from "../per-cent.js";
import { palette, onTheme, sharpContext } from "../charts/palette.js";
import { keepSetting, setting } from "../settings.js";

const usual = ["heartRate", "restingHeartRate", "heartRateVariabilitySDNN", "activeEnergyBurned"];
/** What is said in a sentence, too, where it is not pinned. */
const also = ["stepCount"];
/** How many days are drawn, and compared. */
const drawnDays = 28, comparedDays = 7;

export async function mount(place, _, context) {
  const { types } = await get("/api/types");
  const numeric = types.filter((each) => each.kind === "quantity");
  if (!numeric.length) {
    place.append(h("p.quiet", {}, "Nothing is stored yet. What you measure is summed up here."));
    return {};
  }
  const cards = h("div.cards");
  const sentences = h("ul.stack");
  const problem = h("p.problem", { role: "alert" });
  const cleanUps = [];
  /** Each says anew how old what its card shows is. */
  const ages = [];
  const highlights = new Map();
  const pinned = () => setting("pinned", usual, true)
    .filter((type) => numeric.some((each) => each.type === type));

  /** Asks for what is compared of the types of which that is not known yet. */
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
    cleanUps.splice(0).forEach((each) => each());
    ages.length = 0;
    const shown = pinned();
    fill(cards, shown.map((type) =>
      card(numeric.find((each) => each.type === type), highlights.get(type), context, cleanUps, ages)));
    fill(sentences, [...highlights.values()].filter((each) => each && !shown.includes(each.type))
      .map((each) => h("li", {}, sentenceOf(each))));
    sentences.hidden = !sentences.firstChild;
  }

  const choice = h("details", {}, h("summary", {}, "What is pinned here"),
    h("div.two", {}, numeric.map(({ type }) => h("label.row", {}, h("input", {
      type: "checkbox", checked: pinned().includes(type),
      onchange: (event) => {
        const now = new Set(pinned());
        if (event.target.checked) now.add(type);
        else now.delete(type);
        keepSetting("pinned", [...now], true);
        compare().then(() => "", (error) => error.message).then((message) => {
          say(problem, message);
          build();
        });
      },
    }), typeName(type)))));
  await compare();
  build();
  place.append(problem, cards, sentences,
    h("p.quiet", {}, h("small", {}, "Whole days are compared, today is left out. Each day on which something"
      + " was measured counts the same, and of averages each hour of it does.")), choice);
  const stopTicking = whileSeen(() => ages.forEach((each) => each()));
  return {
    close() {
      stopTicking();
      cleanUps.forEach((each) => each());
    },
  };
}

/** What was compared, in the reader's numbers: "Your heart rate was 71 beats a minute on average …". */
function sentenceOf({ type, kind, unit, now, before, days, beforeDays }) {
  const digits = digitsFor(unit, type);
  const exactly = (figure) =>
    (kind === "daily" ? number(figure.value, digits, true) : average(figure.value, digits));
  const word = unitName(unit, type);
  const value = `${exactly(now)}${word ? ` ${word}` : ""}`;
  const measured = (figure, of) =>
    (figure.measured < of ? ` (${number(figure.measured)} with measurements)` : "");
  const verb = kind === "daily" ? "came to" : "was";
  const how = `${kind === "daily" ? "a day " : ""}on average of the last ${number(days)} days`;
  const earlier = before
    ? `in the ${number(beforeDays)} days before${measured(before, beforeDays)},`
      + ` ${exactly(before)}`
    : `of the ${number(beforeDays)} days before there is nothing`;
  return `Your ${typeNameInside(type)} ${verb} ${value} ${how}${measured(now, days)}; ${earlier}.`;
}

/** Why nothing is compared. */
function whyNothing(type, now = Date.now()) {
  return type.first >= startOfDay(now)
    ? "It has been measured since today: whole days are compared, and there is none yet."
    : `In the last ${number(comparedDays)} whole days nothing was measured: there is nothing to compare.`;
}

function card(type, highlight, context, cleanUps, ages) {
  const title = `${typeName(type.type)}, the last four weeks`;
  const isSum = type.style === "cumulative";
  const canvas = h("canvas", { role: "img", "aria-label": title });
  const value = h("p.big", {}, "–");
  const digits = digitsFor(type.unit, type.type);
  const unit = unitName(type.unit, type.type);
  const when = h("p.quiet");
  const sentence = h("p", {}, highlight ? sentenceOf(highlight) : whyNothing(type));
  const table = h("table");
  const problem = h("p.problem");
  const today = startOfDay(Date.now()), end = startOfDay(today, 1);
  const from = startOfDay(end, -drawnDays);
  let intervals = [], latest;
  const sayAge = () => { if (!isSum && latest) say(when, ago(latest.time)); };
  ages.push(sayAge);
  const draw = () => sparkline(canvas, intervals, from, end);
  const observer = new ResizeObserver(draw);
  observer.observe(canvas);
  cleanUps.push(() => observer.disconnect(), onTheme(draw));
  get("/api/statistics", { type: type.type, from, to: end, every: "1d", zone: timeZone }).then((answer) => {
    intervals = readable(answer).intervals;
    draw();
    fillTable(table, unit ? `${title}, ${unit}` : title, intervals, digits);
  }).catch((error) => say(problem, error.message));
  // The whole store need not be asked for its newest value: the type says when that was.
  get("/api/statistics", isSum
    ? { type: type.type, from: today, to: end }
      : { type: type.type, from: type.last - 3600_000, to: type.last + 1000 }).then((answer) => {
    const figures = readable(answer);
    const newest = isSum ? figures.sum ?? 0 : figures.latest?.value;
    fill(value, number(newest, digits, true), h("small", {}, ` ${unit}`));
    latest = figures.latest;
    if (isSum) say(when, "today");
    else sayAge();
  }).catch((error) => say(problem, error.message));
  const chart = { type: type.type === "heartRate" ? null : type.type, range: "month" };
  return h("article.card", {},
    h("h2", {}, h("a", { href: context.link("heart-rate", chart) }, typeName(type.type))),
    value, when, problem, canvas, h("div.unseen", {}, table), sentence);
}

/** What the small chart shows, for whoever does not see it. */
function fillTable(table, caption, intervals, digits) {
  const isSum = intervals[0]?.sum !== undefined;
  const columns = isSum ? [["Sum", ({ sum }) => number(sum, digits, true)]] : [
    ["Least", ({ min }) => number(min, digits, true)], ["Greatest", ({ max }) => number(max, digits, true)],
    ["Average", (each) => average(each.average, digits)],
  ];
  fill(table, h("caption", {}, caption),
    h("thead", {}, h("tr", {}, ["Day", ...columns.map(([name]) => name)].map((name) =>
      h("th", { scope: "col" }, name)))),
    h("tbody", {}, intervals.map((each) => h("tr", {}, h("th", { scope: "row" }, day(each.start)),
      columns.map(([, text]) => h("td", {}, text(each)))))));
}

/** A small chart of days: bars for sums, the range and its average else. */
function sparkline(canvas, intervals, from, to) {
  const { clientWidth: width, clientHeight: height } = canvas;
  if (!width || !height) return;
  const pen = sharpContext(canvas, width, height);
  const colours = palette();
  pen.clearRect(0, 0, width, height);
  if (!intervals.length) return;
  const isSum = intervals[0].sum !== undefined;
  const lows = intervals.map((each) => (isSum ? 0 : each.min)),
  highs = intervals.map((each) => (isSum ? each.sum : each.max));
  let low = Math.min(...lows), high = Math.max(...highs);
  // What hardly changes is no mountain: two per cent of it fill half of the height.
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
    if (i && each.start - intervals[i - 1].end < 3600_000 * 2) pen.lineTo(...at);
    else pen.moveTo(...at);
  });
  pen.stroke();
}
