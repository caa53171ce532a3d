// Sessions: times in which a monitor was worn without a break, detected from the stored heart rates.

import { h, fill, isInUse, named, plain, say, whileSeen } from "../dom.js";
import { address, get, save } from "../api.js";
import { afterCommits } from "../stream.js";
import { day, duration, number, startOfDay } from "../format.js";
import { digitsFor } from "../names.js";
import { SessionCalendar } from "../session-calendar.js";
import { groupsOf } from "../session-groups.js";
import { SessionComparison, mostCompared } from "../session-comparison.js";
import { isOngoing, lengthOf, measured, sessionLink, sessionTimes } from "../session-times.js";
import { nameSession, sessionName, totalsOf } from "../session-title.js";

/**
 * Milliseconds between updates. Detecting sessions reads all heart rates of a day or two, which takes longer
 * than a statistic.
 */
const renewedEvery = () => 20_000;

export async function mount(place, { view }, context) {
  place.append(viewChoice(view, context));
  if (view === "calendar") {
    const calendar = new SessionCalendar(context);
    place.append(calendar.element);
    await calendar.show();
    return { close: () => calendar.close() };
  }
  const list = h("div.stack");
  const comparison = new SessionComparison(() => {
    for (const each of boxes()) each.checked = false;
    enable();
  });
  const words = "A session is a time of three minutes or more in which your heart rate was"
    + " measured every few seconds, without a break of five minutes, or a workout. Choose up to"
    + ` ${mostCompared} to compare them. The average of a session is of all its readings.`;
  const note = h("p.quiet", {}, words);
  const problem = h("p.problem", { role: "alert" });
  const more = h("button", { type: "button", onclick: () => load() }, "Show 30 more days");
  let to = startOfDay(Date.now(), 1);
  let skipped = null;
  /** The listed sessions, the latest first. */
  let listed = [];
  /** The row of each session by its key. */
  const rows = new Map();
  let digits = 0;
  const [{ types }, { sources }] = await Promise.all([get("/api/types"), get("/api/sources")]);
  const begun = types.filter(({ type }) => ["heartRate", "workout"].includes(type));
  const first = begun.length ? Math.min(...begun.map((each) => each.first)) : undefined;
  let hasBeats = beatsOf(types, sources);
  place.append(note, comparison.element, list, problem, h("div", {}, more), comparison.bar);

  async function load() {
    more.disabled = true;
    say(more, "Loading …");
    const from = startOfDay(to, -30);
    try {
      const { sessions, next, unit } = await get("/api/worn", { from, to, skip: skipped });
      digits = digitsFor(unit, "heartRate");
      const known = new Set(listed.map(keyOf));
      // New sessions may have shifted the pages, so a page can repeat sessions that are already listed.
      listed.push(...sessions.filter((each) => !known.has(keyOf(each))));
      arrange();
      // If the days have more sessions than the response, continue with the next page of the same days.
      skipped = next ?? null;
      if (!skipped) to = from;
      say(problem, "");
    } catch (error) {
      say(problem, error.message);
    }
    more.disabled = false;
    say(more, skipped ? "Show more of these days" : "Show 30 more days");
    more.hidden = !skipped && !(first < to);
    // A month without sessions is skipped, so that the user need not click for each.
    if (!listed.length && !more.hidden && !problem.textContent) return load();
    if (!listed.length && !problem.textContent) {
      say(note, first === undefined ? "No heart rate is stored yet, so there is no session."
        : "No session was found: no source measured every few seconds for three minutes, and there is no"
          + " workout.");
    }
  }

  /** Puts each row in its place. Existing rows are not moved, so that they keep the focus. */
  function arrange() {
    const days = Map.groupBy(groupsOf(listed), ([{ start }]) => startOfDay(start));
    inOrder(list, [...days].map(([date, groups]) => {
      const section = list.querySelector(`[data-day="${date}"]`)
        ?? h("section.stack", { data: { day: date } },
          h("h2", {}, day(date, { weekday: "long", month: "long" })), h("ul.list"));
      inOrder(section.querySelector("ul"), groups.map(rowOf));
      return section;
    }));
  }

  /** Replaces the row of a changed session, unless it is selected or in use. */
  function rowOf([session, ...others]) {
    const key = keyOf(session), text = JSON.stringify([isOngoing(session), session, ...others]);
    const known = rows.get(key);
    const stays = known && (known.text === text || isInUse(known.row)
      || known.row.querySelector("input:checked"));
    if (!stays) rows.set(key, { text, row: row(session, others) });
    return rows.get(key).row;
  }

  /** Updates the sessions since yesterday, which may be new or have grown. Earlier days rarely change. */
  async function renew(signal) {
    const from = settledSince(startOfDay(Date.now(), -1));
    const [{ types }, { sources }, { sessions, unit, next }] = await Promise.all([
      get("/api/types", {}, signal), get("/api/sources", {}, signal),
      get("/api/worn", { from, to: startOfDay(Date.now(), 1) }, signal)]);
    hasBeats = beatsOf(types, sources);
    digits = digitsFor(unit, "heartRate");
    const earliest = next ? sessions.at(-1).start : from;
    const isKept = (each) => each.start < earliest || isChosen(each);
    const fresh = new Set(sessions.map(keyOf));
    listed = [...sessions, ...listed.filter((each) => isKept(each) && !fresh.has(keyOf(each)))]
      .sort((a, b) => b.start - a.start);
    if (listed.length) say(note, words);
    arrange();
    enable();
  }

  function isChosen(session) {
    return comparison.has(keyOf(session));
  }

  /**
   * Returns a time that is not within a listed session, so that a request does not begin in the middle of
   * one.
   */
  function settledSince(time) {
    const around = listed.find(({ start, end }) => start < time && time <= end);
    return around ? settledSince(around.start) : time;
  }

  /** @param {object[]} others The sessions of other sources at the same time. */
  function row(session, others) {
    const label = sessionTimes(session);
    const box = (each, name = null) => h("input", {
      type: "checkbox", "aria-label": name, checked: comparison.has(keyOf(each)),
      onchange: ({ target }) => choose(keyOf(each), each, target),
    });
    const title = h("span.title");
    const rename = h("button.plain", {
      type: "button", onclick: () => nameSession(session, label, () => sayName()),
    });
    const sayName = () => {
      sayTitle(title, session, label);
      const word = session.title ? "Rename" : "Name";
      say(rename, word);
      rename.setAttribute("aria-label", `${word} ${label}`);
    };
    sayName();
    const figure = (text, name) => h("span", {}, text, h("small.quiet", {}, ` ${name}`));
    const exactly = (value) => number(value, digits, true);
    return h("li.session", {},
      session.count > 0 ? h("label.chosen", {},
        box(session), title)
        : h("div.chosen", {}, h("span.nobox"), title),
      h("span.quiet.source", {}, named(session.name), others.map((each) => h("span.also", {},
        each.count > 0 && box(each, `${label}, also ${plain(each.name)}`), "also ",
        h("a", { href: sessionLink(each, context), "aria-label": `Open ${label}, ${plain(each.name)}` },
          named(each.name))))),
      session.count === 0 ? h("span.quiet", {}, "No heart rate was measured.")
        : h("span.numbers", {}, figure(exactly(session.average), "average"),
          figure(exactly(session.max), "highest"), figure(exactly(session.min), "lowest")),
      h("span.row.links", {}, linksOf(session, label), rename));
  }

  /** Shows the name of a session, and its times and duration. */
  function sayTitle(place, session, label) {
    const name = sessionName(session);
    const length = [duration(lengthOf(session)), ...totalsOf(session.workout),
      isOngoing(session) && "ongoing"].filter(Boolean).join(", ");
    fill(place, name ? [h("strong", {}, named(name)), h("br"), h("span.quiet", {}, `${label}, ${length}`)]
      : [h("strong.times", {}, label), " ", h("span.quiet", {}, length)]);
  }

  function linksOf(session, label) {
    const { source, start, end } = measured(session);
    const exact = { from: start, to: end + 1, source };
    return [
      h("a", { href: sessionLink(session, context), "aria-label": `Open ${label}` }, "Open"),
      session.count > 0 && hasBeats(measured(session)) && h("a", {
        href: address("/api/export.rr", exact), onclick: save,
        "aria-label": `RR intervals for Kubios, ${label}`,
      }, "RR intervals for Kubios"),
    ];
  }

  function choose(key, session, box) {
    comparison.choose(key, session, box.checked);
    enable();
  }

  function enable() {
    for (const each of boxes()) each.disabled = comparison.isFull && !each.checked;
  }

  function boxes() {
    return list.querySelectorAll("input[type=checkbox]");
  }

  await load();
  const stopRenewing = afterCommits(context.stream, renew, renewedEvery);
  // A session ends without a commit.
  const stopArranging = whileSeen(arrange, 30_000);
  return {
    close() {
      stopRenewing();
      stopArranging();
      comparison.close();
    },
  };
}

