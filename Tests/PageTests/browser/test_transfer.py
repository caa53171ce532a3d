"""Welcome and Storage: importing, exporting, backing up, and the state of the store."""

import io
import zipfile

from harness import PHONE, check, eventually, expect, go, settle, test
from standin import DAY, IMPORT, NO_EXPORT, NO_EXPORT_INSIDE
from test_accessibility import axe, findings
from test_parts import posted

ZIP = {"name": "export.zip", "mimeType": "application/zip", "buffer": b"PK\x03\x04 an export"}
TEXT = {"name": "notes.zip", "mimeType": "application/zip", "buffer": b"no export at all"}


def sound_archive():
    """Returns a zip archive without an export."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("notes/notes.txt", "no export")
    return {"name": "notes.zip", "mimeType": "application/zip", "buffer": data.getvalue()}


def report(**rest):
    return IMPORT | {"number": 1, "totalBytes": 1000} | rest


def whole(**rest):
    return report(bytesRead=1000, records=41_833, **rest)


def going(world):
    world.reports = [
        report(isOver=False), report(isOver=False, bytesRead=620, records=26_000),
        whole(isOver=True, stored=41_000, present=833, unread={"Workout route": 3}, characteristics=["bloodType"]),
    ]


@test
def test_a_chosen_export_is_imported_with_progress(browser):
    with browser.standin("storage", going) as page:
        settle(page, "storage")
        page.locator("input[type=file]").set_input_files(ZIP)
        expect(page.get_by_text("Importing: 26,000 samples read")).to_be_visible()
        bar = page.get_by_role("progressbar", name="Import")
        check(bar.evaluate("bar => [bar.value, bar.max]") == [620, 1000], "the bar is elsewhere")
        expect(page.get_by_text("41,000 samples added of 41,833 in the export.")).to_be_visible()
        expect(page.locator("#main")).to_contain_text("833 were stored already. Also set: Blood type.")
        page.get_by_text("What was left out").click()
        expect(page.get_by_text("Not read by this version: 3 × Workout route")).to_be_visible()
        check(posted(page, "/api/import") == [b"PK\x03\x04 an export"], "another file was sent")


@test
def test_an_export_is_dropped_on_any_part(browser):
    with browser.standin("sessions", going) as page:
        settle(page, "sessions")
        data = page.evaluate_handle(
            """() => { const data = new DataTransfer();
                       data.items.add(new File(["PK an export"], "export.zip")); return data; }""")
        page.dispatch_event("#main", "dragover", {"dataTransfer": data})
        page.dispatch_event("#main", "drop", {"dataTransfer": data})
        settle(page, "storage")
        expect(page.get_by_text("41,000 samples added of 41,833 in the export.")).to_be_visible()
        check(posted(page, "/api/import") == [b"PK an export"], "another file was sent")


@test
def test_the_same_export_twice_says_that_nothing_is_new(browser):
    def world(world):
        world.reports = [whole(isOver=True, present=41_833)]

    with browser.standin("storage", world) as page:
        settle(page, "storage")
        page.locator("input[type=file]").set_input_files(ZIP)
        expect(page.get_by_text("Nothing new: all 41,833 samples were stored already.")).to_be_visible()


@test
def test_a_file_that_is_no_export_is_refused_with_the_reason(browser):
    with browser.standin("storage") as page:
        settle(page, "storage")
        for file, message in ((sound_archive(), NO_EXPORT_INSIDE), (TEXT, NO_EXPORT)):
            page.locator("input[type=file]").set_input_files(file)
            expect(page.get_by_role("alert")).to_have_text(message)
            # Another file can be chosen after the refusal.
            expect(page.get_by_text("Choose export.zip …")).to_be_visible()


@test
def test_a_file_that_is_too_large_is_not_sent(browser):
    def large(world):
        world.maximum_upload = 5

    def full(world):
        world.free = 5

    for world, words in ((large, "A file may have 5 bytes here"), (full, "not enough space on the disk")):
        with browser.standin("storage", world) as page:
            settle(page, "storage")
            page.locator("input[type=file]").set_input_files(ZIP)
            expect(page.get_by_role("alert")).to_contain_text(words)
            check(not posted(page, "/api/import"), "it was sent")


@test
def test_an_import_goes_on_in_another_window_and_is_stopped(browser):
    def world(world):
        world.reports, world.is_importing = [report(isOver=False, bytesRead=10, records=7)], True

    with browser.standin("storage", world) as page:
        settle(page, "storage")
        expect(page.get_by_text("Importing: 7 samples read")).to_be_visible()
        page.get_by_role("button", name="Stop").click()
        eventually(page, lambda: posted(page, "/api/import/stop") == [{}], "it was not stopped")
        page.world.reports = [report(isOver=True, isStopped=True, records=9, stored=9, bytesRead=20)]
        expect(page.get_by_text("Stopped after 9 samples: 9 added.")).to_be_visible()


@test
def test_stopping_before_the_file_is_sent_sends_nothing(browser):
    with browser.standin("storage") as page:
        settle(page, "storage")
        held = []
        page.route("**/api/storage", lambda route: held.append(route))
        page.locator("input[type=file]").set_input_files(ZIP)
        eventually(page, lambda: held, "the space on the disk is not asked for")
        page.get_by_role("button", name="Stop").click()
        expect(page.get_by_role("alert")).to_have_text("Stopped: nothing was imported.")
        for route in held:
            route.fulfill(json=page.world.answer("/api/storage", {}))
        page.unroute_all()
        # After a stop, a file can be chosen again and is sent.
        page.locator("input[type=file]").set_input_files(ZIP)
        eventually(page, lambda: posted(page, "/api/import"), "the second file is not sent")
        check(len(posted(page, "/api/import")) == 1, "the stopped file was sent")


@test
def test_storage_says_how_large_the_store_is_and_what_destinations_have(browser):
    def world(world):
        world.destinations = [
            {"name": "home", "kind": "postgresql", "state": "current", "sent": 12_000, "pending": 0, "rejected": 0,
             "last": world.now},
            {"name": "clinic", "kind": "fhir", "state": "blocked", "sent": 3, "pending": 700, "rejected": 2,
             "last": world.now - 2 * DAY, "error": "The token has expired: hrgate sync add sets another."},
            {"name": "new", "kind": "files", "state": "waiting", "sent": 0, "pending": 9, "rejected": 0},
        ]

    with browser.standin("storage", world) as page:
        settle(page, "storage")
        main = page.locator("#main")
        for words in ("41,833", "83 MB", "12 GB", "/home/me/health.sqlite"):
            expect(main).to_contain_text(words)
        rows = page.get_by_role("region", name="Sync destinations").locator("tbody tr")
        expect(rows.nth(0)).to_contain_text("up to date")
        expect(rows.nth(1)).to_contain_text("The token has expired")
        expect(rows.nth(1)).to_contain_text("700")
        expect(rows.nth(2)).to_contain_text("never")
        for name, path in (("Export all samples", "/api/export.xml"), ("Download a backup", "/api/backup")):
            check(page.get_by_role("link", name=name).get_attribute("href") == path, name)
        page.evaluate(axe())
        check(not findings(page), f"{findings(page)}")


@test
def test_an_empty_store_opens_on_welcome(browser):
    def world(world):
        world.opens = "welcome"
        going(world)

    for options in ({}, {"size": PHONE, "theme": "dark"}):
        with browser.standin("", world, is_empty=True, **options) as page:
            settle(page, "welcome")
            expect(page.get_by_role("link", name="Pair a strap")).to_have_attribute("href", "#/monitors")
            expect(page.locator("#main")).to_contain_text("hrgate demo")
            expect(page.get_by_role("button", name="Add data")).to_be_visible()
            page.evaluate(axe())
            check(not findings(page), f"{findings(page)}")
            # When the import has ended, a link leads to the imported data.
            page.locator("input[type=file]").set_input_files(ZIP)
            expect(page.get_by_text("41,000 samples added")).to_be_visible()
            page.world.is_empty = False
            page.world.commits += 1
            page.get_by_role("link", name="Show my data").click()
            settle(page, "summary")


@test
def test_a_new_window_opens_on_what_the_server_says(browser):
    def world(world):
        world.opens = "summary"

    with browser.standin("", world) as page:
        settle(page, "summary")
        expect(page.locator("#nav [aria-current]")).to_have_text("Summary")
        # If the address names a part of the page, that part is opened.
        go(page, "now")


@test
def test_a_store_whose_file_is_gone_has_a_banner(browser):
    with browser.standin("you") as page:
        settle(page, "you")
        banner = page.get_by_role("alert").filter(has_text="deleted or replaced")
        expect(banner).to_have_count(0)
        page.world.store_problem = "The file of this store was deleted or replaced while the page was open."
        page.world.met = 1
        go(page, "data")
        expect(banner).to_be_visible()
        check("damaged" not in banner.inner_text(), "nothing is damaged")
        page.world.store_problem, page.world.met = None, 0
        go(page, "you")
        expect(banner).to_have_count(0)


@test
def test_a_slow_server_shows_that_a_part_is_loading(browser):
    with browser.standin("you") as page:
        settle(page, "you")
        held = []
        page.route("**/api/worn*", lambda route: held.append(route))
        page.route("**/parts/data.js", lambda route: held.append(route))
        # The script of the new part of the page is not loaded yet. The old part is already gone, and the
        # heading is that of the new part.
        page.evaluate("location.hash = '#/data'")
        expect(page.locator("#title")).to_have_text("All data")
        expect(page.get_by_text("Loading …")).to_be_visible()
        page.evaluate("location.hash = '#/sessions'")
        expect(page.locator("#title")).to_have_text("Sessions")
        expect(page.get_by_role("button", name="Loading …")).to_be_visible()
        for route in held:
            route.continue_()
        page.unroute_all()
        settle(page, "sessions")
        expect(page.get_by_text("Loading …")).to_have_count(0)
