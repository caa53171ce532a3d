// Creates elements. Data from the server enters the page only here, and only as text or attribute values,
// never as markup.

/** Names that are set as properties, because the attribute is only the initial value. */
const properties = new Set(["value", "checked", "disabled", "selected"]);

/**
 * Creates an element.
 * @param {string} name The tag, with classes after dots: "p.quiet".
 * @param {object} [options] Attributes; `on…` are listeners, `data` is a dataset, `text` is textContent. An
 *   attribute that is null, undefined or false is left out.
 * @param {...(Node|string|number|null|undefined|false|Array)} children Text becomes text nodes.
 * @returns {HTMLElement}
 */
export function h(name, options = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElement(tag || "div");
  if (classes.length) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(options ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "data") Object.assign(element.dataset, value);
    else if (key === "text") element.textContent = value;
    else if (properties.has(key)) element[key] = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  append(element, children);
  return element;
}

function append(element, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) append(element, child);
    else element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/** Replaces the children of an element. */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

/**
 * Whether the focus or a selection is in an element. The focus on a part's heading does not count, because it
 * is there after navigation.
 */
export function isInUse(element) {
  const { activeElement } = document;
  const { anchorNode, isCollapsed } = getSelection();
  return (element.contains(activeElement) && activeElement.id !== "title")
    || (!isCollapsed && element.contains(anchorNode));
}

/**
 * Replaces children during an update. Open details and scroll positions are kept, and an element in use is
 * left unchanged.
 */
export function refill(element, ...children) {
  if (isInUse(element)) return;
  const found = (root) => [...root.querySelectorAll("details")];
  const isOpen = found(element).map((each) => each.open);
  const scrolled = (root) => [...root.querySelectorAll(".scroll")];
  const places = scrolled(element).map(({ scrollLeft, scrollTop }) => ({ scrollLeft, scrollTop }));
  fill(element, ...children);
  found(element).forEach((each, i) => { each.open = isOpen[i] ?? each.open; });
  scrolled(element).forEach((each, i) => Object.assign(each, places[i]));
}

/** Sets the text only if it differs, so that a screen reader does not repeat it. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Creates text for screen readers only. */
export function unseen(text) {
  return h("span.unseen", {}, text);
}

/**
 * Creates an element for a name from outside, such as a monitor's. Its writing direction does not affect the
 * text around it.
 */
export function named(text) {
  const shown = plain(text);
  return h("bdi.named", { title: shown.length > longName ? shown : null }, shown);
}

/** Number of characters above which a name has a tooltip, because it may be cut where it is shown. */
const longName = 60;

/** Removes control characters and direction marks from a name from outside, for text without elements. */
export function plain(text) {
  return String(text ?? "")
    .replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "");
}

/** Creates an element for an identifier, which may break before a dot. */
export function identifier(text) {
  const parts = String(text).split(/(?=\.)/);
  return h("small.identifier", {}, h("bdi", {}, parts.map((part, i) => [i > 0 && h("wbr"), part])));
}

/** Whether the user prefers reduced motion. */
export const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

/**
 * Calls `tick` periodically while the tab is visible, and at once when it becomes visible.
 * @returns {() => void} Stops it.
 */
export function whileSeen(tick, every = 1000) {
  let timer = 0;
  const turn = () => {
    clearInterval(timer);
    timer = document.hidden ? 0 : setInterval(tick, every);
  };
  const onSight = () => {
    turn();
    if (!document.hidden) tick();
  };
  document.addEventListener("visibilitychange", onSight);
  turn();
  return () => {
    clearInterval(timer);
    document.removeEventListener("visibilitychange", onSight);
  };
}

/** Asks for confirmation. @returns {Promise<boolean>} Whether the user has confirmed. */
export function ask({ title, text, confirm, cancel = "Keep", danger = true }) {
  return new Promise((resolve) => {
    const no = h("button", { type: "button", onclick: () => dialog.close("no") }, cancel);
    const yes = h(danger ? "button.danger" : "button.primary", {
      type: "button", onclick: () => dialog.close("yes"),
    }, confirm);
    const dialog = h("dialog.question", { "aria-label": title },
      h("h2", {}, title), ...[text].flat().map((line) => h("p", {}, line)),
      h("div.row.end", {}, no, yes));
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
    document.body.append(dialog);
    dialog.showModal();
    no.focus();
  });
}

/**
 * Opens a dialog with a form.
 * @param {object} options `title`; `text` (optional); `fields` (elements); `confirm` (label of the button);
 *   `submit` (async; if it throws, the dialog stays open and shows the error).
 * @returns {HTMLDialogElement}
 */
export function form({ title, text, fields, confirm, submit }) {
  const problem = h("p.problem", { role: "alert" });
  const yes = h("button.primary", { type: "submit" }, confirm);
  const element = h("form", {
    onsubmit: async (event) => {
      event.preventDefault();
      yes.disabled = true;
      say(problem, "");
      try {
        await submit(new FormData(element));
        dialog.close();
      } catch (error) {
        say(problem, error.message);
      } finally {
        yes.disabled = false;
      }
    },
  }, h("h2", {}, title), text && h("p.quiet", {}, text), fields, problem,
  h("div.row.end", {}, h("button", { type: "button", onclick: () => dialog.close() }, "Cancel"), yes));
  const dialog = h("dialog.question", { "aria-label": title }, element);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Creates a labeled field for {@link form}. */
export function field(label, control, hint) {
  return h("label.field", {}, h("span", {}, label), control, hint && h("small.quiet", {}, hint));
}

let noticeTimer = 0;
/** Shows a sentence at the bottom of the page for six seconds. */
export function notice(text) {
  const place = document.getElementById("notice");
  say(place, text);
  place.hidden = false;
  clearTimeout(noticeTimer);
  noticeTimer = setTimeout(() => { place.hidden = true; say(place, ""); }, 6000);
}
