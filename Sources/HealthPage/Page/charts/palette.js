// Provides the style sheet's colors to code that paints on a canvas.

const names = ["paper", "ink", "quiet", "hair", "accent", "amber", "grid", "step-1", "step-2", "step-3",
  "step-4", "step-5"];
let colours = null;

/** The colors of the current theme by name, such as `ink` and `step-1`. */
export function palette() {
  if (!colours) {
    const style = getComputedStyle(document.documentElement);
    colours = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
    colours.font = style.fontFamily || getComputedStyle(document.body).fontFamily;
  }
  return colours;
}

/** Calls `listener` when the theme has changed. Returns a function that stops that. */
export function onTheme(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const listeners = new Set();

/** Must be called after the theme was changed by a setting. */
export function themeChanged() {
  colours = null;
  for (const listener of listeners) listener();
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", themeChanged);
matchMedia("(forced-colors: active)").addEventListener("change", themeChanged);

/** Sets a canvas to the resolution of the screen, and returns its context with CSS pixels as unit. */
export function sharpContext(canvas, width, height) {
  const ratio = Math.min(3, devicePixelRatio || 1);
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

/** The pattern for times without measurements: diagonal lines. */
export function hatch(context) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 8;
  const pen = tile.getContext("2d");
  pen.strokeStyle = palette().quiet;
  pen.globalAlpha = 0.45;
  pen.lineWidth = 1;
  pen.beginPath();
  for (const offset of [-8, 0, 8]) {
    pen.moveTo(offset, 8);
    pen.lineTo(offset + 8, 0);
  }
  pen.stroke();
  return context.createPattern(tile, "repeat");
}
