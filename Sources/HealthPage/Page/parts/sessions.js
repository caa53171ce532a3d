// Sessions: the stretches in which a monitor was worn without a break, found in what is stored.

import { h, fill, field, form, named, plain, say } from "../dom.js";
import { address, get, post, save } from "../api.js";
import { average, clock, day, duration, number, sameDay, startOfDay } from "../format.js";
import { digitsFor } from "../names.js";
import { SessionComparison, mostCompared } from "../session-comparison.js";

export async function mount(place, _, context) {
  const list = h("div.stack");
  const comparison = new SessionComparison(() => {
    for (const each of boxes()) each.checked = false;
    enable();
  });
  const note = h("p.quiet", {}, "A session is a stretch of three minutes and more in which a heart was"
    + ` measured every few seconds, without a break of five minutes. Choose up to ${mostCompared} to lay them`
    + " over each other.");
  const more = h("button", { type: "button", onclick: () => load() }, "Thirty days more");
  let to = startOfDay(Date.now(), 1);
  let lastDay = null;
  let skipped = null;
  let total = 0;
  let digits = 0;
  const [{ types }, { sources }] = await Promise.all([get("/api/types"), get("/api/sources")]);
  const first = types.find((each) => each.type === "heartRate")?.first;
  const hasBeats = beatsOf(types, sources);
  place.append(note, comparison.element, list, h("div", {}, more), comparison.bar);

  async function load() {
    more.disabled = true;
    const from = startOfDay(to, -30);
    try {
      const { sessions, next, unit } = await get("/api/worn", { from, to, skip: skipped });
      digits = digitsFor(unit, "heartRate");
      for (const session of sessions) add(session);
      total += sessions.length;
      // Of days with very many the others come with the next click.
      skipped = next ?? null;
      if (!skipped) to = from;
      say(more, skipped ? "More of these days" : "Thirty days more");
    } catch (error) {
      list.append(h("p.problem", {}, error.message));
    }
    more.disabled = false;
    more.hidden = !skipped && !(first < to);
    // Whoever has worn nothing for months should not have to ask month by month.
    if (!total && !more.hidden) return load();
    if (!total) {
      say(note, first === undefined ? "No heart rate is stored yet, so there is no session."
        : "No session was found: nothing that is stored was measured every few seconds for three minutes.");
    }
  }

  function add(session) {
    const date = startOfDay(session.start);
    if (date !== lastDay) {
      lastDay = date;
      list.append(
        h("section.stack", {}, h("h2", {}, day(date, { weekday: "long", month: "long" })), h("ul.list")));
    }
    list.lastElementChild.querySelector("ul").append(row(session));
  }

  function row(session) {
    const { source, start, end } = session;
    const label = `${clock(start)} to ${sameDay(start, end) ? "" : `${day(end)}, `}${clock(end)}`;
    const key = `${source} ${start}`;
    const title = h("span.title");
    sayTitle(title, session);
    const figure = (text, name) => h("span", {}, text, h("small.quiet", {}, ` ${name}`));
    const exactly = (value) => number(value, digits, true);
    return h("li.session", {},
      h("label.chosen", {},
        h("input", { type: "checkbox", onchange: ({ target }) => choose(key, session, target) }),
        h("span", {}, title, h("strong", {}, label), " ", h("span.quiet", {}, duration(end - start)))),
      h("span.quiet.source", {}, named(session.name)),
      h("span.numbers", {}, figure(exactly(session.min), "least"),
        figure(average(session.average, digits), "average"), figure(exactly(session.max), "greatest")),
      h("span.row.links", {}, linksOf(session, label),
        h("button.plain", {
          type: "button", "aria-label": `Name ${label}`, onclick: () => giveTitle(session, label, title),
        }, "Name")));
  }

  function sayTitle(place, { title }) {
    fill(place, title && [h("strong", {}, named(title)), h("br")]);
  }

  function giveTitle(session, label, place) {
    form({
      title: `Name of ${label}`, confirm: "Keep", text: "It is kept in the store. Leave it empty for none.",
      fields: field("Name", h("input", {
        type: "text", name: "title", maxlength: 100, value: plain(session.title), autocomplete: "off",
      })),
      submit: async (data) => {
        const title = data.get("title").trim() || null;
        await post("/api/worn/title", {
          source: session.source, start: session.start, end: session.end, title,
        });
        session.title = title;
        sayTitle(place, session);
      },
    });
  }

  function linksOf(session, label) {
    const { source, start, end } = session;
    const shown = { from: Math.round(start - 60_000), to: Math.round(end + 60_000) };
    const exact = { from: start, to: end + 1, source };
    const beats = { from: Math.round(start), to: Math.round(end), source };
    const link = (text, href, name) => h("a", { href, "aria-label": name }, text);
    const file = (text, href, name) => h("a", { href, "aria-label": name, onclick: save }, text);
    return [
      link("Show", context.link("heart-rate", shown), `Show ${label}`),
      hasBeats(session) && link("Beats", context.link("beats", beats), `Beats of ${label}`),
      file("CSV", address("/api/export.csv", { type: "heartRate", ...exact }), `${label} as CSV`),
      hasBeats(session) && file("RR", address("/api/export.rr", exact), `RR intervals of ${label}`),
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
  return { close: () => comparison.close() };
}

/**
 * Whether a session may have beats: its source has written some, and it lies where there are any. A watch, or
 * a strap that sends none, has but heart rates.
 */
function beatsOf(types, sources) {
  const beats = types.find((each) => each.type === "heartbeatSeries");
  const writers = new Set(sources.filter((each) => each.samples.heartbeatSeries).map((each) => each.source));
  return ({ source, start, end }) =>
    Boolean(beats) && writers.has(source) && start <= (beats.end ?? beats.last) && beats.first <= end;
}
