// Sessions of a month as a calendar, with the training load of each week.

import { h, fill, plain, say } from "./dom.js";
import { get } from "./api.js";
import { clock, count, day, duration, minutes, number, sameDay, startOfDay, weekday } from "./format.js";
import { isLatest, rangeAround, rangeTitle, shifted } from "./ranges.js";
import { groupsOf } from "./session-groups.js";
import { lengthOf, sessionLink, sessionTimes } from "./session-times.js";
import { sessionName } from "./session-title.js";
import { zoneBasis } from "./zones.js";

export class SessionCalendar {
  #turn = 0;

  constructor(context) {
    this.context = context;
    this.title = h("h2", { "aria-live": "polite" });
    const turner = (label, by, sign) => h("button", {
      type: "button", "aria-label": label, onclick: () => this.show(shifted("month", this.month, by)),
    }, sign);
    this.after = turner("Month after", 1, "›");
    this.problem = h("p.problem", { role: "alert" });
    this.table = h("div.scroll.calendar",
      { tabindex: 0, role: "region", "aria-label": "Calendar of sessions" });
    this.note = h("p.quiet");
    this.element = h("section.stack", { "aria-label": "Calendar" },
      h("div.row.turning", {}, turner("Month before", -1, "‹"), this.title, this.after),
      this.problem, this.table, this.note);
  }

  close() {
    this.#turn += 1;
  }

  /** Shows the month of a time. */
  async show(time = Date.now()) {
    this.month = rangeAround("month", time);
    const mine = ++this.#turn;
    say(this.title, rangeTitle("month", this.month));
    this.after.disabled = isLatest("month", this.month);
    const weeks = weeksOf(this.month);
    this.element.setAttribute("aria-busy", "true");
    try {
      const zones = await zoneBasis();
      // The load follows from the maximum heart rate, also if zones have other limits.
      const basis = zones?.maximum ? zones : null;
      const sessions = await sessionsOf(weeks[0][0], startOfDay(weeks.at(-1)[6], 1), basis?.maximum);
      if (mine !== this.#turn) return;
      say(this.problem, "");
      fill(this.table, this.#tableOf(weeks, sessions, basis));
      fill(this.note, basis ? "The load (Edwards) is the minutes at 50% and more of your maximum of"
        + ` ${number(basis.maximum)} beats a minute, times 1 up to 60%, times 2 up to 70%,`
        + " … times 5 from 90%."
        : ["For the load, enter your maximum heart rate or date of birth. ",
          h("a", { href: this.context.link("you") }, "You")]);
    } catch (error) {
      if (mine === this.#turn) say(this.problem, error.message);
    } finally {
      if (mine === this.#turn) this.element.removeAttribute("aria-busy");
    }
  }

  #tableOf(weeks, sessions, basis) {
    const rows = weeks.map((days) => ({
      days, sessions: sessions.filter(({ start }) => days[0] <= start && start < startOfDay(days[6], 1)),
    }));
    const loadOf = (all) => all.reduce((sum, each) => sum + (each.load ?? 0), 0);
    const most = Math.max(1, ...rows.map((row) => loadOf(row.sessions)));
    const head = [...weeks[0].map(weekday), basis ? "Week, load" : "Week"];
    return h("table", {}, h("caption.unseen", {}, `Sessions of ${rangeTitle("month", this.month)}`),
      h("thead", {}, h("tr", {}, head.map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, rows.map(({ days, sessions: all }) => h("tr", {},
        days.map((time) => this.#cell(time, all.filter(({ start }) => sameDay(start, time)))),
        weekCell(all, loadOf(all), most, basis)))));
  }

  #cell(time, sessions) {
    const isOther = time < this.month.from || time >= this.month.to;
    const classes = [isOther && "other", sameDay(time, Date.now()) && "today"].filter(Boolean);
    return h(["td", ...classes].join("."), {}, h("span.date", {}, number(new Date(time).getDate())),
      sessions.map((each) => h("a", {
        href: sessionLink(each, this.context),
        "aria-label": `${nameOf(each)}, ${day(each.start)}, ${sessionTimes(each)}`,
      }, h("span.name", {}, nameOf(each), " "), duration(lengthOf(each)))));
  }
}

function nameOf(session) {
  return plain(sessionName(session) || clock(session.start));
}

function weekCell(sessions, load, most, basis) {
  if (!sessions.length) return h("td", {});
  const time = sessions.reduce((sum, each) => sum + lengthOf(each), 0);
  const bar = h("i.week-load", { "aria-hidden": "true" });
  bar.style.width = `${(100 * load) / most}%`;
  return h("td", {}, basis && h("strong", {}, number(load)), basis && bar,
    h("small.quiet", {}, `${count(sessions.length, "session")}, ${minutes(time)}`));
}

/** The weeks that overlap a range, each as the starts of its seven days. */
function weeksOf({ from, to }) {
  const weeks = [];
  let week = rangeAround("week", from);
  for (; week.from < to; week = rangeAround("week", shifted("week", week, 1))) {
    const { from: start } = week;
    weeks.push(Array.from({ length: 7 }, (_, i) => startOfDay(start, i)));
  }
  return weeks;
}

/**
 * Requests all sessions in a time range. The server returns a limited number at a time. Of several sources at
 * the same time, only the first one of the group is returned, so that its load counts once.
 */
async function sessionsOf(from, to, maximum) {
  const all = [];
  let skip = null;
  do {
    const { sessions, next } = await get("/api/worn", { from, to, skip, maximum });
    all.push(...sessions);
    skip = next ?? null;
  } while (skip);
  const latestFirst = all.sort((a, b) => b.start - a.start);
  return groupsOf(latestFirst).map(([first]) => first).sort((a, b) => a.start - b.start);
}
