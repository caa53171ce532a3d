// Paints a chart's lines and bars in the color of the band of values in which they lie, such as a heart-rate
// zone.

/**
 * Calls `paint` once for each band, with the chart's look in the band's color and everything outside of the
 * band clipped; once without bands.
 */
export function paintInBands(pen, chart, plot, y, paint) {
  const { bands } = chart.options;
  if (!bands?.length) return paint();
  for (const band of bands) {
    const top = band.to === Infinity ? 0 : y(band.to);
    const bottom = band.from === -Infinity ? plot.bottom + 4 : y(band.from);
    if (bottom <= 0 || top >= plot.bottom + 4) continue;
    pen.save();
    pen.beginPath();
    pen.rect(plot.left, top, plot.right - plot.left, bottom - top);
    pen.clip();
    chart.band = band;
    paint();
    chart.band = null;
    pen.restore();
  }
}

/** Converts the zones of a response to bands. Zone 0 has the color `quiet`. */
export function bandsOf(zones) {
  return zones.map(({ zone, lower, upper }) => ({
    from: lower ?? -Infinity, to: upper ?? Infinity, colour: zone ? `step-${Math.min(5, zone)}` : "quiet",
  }));
}
