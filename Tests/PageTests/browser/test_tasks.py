"""The tasks of a day with the page, each in a number of clicks at most.

A click is a press of the pointer, or a choice in a list. What is typed is not counted. Each task begins on the
part that a new window shows."""

from datetime import datetime
from zoneinfo import ZoneInfo

from harness import check, eventually, expect, settle, test
from standin import NEAR, SECOND, named
from test_calendar import MIDNIGHT, zones_of
from test_parts import posted
from test_sleep import sleeping

COUNTER = """
  window.clicks = 0;
  addEventListener("pointerdown", () => { window.clicks += 1; }, true);
  addEventListener("change", ({ target }) => { if (target.matches("select")) window.clicks += 1; }, true);
"""


def open_part(page, name, part):
    page.get_by_role("navigation").get_by_role("link", name=name).click()
    settle(page, part)


def lowest_pulse_of_the_night(page):
    open_part(page, "Sleep", "sleep")
    expect(page.locator(".figures")).to_contain_text("lowest pulse, 0:45")


def cause_of_a_gap(page):
    open_part(page, "Heart rate", "heart-rate")
    box = page.locator(".chart-frame").first.bounding_box()
    view = page.evaluate(MIDNIGHT, 0), page.evaluate(MIDNIGHT, 1)
    gap = sum(page.world.gap) / 2
    share = (gap - view[0]) / (view[1] - view[0])
    page.mouse.move(box["x"] + 44 + share * (box["width"] - 54), box["y"] + 60)
    expect(page.locator(".readout").first).to_contain_text("link lost")


def zone_4_yesterday(page):
    open_part(page, "Heart rate", "heart-rate")
    start, end = (page.evaluate(MIDNIGHT, days) for days in (-1, 0))
    page.get_by_role("button", name="Before", exact=True).click()
    eventually(page, lambda: zones_of(page, start, end), "the zones of yesterday are not asked for")
    expect(page.get_by_role("listitem").filter(has_text="Zone 4")).to_contain_text("4 min")


def two_sessions(page):
    open_part(page, "Sessions", "sessions")
    for number in (0, 1):
        page.locator(".session input").nth(number).click()
    compared = page.get_by_role("region", name="The sessions compared")
    expect(compared.locator("tbody tr")).to_have_count(2)
    expect(compared.locator("canvas")).to_be_in_viewport()


def deleting_an_imported_weight(page):
    open_part(page, "All data", "data")
    page.get_by_role("link", name="Weight", exact=True).click()
    settle(page, "data")
    page.locator("tbody input[type=checkbox]").nth(1).click()
    page.get_by_role("button", name="Delete 1 sample", exact=True).click()
    expect(page.locator("#undo")).to_contain_text("Deleting 1 sample.")


def intervals_for_kubios(page):
    open_part(page, "Sessions", "sessions")
    with page.expect_download() as download:
        page.locator(".session").first.get_by_role("link", name="RR intervals for Kubios").click()
    start, end = page.world.wearings[0]
    name = download.value.suggested_filename
    check(name == named({"from": start, "to": end}, "rr.txt"), name)


def pounds(page):
    open_part(page, "You", "you")
    page.get_by_label("Weight").select_option("lb")
    eventually(page, lambda: posted(page, "/api/units"), "nothing was sent")


def pairing(page):
    open_part(page, "Monitors", "monitors")
    if page.world.monitors()["monitors"]:
        page.get_by_role("button", name="Look for monitors").click()
    page.locator(f'.enrolment li[data-address="{NEAR}"]').get_by_role("button").click()
    eventually(page, lambda: posted(page, "/api/radio/enrol"), "nothing was sent")


def adding_a_weight(page):
    page.get_by_role("button", name="Add data").click()
    expect(page.get_by_label("Value")).to_be_focused()
    page.keyboard.type("73.2")
    page.locator("dialog button[type=submit]").click()
    eventually(page, lambda: posted(page, "/api/samples"), "nothing was sent")


# Each task with the maximum number of clicks. The first tasks needed more clicks in the first version of the
# page.
TASKS = (
    (adding_a_weight, 2),
    (zone_4_yesterday, 2),
    (deleting_an_imported_weight, 4),
    (lowest_pulse_of_the_night, 1),
    (cause_of_a_gap, 1),
    (two_sessions, 3),
    (intervals_for_kubios, 2),
    (pounds, 2),
    (pairing, 3),
)


def alone(change=lambda world: None):
    """A system with one person. With several, the page asks whose a monitor is before it is paired."""

    def world(world):
        world.people = world.people[:1]
        change(world)

    return world


@test
def test_each_task_takes_few_clicks(browser):
    def world(world):
        sleeping(world)
        # The gap of the task is one of today: the middle third of the time since midnight, whatever it is.
        day = datetime.fromtimestamp(world.now / SECOND, ZoneInfo("Europe/Berlin"))
        midnight = round(day.replace(hour=0, minute=0, second=0, microsecond=0).timestamp()) * SECOND
        third = (world.now - midnight) // (3 * SECOND) * SECOND
        world.gap = (midnight + third, midnight + 2 * third)
        row = {"value": 73.2, "unit": "kg"}
        world.listed = {"bodyMass": [row, row]}

    with browser.standin("now", alone(world)) as page:
        settle(page, "now")
        page.evaluate(COUNTER)
        for task, most in TASKS:
            page.evaluate("location.hash = '#/now'")
            settle(page, "now")
            page.world.asked.clear()
            page.evaluate("window.clicks = 0")
            task(page)
            clicks = page.evaluate("window.clicks")
            check(clicks <= most, f"{task.__name__} takes {clicks} clicks, not {most}")
            page.evaluate("document.querySelectorAll('dialog').forEach((each) => each.close())")


@test
def test_the_first_monitor_is_paired_in_two_clicks(browser):
    with browser.standin("now", alone(), is_empty=True) as page:
        settle(page, "now")
        page.evaluate(COUNTER)
        pairing(page)
        clicks = page.evaluate("window.clicks")
        check(clicks <= 2, f"pairing the first monitor takes {clicks} clicks, not 2")
        # The scan begins by itself only once. The state of a stopped or failed action stays visible.
        page.get_by_role("button", name="Stop").click()
        eventually(page, lambda: page.world.radio["isOver"], "it was not stopped")
        page.world.radio["failure"] = "Pairing failed."
        open_part(page, "You", "you")
        open_part(page, "Monitors", "monitors")
        expect(page.locator(".enrolment")).to_contain_text("Pairing failed.")
        scans = len(posted(page, "/api/radio/hear"))
        check(scans == 1, f"it looked for monitors {scans} times")


@test
def test_access_is_granted_in_one_click_and_of_one_type_in_two(browser):
    def world(world):
        # The server says this while an app waits for an answer.
        world.opens = "access"

    def all_types(page):
        page.get_by_role("button", name="Allow all").click()

    def one_type(page):
        page.locator(".request").get_by_role("switch").first.click()
        page.get_by_role("button", name="Allow selected").click()

    for grant, most in ((all_types, 1), (one_type, 2)):
        with browser.standin("", world) as page:
            settle(page, "access")
            page.evaluate(COUNTER)
            grant(page)
            eventually(page, lambda: posted(page, "/api/permissions/answer"), "nothing was sent")
            clicks = page.evaluate("window.clicks")
            check(clicks <= most, f"{grant.__name__} takes {clicks} clicks, not {most}")