/** The list, or the calendar with weekly load. */
function viewChoice(view, context) {
  const button = (text, value) => h("button", {
    type: "button", "aria-pressed": String((view ?? null) === value),
    onclick: () => context.go("sessions", { view: value }),
  }, text);
  return h("div.choice.fit", { role: "group", "aria-label": "View" }, button("List", null),
    button("Calendar", "calendar"));
}

function keyOf({ source, start, workout }) {
  return `${source} ${start} ${workout?.uuid ?? ""}`;
}

/** Sets the children of an element with as few moves as possible. */
function inOrder(element, children) {
  const wanted = new Set(children);
  for (const each of [...element.children]) if (!wanted.has(each)) each.remove();
  children.forEach((each, i) => {
    if (element.children[i] !== each) element.insertBefore(each, element.children[i] ?? null);
  });
}

/**
 * Returns a function that says whether a session may have beats: its source has saved beats, and the session
 * overlaps the time of all beats. A watch, or a strap without RR intervals, has only heart rates.
 */
function beatsOf(types, sources) {
  const beats = types.find((each) => each.type === "heartbeatSeries");
  const writers = new Set(sources.filter((each) => each.samples.heartbeatSeries).map((each) => each.source));
  return ({ source, start, end }) =>
    Boolean(beats) && writers.has(source) && start <= (beats.end ?? beats.last) && beats.first <= end;
}
