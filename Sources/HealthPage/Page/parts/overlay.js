// Nothing but the pulse, for a second screen or a broadcast: `#/overlay?source=…` for a certain monitor.

import { h, say } from "../dom.js";
import { get } from "../api.js";
import { number } from "../format.js";
import { isLive, pulses } from "../pulse.js";

export async function mount(place, { source }, { stream }) {
  const rate = h("p.overlay-rate.stale", { title: "Press Escape to go back" }, "–");
  place.append(rate);
  const known = { monitors: stream.last("monitors"), latest: stream.last("latest") };
  known.monitors ??= await get("/api/monitors").catch(() => undefined);

  function update() {
    const all = pulses(known.monitors, known.latest).filter((each) => !source || each.source === source);
    const pulse = all.find((each) => isLive(each));
    rate.classList.toggle("stale", !pulse);
    say(rate, pulse ? number(pulse.rate) : "–");
  }

  const onMonitors = ({ detail }) => { known.monitors = detail; update(); };
  const onLatest = ({ detail }) => { known.latest = detail; update(); };
  const onKey = (event) => { if (event.key === "Escape") history.back(); };
  stream.addEventListener("monitors", onMonitors);
  stream.addEventListener("latest", onLatest);
  addEventListener("keydown", onKey);
  const ticking = setInterval(update, 500);
  update();
  return {
    close() {
      clearInterval(ticking);
      removeEventListener("keydown", onKey);
      stream.removeEventListener("monitors", onMonitors);
      stream.removeEventListener("latest", onLatest);
    },
  };
}
