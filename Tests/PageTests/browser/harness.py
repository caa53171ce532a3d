"""Common parts of the browser tests: the browser, the server, and the registration of tests."""

import argparse
import contextlib
import json
import os
import pathlib
import sys
import traceback

from playwright.sync_api import Error, expect, sync_playwright

from standin import StandIn, World

# Timeout in milliseconds for a condition. A condition takes seconds, and less than a minute on a machine with
# a load of 20, so the timeout only ends a test that hangs. `--timeout 6` makes a test fail sooner.
TIMEOUT = 300_000
# The time at which a run with the stand-in begins, in UTC: a Thursday afternoon in Berlin, so that the day
# and the week have past and future hours. Expected values depend on the time of day.
BEGINNING = "2026-11-26 13:00:00"
WIDE, PHONE = {"width": 1280, "height": 860}, {"width": 390, "height": 844}
TESTS = []


def test(function=None, *, anywhere=False, served=False, slow=False):
    """Marks a test. `anywhere`: it works with any server and any store. `served`: it needs the real server
    and the facts about its store, or only the named fact. `slow`: `--quick` skips it, because other tests
    cover most of it."""

    def mark(function):
        function.anywhere, function.served, function.slow = anywhere, served, slow
        TESTS.append(function)
        return function

    return mark(function) if function else mark


class Failure(Exception):
    """The failure of a test."""


def check(condition, sentence):
    if not condition:
        raise Failure(sentence)


def unchanged(_):
    """Leaves the stand-in's world unchanged. Tests that need a world of their own, but no other content, pass
    it to `shared`."""


class Browser:
    """A browser with one profile. Each test has its own page, except with `shared`."""

    def __init__(self, chromium, address, timeout, facts=None):
        self.chromium, self.address, self.timeout, self.facts = chromium, address, timeout, facts
        self.kept = None

    @contextlib.contextmanager
    def page(self, address=None, size=WIDE, theme="light", clocked=False, **options):
        """Opens a page. If `clocked` is true, the test can set the clock of the page, which otherwise runs as
        usual."""
        context = self.chromium.new_context(
            viewport=size,
            color_scheme=theme,
            locale="en-GB",
            timezone_id="Europe/Berlin",
            has_touch=size is PHONE,
            **options,
        )
        context.set_default_timeout(self.timeout)
        page = context.new_page()
        page.troubles, page.timeout, page.is_clocked = [], self.timeout, clocked
        page.end = None
        page.on("crash", lambda: end_at_once(page, "the tab crashed: its renderer process is gone"))
        page.on("pageerror", lambda error: page.troubles.append(str(error)))
        # The page itself shows failed requests, so their messages are left out. Others are, for example,
        # violations of the content security policy.
        page.on(
            "console",
            lambda message: (
                page.troubles.append(message.text)
                if message.type == "error" and "Failed to load resource" not in message.text
                else None
            ),
        )
        try:
            if clocked:
                page.clock.install()
            if address or self.address:
                # The address names the part of the page, because a store without a live strap opens on
                # another part.
                page.goto(address or f"{self.address}#/now")
            yield page
            check(not page.end, page.end)
            check(not page.troubles, f"the browser complains: {page.troubles}")
        except Exception as error:
            # What waited for the page fails with a sentence about a closed page.
            if page.end and not isinstance(error, Failure):
                raise Failure(page.end) from error
            raise
        finally:
            with contextlib.suppress(Error) if page.end else contextlib.nullcontext():
                context.close()

    @contextlib.contextmanager
    def standin(self, part="now", world=None, **options):
        """Opens a part of the page, with a stand-in for the server. `world` can change its contents
        before."""
        server = StandIn(**({"is_empty": options.pop("is_empty")} if "is_empty" in options else {}))
        try:
            if world:
                world(server.world)
            with self.page(server.address + f"#/{part}", **options) as page:
                page.world, page.server = server.world, server
                yield page
        finally:
            server.close()

    @contextlib.contextmanager
    def shared(self, part, world=None):
        """Opens a part of a page that several tests use one after another, because opening a page takes most
        of a test's time. These tests must not change what the browser stores. If a test passes `world`, the
        stand-in has a new world for this test, but the page gets events of the common one."""
        if not self.kept:
            opening = contextlib.ExitStack()
            self.kept = opening, opening.enter_context(self.standin("you"))
        opening, page = self.kept
        common = page.world
        try:
            if world:
                page.world = page.server.world = World()
                world(page.world)
            # Closes a dialog that the last test has left open, and moves the pointer away.
            page.evaluate("document.querySelectorAll('dialog').forEach((each) => each.close())")
            page.mouse.move(0, 0)
            go(page, "you")
            # Removes the looks (colors and marks) of sources that the last test has left in the browser.
            page.evaluate("""Object.keys(localStorage).filter((key) => key.startsWith("sources."))
              .forEach((key) => localStorage.removeItem(key))""")
            page.world.asked.clear()
            go(page, part)
            yield page
            check(not page.troubles, f"the browser complains: {page.troubles}")
            page.world = page.server.world = common
        except BaseException:
            self.kept = None
            page.troubles.clear()
            opening.close()
            raise

    def close(self):
        if self.kept:
            self.kept[0].close()


