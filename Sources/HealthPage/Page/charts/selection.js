// The time range that the user selects on a chart, to see its figures.

/** Paints the selected time. */
export function paintSelection(pen, chart, plot, colours) {
  const { selection } = chart;
  if (!selection) return;
  const [left, right] = [selection.from, selection.to].map((time) => Math.round(chart.x(time)));
  pen.fillStyle = pen.strokeStyle = colours.ink;
  pen.globalAlpha = 0.12;
  pen.fillRect(left, plot.top, Math.max(1, right - left), plot.bottom - plot.top);
  pen.globalAlpha = 0.7;
  pen.lineWidth = 1;
  pen.beginPath();
  for (const x of [left, right]) {
    pen.moveTo(x + 0.5, plot.top);
    pen.lineTo(x + 0.5, plot.bottom);
  }
  pen.stroke();
  pen.globalAlpha = 1;
}

/** Converts two times to a selection within the view. */
export function selectionOf({ view }, one, other) {
  const inside = (time) => Math.min(view.to, Math.max(view.from, time));
  const [from, to] = [inside(one), inside(other)].sort((a, b) => a - b);
  return { from: Math.round(from), to: Math.round(to) };
}
