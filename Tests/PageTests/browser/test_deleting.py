"""Deleting single samples, ranges and all, and undoing it."""

from harness import PHONE, check, eventually, expect, go, settle, test, unchanged
from test_accessibility import axe, findings
from test_parts import posted

ROWS = "table.samples tbody > tr:visible"
UUID = "00000000-0000-8000-8000-{:012}"
UNDO_TIME = 11_000


def uuids(*numbers):
    return [UUID.format(number) for number in numbers]


def choose(page, number, **options):
    page.locator("tbody input[type=checkbox]").nth(number).click(**options)


@test
def test_a_deletion_is_sent_when_the_time_for_undoing_is_over(browser):
    with browser.standin("data?type=heartRate", clocked=True) as page:
        settle(page, "data")
        # Each of the 100 listed samples has a box.
        expect(page.locator("tbody input[type=checkbox]")).to_have_count(100)
        choose(page, 1)
        page.get_by_role("button", name="Delete 1 sample", exact=True).click()
        expect(page.locator("#undo")).to_contain_text("Deleting 1 sample.")
        expect(page.locator(ROWS)).to_have_count(99)
        page.clock.fast_forward(UNDO_TIME // 2)
        check(not posted(page, "/api/delete"), "it was sent before")
        page.clock.fast_forward(UNDO_TIME)
        expect(page.locator("#notice")).to_have_text("1 sample deleted.")
        expect(page.locator("#undo")).to_be_hidden()
        body = posted(page, "/api/delete")[0]
        check(body == {"uuids": uuids(1), "total": 1, "to": page.world.now + 0.001}, str(body))
        expect(page.locator("table.samples tbody > tr")).to_have_count(99)


@test
def test_undoing_leaves_the_samples_as_they_were(browser):
    for undo in (
        lambda page: page.get_by_role("button", name="Undo").click(),
        lambda page: page.keyboard.press("Control+z"),
    ):
        with browser.standin("data?type=heartRate", clocked=True) as page:
            settle(page, "data")
            choose(page, 0)
            choose(page, 2)
            page.get_by_role("button", name="Delete 2 samples", exact=True).click()
            expect(page.locator(ROWS)).to_have_count(98)
            undo(page)
            expect(page.locator(ROWS)).to_have_count(100)
            expect(page.locator("#notice")).to_have_text("Nothing was deleted.")
            page.clock.fast_forward(2 * UNDO_TIME)
            go(page, "you")
            check(not posted(page, "/api/delete"), "it was deleted in spite of that")


@test(slow=True)
def test_leaving_sends_a_deletion(browser):
    def part(page):
        go(page, "you")

    def person(page):
        page.evaluate("location.hash = '#/data?type=heartRate&person=anna'")

    def close(page):
        page.goto("about:blank")

    for leave in (part, person, close):
        with browser.standin("data?type=heartRate") as page:
            settle(page, "data")
            choose(page, 3)
            page.get_by_role("button", name="Delete 1 sample", exact=True).click()
            expect(page.locator("#undo")).to_be_visible()
            leave(page)
            eventually(page, lambda: posted(page, "/api/delete"), "nothing was sent")
            check(posted(page, "/api/delete")[0]["uuids"] == uuids(3), str(posted(page, "/api/delete")))


@test
def test_the_time_for_undoing_waits_for_a_reader_at_the_button(browser):
    with browser.standin("data?type=heartRate", clocked=True) as page:
        settle(page, "data")
        choose(page, 0)
        page.get_by_role("button", name="Delete 1 sample", exact=True).click()
        page.get_by_role("button", name="Undo").focus()
        page.clock.fast_forward(10 * UNDO_TIME)
        check(not posted(page, "/api/delete"), "it was sent")
        page.get_by_role("button", name="Undo").click()
        expect(page.locator(ROWS)).to_have_count(100)


@test
def test_a_range_is_selected_with_shift(browser):
    with browser.shared("data?type=heartRate", unchanged) as page:
        settle(page, "data")
        choose(page, 2)
        choose(page, 6, modifiers=["Shift"])
        expect(page.get_by_text("5 samples selected")).to_be_visible()
        # A range can be selected upwards too. Here it is removed from the selection.
        choose(page, 4)
        choose(page, 3, modifiers=["Shift"])
        page.get_by_role("button", name="Delete 3 samples", exact=True).click()
        expect(page.locator("#undo")).to_be_visible()
        go(page, "you")
        eventually(page, lambda: posted(page, "/api/delete"), "nothing was sent")
        check(posted(page, "/api/delete")[0]["uuids"] == uuids(2, 5, 6), str(posted(page, "/api/delete")))


@test
def test_all_that_are_listed_are_selected_and_the_whole_list_after_a_question(browser):
    with browser.shared("data?type=heartRate", unchanged) as page:
        settle(page, "data")
        everything = page.get_by_label("Select all 100 listed samples")
        everything.check()
        expect(page.get_by_text("100 samples selected")).to_be_visible()
        choose(page, 5)
        expect(page.get_by_text("99 samples selected")).to_be_visible()
        check(everything.evaluate("box => box.indeterminate"), "some are selected, and not all")
        choose(page, 5)
        page.get_by_role("button", name="Delete the whole list …").click()
        expect(page.locator("dialog")).to_contain_text("3 samples of heart rate")
        page.get_by_role("button", name="Keep").click()
        expect(page.locator("#undo")).to_be_hidden()
        page.get_by_role("button", name="Clear").click()
        expect(page.locator(".chosen-bar")).to_be_hidden()
        expect(page.locator("tbody input:checked")).to_have_count(0)
        everything.check()
        page.get_by_role("button", name="Delete the whole list …").click()
        page.get_by_role("button", name="Delete 3", exact=True).click()
        expect(page.locator(ROWS)).to_have_count(0)
        go(page, "you")
        eventually(page, lambda: posted(page, "/api/delete"), "nothing was sent")
        body = posted(page, "/api/delete")[0]
        check(body == {"type": "heartRate", "total": 3, "to": page.world.now + 0.001}, str(body))


@test
def test_a_single_sample_is_deleted_in_its_details(browser):
    with browser.shared("data?type=heartRate", unchanged) as page:
        settle(page, "data")
        row = page.locator("tbody > tr").nth(2)
        row.get_by_text("Show").click()
        row.get_by_role("button", name="Delete").click()
        expect(page.locator("#undo")).to_contain_text("Deleting 1 sample.")
        expect(row).to_be_hidden()
        go(page, "you")
        eventually(page, lambda: posted(page, "/api/delete"), "nothing was sent")
        check(posted(page, "/api/delete")[0]["uuids"] == uuids(2), "wrong UUIDs")


@test
def test_a_refusal_to_delete_is_said_and_the_rows_come_back(browser):
    def world(world):
        world.failing = {"/api/delete": "It is another number now: look again."}

    with browser.standin("data?type=heartRate", world, clocked=True) as page:
        settle(page, "data")
        choose(page, 0)
        page.get_by_role("button", name="Delete 1 sample", exact=True).click()
        expect(page.locator(ROWS)).to_have_count(99)
        page.clock.fast_forward(UNDO_TIME)
        expect(page.get_by_role("alert")).to_have_text("It is another number now: look again.")
        expect(page.locator(ROWS)).to_have_count(100)


@test(slow=True)
def test_the_selection_and_undoing_have_no_accessibility_finding(browser):
    for options in ({}, {"size": PHONE, "theme": "dark"}):
        with browser.standin("data?type=heartRate", **options) as page:
            settle(page, "data")
            page.evaluate(axe())
            choose(page, 0)
            check(not findings(page), f"{findings(page)}")
            page.get_by_role("button", name="Delete 1 sample", exact=True).click()
            expect(page.locator("#undo")).to_be_visible()
            check(not findings(page), f"{findings(page)}")
