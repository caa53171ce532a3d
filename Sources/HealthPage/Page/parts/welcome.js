// Welcome: how to begin with an empty store.

import { h } from "../dom.js";
import { get } from "../api.js";
import { addButton } from "../entry.js";
import { ImportBox, importing } from "../importing.js";
import { afterCommits } from "../stream.js";

export async function mount(place, _, context) {
  const box = new ImportBox();
  const problem = h("p.problem", { role: "alert" });
  const { types } = await get("/api/types");
  const state = types.length ? "These are the ways to add more:"
    : "Nothing is stored yet. Begin with one of these:";
  const card = (title, ...children) => h("section.card.begin", {}, h("h2", {}, title), ...children);
  place.append(
    h("p", {}, `Your health data stays on this computer. ${state}`),
    h("div.cards", {},
      card("Pair a heart-rate strap",
        h("p.quiet", {}, "Put the strap on, so that it is switched on. Your pulse is shown as soon as it is"
          + " paired and ", h("code", {}, "hrgate run"), " is running."),
        h("div", {}, h("a.button", { href: context.link("monitors") }, "Pair a strap"))),
      card("Import from an iPhone",
        h("p.quiet", {}, "In the Health app, tap your picture, then Export All Health Data, and bring"
          + " export.zip to this computer."),
        box.element),
      card("Try the demo",
        h("p.quiet", {}, "A year of sample data and two simulated straps, in a store of their own. Run this"
          + " in a terminal:"),
        h("p", {}, h("code", {}, "hrgate demo")))),
    h("div.row", {}, h("span.quiet", {}, "Or enter a value, such as your weight:"),
      addButton(null, "Add data", () => context.go("summary"), problem)), problem);
  if (types.length) return { close: () => box.close() };
  // The result of an import stays visible until the user leaves this page.
  const isImporting = () => importing.phase !== "idle";
  const stop = afterCommits(context.stream, async (signal) => {
    const { types } = await get("/api/types", {}, signal);
    if (!types.length) return;
    if (!isImporting()) return context.go("summary");
    if (importing.phase === "over" && !place.querySelector(".onward")) {
      place.append(h("p.onward", {}, h("a.button", { href: context.link("summary") }, "Show my data")));
    }
  });
  return {
    close() {
      stop();
      box.close();
    },
  };
}
