// Monitors: their states, advice, and gaps.

import { h, fill, named, plain, say, whileSeen } from "../dom.js";
import { get } from "../api.js";
import { ago, clock, count, duration, number, percent, since, span } from "../format.js";
import { stateName } from "../names.js";
import { Enrolment } from "../enrolment.js";
import { ageOf, pulses } from "../pulse.js";
import { serverNow } from "../server-clock.js";
import { isUnworn } from "../charts/absences.js";

const week = 7 * 86400_000;
/** Maximum number of gaps in the list. */
const mostGaps = 200;
/** Milliseconds without an event from the server after which values are out of date. */
const silence = 5000;

export async function mount(place, _, context) {
  const { stream } = context;
  const gateway = h("p");
  const list = h("div.stack.monitors");
  const gaps = h("section.stack");
  const enrolment = new Enrolment(context, async () => {
    known = await get("/api/monitors");
    update();
  });
  place.append(gateway, list, enrolment.element, gaps);
  let known = stream.last("monitors") ?? await get("/api/monitors");
  let heard = Date.now();
  /** Whether a monitor's state has changed since the last commit. */
  let isGapDue = false;
  let asking;

  /**
   * Returns the states of all monitors as text for comparison. If it has changed, a gap may have begun or
   * ended.
   */
  const standing = () => JSON.stringify(known.monitors.map(({ address, state }) => [address, state]));
  let stood = standing();

  /** Requests the gaps, and cancels a pending request. */
  async function askForGaps() {
    asking?.abort();
    asking = new AbortController();
    try {
      await fillGaps(gaps, asking.signal);
    } catch (error) {
      if (error.name !== "AbortError") throw error;
    }
  }

  /** Used for all requests but the first. If it fails, the gaps that are shown stay. */
  const refillGaps = () => askForGaps().catch(() => {});

  function lookForGaps() {
    if (stood === standing()) return;
    stood = standing();
    isGapDue = true;
    refillGaps();
  }

  /** The end of a gap may be stored after the monitor has reconnected. */
  function onCommit() {
    if (!isGapDue) return;
    isGapDue = false;
    refillGaps();
  }

  function update() {
    enrolment.know(known.monitors);
    const open = new Set([...list.querySelectorAll("details[open]")].map((each) => each.dataset.address));
    const lasting = known.monitors.map((each) => ({
      ...each, heartRate: null, time: null, age: null, lastSeen: null, lastMeasurement: null,
      measurements: null, beats: null,
    }));
    const text = JSON.stringify(lasting);
    if (text !== update.text) {
      update.text = text;
      fill(list,
        known.monitors.length ? known.monitors.map((each) =>
          monitorView(each, open.has(each.address), (monitor) => enrolment.forget(monitor)))
        : h("p.quiet", {}, "No monitor has been added."));
    }
    tick();
  }

  function sayGateway() {
    const isGone = stream.state === "waiting" && Date.now() - heard > silence;
    const stood = `hrgate does not respond. State at ${clock(heard, { seconds: true })}.`;
    say(gateway, isGone ? stood : gatewayText(known));
    gateway.classList.toggle("problem", isGone || Boolean(known.gateway?.storeFailure));
  }

  /** Updates values that change every second in place, so that rows are not replaced while they are read. */
  function tick() {
    sayGateway();
    for (const pulse of pulses(known, null)) {
      const row = list.querySelector(`[data-monitor="${CSS.escape(pulse.monitor.address)}"]`);
      if (!row) continue;
      const { live, fresh, text } = ageOf(pulse);
      const rate = row.querySelector(".live");
      say(rate, live ? number(pulse.rate) : "–");
      rate.classList.toggle("stale", !fresh);
      say(row.querySelector(".aged"), live && !fresh ? text : "");
      say(row.querySelector(".seen"),
        pulse.monitor.lastSeen ? `seen ${ago(pulse.monitor.lastSeen)}` : "never seen");
    }
  }

  const onMonitors = ({ detail }) => {
    known = detail;
    heard = Date.now();
    update();
    lookForGaps();
  };
  stream.addEventListener("monitors", onMonitors);
  stream.addEventListener("commit", onCommit);
  const stopTicking = whileSeen(tick);
  update();
  await Promise.all([askForGaps(), enrolment.start()]);
  return {
    close() {
      stopTicking();
      asking?.abort();
      enrolment.close();
      stream.removeEventListener("monitors", onMonitors);
      stream.removeEventListener("commit", onCommit);
    },
  };
}

