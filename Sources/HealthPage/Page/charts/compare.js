// A chart of several sessions on top of each other, each from its own start.

import { h } from "../dom.js";
import { duration, number } from "../format.js";
import { csvOf, timeText } from "../csv.js";
import { palette, onTheme, sharpContext } from "./palette.js";
import { pictureOf } from "./picture.js";
import { valueScale } from "./scale.js";

/** Line styles of the first, second and third session. */
const styles = [{ ink: "accent", dash: [] }, { ink: "ink", dash: [6, 4] }, { ink: "amber", dash: [2, 3] }];
const every = [1, 5, 10, 15, 30, 60, 120, 240, 480, 1440].map((minutes) => minutes * 60_000);

export class ComparisonChart {
  /**
   * @param {{name: string, source: string, start: number, length: number, step: number, average:
   *   (number|null)[]}[]} lines The sessions. `start`, `length` and `step` are in milliseconds.
   * @param {string} unit The unit as in program output.
   */
  constructor(lines, unit) {
    this.lines = lines;
    this.unit = unit;
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
    if (width && height) this.#paint(sharpContext(this.canvas, width, height), width, height);
  }

  /** @returns {Promise<Blob>} */
  picture(title, lines) {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const colours = palette();
    const legend = this.lines.map(({ name }, i) =>
      ({ name, dash: styles[i % 3].dash, colour: colours[styles[i % 3].ink] }));
    return pictureOf({ title, lines, width, height, legend, paint: (...to) => this.#paint(...to) });
  }

  /** The averages of each part of each session. @returns {Blob} */
  csv() {
    const columns = ["session", "sourceBundleIdentifier", "start", "secondsFromStart", "average", "unit"];
    return csvOf(columns, this.lines.flatMap(({ name, source, start, step, average }) =>
      average.map((value, i) => [name, source, timeText(start), (i * step) / 1000, value, this.unit])
        .filter(([, , , , value]) => value !== null)));
  }

  #paint(pen, width, height) {
    const colours = palette();
    const values = this.lines.flatMap((line) => line.average.filter((value) => value !== null));
    const room = this.unit === "count/s" ? 1 : 40;
    const scale = valueScale(Math.min(...values), Math.max(...values), { room });
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
      pen.fillText(number(value, scale.step < 1 ? 1 : 0), left - 8, at);
    }
    pen.stroke();
    pen.textAlign = "center";
    pen.textBaseline = "alphabetic";
    const step = every.find((each) => longest / each <= width / 90) ?? 2880 * 60_000;
    for (let time = step; time <= longest; time += step) pen.fillText(duration(time), x(time), bottom + 18);
    this.lines.forEach((line, i) => {
      const { ink, dash } = styles[i % 3];
      pen.strokeStyle = colours[ink];
      pen.lineWidth = 2;
      pen.lineJoin = "round";
      pen.setLineDash(dash);
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
