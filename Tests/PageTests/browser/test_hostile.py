"""Names that contain markup, and the content security policy."""

import re

from harness import check, expect, go, settle, test
from standin import PAGE
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
