// You: characteristics, units and goals for apps, and the settings of this browser.

import { h, fill, ask, field, form, identifier, named, notice, say } from "../dom.js";
import { get, post } from "../api.js";
import { ago, dateText, day, moment, number } from "../format.js";
import { newestGoals } from "../goals.js";
import { choiceName, typeName, unitName } from "../names.js";
import { keepSetting, setting } from "../settings.js";
import { themeChanged } from "../charts/palette.js";
import { unitChoices } from "../unit-choices.js";
import { zoneBasis } from "../zones.js";

export async function mount(place, _, context) {
  const zones = new Section("Zones of effort", fillZones);
  const sections = [
    new Section("Medical ID", (section) => fillCharacteristics(section, zones)), zones,
    new Section("Medications", fillMedications),
    new Section("Units", fillUnits), new Section("Goals", fillGoals),
    new Section("Light and dark", (section) => fillLook(section, context)),
    new Section("Browsers with a session", (section) => fillBrowsers(section, context)),
  ];
  place.append(...sections.map((each) => each.element));
  await Promise.all(sections.map((each) => each.refill()));
  return {};
}

/** A section with a heading and an error message. */
class Section {
  constructor(title, build) {
    this.build = build;
    this.problem = h("p.problem", { role: "alert" });
    this.body = h("div.stack");
    this.element = h("section.stack", {}, h("h2", {}, title), this.problem, this.body);
  }

  /** Reloads the stored values, and restores the focus. */
  async refill() {
    const { activeElement } = document;
    const focused = this.body.contains(activeElement) ? activeElement.getAttribute("aria-label") : null;
    await this.build(this);
    if (focused) this.body.querySelector(`[aria-label="${CSS.escape(focused)}"]`)?.focus();
  }

  /** Sends a change. The controls are only reloaded if it failed. */
  async change(route, body, text = "Saved.") {
    say(this.problem, "");
    try {
      await post(route, body);
      notice(text);
      return true;
    } catch (error) {
      say(this.problem, error.message);
      await this.refill().catch(() => {});
      return false;
    }
  }
}

async function fillCharacteristics(section, zones) {
  const { characteristics } = await get("/api/characteristics");
  // The unit of the move goal comes last, because it does not describe the user.
  characteristics.sort((a, b) => (a.name === "activityMoveMode") - (b.name === "activityMoveMode"));
  const today = dateText(Date.now());
  fill(section.body, h("div.two", {}, characteristics.map(({ name, value, values }) => {
    const onchange = async (event) => {
      const said = event.target.value || null;
      if (await section.change("/api/characteristics", { name, value: said })) await zones.refill();
    };
    if (!values) {
      const isDate = name === "dateOfBirth";
      return field(typeName(name), h("input", {
        type: isDate ? "date" : "text", value: value ?? "", max: isDate ? today : null, onchange,
      }));
    }
    return field(typeName(name), h("select", { onchange },
      h("option", { value: "", selected: !value }, "Not set"),
      values.map((each) => h("option", { value: each, selected: each === value }, choiceName(each)))));
  })));
}

async function fillZones(section) {
  const basis = await zoneBasis();
  const chosen = basis?.origin === "chosen" ? basis.maximum : null;
  const onchange = ({ target }) => {
    const value = Number(target.value);
    const isNone = target.value === "";
    say(section.problem, "");
    if (!isNone && !(value >= 100 && value <= 230)) {
      return say(section.problem, "The maximum heart rate must be between 100 and 230 beats a minute.");
    }
    section.change("/api/maximum", { maximum: isNone ? null : Math.round(value) })
      .then((isDone) => isDone && section.refill());
  };
  const hint = chosen
    ? "Zones 1 to 5 begin at 50, 60, 70, 80 and 90 percent of it, unless you enter limits. hrgate zones and"
      + " apps have the same zones."
    : basis?.maximum ? `If empty: ${number(basis.maximum)}, estimated from your age.`
      : "If empty, it is estimated from your date of birth.";
  const input = h("input", {
    type: "number", min: 100, max: 230, value: chosen ?? "", placeholder: String(basis?.maximum ?? ""),
    "aria-label": "Maximum heart rate", onchange,
  });
  fill(section.body, field("Maximum heart rate", input, hint), limitsView(section, basis));
}

/** The heart rates at which zones begin, and what changes them. */
function limitsView(section, basis) {
  const set = async (limits) => {
    await post("/api/zones/limits", { limits });
    await section.refill();
  };
  const toShares = async () => {
    if (await section.change("/api/zones/limits", { limits: null })) await section.refill();
  };
  const rates = basis?.bounds.map((bound) => number(Math.round(bound))).join(", ");
  return h("div.row.spread", {},
    h("span", {}, "Limits of zones", rates && h("span.quiet", {}, `  ${rates} beats a minute`),
      basis && h("span.quiet", {}, basis.areLimits ? ", entered by you" : "")),
    h("span.row", {},
      h("button", {
        type: "button", "aria-label": "Change the limits of zones", onclick: () => askLimits(basis, set),
      }, "Change"),
      basis?.areLimits && h("button.plain", { type: "button", onclick: toShares }, "Use percentages")));
}

function askLimits(basis, set) {
  const inputs = [1, 2, 3, 4, 5].map((zone) => h("input", {
    type: "number", name: `zone${zone}`, min: 30, max: 250, step: 1, required: true,
    value: basis ? Math.round(basis.bounds[zone - 1]) : "",
  }));
  form({
    title: "Limits of zones", confirm: "Save",
    text: "Heart rates at which the zones begin, in beats a minute.",
    fields: h("div.two", {}, inputs.map((input, i) => field(`Zone ${number(i + 1)} begins at`, input))),
    submit: async () => {
      const limits = inputs.map((input) => Number(input.value));
      const low = limits.findIndex((limit, i) => i > 0 && limit <= limits[i - 1]);
      if (low > 0) {
        inputs[low].focus();
        throw new Error(`Zone ${number(low + 1)} must begin above zone ${number(low)}.`);
      }
      await set(limits);
    },
  });
}

