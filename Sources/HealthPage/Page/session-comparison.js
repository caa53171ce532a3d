// The comparison of up to three sessions, and the bar with the number of selected ones.

import { h, fill, notice, plain, say } from "./dom.js";
import { get } from "./api.js";
import { averageHeading, clock, count, day, duration, number } from "./format.js";
import { bucketed } from "./charts/bucketing.js";
import { bucketsOrValues } from "./charts/series.js";
import { ComparisonChart } from "./charts/compare.js";
import { fileName, keepFile } from "./charts/picture.js";
import { digitsFor, unitName } from "./names.js";
import { measured } from "./session-times.js";

/** Maximum number of sessions that are compared. */
export const mostCompared = 3;
/** Number of averages into which each session is divided. */
const parts = 240;

export class SessionComparison {
  #turn = 0;
  #chart = null;
  #chosen = new Map();

  /**
   * @param {() => void} onClear Called when the user has cleared the selection with the button in the bar.
   */
  constructor(onClear) {
    this.element = h("section.stack", { hidden: true, "aria-label": "The sessions compared" });
    this.words = h("span", { role: "status" });
    this.look = h("button.primary", { type: "button", onclick: () => this.#showIt() }, "Compare");
    /** The bar with the number of selected sessions. It stays visible while the list scrolls. */
    this.bar = h("div.row.chosen-bar", { hidden: true }, this.words, this.look,
      h("button.plain", {
        type: "button", "aria-label": "Clear the selection",
        onclick: () => {
          this.#chosen.clear();
          onClear();
          this.#changed();
        },
      }, "None"));
  }

  has(key) { return this.#chosen.has(key); }

  get isFull() { return this.#chosen.size >= mostCompared; }

  choose(key, session, isChosen) {
    if (isChosen) this.#chosen.set(key, session);
    else this.#chosen.delete(key);
    return this.#changed();
  }

  close() {
    this.#chart?.close();
    this.#turn += 1;
  }

  async #changed() {
    const { size } = this.#chosen;
    this.bar.hidden = size === 0;
    this.look.hidden = size < 2;
    say(this.words, size === 1 ? "1 chosen: choose another to compare them" : `${size} chosen`);
    const mine = ++this.#turn;
    if (size < 2) {
      this.element.hidden = true;
      return;
    }
    try {
      const lines = await Promise.all([...this.#chosen.values()].map(lineOf));
      if (mine === this.#turn) this.#show(lines);
    } catch (error) {
      if (mine === this.#turn) fill(this.element, h("p.problem", { role: "alert" }, error.message));
    }
    if (mine === this.#turn) this.element.hidden = false;
  }

  #showIt() {
    this.element.scrollIntoView({ block: "start" });
    this.element.querySelector("h2")?.focus({ preventScroll: true });
  }

  #show(lines) {
    const { unit } = lines[0];
    const digits = digitsFor(unit, "heartRate");
    this.#chart?.close();
    const chart = this.#chart = new ComparisonChart(lines, unit);
    const title = `${count(lines.length, "session")}, each from its beginning`;
    const covered = { from: Math.min(...lines.map(({ start }) => start)),
      to: Math.max(...lines.map(({ start, length }) => start + length)) };
    const save = (text, onclick) => h("button", { type: "button", onclick }, text);
    const figure = (value) => h("td.number", {}, number(value, digits, true));
    const row = (line, i) => h("tr", {}, h("th", { scope: "row" },
      h(["i.line", "i.line.second", "i.line.third"][i % 3], { "aria-hidden": "true" }), ` ${line.name}`),
    h("td.number", {}, duration(line.length)), figure(line.session.average), figure(line.session.max),
    figure(line.session.min));
    fill(this.element, h("h2", { tabindex: -1 }, title), chart.canvas,
      h("div.scroll", { tabindex: 0, role: "region", "aria-label": "The sessions' figures" }, h("table", {},
        h("thead", {}, h("tr", {}, ["Session", "Duration", averageHeading, "Highest", "Lowest"].map(
          (name, i) => h(i ? "th.number" : "th", { scope: "col" }, name)))),
        h("tbody", {}, lines.map(row)))),
      h("div.row", {}, h("span.quiet", {}, "Save what is shown:"),
        save("CSV", () => keepFile(chart.csv(), fileName(covered, "sessions.csv"))),
        save("PNG", async () => {
          keepFile(await chart.picture(title, [`In ${unitName(unit, "heartRate")}.`]),
            fileName(covered, "sessions.png"));
          notice("The picture was saved.");
        })));
  }
}

async function lineOf(session) {
  const { source, name: sourceName, start, end } = measured(session);
  const length = Math.max(1000, end - start);
  const answer = await get("/api/series",
    { type: "heartRate", source, from: start, to: end + 1, pixels: parts });
  const data = bucketsOrValues(answer);
  const name = plain(session.title ?? `${day(start)}, ${clock(start)}, ${sourceName}`);
  const bars = data.form === "buckets" ? data
    : bucketed(data, { start, end: start + length + 1, step: (length + 1) / parts }, "timed");
  return { name, source, session, start, length, step: bars.step, average: bars.average,
    unit: answer.unit };
}
