// The legend of a chart: shows the look of each source, and hides sources.

import { h, fill, named, plain } from "../dom.js";
import { looks } from "./looks.js";

/** Creates the symbol of a source: its line with its mark. */
export function mark(place) {
  const { ink, shape } = looks[place % looks.length];
  return h(["i", "look", ink, `mark-${shape}`].join("."), { "aria-hidden": "true" });
}

/**
 * Fills a legend with a button for each source. The last visible source cannot be hidden.
 * @param {HTMLElement} place
 * @param {object} chart A {@link TimeChart}.
 * @param {{source: string, name: string}[]} left Sources with values that are not drawn.
 * @param {() => void} onChange
 */
export function legendOf(place, chart, left, onChange) {
  const { layers, hidden } = chart;
  if (layers.length < 2 && !hidden.size && !left.length) return fill(place);
  const focused = [...place.children].indexOf(document.activeElement);
  fill(place, layers.map((layer) => h("button", {
    type: "button", "aria-pressed": String(!hidden.has(layer.source)),
    onclick: () => {
      if (hidden.has(layer.source)) hidden.delete(layer.source);
      else if (chart.shownLayers().length > 1) hidden.add(layer.source);
      else return;
      legendOf(place, chart, left, onChange);
      onChange();
    },
  }, mark(Math.max(0, chart.options.placeOf?.(layer.source) ?? layers.indexOf(layer))),
  named(layer.name || layer.source))),
  left.length > 0 && h("span.quiet", {},
    `Not drawn: ${left.map((each) => plain(each.name || each.source)).join(", ")}.`));
  if (focused >= 0) place.children[focused]?.focus();
}