async function fillMedications(section) {
  const { medications } = await get("/api/medications");
  section.element.hidden = !medications.length;
  fill(section.body, h("ul.list", {}, medications.map((each) => {
    const facts = [
      each.nickname && each.name, each.form && choiceName(each.form), each.hasSchedule && "on a schedule",
      each.isArchived && "archived",
    ].filter(Boolean);
    return h("li", {}, named(each.nickname ?? each.name), h("span.quiet", {}, "  ", named(facts.join(", "))));
  })));
}

async function fillUnits(section) {
  const { units } = await get("/api/units");
  // A type with a single unit needs no menu. The others are in the order of their names.
  const some = units.map((each) =>
    ({ ...each, choices: each.choices && unitChoices(each.type, each.choices, each.unit) }))
    .filter(({ choices }) => choices?.length !== 1)
    .sort((a, b) => typeName(a.type).localeCompare(typeName(b.type)));
  section.element.hidden = !some.length;
  fill(section.body, h("div.two", {}, some.map(({ type, unit, isChosen, choices }) => {
    const name = (each) => unitName(each, type) || each;
    const usual = isChosen ? "Default" : `Default: ${name(unit)}`;
    const onchange = ({ target }) =>
      section.change("/api/units", { type, unit: target.value.trim() || null });
    if (!choices) {
      return field(typeName(type), h("input", {
        type: "text", value: isChosen ? unit : "", placeholder: usual, onchange,
      }));
    }
    return field(typeName(type), h("select", { onchange },
      h("option", { value: "", selected: !isChosen }, usual),
      choices.map((each) => h("option", { value: each, selected: isChosen && each === unit }, name(each)))));
  })));
}

async function fillGoals(section) {
  const { goals, choices } = await get("/api/goals");
  const set = newestGoals(goals);
  fill(section.body, h("ul.list", {}, choices.map(({ goal, unit }) =>
    goalRow(goal, unitName(unit), set.get(goal), section))));
}

function goalRow(name, unit, goal, section) {
  const title = typeName(name);
  const from = dateText(Date.now());
  const set = () => form({
    title, confirm: "Save", text: "It applies from today. Earlier days keep their goal.",
    fields: field(`Each day${unit ? `, in ${unit}` : ""}`, h("input", {
      type: "number", name: "value", min: 0, step: "any", required: true, value: goal?.value ?? "",
    })),
    submit: async (data) => {
      await post("/api/goals", { goal: name, value: Number(data.get("value")), from });
      await section.refill();
    },
  });
  const clear = async () => {
    if (await section.change("/api/goals", { goal: name, value: null, from })) await section.refill();
  };
  const label = { type: "button", "aria-label": `Set the goal ${title}`, onclick: set };
  return h("li.row.spread", {},
    h("span", {}, title, goal && h("span.quiet", {}, goalText(goal, unit))),
    h("span.row", {}, h("button", label, goal ? "Change" : "Set"),
      goal && h("button.plain", { ...label, "aria-label": `No goal ${title}`, onclick: clear }, "None")));
}

function goalText({ value, from }, unit) {
  const since = day(Date.parse(`${from}T12:00`), { weekday: null });
  return `  ${[number(value), unit].filter(Boolean).join(" ")} a day, since ${since}`;
}

function fillLook(section, context) {
  const theme = setting("theme", "auto");
  const choose = (name) => {
    keepSetting("theme", name === "auto" ? null : name);
    context.applyTheme();
    themeChanged();
    section.refill();
  };
  const themes = [["auto", "Automatic"], ["light", "Light"], ["dark", "Dark"]];
  fill(section.body, h("div.choice.fit", { role: "group", "aria-label": "Light and dark" },
    themes.map(([name, label]) => h("button", {
      type: "button", "aria-pressed": String(name === theme), "aria-label": label,
      onclick: () => choose(name),
    }, label))));
}

async function fillBrowsers(section, context) {
  const { sessions } = await get("/api/sessions");
  const end = async ({ id }) => {
    if (await section.change("/api/sessions/end", { id }, "Ended.")) await section.refill();
  };
  const endAll = async () => {
    const isSure = await ask({
      title: "End all sessions?", text: "This one ends, too. hrgate page opens a new one.",
      confirm: "End all", cancel: "Cancel",
    });
    if (!isSure || !await section.change("/api/sessions/end", { all: true }, "Ended.")) return;
    // This request fails because the session has ended. The error ends the session for the whole page.
    await get("/api/session").catch(() => {});
  };
  const row = (session) => {
    const begun = moment(session.opened, { seconds: true });
    const name = session.isThis ? `This one, begun ${begun}` : `Begun ${begun}`;
    return h("li.row.spread", {},
      h("span", {}, name, h("span.quiet", {}, `  last used ${ago(session.lastUsed)} `),
        identifier(session.id)),
      !session.isThis && h("button",
        { type: "button", "aria-label": `End the one begun ${begun}`, onclick: () => end(session) }, "End"));
  };
  const { version = "", store = "" } = context.session;
  fill(section.body, h("ul.list", {}, sessions.map(row)),
    h("div.row", {}, h("button.plain", { type: "button", onclick: endAll }, "End all")),
    h("p.quiet", {}, h("small", {}, `hrgate ${version}, ${store}`)));
}