def end_at_once(page, reason):
    """Ends what waits for a page that cannot respond any more: without this it waits until the timeout."""
    page.end = page.end or reason
    page.context.close()


def go(page, part):
    """Opens another part of the page, and waits until it is loaded."""
    page.evaluate("part => { location.hash = `#/${part}`; }", part)
    settle(page, part.split("?")[0])


def settle(page, part=None):
    """Waits until a part is loaded and no chart has a pending request."""
    if part:
        expect(page.locator(f'#main[data-part="{part}"] h1')).to_have_count(1)
    expect(page.locator('[aria-busy="true"]')).to_have_count(0)


def is_quiet(page):
    """Returns whether the page sends no request for half a second. On a busy machine, earlier requests arrive
    late."""
    asked = len(page.world.asked)
    page.wait_for_timeout(500)
    return len(page.world.asked) == asked


def eventually(page, condition, sentence):
    """Waits until a condition is true, and fails with the sentence otherwise."""
    for _ in range(int(page.timeout / 100)):
        # A page that a test opens by itself has no `end`.
        end = getattr(page, "end", None)
        check(not end, end)
        if condition():
            return
        page.wait_for_timeout(100)
    check(False, sentence)


def begin_at(time):
    """Starts this program again with another time, which the browser inherits. The real server is another
    program, so a run with it has the time of the machine."""
    if "FAKETIME" not in os.environ:
        arguments = ["faketime", "-f", f"@{time}", sys.executable, "-B", *sys.argv]
        os.execvpe(arguments[0], arguments, os.environ | {"TZ": "UTC"})


def run():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="run the tests whose file and name hold one of these")
    parser.add_argument(
        "--address", help="what hrgate page printed: run what holds for any server there, too"
    )
    parser.add_argument(
        "--facts", metavar="FILE", help="with --address: what is in its store (test_served.py)"
    )
    parser.add_argument("--chromium", default="/usr/bin/chromium-headless-shell")
    parser.add_argument(
        "--timeout",
        type=float,
        default=TIMEOUT / 1000,
        metavar="SECONDS",
        help="how long what should come is waited for",
    )
    parser.add_argument("--quick", action="store_true", help="leave out what takes long")
    parser.add_argument(
        "--part", metavar="K/N", default="1/1", help="run every Nth test, beginning with the Kth"
    )
    parser.add_argument(
        "--at",
        default=BEGINNING,
        metavar="TIME",
        help="the time in UTC at which a run with the stand-in begins",
    )
    chosen = parser.parse_args()
    if not chosen.address:
        begin_at(chosen.at)
    part, parts = (int(number) for number in chosen.part.split("/"))
    timeout = chosen.timeout * 1000
    wanted = [
        each
        for each in TESTS
        if not chosen.names or any(name in f"{each.__module__}.{each.__name__}" for name in chosen.names)
    ][part - 1 :: parts]
    failed = 0
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=chosen.chromium, args=["--no-sandbox"])
        expect.set_options(timeout=timeout)
        address = chosen.address
        if address:
            # The one-time code of the address works once, so all tests share the session that it opens.
            opening = chromium.new_context()
            page = opening.new_page()
            page.goto(address)
            state, address = opening.storage_state(), page.url
            opening.close()
            chromium.new_context, plain = (
                lambda **options: plain(storage_state=state, **options),
                chromium.new_context,
            )
        facts = json.loads(pathlib.Path(chosen.facts).read_text()) if chosen.facts else None
        browser = Browser(chromium, address, timeout, facts)
        for each in wanted:
            if chosen.address and not (each.anywhere or each.served):
                continue
            needed = "live" if each.served is True else each.served
            if needed and (not facts or needed not in facts):
                continue
            if chosen.quick and each.slow:
                continue
            try:
                each(browser)
                print(f"ok {each.__name__}", flush=True)
            except Exception as error:
                failed += 1
                reason = str(error) if isinstance(error, Failure) else traceback.format_exc(limit=-3)
                if not chromium.is_connected():
                    print(f"FAIL {each.__name__}: the browser process ended", flush=True)
                    sys.exit("the browser process ended: the other tests were not run")
                print(f"FAIL {each.__name__}: {reason}", flush=True)
        browser.close()
        chromium.close()
    sys.exit(1 if failed else 0)
