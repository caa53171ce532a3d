// Sessions: the stretches in which a monitor was worn without a break, found in what is stored.

import { h, fill, field, form, named, plain, say } from "../dom.js";
import { address, get, post, save } from "../api.js";
import { clock, count, day, duration, number, sameDay, startOfDay } from "../format.js";
import { bucketsOrValues } from "../charts/series.js";
import { ComparisonChart } from "../charts/compare.js";

const days30 = 30 * 86400_000;
/** More lines could not be told apart. */
const mostCompared = 3;

export async function mount(place, _, context) {
  const list = h("div.stack");
  const compared = h("div.stack", { hidden: true });
  const note = h("p.quiet", {}, "A session is a stretch of three minutes and more in which a heart was"
    + " measured every few seconds, without a break of five minutes. Choose up to three to lay them over each"
    + " other.");
  const more = h("button", { type: "button", onclick: () => load() }, "Thirty days more");
  const chosen = new Map();
  let chart = null;
  let to = startOfDay(Date.now()) + 86400_000;
  let lastDay = null;
  let skipped = null;
  let total = 0;
  const first = (await get("/api/types")).types.find((each) => each.type === "heartRate")?.first;
  place.append(note, compared, list, h("div", {}, more));

  async function load() {
    more.disabled = true;
    const from = to - days30;
    try {
      const { sessions, next } = await get("/api/worn", { from, to, skip: skipped });
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
    const figure = (value, name, digits = 0) =>
      h("span", {}, number(value, digits), h("small.quiet", {}, ` ${name}`));
    return h("li.session", {},
      h("label.chosen", {},
        h("input", { type: "checkbox", onchange: ({ target }) => choose(key, session, target) }),
        h("span", {}, title, h("strong", {}, label), " ", h("span.quiet", {}, duration(end - start)))),
      h("span.quiet.source", {}, named(session.name)),
      h("span.numbers", {}, figure(session.min, "least"), figure(session.average, "average", 1),
        figure(session.max, "greatest")),
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

  function linksOf({ source, start, end }, label) {
    const shown = { from: Math.round(start - 60_000), to: Math.round(end + 60_000) };
    const exact = { from: start, to: end + 1, source };
    const beats = { from: Math.round(start), to: Math.round(end), source };
    const link = (text, href, name) => h("a", { href, "aria-label": name }, text);
    const file = (text, href, name) => h("a", { href, "aria-label": name, download: true }, text);
    return [
      link("Show", context.link("heart-rate", shown), `Show ${label}`),
      link("Beats", context.link("beats", beats), `Beats of ${label}`),
      file("CSV", address("/api/export.csv", { type: "heartRate", ...exact }), `${label} as CSV`),
      h("a", {
        href: address("/api/export.rr", exact), "aria-label": `RR intervals of ${label}`, onclick: save,
      }, "RR"),
    ];
  }

  async function choose(key, session, box) {
    if (box.checked) chosen.set(key, session);
    else chosen.delete(key);
    for (const each of list.querySelectorAll("input[type=checkbox]")) {
      each.disabled = chosen.size >= mostCompared && !each.checked;
    }
    await compare();
  }

  let turn = 0;
  async function compare() {
    const mine = ++turn;
    if (chosen.size < 2) {
      compared.hidden = true;
      return;
    }
    const lines = await Promise.all([...chosen.values()].map(lineOf));
    if (mine !== turn) return;
    chart?.close();
    chart = new ComparisonChart(lines);
    fill(compared, h("h2", {}, `${count(lines.length, "session")}, each from its beginning`), chart.canvas,
      h("div.scroll", { tabindex: 0, role: "region", "aria-label": "The sessions compared" }, h("table", {},
      h("thead", {}, h("tr", {}, ["Session", "Length", "Least", "Average", "Greatest"].map((name, i) =>
        h(i ? "th.number" : "th", { scope: "col" }, name)))),
      h("tbody", {}, lines.map((line, i) => h("tr", {}, h("th", { scope: "row" },
        h(["i.line", "i.line.second", "i.line.third"][i % 3]), ` ${line.name}`),
      h("td.number", {}, duration(line.length)), h("td.number", {}, number(line.session.min)),
      h("td.number", {}, number(line.session.average, 1)), h("td.number", {}, number(line.session.max))))))));
    compared.hidden = false;
  }

  await load();
  return { close() { chart?.close(); turn += 1; } };
}

async function lineOf(session) {
  const { source, start, end } = session;
  const length = Math.max(1000, end - start);
  const data =
    bucketsOrValues(
    await get("/api/series", { type: "heartRate", source, from: start, to: end + 1, pixels: 240 }));
  const step = length / 240;
  const name = session.title ?? `${day(start)}, ${clock(start)}`;
  if (data.form === "buckets") return { name, session, length, step: data.step, average: data.average };
  const sums = new Array(240).fill(0), counts = new Array(240).fill(0);
  data.time.forEach((time, i) => {
    const k = Math.min(239, Math.floor((time - start) / step));
    sums[k] += data.value[i];
    counts[k] += 1;
  });
  return { name, session, length, step, average: sums.map((sum, k) => (counts[k] ? sum / counts[k] : null)) };
}
