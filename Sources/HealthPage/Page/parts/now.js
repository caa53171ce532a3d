// Now: the current heart rate of each monitor, problems, and advice. Many monitors are tiles; a tile leads to
// its monitor alone.

import { h, fill, named, plain, say, reducedMotion } from "../dom.js";
import { get } from "../api.js";
import { number, percent } from "../format.js";
import { stateName } from "../names.js";
import { zoneBasis, zoneOf, zoneNames } from "../zones.js";
import { ageOf, isLive, liveFor, pulses, traceSpan } from "../pulse.js";
import { serverNow } from "../server-clock.js";
import { Trace } from "../charts/trace.js";
import { TraceTable } from "../charts/trace-table.js";
import { addButton } from "../entry.js";
import { LiveBeats } from "../live-beats.js";
import { LiveSession } from "../live-session.js";
import { PulseTile } from "../pulse-tile.js";

const lowBattery = 15;
/**
 * Milliseconds between requests for stored beats: beats that no gateway reports, and beats from before the
 * page was opened. The ongoing session is requested at the same interval.
 */
const beatsEvery = 10_000;
/** Minimum number of monitors, and of sources of any kind, for which they are shown as tiles. */
const leastTiles = 4, leastSourceTiles = 8;

/** @param {{source?: string}} parameters `source`: the only monitor to show; undefined for all. */
export async function mount(place, { source: only }, context) {
  const { stream, session } = context;
  const views = new Map();
  const list = h("div.pulses");
  const back = h("p.quiet", { hidden: true }, h("a", { href: context.link("now") }, "All monitors"));
  const more = h("p.quiet");
  const overlay = h("p.quiet");
  const problem = h("p.problem", { role: "alert" });
  const added = () => { if (session.isEmpty) context.go("summary"); };
  place.append(back, list, more, overlay, h("div.row", {}, addButton(null, "Add data", added, problem)),
    problem);
  const basis = await zoneBasis().catch(() => null);
  const known = { monitors: stream.last("monitors"), latest: stream.last("latest") };
  known.monitors ??= await get("/api/monitors").catch(() => undefined);

  function update() {
    const each = pulses(known.monitors, known.latest);
    const all = only ? each.filter(({ source }) => source === only) : each;
    back.hidden = !only || each.length < 2;
    const areTiles = all.length >= leastSourceTiles
      || all.filter(({ monitor }) => monitor).length >= leastTiles;
    for (const [source, view] of views) {
      const isOfKind = areTiles === view instanceof PulseTile;
      if (isOfKind && all.some((each) => each.source === source)) continue;
      view.close?.();
      view.element.remove();
      views.delete(source);
    }
    list.classList.toggle("tiles", areTiles);
    // Monitors that are measuring come first, otherwise in order of their names. Tiles keep their places.
    if (!areTiles) all.sort((a, b) => isLive(b) - isLive(a));
    for (const pulse of all) {
      let view = views.get(pulse.source);
      if (!view) {
        view = areTiles ? new PulseTile(pulse, basis, context) : new PulseView(pulse, basis, stream);
        views.set(pulse.source, view);
      }
      view.take(pulse);
    }
    all.forEach((pulse, i) => {
      const { element } = views.get(pulse.source);
      if (list.children[i] !== element) list.insertBefore(element, list.children[i] ?? null);
    });
    overlay.hidden = !all.length || areTiles;
    sayMore(all.length === 0);
    const names = JSON.stringify(all.map(({ source, name }) => [source, name]).sort());
    if (names !== update.names) {
      update.names = names;
      fill(overlay, overlayLinks([...all].sort((a, b) => a.name.localeCompare(b.name))));
    }
  }

  /** The reason why there is nothing to show, or nothing current. */
  function sayMore(isEmpty) {
    const { gateway } = known.monitors ?? {};
    const isAlone = Boolean(gateway) && !gateway.isRunning;
    const key = `${isEmpty} ${isAlone}`;
    if (key === sayMore.key) return;
    sayMore.key = key;
    fill(more, isEmpty ? emptyWords(isAlone) : isAlone ? aloneWords() : []);
    more.hidden = !more.firstChild;
  }

  function aloneWords() {
    return ["No gateway is running: these values are from the store, or from another program. ",
      h("code", {}, "hrgate run"), " starts one."];
  }

  /** Links to the full-screen view of each monitor. */
  function overlayLinks(all) {
    const to = ({ source, name }) => h("a", { href: context.link("overlay", { source }) }, named(name));
    return ["Full-screen pulse: ",
      all.map((each, i) => [i > 0 && ", ", to(each)]), "."];
  }

  function emptyWords(isAlone) {
    const command = (text) => h("code", {}, text);
    const monitors = h("a", { href: context.link("monitors") }, "Monitors");
    if (isAlone && !session.isEmpty) {
      return ["No gateway is running, so nothing arrives: ", command("hrgate run"),
        " starts one. Stored values are under ",
        h("a", { href: context.link("heart-rate") }, "Heart rate"), "."];
    }
    return session.isEmpty
      ? ["Nothing is stored yet. Put a strap on, and add it under ", monitors, " or with ",
        command("hrgate pair"), "."]
      : ["No monitor has been added, and nothing was measured in the last hour. ", monitors, " and ",
        command("hrgate scan"), " find monitors nearby."];
  }

  const onMonitors = ({ detail }) => { known.monitors = detail; update(); };
  const onLatest = ({ detail }) => { known.latest = detail; update(); };
  const onCommit = () => { for (const view of views.values()) view.isBehind = true; };
  // A hidden tab receives nothing, so it must catch up.
  const onSight = () => { if (!document.hidden) for (const view of views.values()) view.catchUp?.(); };
  stream.addEventListener("monitors", onMonitors);
  stream.addEventListener("latest", onLatest);
  stream.addEventListener("commit", onCommit);
  document.addEventListener("visibilitychange", onSight);
  update();

  let animation = 0;
  let drawn = 0;
  function frame(time) {
    animation = requestAnimationFrame(frame);
    // About 20 frames a second look smooth at this speed, and cost a third of 60.
    if (time - drawn < (reducedMotion.matches ? 1000 : 48)) return;
    drawn = time;
    for (const view of views.values()) view.trace?.step();
  }
  animation = requestAnimationFrame(frame);
  const ticking = setInterval(() => { for (const view of views.values()) view.tick(); }, 500);
  const beating = setInterval(() => {
    if (!document.hidden) for (const view of views.values()) view.fetchIfBehind?.();
  }, beatsEvery);

  return {
    close() {
      cancelAnimationFrame(animation);
      clearInterval(ticking);
      clearInterval(beating);
      views.forEach((view) => view.close?.());
      stream.removeEventListener("monitors", onMonitors);
      stream.removeEventListener("latest", onLatest);
      stream.removeEventListener("commit", onCommit);
      document.removeEventListener("visibilitychange", onSight);
    },
  };
}

