"""Samples that are added on the page of a real store.

Tests/CommandTests/PageEntryTests.swift names them, and reads them with a HealthKit program afterwards."""

from harness import check, expect, go, settle, test

FIELDS = ("value", "systolic", "diastolic", "energy", "distance")


@test(served="entries")
def test_entries_of_each_kind_are_added_from_the_summary(browser):
    with browser.page(browser.address + "#/summary") as page:
        settle(page, "summary")
        for entry in browser.facts["entries"]:
            page.get_by_role("button", name="Add data").click()
            form = page.get_by_role("dialog")
            form.locator("[name=type]").select_option(entry["type"])
            for name in FIELDS:
                if name in entry:
                    form.locator(f"[name={name}]").fill(entry[name])
            for name in ("unit", "choice"):
                if name in entry:
                    form.locator(f"[name={name}]").select_option(entry[name])
            # The form has local times.
            for name in ("start", "end"):
                if name in entry:
                    form.locator(f"[name={name}]").fill(entry[name])
            form.locator("button[type=submit]").click()
            expect(form, f"{entry}").to_have_count(0)
            expect(page.locator("#notice")).to_have_text("Added.")
            settle(page, "summary")
        # The new values are shown at once.
        cards = page.locator(".card")
        expect(cards.filter(has_text="Weight")).to_contain_text("73.2")
        check(cards.count() > 3, f"{cards.count()} cards")
        # The workout is a session, although no strap was worn.
        go(page, "sessions")
        session = page.locator(".session")
        expect(session).to_have_count(1)
        expect(session).to_contain_text("Running")
        expect(session).to_contain_text("30 min, 5.2 km, 310 kcal")
        session.get_by_role("link", name="Open").click()
        settle(page, "session")
        expect(page.locator("#main")).to_contain_text("No heart rate was measured during this workout.")
