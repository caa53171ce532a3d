// Nights side by side, from bedtime to getting up by the local clock, in the colors of their stages.

import { h } from "../dom.js";
import { clock, dateText, day, minutes, number, startOfDay } from "../format.js";
import { digitsFor } from "../names.js";
import { clockOfHours, hoursFrom, lowestLink, stages } from "../nights.js";
import { ItemChart } from "./item-chart.js";

const left = 52, right = 10, top = 10, bottom = 26;

/** @param {object} context The context of the part. @param {number} count Number of nights to show. */
export function nightBars(context, count) {
  const seconds = (key) => ({ seconds: all }) => (key in all ? minutes(all[key] * 1000) : "–");
  const nightLink = (night) => h("a",
    { href: context.link("sleep", { night: dateText(night.from) }) }, day(night.from));
  const chart = new ItemChart({
    label: `Bedtimes and stages of ${count} nights`, paint, boundsOf, size: "bars-of-nights",
    textOf: ({ from, start, end, seconds: all }) => {
      const asleep = "asleep" in all ? ` · ${minutes(all.asleep * 1000)} asleep` : "";
      return `Night to ${day(from)} · ${clock(start)} to ${clock(end)}${asleep}`;
    },
    columns: [
      ["Night to", nightLink], ["Bedtime", ({ start }) => clock(start)], ["Up", ({ end }) => clock(end)],
      ["Asleep", seconds("asleep"), true],
      ...stages.map(([stage, name]) => [name, seconds(stage), true]),
      ["Lowest heart rate", (night) => (night.lowest
        ? h("a", { href: lowestLink(night, context) }, lowestText(night.lowest, chart.unit)) : "–"), true],
    ],
    onChoose: (night) => context.go("sleep", { night: dateText(night.from) }),
  });
  /** @param {number} to The end of the last day. */
  chart.show = (nights, unit, to) => {
    Object.assign(chart, { unit, count, to, first: startOfDay(to, -count) });
    chart.take([...nights].reverse(), "Each bar is a night, from bedtime to getting up.");
  };
  return chart;
}

function lowestText({ value, time }, unit) {
  return `${number(value, digitsFor(unit, "heartRate"), true)} at ${clock(time)}`;
}

/** The index of a night's column. It is rounded, because days may have 23 or 25 hours. */
function place(chart, night) {
  return Math.round((night.from - chart.first) / 86400_000);
}

function boundsOf(night, chart, width) {
  const column = (width - left - right) / chart.count;
  return [left + column * place(chart, night), left + column * (place(chart, night) + 1)];
}

function paint(pen, chart, width, height, colours) {
  const { items } = chart;
  if (!items.length) return;
  const times = items.flatMap(({ from, start, end }) => [hoursFrom(from, start), hoursFrom(from, end)]);
  const low = Math.floor(Math.min(...times) / 2) * 2, high = Math.ceil(Math.max(...times) / 2) * 2;
  const y = (hours) => top + ((hours - low) / Math.max(1, high - low)) * (height - top - bottom);
  pen.textBaseline = "middle";
  pen.textAlign = "right";
  pen.strokeStyle = colours.hair;
  pen.fillStyle = colours.quiet;
  pen.lineWidth = 1;
  pen.beginPath();
  const step = high - low > 14 ? 4 : 2;
  for (let hours = low; hours <= high; hours += step) {
    const at = Math.round(y(hours)) + 0.5;
    pen.moveTo(left, at);
    pen.lineTo(width - right, at);
    pen.fillText(clockOfHours(hours), left - 6, at, left - 8);
  }
  pen.stroke();
  pen.textAlign = "center";
  for (const night of items) {
    const [from, to] = boundsOf(night, chart, width);
    const wide = Math.max(3, Math.min(26, (to - from) * 0.6));
    const at = (from + to - wide) / 2;
    const bar = (start, end) => {
      const begin = y(hoursFrom(night.from, start));
      pen.fillRect(at, begin, wide, Math.max(1, y(hoursFrom(night.from, end)) - begin));
    };
    pen.fillStyle = colours.hair;
    bar(night.start, night.end);
    for (const each of night.stages) {
      pen.fillStyle = colours[stages.find(([stage]) => stage === each.stage)?.[2] ?? "quiet"];
      bar(each.start, each.end);
    }
    pen.fillStyle = colours.quiet;
    if (to - from > 22) pen.fillText(number(new Date(night.from).getDate()), (from + to) / 2, height - 12);
  }
}
