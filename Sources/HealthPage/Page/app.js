// The frame around the parts of the page, such as Now and Sleep: choice of the person, navigation, and
// messages about damage or a lost server.

import { h, fill, isInUse, plain, say, notice, unseen } from "./dom.js";
import { get, onDamage, onEnd, onLocked, setToken, shown } from "./api.js";
import { hearServerClock } from "./server-clock.js";
import { LiveStream } from "./stream.js";
import { knowSession, setting } from "./settings.js";
import { number } from "./format.js";
import { withTypeNames } from "./names.js";
import { takeDroppedFiles } from "./importing.js";
import { offerUnlock } from "./unlock.js";

const parts = [
  ["now", "Now"], ["summary", "Summary"], ["heart-rate", "Heart rate"], ["beats", "Beats"],
  ["sessions", "Sessions"], ["sleep", "Sleep"], ["data", "All data"], ["access", "Sources and access"],
  ["monitors", "Monitors"], ["storage", "Storage"], ["you", "You"],
];
/** Parts without an entry in the navigation, with their headings. */
const hiddenParts = { overlay: "Pulse", welcome: "Welcome", session: "Session" };
/** For a part without an entry in the navigation: the part whose entry is marked instead. */
const parents = { session: "sessions" };

/** Maximum pause between attempts to start, in milliseconds. */
const longestPause = 30_000;

const main = document.getElementById("main");
const stream = new LiveStream();
let current = null;
let turn = 0;
let damageTurn = 0;
/**
 * The value of `turn` when the user was last asked to unlock the store. The user is asked at most once for
 * each opened part.
 */
let unlockTurn = -1;

applyTheme();

/** Applies the theme that the user has chosen: light, dark, or automatic. */
export function applyTheme() {
  const theme = setting("theme", "auto");
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/** The address of a part with its parameters. It includes the person, so that a bookmark is unambiguous. */
export function link(part, parameters = {}) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries({ person: shown.person, ...parameters })) {
    if (value !== null && value !== undefined && value !== "") query.set(key, value);
  }
  const text = query.toString();
  return `#/${part}${text ? `?${text}` : ""}`;
}

function place() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const parameters = Object.fromEntries(new URLSearchParams(query));
  const known = Object.hasOwn(hiddenParts, path) || parts.some(([name]) => name === path);
  return { part: known ? path : context.session?.opens ?? "now", parameters };
}

/** The functions and values that each part receives when it is opened. */
const context = {
  stream, link, session: null, applyTheme,
  /** Updates the address. It replaces the history entry, because a chart calls this after each movement. */
  remember(part, parameters) { history.replaceState(null, "", link(part, parameters)); },
  go(part, parameters) { location.hash = link(part, parameters); },
  /**
   * Opens the current part again, for example when its first data has arrived, unless the user is using it.
   * If the focus is on the heading, it stays there.
   */
  renew() {
    if (!isInUse(main.firstElementChild)) show({ isTurned: document.activeElement?.id === "title" });
  },
};

