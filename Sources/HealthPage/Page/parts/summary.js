// Summary: what somebody pinned, with the last four weeks, and sentences that say what was compared.

import { h, fill } from "../dom.js";
import { get } from "../api.js";
import { ago, number, startOfDay, timeZone } from "../format.js";
import { digitsFor, typeName, typeNameInside, unitName } from "../names.js";
import { palette, onTheme, sharpContext } from "../charts/palette.js";
import { keepSetting, setting } from "../settings.js";

const usual = ["heartRate", "restingHeartRate", "heartRateVariabilitySDNN", "activeEnergyBurned"];
/** What is said in a sentence, too, where it is not pinned. */
const also = ["stepCount"];

export async function mount(place, _, context) {
  const { types } = await get("/api/types");
  const numeric = types.filter((each) => each.kind === "quantity");
  if (!numeric.length) {
    place.append(h("p.quiet", {}, "Nothing is stored yet. What you measure is summed up here."));
    return {};
  }
  const cards = h("div.cards");
  const sentences = h("ul.stack");
  const cleanUps = [];
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
    for (const each of answer.highlights) highlights.set(each.type, each);
  }

  function build() {
    cleanUps.splice(0).forEach((each) => each());
    const shown = pinned();
    fill(cards, shown.map((type) =>
      card(numeric.find((each) => each.type === type), highlights.get(type), context, cleanUps)));
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
        compare().catch(() => {}).then(build);
      },
    }), typeName(type)))));
  await compare();
  build();
  place.append(cards, sentences,
    h("p.quiet", {}, h("small", {}, "Whole days are compared, today is left out. Each day on which something"
      + " was measured counts the same, and of averages each hour of it does.")), choice);
  return { close() { cleanUps.forEach((each) => each()); } };
}

/** What was compared, in the reader's numbers: "Your heart rate was 71 beats a minute on average …". */
function sentenceOf({ type, kind, unit, now, before, days, beforeDays }) {
  const digits = Math.max(digitsFor(unit), Math.abs(now.value) < 100 && kind !== "daily" ? 1 : 0);
  const word = unitName(unit, type);
  const value = `${number(now.value, digits)}${word ? ` ${word}` : ""}`;
  const measured = (figure, of) =>
    (figure.measured < of ? ` (${number(figure.measured)} with measurements)` : "");
  const verb = kind === "daily" ? "came to" : "was";
  const how = `${kind === "daily" ? "a day " : ""}on average of the last ${number(days)} days`;
  const earlier = before
    ? `in the ${number(beforeDays)} days before${measured(before, beforeDays)},`
      + ` ${number(before.value, digits)}`
    : `of the ${number(beforeDays)} days before there is nothing`;
  return `Your ${typeNameInside(type)} ${verb} ${value} ${how}${measured(now, days)}; ${earlier}.`;
}

function card(type, highlight, context, cleanUps) {
  const canvas = h("canvas", { role: "img", "aria-label": `${typeName(type.type)}, the last four weeks` });
  const value = h("p.big", {}, "–");
  const digits = digitsFor(type.unit);
  const unit = unitName(type.unit, type.type);
  const when = h("p.quiet");
  const sentences = highlight && h("p", {}, sentenceOf(highlight));
  const end = startOfDay(Date.now()) + 86400_000;
  const from = end - 28 * 86400_000;
  let intervals = [];
  const draw = () => sparkline(canvas, intervals, from, end);
  const observer = new ResizeObserver(draw);
  observer.observe(canvas);
  cleanUps.push(() => observer.disconnect(), onTheme(draw));
  get("/api/statistics", { type: type.type, from, to: end, every: "1d", zone: timeZone }).then((answer) => {
    intervals = answer.intervals;
    draw();
  }).catch(() => {});
  const isSum = type.style === "cumulative";
  // The whole store need not be asked for its newest value: the type says when that was.
  get("/api/statistics", isSum
    ? { type: type.type, from: end - 86400_000, to: end }
      : { type: type.type, from: type.last - 3600_000, to: type.last + 1000 }).then((figures) => {
    const newest = isSum ? figures.sum ?? 0 : figures.latest?.value;
    fill(value, number(newest, digits), h("small", {}, ` ${unit}`));
    fill(when, isSum ? "today" : figures.latest ? ago(figures.latest.time) : "");
  }).catch((error) => fill(when, error.message));
  return h("article.card", {},
    h("h2", {},
      h("a", { href: context
      .link("heart-rate", { type: type.type === "heartRate" ? null : type.type, range: "month" }) },
      typeName(type.type))),
    value, when, canvas, sentences);
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
  if (high - low < 1) { low -= 1; high += 1; }
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
