// The selection in a list of samples: single rows, ranges with Shift, and all of them.

import { h, say } from "./dom.js";
import { count } from "./format.js";

export class SampleChoice {
  /** The rows of the list, in its order. */
  #rows = [];
  #last = null;
  /** Whether there are further rows that are not loaded yet. */
  hasMore = false;

  /** @param {{remove: () => void, removeAll: () => void}} actions What the buttons of the bar do. */
  constructor({ remove, removeAll }) {
    this.allBox = h("input", { type: "checkbox", onchange: ({ target }) => this.#setAll(target.checked) });
    this.allText = h("span");
    this.all = h("label.row.fit", {}, this.allBox, this.allText);
    this.text = h("span", { role: "status" });
    this.removeButton = h("button.danger", { type: "button", onclick: remove });
    this.removeAllButton = h("button.danger", { type: "button", onclick: removeAll },
      "Delete the whole list …");
    this.bar = h("div.row.chosen-bar", { hidden: true }, this.text, this.removeButton, this.removeAllButton,
      h("button.plain", { type: "button", onclick: () => this.#setAll(false) }, "Clear"));
  }

  /** The UUIDs of the selected samples. */
  get uuids() { return this.#chosen().map(({ sample }) => sample.uuid); }

  /** Creates the checkbox of a row. @param {() => HTMLElement} row Returns the row. */
  box(sample, label, row) {
    const entry = { sample, row, box: null };
    entry.box = h("input", {
      type: "checkbox", "aria-label": label,
      onclick: (event) => {
        if (event.shiftKey && this.#last) this.#setRange(this.#last, entry, entry.box.checked);
        this.#last = entry;
        this.say();
      },
    });
    this.#rows.push(entry);
    return entry.box;
  }

  /** Clears the selection, because the list is loaded again from its beginning. */
  restart() {
    this.#rows = [];
    this.#last = null;
    this.hasMore = false;
    this.say();
  }

  /** Hides the rows of samples that are about to be deleted, or shows them again. */
  hide(matches, isHidden) {
    for (const { sample, row, box } of this.#rows) {
      if (!matches(sample)) continue;
      row().hidden = isHidden;
      const next = row().nextElementSibling;
      if (next?.matches(".curve-row")) next.hidden = isHidden;
      if (isHidden) box.checked = false;
    }
    this.say();
  }

  /** Removes the rows of samples that were deleted. */
  dropHidden() {
    for (const { row } of this.#rows) {
      if (!row().hidden) continue;
      const next = row().nextElementSibling;
      if (next?.matches(".curve-row")) next.remove();
      row().remove();
    }
    this.#rows = this.#rows.filter(({ row }) => row().isConnected);
    this.#last = null;
    this.say();
  }

  /** Shows how many are selected. */
  say() {
    const some = this.#chosen().length;
    const listed = this.#listed().length;
    this.all.hidden = !listed;
    say(this.allText, `Select all ${count(listed, "listed sample")}`);
    this.allBox.checked = some > 0 && some === listed;
    this.allBox.indeterminate = some > 0 && some < listed;
    this.bar.hidden = !some;
    say(this.text, `${count(some, "sample")} selected`);
    say(this.removeButton, `Delete ${count(some, "sample")}`);
    this.removeAllButton.hidden = !(this.hasMore && some === listed);
  }

  #listed() { return this.#rows.filter(({ row }) => !row()?.hidden); }

  #chosen() { return this.#listed().filter(({ box }) => box.checked); }

  #setAll(isChosen) {
    for (const { box } of this.#listed()) box.checked = isChosen;
    this.#last = null;
    this.say();
  }

  #setRange(one, other, isChosen) {
    const listed = this.#listed();
    const [first, last] = [listed.indexOf(one), listed.indexOf(other)].sort((a, b) => a - b);
    if (first < 0) return;
    for (const { box } of listed.slice(first, last + 1)) box.checked = isChosen;
  }
}
