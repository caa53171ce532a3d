// Elements from code. What comes from the server enters the page here alone, and only as text or as the
// value of an attribute: there is no way to hand markup in.

/** What an element has as a property: its attribute of that name is but the first value. */
const properties = new Set(["value", "checked", "disabled", "selected"]);

/**
 * Makes an element.
 * @param {string} name The tag, with classes after dots: "p.quiet".
 * @param {object} [options] Attributes; `on…` are listeners, `data` is a dataset, `text` is textContent.
 *   An attribute that is null, undefined or false is left out.
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

/** Puts `children` in the place of what `element` holds. */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

/**
 * Whether the reader is in an element with the keyboard, or has marked something in it. On the heading of a
 * part the keyboard is because they came there.
 */
export function isInUse(element) {
  const { activeElement } = document;
  const { anchorNode, isCollapsed } = getSelection();
  return (element.contains(activeElement) && activeElement.id !== "title")
    || (!isCollapsed && element.contains(anchorNode));
}

/**
 * Fills with what was asked for anew by itself: what is open stays open and where it was scrolled to, and
 * what is in use is left as it is.
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

/** Sets the text only where it differs, so that a screen reader is not told what it knows. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** A word or sentence that is there for screen readers alone. */
export function unseen(text) {
  return h("span.unseen", {}, text);
}

/**
 * A name that somebody else chose, such as a monitor's. It keeps to itself: one that turns the direction of
 * writing turns no more than its own letters.
 */
export function named(text) {
  return h("bdi", {}, text);
}

/**
 * The same for places that take no elements: what turns the direction, and control characters, are left out.
 */
export function plain(text) {
  return String(text ?? "")
    .replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "");
}

/** What programs call something: a line of it ends, if it has to, before a point. */
export function identifier(text) {
  const parts = String(text).split(/(?=\.)/);
  return h("small.identifier", {}, h("bdi", {}, parts.map((part, i) => [i > 0 && h("wbr"), part])));
}

/** Whether the reader asked for less motion. */
export const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

/**
 * Calls `tick` again and again while the tab is seen, and at once when it is seen again.
 * @returns {() => void} What ends it.
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

/**
 * Asks before something that cannot be undone.
 * @returns {Promise<boolean>} Whether the answer was yes.
 */
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
 * A form in a dialog.
 * @param {object} options `title`, `fields` (elements), `confirm`, `submit` (async; throws to keep it open).
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

/** A labelled field for {@link form}. */
export function field(label, control, hint) {
  return h("label.field", {}, h("span", {}, label), control, hint && h("small.quiet", {}, hint));
}

let noticeTimer = 0;
/** A sentence at the bottom of the page that goes away by itself. */
export function notice(text) {
  const place = document.getElementById("notice");
  say(place, text);
  place.hidden = false;
  clearTimeout(noticeTimer);
  noticeTimer = setTimeout(() => { place.hidden = true; say(place, ""); }, 6000);
}
