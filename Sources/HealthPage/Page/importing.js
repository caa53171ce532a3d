// Importing an export of an iPhone: choice of the file, upload, and progress of the import.

import { fill, h, say } from "./dom.js";
import { get, post, upload } from "./api.js";
import { count, number, sizeText } from "./format.js";
import { typeName } from "./names.js";

/** Time between two requests for the progress, in milliseconds. */
const pollTime = 500;

/** The only import of this window. `phase` is `idle`, `sending`, `importing` or `over`. */
class Import extends EventTarget {
  phase = "idle";
  sent = 0;
  size = 0;
  report = null;
  problem = "";
  #abort = null;
  #timer = 0;

  /** Sends a file, and follows the import. */
  async start(file) {
    if (this.phase === "sending" || this.phase === "importing") return;
    const { signal } = this.#abort = new AbortController();
    this.#turn("sending", { sent: 0, size: file.size, report: null, problem: "" });
    try {
      // Check the size first. If the file is too large, the server closes the connection, and the browser
      // does not report why.
      const { maximumUpload, free } = await get("/api/storage", {}, signal);
      if (file.size > maximumUpload) {
        throw new Error(`A file may have ${sizeText(maximumUpload)} here: hrgate import takes larger ones.`);
      }
      if (file.size > free) throw new Error("There is not enough space on the disk for this file.");
      this.#take(await upload("/api/import", file, (sent) => this.#turn("sending", { sent }), signal));
    } catch (error) {
      this.#turn("over", { problem: signal.aborted ? "Stopped: nothing was imported." : error.message });
    }
  }

  /** Shows the progress of an import that is already running, for example one started in another window. */
  async look() {
    if (this.phase !== "idle") return;
    const report = await get("/api/import").catch(() => null);
    if (report && !report.isOver && this.phase === "idle") this.#take(report);
  }

  stop() {
    if (this.phase === "sending") this.#abort.abort();
    else post("/api/import/stop", {}).catch((error) => this.#turn(this.phase, { problem: error.message }));
  }

  #take(report) {
    this.#turn(report.isOver ? "over" : "importing", { report });
    clearTimeout(this.#timer);
    if (!report.isOver) this.#timer = setTimeout(() => this.#poll(), pollTime);
  }

  async #poll() {
    try {
      this.#take(await get("/api/import"));
    } catch (error) {
      this.#turn("importing", { problem: error.message });
      this.#timer = setTimeout(() => this.#poll(), 10 * pollTime);
    }
  }

  #turn(phase, changes) {
    Object.assign(this, { problem: "", ...changes, phase });
    this.dispatchEvent(new Event("change"));
  }
}

export const importing = new Import();

/**
 * Imports files that are dropped anywhere on the page.
 * @param {() => void} show Called to show the progress.
 */
export function takeDroppedFiles(show) {
  const hasFiles = ({ dataTransfer }) => [...dataTransfer?.types ?? []].includes("Files");
  addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) document.body.classList.remove("dropping");
  });
  addEventListener("drop", (event) => {
    document.body.classList.remove("dropping");
    if (!hasFiles(event)) return;
    event.preventDefault();
    const [file] = event.dataTransfer.files;
    if (!file) return;
    importing.start(file);
    show();
  });
}

/** The area in which a file is chosen or dropped, with the progress and the result of the import. */
export class ImportBox {
  constructor() {
    this.input = h("input.unseen", {
      type: "file", accept: ".zip,.xml,application/zip,text/xml", id: "import-file",
      onchange: () => this.input.files[0] && importing.start(this.input.files[0]),
    });
    this.choice = h("div.drop", {}, this.input,
      h("label.button", { for: "import-file" }, "Choose export.zip …"),
      h("span.quiet.dropping-text", {}, "or drop the file anywhere on this page"));
    this.bar = h("progress", { "aria-label": "Import" });
    this.text = h("p");
    this.stop = h("button", { type: "button", onclick: () => importing.stop() }, "Stop");
    this.running = h("div.stack", {}, this.bar, h("div.row", {}, this.text, this.stop));
    this.result = h("div.stack", { role: "status" });
    this.problem = h("p.problem", { role: "alert" });
    this.element = h("div.stack", {}, this.choice, this.running, this.result, this.problem);
    this.show = () => this.#show();
    importing.addEventListener("change", this.show);
    this.#show();
    importing.look();
  }

  close() { importing.removeEventListener("change", this.show); }

  #show() {
    const { phase, sent, size, report, problem } = importing;
    const isRunning = phase === "sending" || phase === "importing";
    this.choice.hidden = isRunning;
    this.running.hidden = !isRunning;
    this.input.value = "";
    if (phase === "sending") {
      this.#sayProgress(sent, size, `Receiving ${sizeText(sent)} of ${sizeText(size)}`);
    }
    if (phase === "importing") {
      const { bytesRead, totalBytes, records } = report;
      this.#sayProgress(bytesRead, totalBytes, `Importing: ${count(records, "sample")} read`);
    }
    const isOver = phase === "over" && report;
    if (isOver !== this.isOver) fill(this.result, isOver && resultOf(report));
    this.isOver = isOver;
    const rest = isOver && report.failure && report.records ? " What was read before is stored." : "";
    say(this.problem, problem || (isOver && report.failure ? `${report.failure}${rest}` : ""));
  }

  #sayProgress(done, total, text) {
    if (total) Object.assign(this.bar, { max: total, value: Math.min(done, total) });
    else this.bar.removeAttribute("value");
    say(this.text, text);
  }
}

/** Returns the result of an import as elements. */
function resultOf(report) {
  const { records, stored, replaced, outdated, present, rejected, unread } = report;
  const { characteristics, isStopped } = report;
  const isNothingNew = records > 0 && stored + replaced === 0;
  const sentence = isStopped ? `Stopped after ${count(records, "sample")}: ${number(stored)} added.`
    : !records ? "There are no samples in this export."
      : isNothingNew && present === records
        ? `Nothing new: all ${count(records, "sample")} were stored already.`
        : `${count(stored, "sample")} added of ${number(records)} in the export.`;
  const parts = [
    !isNothingNew && present > 0 && `${number(present)} were stored already.`,
    replaced > 0 && `${number(replaced)} replaced an older version.`,
    outdated > 0 && `Of ${number(outdated)}, a newer version is stored.`,
    characteristics.length > 0 && `Also set: ${characteristics.map(typeName).join(", ")}.`,
  ].filter(Boolean);
  const lines = [
    ...Object.entries(rejected).map(([reason, some]) => `Not stored: ${number(some)} (${reason})`),
    ...Object.entries(unread).map(([name, some]) => `Not read by this version: ${number(some)} × ${name}`),
  ];
  return [
    h("p", {}, h("strong", {}, sentence), parts.length > 0 && ` ${parts.join(" ")}`),
    lines.length > 0 && h("details", {}, h("summary", {}, "What was left out"),
      h("ul", {}, lines.slice(0, 30).map((each) => h("li", {}, each)))),
  ];
}
