// Sleep: one night with its stages, and the nights of two weeks.

import { h, fill, isInUse, named, say } from "../dom.js";
import { get } from "../api.js";
import { afterCommits } from "../stream.js";
import {
  clock, count, dateText, day, duration, minutes, number, percent, startOfDay, timeZone,
} from "../format.js";
import { digitsFor } from "../names.js";
import { clockOfHours, fetchNights, hoursFrom, lowestLink, stages } from "../nights.js";
import { hypnogram } from "../charts/hypnogram.js";
import { nightBars } from "../charts/night-bars.js";

const shownNights = 14;

export async function mount(place, { night }, context) {
  const type = sleepOf(await get("/api/types"));
  if (!type) {
    place.append(h("p.quiet", {}, "No sleep is stored yet. ",
      h("a", { href: context.link("data") }, "Add a night"), ", or import the data of a watch or a phone."));
    const close = afterCommits(context.stream, async (signal) => {
      if (sleepOf(await get("/api/types", {}, signal))) context.renew();
    });
    return { close };
  }
  const page = new SleepPage(type, context);
  place.append(page.element);
  await page.show(night);
  const stopRenewing = afterCommits(context.stream, async (signal) => {
    page.type = sleepOf(await get("/api/types", {}, signal)) ?? page.type;
    if (!isInUse(page.element)) await page.load();
  });
  return {
    update: ({ night }) => { page.show(night); return true; },
    close() {
      stopRenewing();
      page.close();
    },
  };
}

function sleepOf({ types }) {
  return types.find((each) => each.type === "sleepAnalysis");
}

class SleepPage {
  #turn = 0;

