// Paints gaps: hatched if no source measured, and as strips on the axis.

import { hatch } from "./palette.js";
import { lastNotAbove } from "./series.js";

/**
 * Hatches times in which no source measured. A gap of one source while another one measured is only a strip
 * at the bottom, and so is the time in which a strap was not worn.
 */
export function paintGaps(pen, chart, plot, colours) {
  chart.pattern ??= hatch(pen);
  pen.textBaseline = "alphabetic";
  pen.textAlign = "left";
  const { blanks, strips } = chart.arrangement();
  paintStrips(pen, chart, plot, colours, strips);
  const perMillisecond = chart.width / (chart.view.to - chart.view.from);
  for (const gap of blanks) {
    if ((gap.end - gap.start) * perMillisecond < 3) continue;
    const left = Math.max(plot.left, chart.x(gap.start));
    const right = Math.min(plot.right, chart.x(gap.end));
    const wide = right - left;
    if (wide < 3) continue;
    pen.fillStyle = chart.pattern;
    pen.fillRect(left, plot.top, wide, plot.bottom - plot.top);
    const room = pen.measureText(gap.text).width;
    if (wide <= room + 16) continue;
    pen.fillStyle = colours.paper;
    pen.fillRect(left + (wide - room) / 2 - 5, plot.top + 4, room + 10, 18);
    pen.fillStyle = colours.quiet;
    pen.fillText(gap.text, left + (wide - room) / 2, plot.top + 17);
  }
}

/** Paints the strips, one row for each source. A very short gap is still visible as a notch. */
function paintStrips(pen, chart, plot, colours, strips) {
  const { layers, view } = chart;
  const isOne = layers.length < 2;
  for (const { source, isUnworn, starts, ends } of strips) {
    const place = isOne ? 0 : Math.max(0, layers.findIndex((layer) => layer.source === source));
    pen.fillStyle = isOne ? colours.quiet : chart.lookOf(layers[place]).colour;
    // Times in which a strap was most likely not worn are pale.
    pen.globalAlpha = isUnworn ? 0.25 : 1;
    const y = plot.bottom - 3 - 4 * place;
    // Thousands of gaps may be within a few pixels. Each pixel is painted once.
    let until = plot.left;
    const first = Math.max(0, lastNotAbove(starts, view.from));
    for (let i = first; i < starts.length && starts[i] <= view.to; i += 1) {
      if (ends[i] < view.from) continue;
      const left = Math.max(until, chart.x(starts[i]));
      const right = Math.min(plot.right, Math.max(chart.x(starts[i]) + 2, chart.x(ends[i])));
      if (right <= left) continue;
      pen.fillRect(left, y, right - left, 3);
      until = right;
    }
  }
  pen.globalAlpha = 1;
}
