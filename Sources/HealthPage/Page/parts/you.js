// You: who you are, the units and goals that programs are shown, and how this page looks in this browser.

import { h, fill, ask, field, form, notice, say } from "../dom.js";
import { get, post } from "../api.js";
import { ago, day, number, startOfDay } from "../format.js";
import { choiceName, typeName, unitName } from "../names.js";
import { keepSetting, setting } from "../settings.js";
import { themeChanged } from "../charts/palette.js";
import { zoneBasis } from "../zones.js";

export async function mount(place, _, context) {
  const you = h("section.stack"), zones = h("section.stack"), units = h("section.stack");
  const goals = h("section.stack"), look = h("section.stack"), browsers = h("section.stack");
  place.append(you, zones, units, goals, look, browsers);
  fillLook(look, context);
  await Promise
    .all([fillCharacteristics(you, zones), fillZones(zones), fillUnits(units), fillGoals(goals),
    fillBrowsers(browsers, context)]);
  return {};
}

/** Changes something, says so, and on failure says why, beside the control. */
async function change(problem, route, body, done, text = "Kept.") {
  say(problem, "");
  try {
    await post(route, body);
    notice(text);
  } catch (error) {
    say(problem, error.message);
  }
  await done?.();
}

async function fillCharacteristics(place, zones) {
  const { characteristics } = await get("/api/characteristics");
  const problem = h("p.problem", { role: "alert" });
  const again = async () => { await fillCharacteristics(place, zones); await fillZones(zones); };
  fill(place, h("h2", {}, "About you"), problem,
    h("div.two", {}, characteristics.map(({ name, value, values }) => {
    const set = (next) =>
      change(problem, "/api/characteristics", { name, value: next === "" ? null : next }, again);
    if (values) {
      return field(typeName(name), h("select", { onchange: (event) => set(event.target.value) },
        h("option", { value: "", selected: !value }, "Not said"),
        values.map((each) => h("option", { value: each, selected: each === value }, choiceName(each)))));
    }
    return field(typeName(name), h("input", {
      type: name === "dateOfBirth" ? "date" : "text", value: value ?? "",
      max: name === "dateOfBirth" ? new Date().toISOString().slice(0, 10) : null,
      onchange: (event) => set(event.target.value),
    }));
  })));
}

async function fillZones(place) {
  const basis = await zoneBasis();
  const chosen = setting("maximum", null, true);
  const input = h("input", {
    type: "number", min: 100, max: 230, value: chosen ?? "", placeholder: basis ? String(basis.maximum) : "",
    onchange: () => {
      const value = Number(input.value);
      if (input.value !== ""
        && !(value >= 100 && value <= 230)) return notice("A greatest heart rate lies between 100 and 230.");
      keepSetting("maximum", input.value === "" ? null : value, true);
      notice("Kept in this browser.");
      fillZones(place);
    },
  });
  fill(place, h("h2", {}, "Zones of effort"), h("div.two", {}, field("Greatest heart rate", input,
    chosen ? "Zones 1 to 5 begin at 50, 60, 70, 80 and 90 per cent of it. Kept in this browser."
      : basis ? `Without one: ${number(basis.maximum)}, reckoned from your age.`
        : "Without one, it is reckoned from your date of birth.")));
}

async function fillUnits(place) {
  const { units } = await get("/api/units");
  const problem = h("p.problem", { role: "alert" });
  if (!units.length) return fill(place);
  fill(place, h("h2", {}, "Units"), problem, h("div.two", {}, units.map(({ type, unit, isChosen, choices }) =>
    field(typeName(type), h("select", {
      onchange: (event) =>
        change(problem, "/api/units", { type, unit: event.target.value || null }, () => fillUnits(place)),
    }, h("option", { value: "", selected: !isChosen },
    isChosen ? "As usual here" : `As usual here (${unitName(unit, type) || unit})`),
    choices.map((each) =>
      h("option", { value: each, selected: isChosen && each === unit }, unitName(each, type) || each)))))));
}