class PulseView {
  constructor(pulse, basis, stream) {
    this.basis = basis;
    this.stream = stream;
    this.rate = h("span", {}, "–");
    this.unit = h("small", {}, "beats a minute");
    this.beat = h("i.beat", { "aria-hidden": "true" });
    this.name = h("h2.who");
    this.facts = h("div.facts");
    this.advice = h("p.advice", { hidden: true });
    this.canvas = h("canvas", { role: "img", "aria-label": "The pulse of the last five minutes" });
    this.trace = new Trace(this.canvas);
    this.table = new TraceTable(this.trace);
    this.beats = new LiveBeats(this.trace);
    this.session = new LiveSession(pulse.source, basis);
    /** Whether there was a commit since the beats were requested. */
    this.areBeatsBehind = false;
    this.element = h("article.pulse", { "data-source": pulse.source },
      h("p.rate", {}, this.rate, this.beat, this.unit), this.name, this.facts,
      this.advice, this.session.element,
      h("div.strip", {}, this.canvas, this.table.element));
    this.pulse = pulse;
    this.source = pulse.source;
    this.catchUp();
  }

  close() {
    this.session.close();
  }

  /** Set to true after a commit, so that beats and the session are requested again. */
  set isBehind(isBehind) {
    this.areBeatsBehind = this.session.isBehind = isBehind;
  }

  /**
   * Requests the heart rates and beats of the last five minutes for the trace, if the monitor was measuring
   * then.
   */
  catchUp() {
    if (!(this.pulse.time > serverNow() - traceSpan)) return;
    this.#seed();
    this.#fetchBeats();
  }

