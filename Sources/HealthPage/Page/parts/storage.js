// Storage: importing, exporting, backing up, and the state of the store and of its sync destinations.

import { fill, h, named, refill } from "../dom.js";
import { address, get, save } from "../api.js";
import { afterCommits } from "../stream.js";
import { ImportBox } from "../importing.js";
import { ago, count, number, sizeText } from "../format.js";

const stateNames = {
  current: "up to date", carrying: "sending", waiting: "waiting", failing: "failing, tries again",
  blocked: "blocked",
};

export async function mount(place, _, context) {
  const box = new ImportBox();
  const state = h("div.sections");
  const show = (answer) => refill(state, stateOf(answer));
  const first = await get("/api/storage");
  fill(state, stateOf(first));
  const link = (path, text) => h("a.button", { href: address(path), onclick: save }, text);
  place.append(
    h("section.stack", {}, h("h2", {}, "Import from an iPhone"),
      h("p.quiet", {}, "In the Health app of the iPhone, tap your picture, then Export All Health Data."
        + " Samples that are stored already are not stored again."),
      box.element),
    h("section.stack", {}, h("h2", {}, "Export everything"),
      h("p.quiet", {}, "All samples in one file, as Apple Health exports them. You can import it here again."
        + " Single types as CSV: see ", h("a", { href: context.link("data") }, "All data"), "."),
      h("div", {}, link("/api/export.xml", "Export all samples"))),
    h("section.stack", {}, h("h2", {}, "Back up"),
      h("p.quiet", {}, "Everything: samples, monitors, permissions, settings. ",
        first.isEncrypted ? "The file is encrypted: keep its keys beside it, as FILE-keys."
          : "Not encrypted."),
      h("div.row", {}, link("/api/backup", "Download a backup"),
        first.isEncrypted && link("/api/backup-keys", "Download its keys")),
      h("p.quiet", {}, "To restore, run in a terminal:"),
      h("p", {}, h("code", {}, "hrgate store restore FILE"))),
    state);
  const stop = afterCommits(context.stream, async (signal) => show(await get("/api/storage", {}, signal)));
  return {
    close() {
      stop();
      box.close();
    },
  };
}

function stateOf({ store, size, free, samples, destinations }) {
  return [
    h("section.stack", {}, h("h2", {}, "Store"),
      h("dl.figures", {}, figure("Samples", number(samples)), figure("Size", sizeText(size)),
        free !== undefined && figure("Free on the disk", sizeText(free))),
      h("p.quiet", {}, h("code", {}, named(store)))),
    h("section.stack", {}, h("h2", {}, "Sync"), destinations.length ? syncTable(destinations)
      : [
        h("p.quiet", {}, "Data stays on this computer. To send it to PostgreSQL, FHIR, MQTT or a folder,"
          + " set up sync in a terminal:"),
        h("p", {}, h("code", {}, "hrgate sync add")),
      ]),
  ];
}

function figure(name, text) {
  return h("div", {}, h("dt", {}, name), h("dd.small", {}, text));
}

function syncTable(destinations) {
  const head = ["Destination", "State", "Sent", "To send", "Rejected", "Last success"];
  return h("div.scroll", { tabindex: 0, role: "region", "aria-label": "Sync destinations" }, h("table", {},
    h("thead", {}, h("tr", {}, head.map((each) => h("th", { scope: "col" }, each)))),
    h("tbody", {}, destinations.map((each) => h("tr", {},
      h("th", { scope: "row" }, named(each.name), " ", h("small.quiet", {}, each.kind)),
      h("td", {}, h(["failing", "blocked"].includes(each.state) ? "span.warn" : "span", {},
        stateNames[each.state] ?? each.state), each.error && h("p", {}, h("small", {}, named(each.error)))),
      h("td", {}, number(each.sent)), h("td", {}, number(each.pending)),
      h("td", {}, each.rejected ? count(each.rejected, "sample") : "none"),
      h("td", {}, each.last === undefined ? "never" : ago(each.last)))))));
}
