// Sources and access: requests of apps, permissions, sources and their order.

import { h, fill, ask, field, identifier, named, notice, plain, say } from "../dom.js";
import { get, post } from "../api.js";
import { ago, count, moment, number } from "../format.js";
import { typeName, typeNameInside } from "../names.js";

export async function mount(place, _, context) {
  const requests = h("div.stack");
  const access = h("section.stack");
  const sources = h("section.stack");
  const order = h("section.stack");
  place.append(requests, access, sources, order);
  let known = 0;

  async function fillPermissions() {
    const [{ permissions, pending }, { types }] =
      await Promise.all([get("/api/permissions"), get("/api/types")]);
    known = pending.length;
    fill(requests, pending.map((each) => requestView(each, fillPermissions)));
    fill(access, h("h2", {}, "App access"),
      permissions.length ? byApplication(permissions).map((each) => applicationView(each, fillPermissions))
        : h("p.quiet", {}, pending.length ? "No decisions yet. The open requests are above."
          : "No app has asked for access yet."),
      grantView(types, fillPermissions),
      h("p.quiet", {},
        h("small", {},
        "An app cannot find out whether it may read: without permission it sees only its own data.")));
  }

  async function fillSources() {
    const answer = await get("/api/sources");
    fill(sources, h("h2", {}, "Sources"),
      answer.sources.length
      ? h("div.scroll", { tabindex: 0, role: "region", "aria-label": "Sources" }, h("table.stacked", {},
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Source"), h("th", { scope: "col" }, "Samples"))),
      h("tbody", {}, answer.sources.map((each) => h("tr", {},
        h("th", { scope: "row" }, named(each.name), h("br"), identifier(each.source)),
        h("td", {}, Object.entries(each.samples).sort((a, b) => b[1] - a[1]).map(([type, amount], i) => [
          i > 0 && ", ",
          h("a", { href: context.link("data", { type, source: each.source }) },
          `${typeName(type)} ${number(amount)}`),
        ]))))))) : h("p.quiet", {}, "No data yet."));
    return answer.sources;
  }

  await fillPermissions();
  await fillOrder(order, await fillSources());
  // The switches may be in use, so they are only replaced if the number of requests has changed.
  const onPending = ({ detail }) => { if (detail.count !== known) fillPermissions().catch(() => {}); };
  context.stream.addEventListener("pending", onPending);
  return { close() { context.stream.removeEventListener("pending", onPending); } };
}

// Requests --------------------------------------------------------------------------------------------------

function requestView(request, done) {
  const { id, asked, application, objects = [], moreObjects = 0, read = [], share = [] } = request;
  const name = plain(request.name);
  const problem = h("p.problem", { role: "alert" });
  const box = (type, kind) => h("label.row", {}, h("input.switch", {
    type: "checkbox", role: "switch", checked: false, data: { kind, type },
  }), typeName(type));
  const choices = (legend, types, kind, why) => types.length > 0 && h("fieldset.stack", {},
    h("legend", {}, legend), types.map((type) => box(type, kind)),
    why && h("p.quiet", {}, h("small", {}, named(name), ` says: “${plain(why)}”`)));
  const allowAll = () => {
    for (const each of element.querySelectorAll(".switch")) each.checked = true;
    return answer(...["read", "share", "object"].map(chosen));
  };
  const element = h("article.request", { "aria-label": `${name} asks` },
    h("div.row.spread", {}, h("h2", {}, named(name), " asks for access"), h("span.quiet", {}, ago(asked))),
    name !== application && h("p.quiet", {}, identifier(application)),
    h("div.two", {}, choices("It would read", read, "read", request.readPurpose),
      choices("It would save", share, "share", request.sharePurpose)),
    objects.length > 0 && h("fieldset.stack", {},
      h("legend", {}, "It would read these single samples"), objects.map(objectBox),
      moreObjects > 0 && h("p.quiet", {}, `And ${number(moreObjects)} more, which cannot be`
        + " allowed on this page: ", h("code", {}, "hrgate permissions ask"), " shows all.")),
    problem,
    h("div.row.end", {},
      h("button", { type: "button", onclick: () => answer([], [], []) }, "Deny"),
      h("button", { type: "button", onclick: allowAll }, "Allow all"),
      h("button.primary", {
        type: "button", onclick: () => answer(...["read", "share", "object"].map(chosen)),
      }, "Allow selected")));

  function objectBox(object) {
    const name = `${typeName(object.type)} of ${moment(object.start)}`;
    return h("label.row", {}, h("input.switch", {
      type: "checkbox", role: "switch", checked: false, data: { kind: "object", type: object.uuid },
    }), h("span", {}, name, " ", h("small.quiet", {}, named(object.name))));
  }

  function chosen(kind) {
    return [...element.querySelectorAll(`.switch[data-kind="${kind}"]:checked`)]
      .map((each) => each.dataset.type);
  }

  async function answer(readTypes, shareTypes, samples) {
    try {
      const single = objects.length ? { objects: samples } : {};
      await post("/api/permissions/answer", { id, read: readTypes, share: shareTypes, ...single });
      const granted = readTypes.length + shareTypes.length + samples.length;
      notice(granted ? `${name} was answered.` : `${name} was denied access.`);
    } catch (error) {
      if (error.status !== 404) return say(problem, error.message);
      notice(`${name} no longer waits for an answer.`);
    }
    await done();
  }

  return element;
}

