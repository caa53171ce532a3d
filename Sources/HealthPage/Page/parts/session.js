// One session: its heart rate in the colors of zones, with load, variability and recovery.

import { h, fill, isInUse, named, notice, say } from "../dom.js";
import { address, get, post, save } from "../api.js";
import { afterCommits } from "../stream.js";
import { averageName, clock, day, duration, fieldTime, number, timeZone } from "../format.js";
import { choiceName, digitsFor, refusalName, unitName } from "../names.js";
import { bandsOf } from "../charts/bands.js";
import { ChartTable } from "../charts/chart-table.js";
import { roomFor } from "../charts/scale.js";
import { fetchSeries, stepFor } from "../charts/series.js";
import { TimeChart } from "../charts/time-chart.js";
import { variabilityView, zonesView } from "../beat-views.js";
import { definitions, explain, meaning } from "../explanations.js";
import { lapsTable } from "../live-session.js";
import { momentLink } from "../nights.js";
import { nameSession, noteLines, noteSession } from "../session-title.js";
import { isOngoing, lengthOf, measured, sessionTimes } from "../session-times.js";
import { workoutRows, workoutText } from "../sample-texts.js";
import { zoneBasis, zoneNames, zoneParameters } from "../zones.js";

/** Maximum duration of a session in milliseconds for which the server computes variability. */
const longestVariability = 86_400_000;

export async function mount(place, { source, start, workout }, context) {
  const page = new SessionPage({ source, start: Number(start), workout }, context);
  place.prepend(h("p.quiet", {}, h("a", { href: context.link("sessions") }, "All sessions")));
  await page.load();
  place.append(page.element);
  page.sayName(place.querySelector("h1"));
  const stopRenewing = afterCommits(context.stream, async () => {
    if (isOngoing(page.answer.session) && !isInUse(page.element)) await page.load();
  }, () => 20_000);
  return {
    close() {
      stopRenewing();
      page.chart?.close();
    },
  };
}

