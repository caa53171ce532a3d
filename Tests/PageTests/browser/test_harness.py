"""The harness: what happens if the browser fails."""

import time

from harness import Failure, check, expect, settle, test


@test
def test_a_test_fails_at_once_if_its_tab_crashes(browser):
    begun = time.monotonic()
    reason = None
    try:
        with browser.standin("you") as page:
            settle(page, "you")
            # Not goto(): that reports the crash by itself.
            page.evaluate("setTimeout(() => { location = 'chrome://crash'; }, 0)")
            page.context.new_cdp_session(page).send("Page.crash")
            expect(page.locator("#never")).to_have_count(1)
    except Failure as failure:
        reason = str(failure)
    check(reason and "crashed" in reason, f"the reason is {reason}")
    took = time.monotonic() - begun
    check(took < browser.timeout / 2000, f"it took {took:.0f} s")
