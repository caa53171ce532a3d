// Full-screen heart rate for a second screen or a broadcast: `#/overlay?source=…` for a specific monitor.

import { h, say, whileSeen } from "../dom.js";
import { get } from "../api.js";
import { number } from "../format.js";
import { ageOf, isLive, pulses } from "../pulse.js";

export async function mount(place, { source }, { stream, go }) {
  const back = () => go("now");
  const rate = h("button.overlay-rate.stale", {
    type: "button", title: "Press Escape, or the number, to go back", onclick: back,
  }, "–");
  const age = h("p.overlay-age");
  place.append(rate, age);
  const known = { monitors: stream.last("monitors"), latest: stream.last("latest") };
  known.monitors ??= await get("/api/monitors").catch(() => undefined);
  /**
   * The monitor that is shown: the requested one, otherwise the first one that was live. It does not change.
   */
  let held = source;

  function update() {
    const all = pulses(known.monitors, known.latest);
    held ??= all.find((each) => isLive(each))?.source;
    const pulse = all.find((each) => each.source === held);
    const { live = false, fresh = false, text = "" } = pulse ? ageOf(pulse) : {};
    rate.classList.toggle("stale", !fresh);
    say(rate, live ? number(pulse.rate) : "–");
    // Do not show the age of a fresh value, so that only the number is visible.
    say(age, live && !fresh ? text : "");
  }

  const onMonitors = ({ detail }) => { known.monitors = detail; update(); };
  const onLatest = ({ detail }) => { known.latest = detail; update(); };
  const onKey = (event) => { if (event.key === "Escape") back(); };
  stream.addEventListener("monitors", onMonitors);
  stream.addEventListener("latest", onLatest);
  addEventListener("keydown", onKey);
  const stopTicking = whileSeen(update, 500);
  update();
  return {
    close() {
      stopTicking();
      removeEventListener("keydown", onKey);
      stream.removeEventListener("monitors", onMonitors);
      stream.removeEventListener("latest", onLatest);
    },
  };
}