// Permissions -----------------------------------------------------------------------------------------------

function byApplication(permissions) {
  const groups = new Map();
  for (const each of permissions) {
    let group = groups.get(each.application);
    if (!group) {
      group = { application: each.application, name: each.name, lastRead: each.lastRead, types: [] };
      groups.set(each.application, group);
    }
    group.types.push(each);
  }
  return [...groups.values()].sort((a, b) => a.name.localeCompare(b.name));
}

function applicationView({ application, name: chosenName, lastRead, types }, done) {
  const name = plain(chosenName);
  const problem = h("p.problem", { role: "alert" });
  const change = (type, kind) => async (event) => {
    const box = event.target;
    box.disabled = true;
    say(problem, "");
    try {
      await post("/api/permissions", { application, types: [type], [kind]: box.checked });
      box.classList.remove("undecided");
    } catch (error) {
      box.checked = !box.checked;
      say(problem, error.message);
    }
    box.disabled = false;
  };
  const toggle = (each, kind, words) => {
    const isDecided = each[kind] !== undefined;
    return h("td", {}, h(isDecided ? "input.switch" : "input.switch.undecided", {
      type: "checkbox", role: "switch", checked: each[kind] === true, onchange: change(each.type, kind),
      "aria-label": `${name} ${words} ${typeNameInside(each.type)}${isDecided ? "" : " (not decided)"}`,
    }), !isDecided && h("small.quiet", {}, " not decided"));
  };
  const forget = async () => {
    const yes = await ask({
      title: `Reset the access of ${name}?`, text: "It then has no access, and can ask again.",
      confirm: "Reset",
    });
    if (!yes) return;
    try {
      await post("/api/permissions/reset", { application });
      await done();
    } catch (error) {
      say(problem, error.message);
    }
  };
  return h("article.stack.application", {},
    h("div.row.spread", {}, h("h3", {}, named(name), name !== application && [" ", identifier(application)]),
      h("button.plain", { type: "button", onclick: forget }, "Reset access")),
    h("p.quiet", {}, lastRead ? `Last read: ${ago(lastRead)}.` : "No read is recorded."),
    problem,
    h("div.scroll", { tabindex: 0, role: "region", "aria-label": `Access of ${name}` }, h("table.access", {},
      h("thead", {},
        h("tr", {},
        ["Type", "Reads", "Saves", "Single samples"].map((label) => h("th", { scope: "col" }, label)))),
      h("tbody", {}, types.map((each) => h("tr", {}, h("th", { scope: "row" }, typeName(each.type)),
        toggle(each, "read", "reads"), toggle(each, "share", "saves"),
        h("td", {}, each.objects ? count(each.objects, "sample") : "")))))));
}