class SessionPage {
  /** @param {object} address The parameters that name the session. */
  constructor(address, context) {
    Object.assign(this, { address, context, ended: null });
    this.when = h("p");
    this.figures = h("dl.figures");
    this.zones = h("div.stack");
    this.variability = h("div.stack");
    this.trainingLoad = h("div.stack");
    this.recovery = h("div.stack");
    this.recoveryResult = h("div", { role: "status" });
    this.workouts = h("div.stack");
    this.laps = h("div.stack");
    this.key = h("p.key");
    this.links = h("p.row");
    this.note = h("p.note");
    this.writeNote = h("button", { type: "button", onclick: () => this.#writeNote() });
    this.rename = h("button", { type: "button", onclick: () => this.#rename() }, "Rename");
    this.chartPlace = h("div.stack");
    const effort = h("div.pair", {}, this.zones, this.trainingLoad);
    const rest = h("div.pair", {}, this.variability, this.recovery);
    /** Everything that follows from heart rates, which a workout may not have. */
    this.computed = [this.figures, this.chartPlace, this.links, this.laps, effort, rest];
    this.unmeasured = h("p.quiet", { hidden: true }, "No heart rate was measured during this workout.");
    this.element = h("div.stack", {}, h("div.row.spread", {}, this.when,
      h("span.row", {}, this.writeNote, this.rename)), this.note, this.figures,
      this.chartPlace, this.links, this.workouts, this.unmeasured, this.laps, effort, rest,
      h("p.quiet", {}, h("small", {}, `Times in ${timeZone}.`)));
  }

  async load() {
    this.basis = await zoneBasis();
    this.answer = await get("/api/worn/session",
      { ...this.address, ...zoneParameters(this.basis), end: this.ended });
    this.#fill();
  }

  get title() {
    const { session: { title }, workouts } = this.answer;
    return title || (workouts.length ? choiceName(workouts.at(-1).activityType) : "Session");
  }

  sayName(heading) {
    this.heading = heading;
    fill(heading, named(this.title));
  }

  #rename() {
    const { session } = this.answer;
    nameSession(session, sessionTimes(session), () => {
      this.sayName(this.heading);
      document.title = `${this.heading.textContent} · Health`;
    });
  }

  #writeNote() {
    const { session, note } = this.answer;
    noteSession(session, note, sessionTimes(session), (text) => {
      this.answer.note = text;
      this.#fillNote();
    });
  }

  #fillNote() {
    const { note } = this.answer;
    this.note.hidden = !note;
    fill(this.note, note && noteLines(note));
    say(this.writeNote, note ? "Change the note" : "Add a note");
  }

  #fill() {
    const { answer, context } = this;
    const { session, unit, zones, lowest, highest, impulse, variability, workouts, laps = [] } = answer;
    const digits = digitsFor(unit, "heartRate");
    for (const each of this.computed) each.hidden = session.count === 0;
    this.unmeasured.hidden = session.count > 0;
    fill(this.when, h("strong", {}, `${day(session.start, { weekday: "long", month: "long", year: true })}, `
      + sessionTimes(session)), session.count === 0 && `, ${duration(lengthOf(session))}`, ", ",
    named(session.name), isOngoing(session) && ", ongoing",
    session.measuredByName && [", heart rate: ", named(session.measuredByName)]);
    fill(this.workouts, workouts.map((each) => workoutView(each)));
    this.#fillNote();
    if (session.count === 0) return;
    const one = (name, ...value) => h("div", {}, h("dt", {}, name), h("dd", {}, value));
    const at = (name, extreme) => extreme && one(`${name}, ${clock(extreme.time)}`, h("a", {
      href: momentLink(extreme.time, context), "aria-label": `Chart of the ${name} heart rate`,
    }, number(extreme.value, digits, true)));
    // The most important figures come first.
    fill(this.figures, one("duration", duration(lengthOf(session))),
      one(averageName, number(session.average, digits, true)), at("highest", highest), at("lowest", lowest),
      zones?.edwards !== undefined && one("load (Edwards)", number(zones.edwards)),
      zones?.banister !== undefined && one("load (Banister)", number(zones.banister)));
    this.#fillChart(session, unit, zones, digits);
    this.#fillLinks(session, variability);
    fill(this.laps, laps.length > 0 && [h("h2", {}, "Laps"), this.#lapsView(laps, digits)]);
    // The heart rate of a workout may be measured too rarely for zones.
    const isRare = session.workout && this.basis && !zones;
    const rare = "The heart rate was measured during less than half of the workout: too rarely for this.";
    const you = (words) => h("p.quiet", {}, words, " ", h("a", { href: context.link("you") }, "You"));
    fill(this.zones, h("h2", {}, "Time in zones"), zones ? zonesView(zones, false)
      : isRare ? h("p.quiet", {}, rare)
        : you("Zones follow from your maximum heart rate or your date of birth. Enter one."));
    fill(this.trainingLoad, h("h2", {}, "Training load"),
      zones && this.basis?.maximum ? [loadView(zones, impulse), definitions()]
        : h("p.quiet", {}, isRare ? rare : "The load follows from your maximum heart rate."),
    zones && this.basis?.maximum && !impulse
      && you("Banister's impulse needs your sex, and a resting heart rate of the two months before."));
    const isLong = session.end - session.start > longestVariability;
    fill(this.variability, h("h2", {}, "Variability"),
      variability ? [variabilityView(variability, false), definitions()]
        : h("p.quiet", {},
          isLong ? "The session is longer than a day." : "No beats are stored for this session."));
    this.#fillRecovery();
    explain(this.variability, "variability", measured(session).source);
    explain(this.trainingLoad, "zones");
  }

  #fillChart(session, unit, zones, digits) {
    const { source, name: sourceName, start, end } = measured(session);
    const { chart } = this;
    if (chart) {
      chart.options.bands = zones && bandsOf(zones.zones);
      chart.refresh();
      return;
    }
    const name = unitName(unit, "heartRate");
    this.chart = new TimeChart({
      label: `Heart rate of the session, ${name}`, unit: name, digits, room: roomFor(unit, 40),
      stepOf: stepFor, bands: zones && bandsOf(zones.zones), idle: `In ${name}, in the colors of zones.`,
      load: async (want) => [{ source, name: sourceName,
        data: await fetchSeries({ ...want, type: "heartRate", source }) }],
    });
    const table = new ChartTable(this.chart, () => `Heart rate of the session, ${name}`);
    this.chart.options.onData = () => table.refill();
    this.chart.options.onView = ({ settled }) => { if (settled) table.refill(); };
    const room = Math.max(2000, (end - start) * 0.01);
    this.chart.show(start - room, end + room, { now: true });
    fill(this.key, zones && zones.zones.map(({ zone }) => h("span", {},
      h(zone ? `i.zone-${Math.min(5, zone)}` : "i", { "aria-hidden": "true" }),
      zone ? `Zone ${zone}, ${zoneNames[zone] ?? ""}` : "Below")));
    fill(this.chartPlace, this.chart.element, this.key, table.element);
  }

  #fillLinks(session, variability) {
    const { source, start, end } = measured(session);
    const exact = { from: start, to: end + 1, source };
    const around = { from: Math.round(start - 60_000), to: Math.round(end + 60_000) };
    const beats = { from: Math.round(start), to: Math.round(end), source };
    const { link } = this.context;
    // Variability is of at most a day, so a longer session may have beats without it.
    const hasBeats = Boolean(variability) || end - start > longestVariability;
    const file = (path, of, text) => h("a.button", { href: address(path, of), onclick: save }, text);
    fill(this.links, h("a", { href: link("heart-rate", around) }, "Heart-rate chart"),
      hasBeats && h("a", { href: link("beats", beats) }, "Beats"),
      h("span.quiet", {}, "Save:"),
      file("/api/export.csv", { type: "heartRate", ...exact }, "CSV"),
      hasBeats && file("/api/export.rr", exact, "RR intervals for Kubios"));
  }

