"""Beats are drawn on arrival, and requested only if some may be missing in a visible trace."""

import time

from harness import check, eventually, expect, settle, test
from standin import STRAP, StandIn

CARD = f'.pulse[data-source="{STRAP}"]'
# JavaScript that returns the number of pixels of the thin line of beats in some rows of a trace. The line of
# the heart rate has another color.
BEATS = """([selector, from, to]) => {
  const canvas = document.querySelector(selector), { width, height } = canvas;
  const data = canvas.getContext("2d").getImageData(0, 0, width, height).data;
  let found = 0;
  for (let y = Math.floor(from * height); y < to * height; y += 1) {
    for (let x = 0; x < width - 40; x += 1) {
      const i = 4 * (y * width + x);
      const [r, g, b, a] = data.slice(i, i + 4);
      if (a > 60 && r < 150 && Math.abs(r - g) < 14 && Math.abs(g - b) < 16) found += 1;
    }
  }
  return found;
}"""
HIDE = """hidden => {
  Object.defineProperty(document, "hidden", { get: () => hidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


def asked(page, source):
    return sum(1 for path, each in page.world.asked if path == "/api/beats" and each.get("source") == source)


def beating(world):
    world.variety = [600.0, 1100.0] * 16
    world.live_beats = {"count": 40, "time": time.time() * 1000, "rr": world.variety}


@test
def test_beats_are_drawn_on_arrival(browser):
    def world(world):
        # The store has neither beats nor heart rates.
        world.beating = []
        world.series = lambda *_: {"form": "samples", "time": [], "value": [], "statistics": {"count": 0}}

    with browser.standin("now", world) as page:
        canvas = f"{CARD} canvas"
        expect(page.locator(f"{CARD} .rate span")).to_have_text("71")
        page.wait_for_timeout(600)
        before = page.evaluate(BEATS, [canvas, 0, 1])
        beating(page.world)
        # The beats vary from 55 to 100 a minute, so their line reaches the upper third, and that of the heart
        # rate (71) does not.
        page.wait_for_function(
            f"([args, before]) => ({BEATS})(args) > before + 100", arg=[[canvas, 0, 0.3], before]
        )
        # New beats are added to the known ones, and no beat is added twice.
        lengths = "source => import('/live-beats.js').then(({ LiveBeats }) => {"
        lengths += """
          const trace = { setBeats() { [this.beatTimes, this.beatRates] = [[], []]; } };
          const beats = new LiveBeats(trace), now = Date.now();
          const rr = (n) => Array.from({ length: n }, () => 1000);
          const states = [];
          const state = () => states.push([
            trace.beatTimes.length, trace.beatRates.filter(Number.isNaN).length,
            Math.round(trace.beatTimes.at(-1) - now),
            trace.beatTimes.every((time, i) => !i || time >= trace.beatTimes[i - 1]),
          ]);
          beats.take({ count: 5, time: now, rr: rr(5) }); state();
          beats.take({ count: 5, time: now, rr: rr(5) }); state();
          beats.take({ count: 7, time: now + 2200, rr: rr(7) }); state();
          // Where the time says that some are missing, none is joined to the one before.
          beats.take({ count: 8, time: now + 9000, rr: rr(8) }); state();
          // Another run of the gateway.
          beats.take({ count: 2, time: now + 11000, rr: rr(2) }); state();
          // More than were told are missing: they will be in the store.
          beats.take({ count: 99, time: now + 60000, rr: rr(32) }); state();
          return states;
        })"""
        found = page.evaluate(lengths, STRAP)
        check(
            found
            == [
                [6, 1, 0, True],
                [6, 1, 0, True],
                [8, 1, 2000, True],
                [10, 2, 9000, True],
                [12, 2, 11000, True],
                [33, 1, 60000, True],
            ],
            str(found),
        )


@test(slow=True)
def test_beats_do_not_replace_rows_that_are_read(browser):
    with browser.standin("monitors", beating) as page:
        settle(page, "monitors")
        page.get_by_text("More").first.click()
        page.evaluate("document.querySelector('.monitor').wasRead = true")
        for count in range(41, 46):
            page.world.live_beats = page.world.live_beats | {"count": count}
            page.wait_for_timeout(300)
        check(page.evaluate("document.querySelector('.monitor').wasRead"), "the monitor's row was replaced")


@test
def test_stored_beats_are_drawn_before_received_ones(browser):
    with browser.standin("now") as page:
        settle(page, "now")
        found = page.evaluate("""() => Promise.all(
          [import("/live-beats.js"), import("/charts/trace.js")]).then(([{ LiveBeats }, { Trace }]) => {
            const trace = new Trace(document.createElement("canvas"));
            const beats = new LiveBeats(trace), now = Date.now();
            const rr = (n) => Array.from({ length: n }, () => 1000);
            const found = [beats.isMissing(now)];
            beats.take({ count: 20, time: now, rr: rr(20) });
            found.push(beats.isMissing(now));
            beats.keep([{ start: now - 100_000, rr: rr(60), marks: rr(60).map(() => 0) }]);
            found.push(beats.isMissing(now), trace.beatTimes.length);
            // The store has caught up: of what was told already nothing is drawn twice.
            beats.keep([{ start: now - 100_000, rr: rr(95), marks: rr(95).map(() => 0) }]);
            found.push(beats.isMissing(now), trace.beatTimes.length);
            found.push(trace.beatTimes.every((time, i) => !i || time > trace.beatTimes[i - 1]));
            return found;
          })""")
        check(found == [True, True, True, 61 + 21, False, 80 + 20, True], str(found))


@test
def test_a_trace_restarts_when_the_clock_is_set_back(browser):
    with browser.standin("you") as page:
        settle(page, "you")
        found = page.evaluate("""() => Promise.all(
          [import("/live-beats.js"), import("/charts/trace.js")]).then(([{ LiveBeats }, { Trace }]) => {
            const trace = new Trace(document.createElement("canvas"));
            const beats = new LiveBeats(trace), now = Date.now(), back = now - 3600_000;
            const rr = (n) => Array.from({ length: n }, () => 1000);
            trace.seed([now - 2000, now + 9000], [60, 60]);
            // What the store has of later does not tell of a clock.
            for (const time of [now, now + 1000]) trace.add(time, 60);
            const found = [trace.times.length];
            beats.keep([{ start: now - 100_000, rr: rr(60), marks: rr(60).map(() => 0) }]);
            beats.take({ count: 20, time: now, rr: rr(20) });
            for (const time of [back, back + 1000]) trace.add(time, 60);
            beats.take({ count: 22, time: back, rr: rr(2) });
            beats.take({ count: 23, time: back + 1000, rr: rr(1) });
            for (const times of [trace.times, trace.beatTimes]) {
              found.push(times.length, times.at(-1) - back);
              found.push(times.every((time, i) => !i || time > times[i - 1]));
            }
            return found;
          })""")
        check(found == [2, 2, 1000, True, 4, 1000, True], str(found))


@test(slow=True)
def test_beats_are_requested_only_for_measuring_straps_and_after_commits(browser):
    with browser.page() as page:
        page.clock.install()
        server = StandIn()
        page.world = server.world
        # The test moves the browser's clock ahead of the fake server's clock. The heart rate is an hour
        # ahead, so that it stays current.
        server.world.pulse_age = -3600
        page.goto(server.address + "#/now")
        expect(page.locator(f"{CARD} .rate span")).to_have_text("71")
        expect(page.locator(".pulse")).to_have_count(2)
        eventually(page, lambda: asked(page, STRAP) == 1, "the beats of the strap were not requested")
        # The other strap measured an hour ago, so its beats are not in the visible trace.
        check(asked(page, STRAP[:-1] + "2") == 0, "beats of a strap without measurements are requested")
        # Without a commit, the store has no new beats, so none are requested.
        for _ in range(6):
            page.clock.run_for(10_000)
        check(asked(page, STRAP) == 1, f"an idle tab sends requests: {asked(page, STRAP)} times")
        page.world.commits += 1

        def is_asked_again():
            page.clock.run_for(10_000)
            return asked(page, STRAP) == 2

        eventually(page, is_asked_again, "new data was not requested")
        page.evaluate("""() => {
          window.heard = [];
          new BroadcastChannel("hrgate-events-").onmessage = ({ data }) => window.heard.push(data.kind);
        }""")
        count = asked(page, STRAP)
        page.world.commits += 1
        eventually(page, lambda: page.evaluate("window.heard.includes('commit')"), "the commit is not sent")
        page.evaluate(HIDE, True)
        for _ in range(6):
            page.clock.run_for(10_000)
        check(asked(page, STRAP) == count, "a hidden tab sends requests")
        page.evaluate(HIDE, False)
        eventually(page, lambda: asked(page, STRAP) == count + 1, "a visible tab does not catch up")
        # The strap has had no value for a minute. The new connection has sent the time of the server.
        server.world.pulse_age = 60
        expect(page.locator(CARD)).to_have_class("pulse stale")
        page.evaluate("window.heard = []")
        page.world.commits += 1
        eventually(page, lambda: page.evaluate("window.heard.includes('commit')"), "the commit is not sent")
        count = asked(page, STRAP)
        for _ in range(3):
            page.clock.run_for(10_000)
        check(asked(page, STRAP) == count, "beats of a silent strap are requested")
        server.close()
        page.troubles.clear()


@test
def test_the_table_of_a_trace_has_its_minutes(browser):
    with browser.standin("now") as page:
        expect(page.locator(f"{CARD} .rate span")).to_have_text("71")
        page.locator(CARD).get_by_text("As a table").click()
        rows = page.locator(f"{CARD} .strip tbody tr")
        eventually(page, lambda: rows.count() in (4, 5), "not each whole minute has a row")
        heads = page.locator(f"{CARD} .strip thead th").all_text_contents()
        check(heads == ["From", "Lowest", "Highest", "Latest", "Values", "Beats"], f"{heads}")
        found = page.evaluate("""() => import("/charts/trace-table.js").then(({ TraceTable }) => {
          const now = Date.UTC(2026, 10, 25, 8, 4, 30), minute = 60_000;
          const first = Date.UTC(2026, 10, 25, 8, 3);
          const trace = {
            times: [first - minute, first, first + 1000, first + minute - 1, first + minute],
            rates: [90, 61, 60, 71, 99],
            beatTimes: [first - 1000, first, first + 1000, first + 2000], beatRates: [60, NaN, 60, 61],
          };
          const table = new TraceTable(trace);
          table.element.open = true;
          table.refill(now);
          const text = () => [...table.rows.children].map((row) => [...row.children].map((each) => each.textContent));
          const cell = table.rows.children[0].children[1].firstChild, found = [text()];
          // What stands there already is not written again.
          table.refill(now + 20_000);
          found.push(table.rows.children[0].children[1].firstChild === cell);
          table.refill(now + minute);
          return [...found, text()[0], text()[1]];
        })""")
        check(
            found
            == [
                [
                    ["9:03", "60", "71", "71", "3", "2"],
                    ["9:02", "90", "90", "90", "1", "1"],
                    ["9:01", "–", "–", "–", "–", "–"],
                    ["9:00", "–", "–", "–", "–", "–"],
                ],
                True,
                ["9:04", "99", "99", "99", "1", "–"],
                ["9:03", "60", "71", "71", "3", "2"],
            ],
            str(found),
        )


@test
def test_the_table_of_a_trace_is_updated(browser):
    with browser.standin("now", clocked=True) as page:
        expect(page.locator(f"{CARD} .rate span")).to_have_text("71")
        page.locator(CARD).get_by_text("As a table").click()
        first = page.locator(f"{CARD} .strip tbody th").first
        before = first.text_content()
        page.clock.run_for(61_000)
        check(first.text_content() != before, f"a minute later the newest row is still {before}")