async function fillGoals(place) {
  const { goals, names } = await get("/api/goals");
  const problem = h("p.problem", { role: "alert" });
  const newest = new Map();
  for (const goal of goals) {
    const other = newest.get(goal.goal);
    if (!other || !(other.from > goal.from)) newest.set(goal.goal, goal);
  }
  const today = localDate(Date.now());
  const set = (goal) => form({
    title: typeName(goal), confirm: "Keep",
    text: "It counts from today on; days before keep the goal that they had.",
    fields: field(`Each day${newest.get(goal)?.unit ? `, in ${newest.get(goal).unit}` : ""}`, h("input", {
      type: "number", name: "value", min: 0, step: "any", required: true,
      value: newest.get(goal)?.value ?? "",
    })),
    submit: async (data) => {
      await post("/api/goals", { goal, value: Number(data.get("value")), from: today });
      await fillGoals(place);
    },
  });
  fill(place, h("h2", {}, "Goals"), problem, h("ul.list", {}, names.map((name) => {
    const goal = newest.get(name);
    return h("li.row.spread", {}, h("span", {}, typeName(name), goal && h("span.quiet", {}, goalText(goal))),
      h("span.row", {},
        h("button",
        { type: "button", "aria-label": `Set the goal ${typeName(name)}`, onclick: () => set(name) },
        goal ? "Change" : "Set"),
        goal && h("button.plain", { type: "button", "aria-label": `No goal ${typeName(name)}`,
          onclick: () =>
            change(problem, "/api/goals", { goal: name, value: null, from: today },
            () => fillGoals(place)) }, "None")));
  })));
}

function goalText({ value, unit, from }) {
  const since = day(Date.parse(`${from}T12:00`), { weekday: null });
  return `  ${number(value)} ${unit ?? ""} a day, since ${since}`;
}

function localDate(time) {
  const date = new Date(startOfDay(time));
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((each) => String(each).padStart(2, "0")).join("-");
}

function fillLook(place, context) {
  const theme = setting("theme", "auto");
  fill(place, h("h2", {}, "Light and dark"),
    h("div.choice", { role: "group", "aria-label": "Light and dark" },
    [["auto", "As the system"], ["light", "Light"], ["dark", "Dark"]].map(([name, label]) => h("button", {
      type: "button", "aria-pressed": String(name === theme),
      onclick: () => {
        keepSetting("theme", name === "auto" ? null : name);
        context.applyTheme();
        themeChanged();
        fillLook(place, context);
        place.querySelector('[aria-pressed="true"]').focus();
      },
    }, label))));
  place.querySelector(".choice").classList.add("fit");
}

async function fillBrowsers(place, context) {
  const { sessions } = await get("/api/sessions");
  const problem = h("p.problem", { role: "alert" });
  const end = (session) =>
    change(problem, "/api/sessions/end", { id: session.id }, () => fillBrowsers(place, context), "Ended.");
  const endAll = async () => {
    if (await ask(
      { title: "End all sessions?", text: "This one ends, too. hrgate page opens a new one.",
      confirm: "End all", cancel: "Go on" })) {
      await change(problem, "/api/sessions/end", { all: true }, () => get("/api/session").catch(() => {}),
        "Ended.");
    }
  };
  fill(place, h("h2", {}, "Browsers that see this page"), problem,
    h("ul.list", {}, sessions.map((session) => h("li.row.spread", {},
    h("span", {}, session.isThis ? "This one" : `Opened ${ago(session.opened)}`,
      h("span.quiet", {},
      session.isThis ? `  opened ${ago(session.opened)}` : `  last used ${ago(session.lastUsed)}`)),
    !session.isThis && h("button", { type: "button", onclick: () => end(session) }, "End")))),
  h("div.row", {}, h("button.plain", { type: "button", onclick: endAll }, "End all")),
  h("p.quiet", {},
    h("small", {}, `hrgate ${context.session.version ?? ""}, ${context.session.store ?? ""}`)));
}
