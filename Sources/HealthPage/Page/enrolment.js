// Pairs and forgets monitors. The server performs one action at a time for all windows, and continues if this
// window is closed. Therefore this view shows the server's state.

import { h, fill, ask, field, form, named, notice, plain, say } from "./dom.js";
import { get, post, shown } from "./api.js";
import { count, number } from "./format.js";

const lookEvery = 600;

export class Enrolment {
  #report = null;
  #question = 0;
  #heard = [];
  #isClosed = false;
  /** Addresses of enrolled monitors. */
  #known = new Set();
  #isFollowing = false;

  /**
   * @param {object} context The context of the parts.
   * @param {Function} changed Called when monitors were enrolled or forgotten.
   */
  constructor(context, changed) {
    this.context = context;
    this.changed = changed;
    const button = (name, text, onclick) => h(name, { type: "button", onclick }, text);
    this.look = button("button", "Look for monitors", () => this.#order("/api/radio/hear", {}));
    this.halt = button("button.plain", "Stop", () => this.#order("/api/radio/stop", {}));
    this.state = h("p.quiet", { role: "status" });
    this.problem = h("p.problem", { role: "alert" });
    this.heard = h("ul.list");
    this.sentences = h("ul.quiet");
    this.question = h("div.stack");
    this.heading = h("h2");
    this.options = this.#options();
    this.element = h("section.stack.enrolment", {}, this.heading,
      h("div.row", {}, this.look, this.halt), this.state, this.problem, this.question, this.sentences,
      this.options, this.heard);
    this.#show({ isOver: true, heard: [], sentences: [] });
  }

  /**
   * Shows an action that is already running, for example from another window. If no monitor has been added
   * and there was no action yet, starts a scan, because adding one is then the only thing to do here.
   */
  async start() {
    const report = await get("/api/radio");
    this.#take(report, report.isOver);
    // The result of an earlier action stays visible. The user may have left this part in the meantime.
    const isNew = report.isOver && !report.kind && this.element.isConnected;
    if (isNew && !this.#known.size) this.#order("/api/radio/hear", {});
  }

  close() { this.#isClosed = true; }

  /** Creates the choices that apply to the next monitor that is paired. */
  #options() {
    this.withoutBond = h("input", { type: "checkbox" });
    return h("div.stack", { hidden: true },
      h("p.quiet", {}, "If a monitor needs six digits, you are asked for them after Pair."),
      h("label.row", {}, this.withoutBond, "Without a bond (not needed for heart rate)"));
  }

  /** Sets the enrolled monitors, which a scan does not offer as new ones. */
  know(monitors) {
    this.#known = new Set(monitors.map((each) => each.address));
    say(this.heading, this.#known.size ? "Add another monitor" : "Add a monitor");
    this.#list(this.#heard);
  }

  async forget(monitor) {
    const name = plain(monitor.name ?? monitor.address);
    const isSure = await ask({
      title: `Forget ${name}?`,
      text: [
        "Its measurements are kept. hrgate does not connect to it until you pair it again.",
        "Its bond with this machine is removed, unless another program uses the monitor.",
      ],
      confirm: "Forget",
    });
    if (isSure) await this.#order("/api/monitors/forget", { monitor: monitor.address });
  }

  async #order(route, body, parameters) {
    say(this.problem, "");
    try {
      const report = await post(route, body, parameters);
      this.#take(report.number === undefined ? await get("/api/radio") : report);
    } catch (error) {
      say(this.problem, error.message);
    }
  }

  /**
   * @param isOld Whether the action was started before this window was opened. If so, its end is not
   *   announced.
   */
  #take(report, isOld = false) {
    const before = this.#report;
    this.#report = report;
    this.#show(report);
    if (!report.isOver) return this.#follow();
    const isNews = !isOld && !(before?.isOver && before.number === report.number);
    if (!isNews || report.kind === "hear") return;
    if (report.enrolled) notice(`${plain(report.enrolled.name ?? report.enrolled.address)} is paired.`);
    this.changed();
  }

  async #follow() {
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    let failures = 0;
    while (!this.#isClosed && !this.#report.isOver && failures < 20) {
      await new Promise((resolve) => setTimeout(resolve, lookEvery));
      if (this.#isClosed) return;
      try {
        const report = await get("/api/radio");
        failures = 0;
        this.#take(report);
      } catch (error) {
        failures += 1;
        say(this.problem, error.message);
      }
    }
    this.#isFollowing = false;
  }

  #show(report) {
    const isPairing = !report.isOver && report.kind !== "hear";
    this.look.disabled = !report.isOver;
    this.halt.hidden = report.isOver;
    say(this.state, stateText(report));
    if (report.failure) say(this.problem, report.failure);
    fill(this.sentences, report.sentences.map((each) => h("li", {}, named(each))));
    this.sentences.hidden = !report.sentences.length;
    this.#ask(report.question);
    if (report.kind === "hear") this.#list(this.#heard = report.heard);
    for (const each of this.heard.querySelectorAll("button")) each.disabled = isPairing;
  }

  /** Lists the monitors that a scan has found. Existing rows are reused, so that the focus stays in them. */
  #list(all) {
    const isKnown = (each) => each.isEnrolled || this.#known.has(each.address);
    const old = new Map([...this.heard.children].map((row) => [row.dataset.address, row]));
    // Rows keep their order, although signals change, so that a click does not pair another monitor. New rows
    // are at the end.
    const places = [...old.keys()];
    const placeOf = ({ address }) => (old.has(address) ? places.indexOf(address) : places.length);
    const heard = all.map((each) => ({ ...each, isEnrolled: isKnown(each) }))
      .sort((a, b) => placeOf(a) - placeOf(b));
    const rows = heard.map((each) => {
      const row = old.get(each.address) ?? this.#row(each);
      say(row.querySelector(".facts"), facts(each));
      const button = row.querySelector("button");
      say(button, each.isEnrolled ? "Pair again" : "Pair");
      button.setAttribute("aria-label", `${button.textContent} ${plain(each.name ?? each.address)}`);
      return row;
    });
    if (rows.some((row, place) => this.heard.children[place] !== row) || rows.length !== old.size) {
      const focused = document.activeElement;
      this.heard.replaceChildren(...rows);
      if (this.heard.contains(focused)) focused.focus();
    }
    this.options.hidden = !rows.length;
  }