  #lapsView(laps, digits) {
    const last = laps.length - 1;
    return h("div.scroll", { tabindex: 0, role: "region", "aria-label": "Laps" },
      lapsTable(laps, digits, (lap, i) => i < last && h("button.plain", {
        type: "button", "aria-label": `Join lap ${number(i + 1)} with the next one`,
        onclick: () => this.#joinLaps(lap),
      }, "Join with next")));
  }

  /** Removes the end of a lap, which joins it with the next one. */
  async #joinLaps(lap) {
    try {
      await post("/api/worn/lap", { source: this.answer.session.source, time: lap.end, isRemoved: true });
      await this.load();
      this.laps.querySelector("button")?.focus();
    } catch (error) {
      notice(error.message);
    }
  }

  /**
   * Shows the form for the end of the exercise. The default is the end of the workout; a strap does not
   * report it.
   */
  #fillRecovery() {
    const { recovery, session } = this.answer;
    const time = recovery ? recovery.end : session.end - 60_000;
    const text = (each) => fieldTime(each, { seconds: true });
    const input = h("input", {
      type: "datetime-local", step: 1, name: "ended", value: text(time), min: text(session.start),
      max: text(session.end),
    });
    fill(this.recovery, h("h2", {}, "Heart-rate recovery"),
      h("form.row", {
        onsubmit: (event) => {
          event.preventDefault();
          this.#askRecovery(new Date(input.value).getTime());
        },
      }, h("label.field", {}, h("span", {}, "The exercise ended at"), input),
      h("button", { type: "submit" }, "Show recovery")),
      this.recoveryResult);
    this.#sayRecovery(recovery);
  }

  #sayRecovery(recovery) {
    const row = (figure, name, value) => h("tr", { data: { figure } },
      h("th", { scope: "row" }, name, meaning(figure)), h("td.number", {}, number(value)));
    fill(this.recoveryResult, !recovery ? h("p.quiet", {}, "Enter when the exercise ended: the fall of the"
      + " heart rate in the minute after it is the recovery.")
      : recovery.refused ? h("p.quiet", {}, recovery.refused === "no-heart-rate"
        ? "No heart rate in the minute after this time. Choose an earlier one."
        : `No recovery: ${refusalName(recovery.refused)}.`)
        : [h("table.narrow", {}, h("caption.unseen", {}, "Heart-rate recovery, in beats a minute"),
          h("tbody", {}, row("recovery", "Recovery in one minute", recovery.recovery),
            row("peak", "Highest around the end", recovery.peak),
            row("afterOneMinute", "One minute later", recovery.afterOneMinute))), definitions()]);
    explain(this.recoveryResult, "recovery");
  }

  async #askRecovery(end) {
    if (!Number.isFinite(end)) return;
    this.ended = end;
    try {
      const { recovery } = await get("/api/worn/session", { ...this.address, end });
      this.answer.recovery = recovery;
      this.#sayRecovery(recovery);
    } catch (error) {
      fill(this.recoveryResult, h("p.problem", {}, error.message));
    }
  }
}

function loadView({ edwards, banister }, impulse) {
  const row = (figure, name, value, more) => value !== undefined && h("tr", { data: { figure } },
    h("th", { scope: "row" }, name, more && h("small.quiet", {}, more), meaning(figure)),
    h("td.number", {}, number(value)));
  return h("table", {}, h("caption.unseen", {}, "Training load"), h("tbody", {},
    row("edwards", "Edwards", edwards),
    row("banister", "Banister", banister,
      impulse && ` with ${number(impulse.resting)} at rest, weights for ${impulse.weighting}`)));
}

function workoutView(workout) {
  const rows = workoutRows(workout);
  return h("div", {}, h("p", {}, h("strong", {}, "Workout: "), workoutText(workout), ", ",
    sessionTimes(workout), ", ", named(workout.source.name)),
  rows.length > 0 && h("dl.detail", {}, rows.map(([name, value]) =>
    h("div", {}, h("dt", {}, name), h("dd", {}, value)))));
}