  async #seed() {
    const to = serverNow();
    try {
      const answer = await get("/api/series",
        { type: "heartRate", source: this.source, from: to - traceSpan, to, pixels: 2000 });
      if (answer.form === "samples") this.trace.seed(answer.time, answer.value);
    } catch { /* the trace begins with what comes */ }
  }

  /** Requests beats and the session only for a monitor that is measuring, and only after a commit. */
  fetchIfBehind() {
    if (this.areBeatsBehind && isLive(this.pulse) && this.beats.isMissing()) this.#fetchBeats();
    this.session.renewIfBehind();
  }

  async #fetchBeats() {
    this.areBeatsBehind = false;
    const to = serverNow();
    try {
      const { recordings } = await get("/api/beats",
        { source: this.source, from: to - traceSpan, to, pixels: 2000 });
      const mine = recordings.find((each) => each.source === this.source && each.form === "intervals");
      if (mine) this.beats.keep(mine.segments);
    } catch { this.areBeatsBehind = true; }
  }

  take(pulse) {
    this.pulse = pulse;
    if (pulse.time) this.trace.add(pulse.time, pulse.rate);
    if (pulse.monitor?.beats) this.beats.take(pulse.monitor.beats);
    this.tick();
  }

  tick() {
    const { pulse } = this;
    const { live, fresh, text: age } = ageOf(pulse);
    this.element.classList.toggle("stale", !live);
    this.element.classList.toggle("waiting", live && !fresh);
    // A value that is not live is small, gray and without a beating dot, with its age beside the name.
    const isOld = !live && pulse.rate > 0 && serverNow() - pulse.time > liveFor;
    say(this.rate, live || isOld ? number(pulse.rate) : "–");
    this.unit.hidden = !live && !isOld;
    this.session.tick(live);
    if (this.name.textContent !== plain(pulse.name)) fill(this.name, named(pulse.name));
    this.#beatAt(fresh ? pulse.rate : 0);
    const facts = this.#facts(live, age);
    const text = JSON.stringify(facts);
    if (text !== this.said) {
      this.said = text;
      fill(this.facts, facts.map(({ text, kind }) => (kind === "zone" ? zoneMark(text)
        : h(kind === "warn" ? "span.warn" : "span", {}, text))));
    }
    const advice = pulse.monitor?.advice ?? "";
    say(this.advice, advice.split("\n").map(plain).join("\n"));
    this.advice.hidden = !advice;
    this.table.refill();
  }

  #facts(live, age) {
    const { pulse, basis } = this;
    const monitor = pulse.monitor ?? {};
    const facts = [];
    if (live && basis) facts.push({ text: zoneOf(pulse.rate, basis), kind: "zone" });
    facts.push({ text: age });
    // While the server does not respond, the state is unknown.
    if (this.stream.state === "waiting") return facts;
    if (monitor.contact === false) facts.push({ text: "no contact with the skin", kind: "warn" });
    // Show skin contact only while the heart rate is live, because it was reported together with that heart
    // rate.
    if (monitor.contact === true && live) facts.push({ text: "skin contact" });
    if (monitor.state) facts.push({ text: stateName(monitor.state), kind: monitor.advice ? "warn" : "" });
    if (monitor.battery !== undefined && monitor.battery !== null) {
      facts.push(
        { text: `battery ${percent(monitor.battery / 100)}`,
        kind: monitor.battery <= lowBattery ? "warn" : "" });
    }
    return facts;
  }

  /** Sets the pace of the dot. It is not synchronous with the beats, because they arrive with a delay. */
  #beatAt(rate) {
    if (!rate || reducedMotion.matches) {
      this.beating?.cancel();
      this.beating = null;
      return;
    }
    this.beating ??= this.beat.animate([
      { transform: "scale(1)" }, { transform: "scale(1.75)", offset: 0.14 },
      { transform: "scale(1)", offset: 0.5 },
      { transform: "scale(1)" },
    ], { duration: 1000, iterations: Infinity });
    this.beating.playbackRate = rate / 60;
  }
}

function zoneMark(zone) {
  return h("span", {}, h("strong", {}, zone ? `zone ${zone}, ${zoneNames[zone]}` : "below zone 1"),
    h("span.zonebar", { "aria-hidden": "true" },
      [1, 2, 3, 4, 5].map((each) => h(each <= zone ? `i.zone-${zone}` : "i"))));
}