/** The form that lets an app read a type for which it has not asked. */
function grantView(types, done) {
  const problem = h("p.problem", { role: "alert" });
  const application = h("input", {
    name: "application", required: true, autocomplete: "off", spellcheck: false,
    placeholder: "org.example.coach",
  });
  // A correlation, such as blood pressure, is read by those who may read its parts.
  const choice = h("select", { name: "type" }, types.filter(({ kind }) => kind !== "correlation")
    .map(({ type }) => h("option", { value: type }, typeName(type))));
  const allow = async (event) => {
    event.preventDefault();
    say(problem, "");
    const id = application.value.trim();
    try {
      await post("/api/permissions", { application: id, types: [choice.value], read: true });
    } catch (error) {
      return say(problem, error.message);
    }
    notice(`${id} may read ${typeNameInside(choice.value)}.`);
    await done();
  };
  return types.length > 0 && h("details.grant", {}, h("summary", {}, "Allow an app that has not asked"),
    h("form.stack", { onsubmit: allow },
      h("div.row", {}, field("Identifier of the app", application), field("It may read", choice),
        h("button.primary", { type: "submit" }, "Allow reading")), problem));
}

// Order of sources ------------------------------------------------------------------------------------------

async function fillOrder(place, sources) {
  const { types: known } = await get("/api/types");
  // Only types with numbers are combined from several sources.
  const types = known.filter((each) => each.kind === "quantity").map((each) => each.type)
    .filter((type) => sources.filter((each) => each.samples[type]).length > 1);
  if (!types.length) return fill(place);
  const list = h("ol.order", { "aria-label": "Sources in order of preference" });
  const heard = h("p.unseen", { role: "status" });
  const problem = h("p.problem", { role: "alert" });
  const choice = h("select", { "aria-label": "Type", onchange: () => load() },
    types.map((type) => h("option", { value: type }, typeName(type))));
  fill(place, h("h2", {}, "Preferred source"),
    h("p.quiet", {},
      "Where sources overlap, sums use the upper one. Drag, or move with the arrow keys."),
    h("div.row", {}, choice, h("button.plain", { type: "button", onclick: () => keep([]) }, "Default order")),
    list, heard, problem);

  async function load() {
    say(problem, "");
    try {
      fillList((await get("/api/order", { type: choice.value })).sources);
    } catch (error) {
      say(problem, error.message);
    }
  }

  function fillList(items) {
    fill(list, items.map((each) => {
      const item = h("li", { data: { source: each.source } },
        h("button.grip", {
          type: "button", "aria-label": `Move ${plain(each.name)}`, "aria-roledescription": "movable",
          onkeydown: (event) => key(event, item), onpointerdown: (event) => drag(event, item),
        }, "⠿"), h("span.name", {}, named(each.name), " ", identifier(each.source)));
      return item;
    }));
  }

  function key(event, item) {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const other = by < 0 ? item.previousElementSibling : item.nextElementSibling;
    if (!other) return;
    if (by < 0) other.before(item);
    else other.after(item);
    item.querySelector("button").focus();
    const place = [...list.children].indexOf(item) + 1;
    say(heard,
      `${plain(item.querySelector(".name bdi").textContent)}: place ${place} of ${list.children.length}`);
    keepSoon();
  }

  function drag(event, item) {
    event.preventDefault();
    const grip = event.currentTarget;
    grip.focus();
    item.classList.add("held");
    const before = orderNow().join();
    const move = ({ clientY }) => {
      for (const other of list.children) {
        if (other === item) continue;
        const { top, height } = other.getBoundingClientRect();
        if (clientY < top || clientY > top + height) continue;
        if (clientY < top + height / 2) other.before(item);
        else other.after(item);
        break;
      }
    };
    const end = () => {
      window.removeEventListener("pointermove", move);
      window.removeEventListener("pointerup", end);
      window.removeEventListener("pointercancel", end);
      item.classList.remove("held");
      if (orderNow().join() !== before) keep(orderNow());
    };
    // Listen on the window. The grip changes its position in the list during the drag and would not get all
    // events.
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", end);
    window.addEventListener("pointercancel", end);
  }

  let timer = 0;
  /** Saves the order after a pause, so that several key presses in a row cause only one change. */
  function keepSoon() {
    clearTimeout(timer);
    timer = setTimeout(() => keep(orderNow(), false), 600);
  }

  function orderNow() {
    return [...list.children].map((each) => each.dataset.source);
  }

  async function keep(order, reloads = true) {
    clearTimeout(timer);
    say(problem, "");
    try {
      await post("/api/order", { type: choice.value, sources: order });
      notice(order.length ? "The order was saved." : "The default order is in use again.");
      if (reloads) await load();
    } catch (error) {
      await load();
      say(problem, error.message);
    }
  }

  await load();
}