/** @param {{isTurned?: boolean}} how `isTurned`: whether the user has gone to another part. */
async function show({ isTurned = false } = {}) {
  const mine = ++turn;
  const { part, parameters } = place();
  const person = parameters.person ?? null;
  delete parameters.person;
  const isAnother = person !== shown.person && isPerson(person);
  if (isAnother) {
    shown.person = person;
    stream.restart();
    fillPeople();
  }
  document.body.classList.toggle("overlay", part === "overlay");
  fillNavigation(navigationOf(part, parameters));
  // Update the current part of the page, such as Sleep, in place. If the person changed, create it again
  // instead.
  if (!isAnother && current?.part === part && current.update?.(parameters)) {
    sayDamage();
    return;
  }
  current?.close?.();
  current = null;
  delete main.dataset.part;
  const name = parts.find(([id]) => id === part)?.[1] ?? hiddenParts[part];
  const heading = h("h1", { id: "title", tabindex: -1 }, name);
  const loading = h("p.quiet.loading", {}, "Loading …");
  const section = h("section.part", { "aria-labelledby": "title", "aria-busy": "true" }, heading, loading);
  fill(main, section);
  scrollTo(0, 0);
  let module;
  try {
    module = await import(`./parts/${part}.js`);
  } catch {
    if (mine === turn) fail("A part of this page could not be loaded. Is hrgate page still running?");
    return;
  }
  if (mine !== turn) return;
  document.title = `${name} · Health`;
  current = { part };
  try {
    const handle = await module.mount(section, parameters, context);
    if (mine === turn) Object.assign(current, handle);
    else handle?.close?.();
  } catch (error) {
    if (mine === turn) section.append(h("p.problem", { role: "alert" }, error.message));
    if (!error.word) console.error(error);
  }
  loading.remove();
  section.removeAttribute("aria-busy");
  if (mine !== turn) return;
  document.title = `${section.querySelector("h1").textContent} · Health`;
  sayDamage();
  if (isTurned) tellOf(heading);
  main.dataset.part = part;
}

/**
 * Shows below the heading which hours are damaged, so that the user does not mistake them for gaps. Called
 * when a part opens or changes its range, and when a response reports new damage.
 */
async function sayDamage() {
  const mine = ++damageTurn;
  const answer = await get("/api/damage").catch(() => null);
  const heading = main.querySelector(".part h1");
  if (!answer || mine !== damageTurn || !heading) return;
  const { blocks, store } = answer;
  const list = [store, ...blocks].filter(Boolean).join("\n");
  const box = main.querySelector(".damage");
  // Leave an unchanged alert alone, so that screen readers do not announce it again.
  if ((box?.dataset.blocks ?? "") === list) return;
  box?.remove();
  if (!list) return;
  const items = blocks.slice(0, 5).map((each) => h("li", {}, plain(withTypeNames(each))));
  (heading.closest(".heading") ?? heading).after(
    h("div.problem.damage", { role: "alert", data: { blocks: list } },
      store && h("p", {}, plain(store)),
      blocks.length > 0 && [h("p", {}, "Part of this store is damaged and not shown:"), h("ul", {}, items)],
      blocks.length > 5 && h("p", {}, `And ${number(blocks.length - 5)} more.`)));
}

/**
 * Moves the focus to the heading, so that a screen reader announces it. Does nothing if the user is in the
 * list of people, or has moved the focus since.
 */
function tellOf(heading) {
  const { activeElement, body } = document;
  const isFree = [null, body, main].includes(activeElement)
    || document.getElementById("nav").contains(activeElement);
  if (isFree && !document.querySelector("dialog[open]")) heading.focus({ preventScroll: true });
}

/**
 * Returns the part whose navigation entry is marked. For a chart of a type other than heart rate, this is
 * `data`.
 */
function navigationOf(part, { type }) {
  if (Object.hasOwn(parents, part)) return parents[part];
  return part === "heart-rate" && type && type !== "heartRate" ? "data" : part;
}

function isPerson(name) {
  return name === null || (context.session?.people ?? []).some((each) => each.name === name);
}

function fail(message) {
  // Leave an unchanged alert alone, so that screen readers do not announce it again.
  if (main.querySelector(".alone[role=alert]")?.textContent === message) return;
  fill(main, h("p.alone", { role: "alert" }, message));
}

/** Marks the current part. The links stay the same elements, so that they keep the focus. */
function fillNavigation(part) {
  const nav = document.getElementById("nav");
  if (!nav.firstChild) {
    const links = parts.map(([name, label]) => h("li", {}, h("a", { data: { part: name } }, label)));
    nav.append(h("ul", {}, links));
  }
  for (const each of nav.querySelectorAll("a")) {
    each.href = link(each.dataset.part);
    if (each.dataset.part === part) each.setAttribute("aria-current", "page");
    else each.removeAttribute("aria-current");
  }
  const mark = nav.querySelector("[aria-current]");
  // On a narrow screen, scroll the navigation bar so that the current entry is visible. `scrollIntoView`
  // would scroll the page too.
  if (mark) nav.scrollLeft = mark.offsetLeft - (nav.clientWidth - mark.offsetWidth) / 2;
  sayWaiting();
}