  constructor(type, context) {
    this.type = type;
    this.context = context;
    this.title = h("h2", { "aria-live": "polite" });
    const turner = (label, by, sign) => h("button",
      { type: "button", "aria-label": label, onclick: () => this.#go(startOfDay(this.day, by)) }, sign);
    this.before = turner("Night before", -1, "‹");
    this.after = turner("Night after", 1, "›");
    this.latest = h("button.plain", { type: "button", onclick: () => this.#go(null) }, "Latest");
    this.problem = h("p.problem", { role: "alert" });
    this.figures = h("dl.figures");
    this.hypnogram = hypnogram();
    this.durations = h("div");
    this.note = h("p.quiet");
    this.one = h("div.stack", {}, this.figures, this.hypnogram.element, this.durations, this.note,
      this.hypnogram.table);
    this.none = h("p.quiet", { hidden: true }, "No sleep is stored for this night.");
    this.bars = nightBars(context, shownNights);
    this.averages = h("p");
    this.key = h("p.key", { "aria-hidden": "true" });
    this.element = h("div.stack", {},
      h("div.row.turning", {}, this.before, this.title, this.after, this.latest), this.problem,
      this.none, this.one,
      h("h2", {}, `${number(shownNights)} nights`), this.averages, this.bars.element, this.key,
      this.bars.table,
      h("p.quiet", {}, h("small", {}, `Times in ${timeZone}. A night belongs to the day on which it`
        + " ends. Breaks of up to two hours are part of it; the longest sleep of a day is its night, and"
        + " shorter ones are naps.")));
  }

  close() {
    this.#turn += 1;
    this.hypnogram.close();
    this.bars.close();
  }

  /** @param {string|undefined} text A date such as 2026-11-23; otherwise the latest night. */
  show(text) {
    const time = text ? Date.parse(`${text}T12:00`) : NaN;
    this.wanted = Number.isFinite(time) ? startOfDay(time) : null;
    return this.load();
  }

  #go(time) {
    this.context.go("sleep", { night: time === null ? null : dateText(time) });
  }

  async load() {
    const mine = ++this.#turn;
    const last = startOfDay(Math.min(Date.now(), this.type.end ?? this.type.last), 2);
    const to = this.wanted === null ? last : startOfDay(this.wanted, 1);
    this.element.setAttribute("aria-busy", "true");
    try {
      const { nights, unit, end } = await this.#nightsTo(to);
      if (mine !== this.#turn) return;
      say(this.problem, "");
      this.#fill(nights, unit, end);
    } catch (error) {
      if (mine === this.#turn) say(this.problem, error.message);
    } finally {
      if (mine === this.#turn) this.element.removeAttribute("aria-busy");
    }
  }

  /**
   * Requests the wanted night and those before it, or the latest nights if no night is wanted. The latest
   * night may begin up to two days before `to`, so two more days are requested for it.
   */
  async #nightsTo(to) {
    const more = this.wanted === null ? 2 : 0;
    let first = startOfDay(to, -shownNights - more);
    let { nights, unit } = await fetchNights({ from: first, to, lowest: true });
    const end = more && nights.length ? startOfDay(nights[0].from, 1) : to;
    if (startOfDay(end, -shownNights) < first) {
      // The latest night is earlier than the last sample, which may be in the future. Request the nights
      // before it.
      first = startOfDay(end, -shownNights);
      ({ nights } = await fetchNights({ from: first, to: end, lowest: true }));
    }
    first = startOfDay(end, -shownNights);
    return { nights: nights.filter(({ from }) => from >= first), unit, end };
  }

  #fill(nights, unit, end) {
    this.day = startOfDay(end, -1);
    const night = nights.find((each) => each.from === this.day);
    const isLatest = this.wanted === null;
    say(this.title, `Night to ${day(this.day, { weekday: "long", month: "long", year: true })}`);
    this.after.disabled = isLatest || end > Date.now();
    this.before.disabled = this.day <= startOfDay(this.type.first);
    this.latest.hidden = isLatest;
    this.none.hidden = Boolean(night);
    this.one.hidden = !night;
    if (night) this.#fillNight(night, unit);
    this.bars.show(nights, unit, end);
    say(this.averages, averagesOf(nights));
    const present = stages.filter(([stage]) => nights.some(({ seconds }) => stage in seconds));
    fill(this.key, present.map(([, name, step]) => h("span", {}, h(`i.${step}`), name)));
  }

  #fillNight(night, unit) {
    const { seconds, start, end, asleep, lowest, naps } = night;
    const one = (name, ...value) => h("div", {}, h("dt", {}, name), h("dd.small", {}, value));
    fill(this.figures,
      asleep && one("asleep", minutes(seconds.asleep * 1000)),
      one(night.inBed.length ? "to bed" : "fell asleep", clock(start)), one("up", clock(end)),
      "inBed" in seconds && one("in bed", minutes(seconds.inBed * 1000)),
      lowest && one(`lowest pulse, ${clock(lowest.time)}`, h("a", {
        href: lowestLink(night, this.context),
        "aria-label": `Chart of the lowest heart rate at ${clock(lowest.time)}`,
      }, number(lowest.value, digitsFor(unit, "heartRate"), true))));
    this.hypnogram.show(night);
    this.hypnogram.element.hidden = this.hypnogram.table.hidden = !night.stages.length;
    fill(this.durations, barsOf(seconds));
    fill(this.note, !night.stages.length && "Only time in bed is stored for this night. ",
      night.name && ["Stages by ", named(night.name), ". "],
      naps.length > 0 && `${count(naps.length, "nap")}: ${naps.map((nap) =>
        `${clock(nap.start)} to ${clock(nap.end)}`).join(", ")}. `,
      h("a", { href: this.#chartLink(night) }, "Heart rate of this night"));
  }

  #chartLink({ from }) {
    return this.context.link("heart-rate", { range: "night", at: dateText(from) });
  }
}

/**
 * The time in each stage as bars. The width of a track is the time asleep, so that a bar is as long as the
 * percentage beside it says.
 */
function barsOf(seconds) {
  const known = stages.filter(([stage]) => stage in seconds);
  if (!known.length) return null;
  const whole = seconds.asleep || Math.max(1, ...known.map(([stage]) => seconds[stage]));
  const rows = known.map(([stage, name, step]) => {
    const bar = h(`i.${step}`);
    bar.style.width = `${Math.min(100, (100 * seconds[stage]) / whole)}%`;
    const share = stage === "awake" || !seconds.asleep ? ""
      : `${percent(seconds[stage] / seconds.asleep)} of sleep`;
    return h("div", { role: "listitem" }, h("span", {}, name),
      h("span.track", { "aria-hidden": "true" }, bar),
      h("span", {}, minutes(seconds[stage] * 1000), " ", h("small.quiet", {}, share)));
  });
  return h("div.bars", { role: "list" }, rows);
}

/** Means of the nights in words. */
function averagesOf(nights) {
  const slept = nights.filter((each) => each.asleep);
  if (slept.length < 2) return "";
  const mean = (valueOf) => slept.reduce((sum, each) => sum + valueOf(each), 0) / slept.length;
  return `Average of ${number(slept.length)} nights: ${duration(mean(({ seconds }) =>
    Math.round(seconds.asleep / 60) * 60_000))} asleep, from ${clockOfHours(mean(({ from, asleep }) =>
    hoursFrom(from, asleep.start)))} to ${clockOfHours(mean(({ from, asleep }) =>
    hoursFrom(from, asleep.end)))}.`;
}
