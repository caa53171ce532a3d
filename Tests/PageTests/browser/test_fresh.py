"""What is committed while a part is open: it is taken up, gently, and what the reader is at stays as it is."""

from harness import check, expect, patiently, settle, test
from standin import MINUTE

HIDE = """hidden => {
  Object.defineProperty(document, "hidden", { get: () => hidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


def listening(page, part):
    """Waits until a part is there and hears of commits."""
    settle(page, part)
    patiently(page, lambda: page.world.streams > 0, "nobody listens to what happens")
    page.wait_for_timeout(400)


def commit(page, later=0):
    """Time goes on in the store, too, and something is committed."""
    page.world.now += later
    page.world.commits += 1


def asked(page, path):
    return [each for route, each in page.world.asked if route == path]


@test
def test_the_summary_takes_up_what_is_committed_and_no_old_value_grows_older_meanwhile(browser):
    with browser.standin("summary", clocked=True) as page:
        listening(page, "summary")
        card = page.locator(".card").first
        expect(card).to_contain_text("61")
        page.clock.fast_forward(10 * MINUTE)
        expect(card).to_contain_text("10 min ago")
        card.get_by_role("link").focus()
        card.evaluate("each => { window.card = each; }")
        page.world.newest = 64
        commit(page, 10 * MINUTE)
        expect(card).to_contain_text("64")
        expect(card).to_contain_text("s ago")
        expect(card.get_by_role("link")).to_be_focused()
        check(card.evaluate("each => each === window.card"), "the card is another one")


@test
def test_commits_one_after_another_are_one_question_in_some_seconds(browser):
    with browser.standin("summary") as page:
        listening(page, "summary")
        page.world.asked.clear()
        for _ in range(8):
            commit(page)
            page.wait_for_timeout(500)
        patiently(page, lambda: asked(page, "/api/types"), "nothing was asked for")
        page.wait_for_timeout(1000)
        check(len(asked(page, "/api/types")) <= 2, f"{len(asked(page, '/api/types'))} times in five seconds")
        # Nor where nobody looks; who looks again sees what came meanwhile.
        page.evaluate(HIDE, True)
        page.world.asked.clear()
        page.world.newest = 64
        commit(page)
        page.wait_for_timeout(6000)
        check(not page.world.asked, f"asked for where nobody looks: {page.world.asked}")
        page.evaluate(HIDE, False)
        expect(page.locator(".card").first).to_contain_text("64")


@test
def test_an_empty_summary_has_what_is_stored_then(browser):
    with browser.standin("summary", is_empty=True) as page:
        listening(page, "summary")
        expect(page.locator("#main")).to_contain_text("Nothing is stored yet")
        page.world.is_empty = False
        commit(page)
        expect(page.locator(".card")).to_have_count(2)
