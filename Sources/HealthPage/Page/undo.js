// Deletions that can be undone. The samples are hidden immediately. The server deletes them when the time for
// undoing is over or the user leaves the page. Until then the store is unchanged, so the samples keep their
// UUIDs if the user undoes the deletion.

import { fill, h, notice } from "./dom.js";
import { post, shown } from "./api.js";
import { count } from "./format.js";

/** How long a deletion can be undone, in milliseconds. */
const undoTime = 10_000;

let pending = null;

/** Whether a sample is about to be deleted. */
export function isBeingDeleted(sample) {
  return pending?.hides(sample) ?? false;
}

/**
 * Deletes samples after the time for undoing. An earlier deletion is sent first.
 * @param {object} request The body of `/api/delete`, with the counted total.
 * @param {object} options
 * @param {string} options.text What is deleted.
 * @param {(sample: object) => boolean} options.hides Whether a listed sample is one of them.
 * @param {() => void} options.undone Called when the samples stay, after undoing or an error.
 * @param {(deleted: number) => void} options.deleted Called after the deletion.
 * @param {(error: Error) => void} options.failed Called if the server has refused it.
 */
export function deleteWithUndo(request, { text, hides, undone, deleted, failed }) {
  sendDeletion();
  const mine = { request, hides, undone, deleted, failed, person: shown.person, timer: 0 };
  pending = mine;
  const place = document.getElementById("undo");
  fill(place, h("span", {}, text), h("button", {
    type: "button", "aria-keyshortcuts": "Control+Z Meta+Z", onclick: undo,
  }, "Undo"));
  place.hidden = false;
  startTimer();
}

/** Sends the pending deletion now. @param {boolean} isLeaving Whether the page is being left. */
export async function sendDeletion(isLeaving = false) {
  const deletion = take();
  if (!deletion) return;
  try {
    const answer = await post("/api/delete", deletion.request, { person: deletion.person },
      { keepalive: isLeaving });
    notice(`${count(answer.deleted, "sample")} deleted.`);
    deletion.deleted(answer.deleted);
  } catch (error) {
    notice(`Nothing was deleted. ${error.message}`);
    deletion.undone();
    deletion.failed(error);
  }
}

function take() {
  const deletion = pending;
  pending = null;
  clearTimeout(deletion?.timer);
  const place = document.getElementById("undo");
  fill(place);
  place.hidden = true;
  return deletion;
}

function undo() {
  const deletion = take();
  if (!deletion) return;
  deletion.undone();
  notice("Nothing was deleted.");
}

function startTimer() {
  if (!pending) return;
  clearTimeout(pending.timer);
  pending.timer = setTimeout(sendDeletion, undoTime);
}

/** Stops the timer while the undo button has the focus. Handles Ctrl-Z, and leaving the page. */
function listen() {
  const place = document.getElementById("undo");
  place.addEventListener("focusin", () => clearTimeout(pending?.timer));
  place.addEventListener("focusout", startTimer);
  addEventListener("keydown", (event) => {
    const isField = event.target.closest?.("dialog, input:not([type=checkbox]), select, textarea");
    const isUndo = event.key === "z" && (event.ctrlKey || event.metaKey) && !event.shiftKey;
    if (!pending || isField || !isUndo) return;
    event.preventDefault();
    undo();
  });
  addEventListener("pagehide", () => sendDeletion(true));
}

listen();
