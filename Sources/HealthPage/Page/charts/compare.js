// Several stretches of time laid over each other, each from its own beginning.

import { h } from "../dom.js";
import { duration, number } from "../format.js";
import { palette, onTheme, sharpContext } from "./palette.js";
import { valueScale } from "./scale.js";

const dashes = [[], [6, 4], [2, 3]];

export class ComparisonChart {
  /** @param {{name: string, length: number, step: number, average: (number|null)[]}[]} lines Step in ms. */
  constructor(lines) {
    this.lines = lines;
    this.canvas = h("canvas.comparison", {
      role: "img", "aria-label": `Heart rate of ${lines.length} sessions from their beginnings`,
    });
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.canvas);
    this.stopTheme = onTheme(() => this.draw());
  }

  close() {
    this.observer.disconnect();
    this.stopTheme();
  }

  draw() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width || !height) return;
    const pen = sharpContext(this.canvas, width, height);
    const colours = palette();
    const inks = [colours.accent, colours.ink, colours.quiet];
    const values = this.lines.flatMap((line) => line.average.filter((value) => value !== null));
    const scale = valueScale(Math.min(...values), Math.max(...values), { room: 40 });
    const longest = Math.max(...this.lines.map((line) => line.length), 60_000);
    const left = 44, right = width - 10, top = 12, bottom = height - 26;
    const x = (time) => left + (time / longest) * (right - left);
    const y = (value) => bottom - ((value - scale.low) / (scale.high - scale.low)) * (bottom - top);
    pen.clearRect(0, 0, width, height);
    pen.font = `12px ${colours.font}`;
    pen.fillStyle = colours.quiet;
    pen.strokeStyle = colours.hair;
    pen.lineWidth = 1;
    pen.beginPath();
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (const value of scale.ticks) {
      const at = Math.round(y(value)) + 0.5;
      pen.moveTo(left, at);
      pen.lineTo(right, at);
      pen.fillText(number(value), left - 8, at);
    }
    pen.stroke();
    pen.textAlign = "center";
    pen.textBaseline = "alphabetic";
    const every = [1, 5, 10, 15, 30, 60, 120, 240, 480, 1440].map((minutes) => minutes * 60_000)
      .find((step) => longest / step <= width / 90) ?? 2880 * 60_000;
    for (let time = every; time <= longest; time += every) pen.fillText(duration(time), x(time), bottom + 18);
    this.lines.forEach((line, i) => {
      pen.strokeStyle = inks[i % 3];
      pen.lineWidth = 2;
      pen.lineJoin = "round";
      pen.setLineDash(dashes[i % 3]);
      pen.beginPath();
      let isDown = false;
      line.average.forEach((value, k) => {
        if (value === null) { isDown = false; return; }
        const at = [x((k + 0.5) * line.step), y(value)];
        if (isDown) pen.lineTo(...at);
        else pen.moveTo(...at);
        isDown = true;
      });
      pen.stroke();
    });
    pen.setLineDash([]);
  }
}
