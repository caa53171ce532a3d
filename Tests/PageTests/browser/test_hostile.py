"""Names that contain markup, and the content security policy."""

import re

from harness import PHONE, WIDE, check, expect, go, settle, test
from standin import HOUR, PAGE, STRAP, WATCH
from test_parts import PARTS

WATCH_POLICY = """
window.breaches = [];
document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
  window.breaches.push(`${violatedDirective} ${blockedURI}`));
"""


@test
def test_names_from_outside_are_only_text(browser):
    with browser.standin("now") as page:
        page.evaluate(WATCH_POLICY)
        settle(page, "now")
        for part in PARTS:
            go(page, part)
            page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
            check(
                page.locator("#main img, #main script, #main b, #main i:not(:empty)").count() == 0,
                f"{part} has markup of a name",
            )
            title = page.title()
            check("broken" not in title, f"{part}: {title}")
        expect(page.locator('#nav a[data-part="you"]')).to_have_attribute("aria-current", "page")
        check(
            page.evaluate("window.breaches") == [],
            f"the policy was breached: {page.evaluate('window.breaches')}",
        )


@test
def test_a_name_with_another_direction_does_not_affect_other_text(browser):
    with browser.shared("access") as page:
        settle(page, "access")
        texts = page.evaluate("""() => {
          const found = [], main = document.getElementById("main");
          const walker = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
          while (walker.nextNode()) {
            const { data, parentElement } = walker.currentNode;
            if (/[\\u202a-\\u202e]/.test(data) && !parentElement.closest("bdi")) found.push(data);
          }
          return found;
        }""")
        check(texts == [], f"these may change the direction of text beside them: {texts}")


# The characters of Unicode that change the direction of text: marks, embeddings, overrides and isolates.
DIRECTIONS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"

# JavaScript that returns where the page contains one of these characters, except in the data of its scripts.
FIND_DIRECTIONS = """directions => {
  const found = [], isIn = (text) => [...directions].some((each) => text.includes(each));
  for (const each of document.querySelectorAll("*")) {
    const texts = [...each.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
    if (texts.some(({ data }) => isIn(data))) found.push(`the text of ${each.cloneNode().outerHTML}`);
    for (const { name, value } of each.attributes) {
      if (!name.startsWith("data-") && isIn(value)) found.push(`${name} of ${each.localName}.${each.className}`);
    }
  }
  return found;
}"""

# JavaScript that returns the elements with a long name in which it takes more than two lines. A line of a
# heading is lower than one and a half times its letters, so a part of its third line may be seen.
FIND_TALL = """() => [...document.querySelectorAll("body *")].filter((each) => each.localName !== "option"
  && [...each.childNodes].some(({ nodeType, data }) => nodeType === Node.TEXT_NODE && data.includes("x".repeat(99)))
  && each.getBoundingClientRect().height > 3.1 * parseFloat(getComputedStyle(each).fontSize))
  .map((each) => `${each.parentElement.cloneNode().outerHTML}${each.cloneNode().outerHTML}`.slice(0, 200))"""


def renamed(value, keys, name):
    """Returns a response of the server with other names of sources, devices, monitors and applications."""
    if isinstance(value, list):
        return [renamed(each, keys, name) for each in value]
    if not isinstance(value, dict):
        return value
    has_name = {"source", "bundleIdentifier", "address", "application", "device"} & {*value}
    return {
        key: name(each)
        if isinstance(each, str) and (key in keys or key == "name" and has_name)
        else renamed(each, keys, name)
        for key, each in value.items()
    }


def naming(name, keys=()):
    """Returns a world with other names. `keys`: further fields of responses that have texts from outside."""

    def world(world):
        answer, monitors = world.answer, world.monitors
        times = {"start": world.now - 5 * HOUR, "end": world.now - 4 * HOUR}
        session = {"source": WATCH, "name": "Watch", "count": 9, "min": 60, "max": 80, "average": 70.0}
        world.other_sessions = [session | times]
        world.beating, world.zoned = [*world.beating, (WATCH, "Watch")], [*world.zoned, (WATCH, "Watch", 900)]
        world.title = "Ride"
        world.medications = [{"source": WATCH, "name": "Drug", "nickname": "Pill"}]
        world.answer = lambda path, asked: renamed(answer(path, asked), keys, name)
        world.monitors = lambda: renamed(monitors(), keys, name)

    return world


