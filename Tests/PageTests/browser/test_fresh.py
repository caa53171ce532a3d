"""Updates after commits. Whatever the reader is using stays unchanged."""

import contextlib
import time

from harness import check, eventually, expect, go, is_quiet, settle, test
from standin import DAY, HOUR, MINUTE, SECOND, STRAP

HIDE = """hidden => {
  Object.defineProperty(document, "hidden", { get: () => hidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


def listening(page, part):
    """Waits until a part is loaded and its page gets events."""
    settle(page, part)
    eventually(page, lambda: page.world.streams > 0, "there is no event stream")


def commit(page, later=0):
    """Advances the store's time by `later` and adds a commit. If the test can set the page's clock, ten
    seconds pass first, so that the page does not delay its requests because of an earlier commit."""
    page.world.now += later
    if page.is_clocked:
        page.clock.fast_forward(10 * SECOND)
    page.world.commits += 1


def asked(page, path):
    return [each for route, each in page.world.asked if route == path]


@contextlib.contextmanager
def held(page, pattern):
    """Holds back the responses until the end of the block. A request that the page cancels gets no
    response."""
    waiting, is_over = [], False
    page.route(pattern, lambda route: route.continue_() if is_over else waiting.append(route))
    yield waiting
    is_over = True
    for each in waiting:
        each.continue_()


@test
def test_the_summary_shows_new_values_after_a_commit(browser):
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
def test_after_midnight_a_sum_is_the_new_days_even_if_its_card_is_in_use(browser):
    with browser.standin("summary", clocked=True) as page:
        listening(page, "summary")
        page.get_by_text("Pinned types").click()
        page.get_by_role("checkbox", name="Steps").check()
        card = page.locator(".card").filter(has=page.get_by_role("heading", name="Steps"))
        expect(card).to_contain_text("today")
        day = card.locator("tbody th").last.inner_text()
        card.get_by_role("link").focus()
        page.clock.fast_forward(DAY)
        expect(card).not_to_contain_text("today")
        midnight = page.evaluate("new Date().setHours(0, 0, 0, 0)")
        page.world.asked.clear()
        commit(page, DAY)
        expect(card).to_contain_text("today")
        sums = [each for each in asked(page, "/api/statistics") if each["type"] == "stepCount"]
        newest = next(each for each in sums if "every" not in each)
        check(int(newest["from"]) == midnight, f"{newest}, and midnight was {midnight}")
        expect(card.locator("tbody th").last).not_to_have_text(day)
        expect(card.get_by_role("link")).to_be_focused()


@test
def test_a_new_type_can_be_pinned_even_if_it_arrived_while_the_list_was_in_use(browser):
    with browser.standin("summary", clocked=True) as page:
        listening(page, "summary")
        page.get_by_text("Pinned types").click()
        box = page.get_by_role("checkbox", name="Heart rate", exact=True)
        box.focus()
        others = {"count": 9, "first": page.world.first, "last": page.world.now}
        flights = {"type": "flightsClimbed", "kind": "quantity", "unit": "count", "style": "cumulative"}
        answer = page.world.answer

        def with_flights(path, parameters):
            found = answer(path, parameters)
            if path == "/api/types":
                found["types"].append(flights | others)
            return found

        page.world.answer = with_flights
        page.world.asked.clear()
        commit(page)
        eventually(page, lambda: asked(page, "/api/types"), "there was no request")
        page.wait_for_timeout(700)
        expect(box).to_be_focused()
        box.blur()
        commit(page)
        expect(page.get_by_role("checkbox", name="Flights climbed")).to_have_count(1)


@test(slow=True)
def test_several_commits_cause_one_request_in_some_seconds(browser):
    with browser.standin("summary") as page:
        listening(page, "summary")
        page.world.asked.clear()
        begin = time.monotonic()
        for _ in range(8):
            commit(page)
            page.wait_for_timeout(500)
        eventually(page, lambda: asked(page, "/api/types"), "there was no request")
        page.wait_for_timeout(1000)
        # The page sends at most one request in five seconds. The time is measured, because a busy machine
        # takes longer.
        count, seconds = len(asked(page, "/api/types")), time.monotonic() - begin
        check(count <= 1 + seconds / 5, f"{count} times in {seconds:.1f} seconds")
        # A hidden tab sends no requests, and catches up when it is visible again. The commit right before it
        # is hidden causes no request of its own.
        page.world.newest = 64
        commit(page)
        page.wait_for_timeout(500)
        page.evaluate(HIDE, True)
        eventually(page, lambda: is_quiet(page), "a hidden tab sends requests")
        page.world.asked.clear()
        commit(page)
        page.wait_for_timeout(6000)
        check(not page.world.asked, f"a hidden tab sends requests: {page.world.asked}")
        page.evaluate(HIDE, False)
        expect(page.locator(".card").first).to_contain_text("64")


@test
def test_an_empty_part_shows_its_first_data(browser):
    with browser.standin("you", is_empty=True, clocked=True) as page:
        for part, found in (("summary", ".card"), ("heart-rate", ".chart"), ("sessions", ".session")):
            page.world.is_empty = True
            go(page, part)
            listening(page, part)
            expect(page.locator("#main")).to_contain_text(" is stored ")
            page.world.is_empty = False
            commit(page)
            expect(page.locator(found).first).to_be_visible()


def drawn(page):
    """Returns the requests of the tachogram, without those of the Poincaré plot, which have more pixels."""
    return [each for each in asked(page, "/api/beats") if int(each["pixels"]) <= 2000]


@test(slow=True)
def test_the_focus_stays_on_the_heading_when_the_first_data_arrives(browser):
    def world(world):
        world.beating.clear()

    for part, name, found, options in (
        ("summary", "Summary", ".card", {"is_empty": True}),
        ("heart-rate", "Heart rate", ".chart", {"is_empty": True}),
        ("beats", "Beats", "canvas.square", {"world": world}),
    ):
        with browser.standin("you", clocked=True, **options) as page:
            settle(page, "you")
            page.get_by_role("navigation").get_by_role("link", name=name).click()
            listening(page, part)
            expect(page.locator("h1")).to_be_focused()
            expect(page.locator(found)).to_have_count(0)
            page.world.is_empty = False
            page.world.beating[:] = [(STRAP, "H10")]
            commit(page)
            expect(page.locator(found)).not_to_have_count(0)
            # The plot of the beats is hidden while the shown time is long.
            if part != "beats":
                expect(page.locator(found).first).to_be_visible()
            expect(page.locator("h1")).to_be_focused()


@test(slow=True)
def test_the_focus_is_kept_in_a_part_without_beats(browser):
    def world(world):
        world.beating.clear()

    with browser.standin("beats", world, clocked=True) as page:
        listening(page, "beats")
        page.get_by_role("link", name="Change it").focus()
        page.world.beating.append((STRAP, "H10"))
        page.world.asked.clear()
        commit(page)
        eventually(page, lambda: asked(page, "/api/types"), "there was no request")
        page.wait_for_timeout(700)
        expect(page.get_by_role("link", name="Change it")).to_be_focused()
        page.get_by_role("link", name="Change it").blur()
        commit(page)
        expect(page.locator("canvas.square")).to_have_count(1)


@test(slow=True)
def test_a_late_response_does_not_change_the_next_part(browser):
    def world(world):
        world.beating.clear()

    for part, options in (("summary", {"is_empty": True}), ("heart-rate", {"is_empty": True}),
                          ("beats", {"world": world})):
        with browser.standin(part, clocked=True, **options) as page:
            listening(page, part)
            with held(page, "**/api/types") as waiting:
                page.world.is_empty = False
                page.world.beating[:] = [(STRAP, "H10")]
                commit(page)
                eventually(page, lambda: waiting, f"{part}: nothing was asked for")
                go(page, "you")
                settle(page)
                page.locator("#main h1").evaluate("each => { window.heading = each; }")
                # A field with the focus would prevent updates of this part of the page.
                page.locator("body").evaluate("() => document.activeElement.blur()")
            page.wait_for_timeout(700)
            check(page.locator("#main h1").evaluate("each => each === window.heading"),
                  f"{part}: the other part was replaced")


def bounds(page):
    return page.evaluate("""() => {
      const asked = new URLSearchParams(location.hash.split("?")[1]);
      return [Number(asked.get("from")), Number(asked.get("to"))];
    }""")


@test
def test_new_beats_are_shown_at_the_end_of_the_chart(browser):
    with browser.standin("beats", clocked=True) as page:
        listening(page, "beats")
        page.get_by_role("button", name="Hour", exact=True).click()
        eventually(page, lambda: bounds(page)[1] - bounds(page)[0] == HOUR, "the range is not an hour")
        settle(page)
        page.get_by_text("with coverage and artifacts").click()
        page.locator("h1").click()
        before, zones = len(drawn(page)), len(asked(page, "/api/zones"))
        page.clock.fast_forward(2 * MINUTE)
        commit(page, MINUTE)
        eventually(page, lambda: bounds(page)[1] == page.world.now, "the new beats are not shown")
        # The page had already loaded the half hour after the range, without beats, so it must request it
        # again.
        times = len(drawn(page)) - before
        check(times == 1, f"the tachogram was requested {times} times")
        check(float(drawn(page)[-1]["to"]) > page.world.now, f"{drawn(page)[-1]}")
        check(bounds(page)[1] - bounds(page)[0] == HOUR, "the range is no longer an hour")
        settle(page)
        page.wait_for_timeout(500)
        check(len(asked(page, "/api/zones")) == zones + 1, "the zones were not requested exactly once")
        asked_last = asked(page, "/api/variability")[-1]
        check(int(asked_last["to"]) == page.world.now, f"{asked_last}")
        # The details that the reader has opened stay open.
        expect(page.locator("details[open]").filter(has_text="with coverage")).to_have_count(1)
        # The trends are updated as well.
        days = [each["type"] for path, each in page.world.asked if "every" in each or path == "/api/series"]
        check(days.count("restingHeartRate") > 1, f"the trend was not updated: {days}")


@test
def test_new_beats_do_not_move_a_chart_of_earlier_ones_or_in_use(browser):
    with browser.standin("beats", clocked=True) as page:
        listening(page, "beats")
        page.get_by_role("link", name="Change it").focus()
        page.world.asked.clear()
        before = bounds(page)
        commit(page, MINUTE)
        eventually(page, lambda: asked(page, "/api/types"), "there was no request")
        page.wait_for_timeout(1000)
        check(bounds(page) == before, "it moved away")
        expect(page.get_by_role("link", name="Change it")).to_be_focused()
        page.get_by_role("button", name="Before").click()
        eventually(page, lambda: bounds(page)[1] < before[1] - 4 * MINUTE, "there is no way back")
        settle(page)
        earlier = bounds(page)
        page.world.asked.clear()
        commit(page, MINUTE)
        eventually(page, lambda: asked(page, "/api/types"), "there was no request")
        page.wait_for_timeout(1000)
        check(bounds(page) == earlier, "it moved away")
        check(not asked(page, "/api/beats"), "known beats were requested again")


@test(slow=True)
def test_new_beats_are_shown_after_moving_back_to_the_end(browser):
    with browser.standin("beats", clocked=True) as page:
        listening(page, "beats")
        end = bounds(page)[1]
        tachogram = page.get_by_role("application", name="Tachogram").bounding_box()
        y = tachogram["y"] + 50

        def drag(share):
            x = tachogram["x"] + tachogram["width"] / 2
            page.mouse.move(x, y)
            page.mouse.down()
            page.mouse.move(x + share * tachogram["width"], y, steps=4)
            page.mouse.up()
            page.mouse.move(0, 0)
            settle(page)

        drag(0.4)
        eventually(page, lambda: bounds(page)[1] < end - MINUTE, "there is no way back")
        page.world.asked.clear()
        commit(page, MINUTE)
        eventually(page, lambda: asked(page, "/api/types"), "there was no request")
        page.wait_for_timeout(500)
        check(not drawn(page), "known beats were requested again")
        drag(-0.4)
        eventually(page, lambda: drawn(page), "new data is not requested")


@test(slow=True)
def test_a_pending_request_is_not_repeated(browser):
    for part, path in (("beats", "/api/variability"), ("heart-rate", "/api/series")):
        with browser.standin(part, clocked=True) as page:
            listening(page, part)
            given_up = []
            page.on("requestfailed", lambda request: given_up.append(request.url))
            page.clock.fast_forward(2 * MINUTE)
            with held(page, f"**{path}?*") as waiting:
                commit(page, MINUTE)
                eventually(page, lambda: waiting, f"{part}: nothing was asked for")
                page.wait_for_timeout(500)
                begun = len(waiting)
                for _ in range(3):
                    commit(page, MINUTE)
                    page.wait_for_timeout(500)
                    page.clock.fast_forward(MINUTE)
                check(len(waiting) == begun and not given_up, f"{part}: requested again, {given_up}")
                page.world.asked.clear()
            eventually(page, lambda: asked(page, path), f"{part}: it was not answered")
            # Commits that arrive while a request is pending cause one more request when the pending
            # one is answered.
            page.clock.fast_forward(MINUTE)
            eventually(page, lambda: len(asked(page, path)) > begun, f"{part}: it is not updated")


@test(slow=True)
def test_updates_are_less_frequent_for_a_longer_range(browser):
    for part in ("beats", "heart-rate"):
        with browser.standin("you", clocked=True) as page:
            now = page.world.now
            go(page, f"{part}?from={now - 7 * DAY}&to={now}")
            listening(page, part)
            page.world.asked.clear()
            commit(page, MINUTE)
            page.wait_for_timeout(500)
            page.clock.fast_forward(30 * SECOND)
            page.wait_for_timeout(1500)
            asked_now = {path for path, _ in page.world.asked} - {"/api/events"}
            check(not asked_now, f"{part}: there were {asked_now} requests already")
            page.clock.fast_forward(30 * SECOND)
            eventually(page, lambda: asked(page, "/api/gaps"), f"{part}: nothing was asked for")


@test(slow=True)
def test_the_first_beats_are_shown(browser):
    def world(world):
        world.beating.clear()

    with browser.standin("beats", world, clocked=True) as page:
        listening(page, "beats")
        expect(page.locator("#main")).to_contain_text("No beats are stored")
        page.world.beating.append((STRAP, "H10"))
        commit(page)
        expect(page.locator("canvas.square")).to_have_count(1)


@test(slow=True)
def test_intervals_are_offered_after_the_first_beats(browser):
    def world(world):
        world.beating.clear()

    with browser.standin("heart-rate", world, clocked=True) as page:
        listening(page, "heart-rate")
        intervals = page.get_by_role("link", name="RR intervals")
        expect(intervals).to_be_hidden()
        page.world.beating.append((STRAP, "H10"))
        page.clock.fast_forward(MINUTE)
        commit(page)
        expect(intervals).to_be_visible()


@test(slow=True)
def test_a_growing_session_and_a_new_one_keep_the_selection(browser):
    with browser.standin("sessions", clocked=True) as page:
        listening(page, "sessions")
        world = page.world
        rows = page.locator(".session")
        expect(rows).to_have_count(2)
        rows.nth(1).get_by_role("checkbox").check()
        rows.nth(1).get_by_role("button").focus()
        rows.nth(1).evaluate("each => { window.row = each; }")
        (start, end), other = world.wearings
        world.wearings = [(end + 6 * MINUTE, end + 16 * MINUTE), (start, end - 10 * MINUTE), other]
        page.clock.fast_forward(MINUTE)
        commit(page, HOUR)
        expect(rows).to_have_count(3)
        expect(rows.nth(0)).to_contain_text("10 min")
        expect(rows.nth(1)).to_contain_text("49 min")
        check(rows.nth(2).evaluate("each => each === window.row"), "the row is another one")
        expect(rows.nth(2).get_by_role("checkbox")).to_be_checked()
        expect(rows.nth(2).get_by_role("button")).to_be_focused()
        # The list does not change while the reader enters a name.
        rows.nth(0).get_by_role("button").click()
        page.locator("dialog input").fill("Morning")
        world.wearings = world.wearings[1:]
        page.clock.fast_forward(MINUTE)
        commit(page)
        page.wait_for_timeout(2000)
        expect(page.locator("dialog input")).to_have_value("Morning")
        expect(rows).to_have_count(3)
        page.keyboard.press("Escape")
        page.locator("h1").click()
        page.clock.fast_forward(MINUTE)
        expect(rows).to_have_count(2)
        # The focus in the row of a session stays when the session grows.
        rows.nth(0).get_by_role("button").focus()
        (start, end), other = world.wearings
        world.wearings = [(start, end + 5 * MINUTE), other]
        world.asked.clear()
        page.clock.fast_forward(MINUTE)
        commit(page)
        eventually(page, lambda: asked(page, "/api/worn"), "there was no request")
        page.wait_for_timeout(500)
        expect(rows.nth(0).get_by_role("button")).to_be_focused()


@test
def test_newer_samples_are_offered_without_changing_the_list(browser):
    with browser.standin("data?type=heartRate", clocked=True) as page:
        listening(page, "data")
        rows = page.locator("table.samples tbody > tr")
        page.get_by_role("button", name="Show older samples").click()
        expect(rows).to_have_count(200)
        box = page.locator("tbody input[type=checkbox]").first
        box.check()
        newer = page.get_by_role("button", name="Show newer samples")
        # A commit without new samples requests only the newest one.
        page.world.asked.clear()
        commit(page)
        eventually(page, lambda: asked(page, "/api/samples"), "there was no request")
        limits = [each["limit"] for each in asked(page, "/api/samples")]
        check(limits == ["1"], f"{limits}")
        page.wait_for_timeout(300)
        expect(newer).to_have_count(0)
        # If the newest sample is deleted, another one is the newest, but not a newer one.
        page.world.generation += 1
        page.world.asked.clear()
        commit(page, -SECOND)
        eventually(page, lambda: asked(page, "/api/samples"), "there was no request")
        page.wait_for_timeout(300)
        expect(newer).to_have_count(0)
        commit(page, MINUTE)
        expect(newer).to_be_visible()
        expect(rows).to_have_count(200)
        expect(box).to_be_checked()
        newer.click()
        expect(rows).to_have_count(100)
        expect(newer).to_have_count(0)
        expect(page.get_by_role("region", name="Samples")).to_be_focused()
        rows.first.get_by_text("Show").click()
        expect(rows.first).to_contain_text("00000000-0000-8000-8001-000000000000")


@test(slow=True)
def test_newer_samples_are_not_offered_before_the_first_page_is_loaded(browser):
    with browser.standin("data?type=heartRate", clocked=True) as page:
        listening(page, "data")
        page.world.asked.clear()
        with held(page, "**/api/samples?*limit=100*") as waiting:
            page.get_by_role("combobox", name="Source").select_option(STRAP)
            eventually(page, lambda: waiting, "the other source was not requested")
            page.clock.fast_forward(MINUTE)
            commit(page)
            page.wait_for_timeout(2500)
            check(not asked(page, "/api/samples"), "newer data was already requested")
        expect(page.locator("table.samples tbody > tr")).to_have_count(100)
        expect(page.get_by_role("button", name="Show newer samples")).to_have_count(0)
        page.clock.fast_forward(MINUTE)
        commit(page, SECOND)
        expect(page.get_by_role("button", name="Show newer samples")).to_be_visible()


@test(slow=True)
def test_the_list_of_types_is_updated(browser):
    with browser.standin("data", clocked=True) as page:
        listening(page, "data")
        first = page.locator("tbody tr").first
        expect(first).to_contain_text("34,560,000")
        commit(page)
        expect(first).to_contain_text("34,560,001")