  #row(monitor) {
    return h("li.row.spread", { data: { address: monitor.address } },
      h("span", {}, named(monitor.name ?? monitor.address), h("span.quiet.facts")),
      h("button", { type: "button", onclick: () => this.#pair(monitor) }));
  }

  /**
   * Pairs a monitor. With several people, asks whose it is: a monitor that another person has would be moved,
   * and measurements in the store of the wrong person cannot be separated later.
   */
  #pair(monitor) {
    const { people = [], person } = this.context.session;
    const wish = { monitor: monitor.address, bonds: !this.withoutBond.checked };
    this.withoutBond.checked = false;
    if (people.length < 2) return this.#order("/api/radio/enrol", wish);
    const asked = shown.person ?? person ?? people.find((each) => each.isOwner)?.name;
    form({
      title: `Pair with ${plain(monitor.name ?? monitor.address)}?`,
      fields: field("Whose it is", h("select", { name: "person" }, people.map((each) =>
        h("option", { value: each.name, selected: each.name === asked }, plain(each.name))))),
      confirm: "Pair",
      submit: async (data) => {
        const whom = { person: data.get("person") };
        // Wait until this dialog is closed. The server's first question may arrive immediately, and its
        // dialog needs the focus.
        setTimeout(() => this.#order("/api/radio/enrol", wish, whom));
      },
    });
  }

  #ask(question) {
    if ((question?.number ?? 0) === this.#question) return;
    this.#question = question?.number ?? 0;
    if (!question) return fill(this.question);
    const answer = (body) => this.#order("/api/radio/answer", { question: question.number, ...body });
    const no = (text) => h("button", { type: "button", onclick: () => answer({}) }, text);
    if (question.kind === "show") {
      return fill(this.question, h("p", { role: "alert" }, `Enter ${question.passkey} on the monitor.`));
    }
    if (question.kind === "compare") {
      const yes = h("button.primary", { type: "button", onclick: () => answer({ isSame: true }) }, "Yes");
      fill(this.question, h("p", { role: "alert" }, `Does the monitor show ${question.passkey}?`),
        h("div.row", {}, yes, no("No")));
      return yes.focus();
    }
    const input = h("input", {
      type: "text", inputmode: "numeric", pattern: "[0-9]{1,6}", maxlength: 6, required: true,
      autocomplete: "off",
    });
    fill(this.question, h("form.stack", {
      onsubmit: (event) => {
        event.preventDefault();
        answer({ passkey: input.value });
      },
    }, field("The six digits that the monitor shows", input),
    h("div.row", {}, h("button.primary", { type: "submit" }, "Continue"), no("Do not pair"))));
    input.focus();
  }
}

function stateText({ kind, isOver, isStopped, heard, failure, enrolled }) {
  if (kind === "hear") {
    if (!isOver) return "Scanning. Put the monitor on: most send nothing without skin contact.";
    if (heard.length) return `${count(heard.length, "monitor")} heard.`;
    return failure ? "" : "No monitor was found. Is it worn, and not connected to another device?";
  }
  if (isStopped) return "Stopped. The list above shows the monitors that are paired.";
  if (kind === "enrol") {
    return isOver ? (enrolled ? "Paired." : failure ? "" : "Nothing was paired.") : "Pairing.";
  }
  if (kind === "forget") return isOver ? (failure ? "" : "Forgotten.") : "Forgetting.";
  return "";
}

function facts({ address, name, rssi, isEnrolled, isPaired, isPrivate }) {
  const words = [name ? address : "", rssi === undefined ? "" : `${number(rssi)} dBm`,
    isEnrolled ? "already added" : "", isPaired ? "with a bond" : "", isPrivate ? "private address" : ""];
  return `  ${words.filter(Boolean).join(", ")}`;
}