def each_part(page):
    """Opens each part with all its details, also the page of a session and the full-screen view."""
    start = page.world.wearings[0][0]
    for part in (*PARTS, f"session?source={STRAP}&start={start}", "overlay"):
        page.evaluate("part => { location.hash = `#/${part}`; }", part)
        settle(page, part.split("?")[0])
        page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        settle(page)
        yield part


@test
def test_no_name_contains_a_character_that_changes_the_direction(browser):
    """Such a character makes a name look like another one. All of them are removed, in texts, in labels, in
    the title of the window, and in a saved picture."""
    with browser.standin("now", naming(lambda each: DIRECTIONS.join(each), ["title", "nickname"])) as page:
        page.evaluate("""() => {
          window.drawn = [];
          const draw = CanvasRenderingContext2D.prototype.fillText;
          CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
            window.drawn.push(text);
            return draw.call(this, text, ...rest);
          };
        }""")
        for part in each_part(page):
            found = page.evaluate(FIND_DIRECTIONS, DIRECTIONS)
            check(not found, f"{part}: {sorted(set(found))}")
            words = {"now": "Polar H10", "heart-rate": "Polar H10", "beats": "Polar H10", "sessions": "Ride",
                     "data?type=heartRate": "gnp.exe", "access": "Coach", "monitors": "Polar H10", "you": "Pill"}
            expect(page.locator("#main")).to_contain_text(words.get(part, ""))
            if part == "heart-rate":
                with page.expect_download():
                    page.get_by_role("button", name="PNG", exact=True).click()
        drawn = page.evaluate("window.drawn")
        turned = [each for each in drawn if {*each} & {*DIRECTIONS}]
        check(not turned, f"these texts are drawn: {turned[:3]}")
        check(any("gnp.exe" in each for each in drawn), "the picture has no legend")


@test
def test_a_name_of_thousands_of_letters_takes_two_lines_in_each_part(browser):
    for size in (WIDE, PHONE):
        with browser.standin("now", naming(lambda each: each + "x" * 4000), size=size) as page:
            seen = 0
            for part in each_part(page):
                tall = page.evaluate(FIND_TALL)
                check(not tall, f"{part} of {size['width']} pixels: {sorted(set(tall))}")
                wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
                check(wide <= 0, f"{part} is {wide} pixels wider than {size['width']}")
                seen += "x" * 4000 in page.locator("#main").inner_text()
            check(seen >= 6, f"only {seen} parts show the name")


@test
def test_no_file_of_the_page_needs_an_exception_from_the_policy(_):
    """No file contains constructs that the policy forbids, or that turn text into markup."""
    forbidden = {
        r"\binnerHTML\b|\bouterHTML\b|insertAdjacentHTML|document\.write": "makes markup of text",
        r"\beval\(|new Function\(": "makes code of text",
        r"https?://(?!www\.w3\.org/)": "goes beyond this machine",
    }
    for file in sorted(PAGE.rglob("*")):
        if file.suffix not in (".js", ".html", ".css", ".svg"):
            continue
        text = file.read_text()
        for pattern, what in forbidden.items():
            check(not re.search(pattern, text), f"{file.name} {what}")
        long = [i for i, line in enumerate(text.split("\n"), 1) if len(line) > 110]
        check(not long, f"{file.name} has lines above 110 columns: {long}")
    markup = (PAGE / "index.html").read_text()
    check(
        not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=", markup),
        "index.html has something inline",
    )
    names = [str(file.relative_to(PAGE)) for file in PAGE.rglob("*") if file.is_file()]
    wrong = [
        name
        for name in names
        if not re.fullmatch(r"([a-z0-9-]+/)*[a-z0-9-]+\.(html|css|js|svg|png|webmanifest|txt)", name)
    ]
    check(not wrong, f"the server would not serve {wrong}")