/** Shows the number of apps that wait for an answer. */
function sayWaiting() {
  const waiting = stream.last("pending")?.count ?? 0;
  const access = document.querySelector('#nav a[data-part="access"]');
  if (!access || Number(access.dataset.waiting ?? 0) === waiting) return;
  access.dataset.waiting = waiting;
  access.querySelector(".badge")?.remove();
  if (waiting) access.append(h("span.badge", {}, number(waiting), unseen(" waiting for an answer")));
}

function fillPeople() {
  const { people = [], person } = context.session;
  const box = document.getElementById("person");
  if (people.length < 2) return fill(box);
  const asked = shown.person ?? person ?? people.find((each) => each.isOwner)?.name;
  const hadFocus = box.contains(document.activeElement);
  fill(box, h("label", {}, h("span.unseen", {}, "Whose data"), h("select", {
    id: "people",
    onchange: (event) =>
      { location.hash = `#/${place().part}?person=${encodeURIComponent(event.target.value)}`; },
  }, people.map((each) =>
    h("option", { value: each.name, selected: each.name === asked }, plain(each.name))))));
  if (hadFocus) box.querySelector("select").focus();
}

function sayLink() {
  const texts = { live: "", waiting: "Waiting for hrgate …",
    polling: "Not live: updated every ten seconds." };
  say(document.getElementById("link"), texts[stream.state]);
}

/** Repeats a request until it succeeds, with growing pauses, while the server does not respond or is busy. */
async function withRetries(request, pause = 1000) {
  try {
    return await request();
  } catch (error) {
    if (![0, 429, 503].includes(error.status)) throw error;
    fail(`${error.message} This page tries again automatically.`);
  }
  await new Promise((resolve) => setTimeout(resolve, pause));
  return withRetries(request, Math.min(longestPause, 2 * pause));
}

async function begin() {
  onEnd((message) => {
    stream.stop();
    current?.close?.();
    current = null;
    turn += 1;
    document.getElementById("top").hidden = true;
    fail(message);
  });
  onLocked(() => {
    if (unlockTurn === turn) return;
    unlockTurn = turn;
    offerUnlock();
  });
  let asked;
  try {
    context.session = await withRetries(() => {
      asked = Date.now();
      return get("/api/session");
    });
  } catch (error) {
    if (error.word !== "session") fail(error.message);
    return;
  }
  setToken(context.session.csrf);
  knowSession(context.session);
  document.getElementById("top").hidden = false;
  hearServerClock(context.session.time, (asked + Date.now()) / 2);
  const person = place().parameters.person ?? null;
  if (isPerson(person)) shown.person = person;
  fillPeople();
  stream.addEventListener("state", sayLink);
  stream.addEventListener("pending", sayWaiting);
  onDamage(sayDamage);
  // The values of the part Now are events, so no response reports the damage that the server finds for them.
  stream.addEventListener("hello", () => stream.addEventListener("latest", sayDamage, { once: true }));
  stream.addEventListener("store", ({ detail }) => notice(withTypeNames(detail.message)));
  stream.start();
  addEventListener("hashchange", () => show({ isTurned: true }));
  takeDroppedFiles(() => place().part !== "welcome" && context.go("storage"));
  await show();
}

document.querySelector(".skip").addEventListener("click", (event) => {
  // "Skip to content": move the focus without following the link. The link's `#…` would replace the fragment
  // of the URL, which identifies the part of the page.
  event.preventDefault();
  main.focus();
});
begin();
