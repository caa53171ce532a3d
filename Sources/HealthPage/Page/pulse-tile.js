// A strap as a tile, for rooms with many straps.

import { fill, h, plain, say } from "./dom.js";
import { number } from "./format.js";
import { stateName } from "./names.js";
import { ageOf, liveFor } from "./pulse.js";
import { serverNow } from "./server-clock.js";
import { zoneNames, zoneOf } from "./zones.js";

export class PulseTile {
  /** @param {object|null} basis The limits of zones. */
  constructor(pulse, basis, context) {
    this.basis = basis;
    this.name = h("strong.who");
    this.rate = h("span.rate");
    this.facts = h("span.facts");
    this.element = h("a.tile", {
      href: context.link("now", { source: pulse.source }), "data-source": pulse.source,
    }, this.name, " ", this.rate, h("span.unseen", {}, " beats a minute, "), this.facts);
  }

  take(pulse) {
    this.pulse = pulse;
    this.tick();
  }

  tick() {
    const { pulse, basis, element } = this;
    const { live, fresh, text: age } = ageOf(pulse);
    const isOld = !live && pulse.rate > 0 && serverNow() - pulse.time > liveFor;
    element.classList.toggle("stale", !fresh);
    say(this.name, plain(pulse.name));
    say(this.rate, live || isOld ? number(pulse.rate) : "–");
    const zone = live && basis ? zoneOf(pulse.rate, basis) : null;
    element.dataset.zone = zone ?? "";
    const { contact, state, advice } = pulse.monitor ?? {};
    const isLost = contact === false;
    const words = isLost ? "no contact with the skin" : !live && state && advice ? stateName(state)
      : zone === null || !fresh ? age : zone ? `zone ${zone}, ${zoneNames[zone]}` : "below zone 1";
    const isBad = isLost || (!live && Boolean(advice));
    if (words === this.said) return;
    this.said = words;
    fill(this.facts, h(isBad ? "span.warn" : "span", {}, words));
  }
}