/** The state of the gateway. The states of single monitors are in their own rows. */
function gatewayText({ gateway: { isRunning, onBus, summary, storeFailure } = {}, monitors }) {
  if (storeFailure) return plain(storeFailure);
  if (!isRunning) return "No gateway is running: hrgate run starts one.";
  if (!summary) {
    return onBus ? "The gateway is running."
      : "A gateway is running, but not on D-Bus, so only its stored values are shown.";
  }
  const connected = monitors.filter(({ state }) => state === "following" || state === "silent").length;
  const verb = connected === 1 ? "is" : "are";
  const counts = monitors.length < 2 ? "The gateway is running"
    : `${number(connected)} of ${count(monitors.length, "monitor")} ${verb} connected`;
  // The summary begins with its own count of monitors, which is replaced by the one here.
  const text = plain(summary).replace(/^\d+ monitors?(:[^;]*)?|^no monitor is paired/, counts);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function monitorView(monitor, isOpen, forget) {
  const facts = [
    ["Address", monitor.address], ["Maker", monitor.manufacturer], ["Model", monitor.model],
    ["Firmware", monitor.firmware],
    ["Worn on", monitor.location], ["Adapter", monitor.adapter],
    ["Paired", monitor.bonded === undefined ? null : monitor.bonded ? "with a bond" : "without a bond"],
    ["Known", monitor.enrolled && since(monitor.enrolled)],
  ].filter(([, value]) => value !== undefined && value !== null && value !== "");
  return h("article.monitor", { data: { monitor: monitor.address } },
    h("div.row.spread", {}, h("h2", {}, named(monitor.name ?? monitor.address)),
      h("span.row", {}, h("span.quiet.aged"), h("span.live", { "aria-label": "Heart rate" }, "–"))),
    h("p.row", {}, h(monitor.advice ? "span.warn" : "span", {}, stateName(monitor.state)),
      monitor.battery !== undefined
        && h(monitor.battery <= 15 ? "span.warn" : "span.quiet", {},
        `battery ${percent(monitor.battery / 100)}`),
      h("span.quiet.seen")),
    monitor.detail && h("p.quiet", {}, named(monitor.detail)),
    monitor.advice && h("p.advice", {}, monitor.advice),
    h("details", { open: isOpen, data: { address: monitor.address } }, h("summary", {}, "More"),
      h("dl.detail", {},
        facts.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, named(value))))),
      h("div.row", {}, h("button", {
        type: "button", "aria-label": `Forget ${plain(monitor.name ?? monitor.address)}`,
        onclick: () => forget(monitor),
      }, "Forget …"))));
}

async function fillGaps(place, signal) {
  const to = serverNow();
  const answer = await get("/api/gaps", { from: to - week, to }, signal);
  // An unchanged list is not replaced while it is read.
  const text = JSON.stringify(answer);
  if (place.dataset.said === text) return;
  place.dataset.said = text;
  const { gaps, cut } = answer;
  const heading = h("h2", {}, "Gaps in the last seven days");
  if (!gaps.length) return fill(place, heading, h("p.quiet", {}, "No gaps."));
  const rows = [...gaps].sort((a, b) => b.start - a.start).slice(0, mostGaps);
  const sums = new Map();
  for (const gap of gaps) {
    const sum = sums.get(gap.monitor) ?? { name: gap.name ?? gap.monitor, number: 0, length: 0, unworn: 0 };
    const length = (gap.end ?? to) - Math.max(gap.start, to - week);
    sums.set(gap.monitor, sum);
    if (isUnworn(gap, to)) sum.unworn += length;
    else [sum.number, sum.length] = [sum.number + 1, sum.length + length];
  }
  const sumText = ({ number: gapCount, length, unworn }) => [
    gapCount && `${count(gapCount, "gap")}, ${duration(length)} in all`,
    unworn && `not worn, or out of reach, for ${duration(unworn)}`,
  ].filter(Boolean).join("; ");
  fill(place, heading,
    h("ul.quiet", {}, [...sums.values()].map((sum) =>
      h("li", {}, named(sum.name), `: ${sumText(sum)}${cut ? "; shorter ones are left out" : ""}.`))),
    h("div.scroll.long", { tabindex: 0, role: "region", "aria-label": "Gaps of the last seven days" },
      h("table.stacked.gaps", {},
      gaps.length > mostGaps && h("caption", {}, `The last ${number(mostGaps)} of ${number(gaps.length)}`),
      h("thead", {},
        h("tr", {}, ["When", "How long", "Monitor", "Cause"].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {},
        rows.map((gap) =>
        h("tr", {}, h("td", {}, gap.end ? span(gap.start, gap.end) : since(gap.start)),
        h("td", {}, gap.end ? duration(gap.end - gap.start) : "ongoing"),
        h("td", {}, named(gap.name ?? gap.monitor)), h("td", {}, gap.text)))))));
}
