"""Saved pictures and tables, and their contents."""

import base64
import csv
import io
import re
import threading

from harness import check, expect, go, settle, test
from standin import DAY, HOUR, MINUTE, STRAP, named
from test_charts import CANVAS, columns, show
from test_mixed import hour_of, six

# JavaScript that returns the size of a picture, the number of pixels of each color in some rows, and the
# number for each column.
LOOK = """async ([data, top, bottom]) => {
  const bytes = Uint8Array.from(atob(data), (each) => each.charCodeAt(0));
  const picture = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const { width, height } = picture;
  const canvas = new OffscreenCanvas(width, height);
  const pen = canvas.getContext("2d");
  pen.drawImage(picture, 0, 0);
  const found = { width, height, accent: 0, ink: 0, columns: [] };
  const from = top < 0 ? height + top : top, to = bottom <= 0 ? height + bottom : bottom;
  const pixels = pen.getImageData(0, from, width, to - from).data;
  for (let x = 0; x < width; x += 1) {
    let accent = 0;
    for (let y = 0; y < to - from; y += 1) {
      const i = 4 * (y * width + x);
      const r = pixels[i], g = pixels[i + 1], b = pixels[i + 2];
      if (r > g + 40 && r > b + 25) accent += 1;
      if (r < 90 && g < 90 && b < 90) found.ink += 1;
    }
    found.accent += accent;
    found.columns.push(accent);
  }
  return found;
}"""
EDGE = 20
# The times of a file's name: "2026-11-27 1720 to 1830", or "2026-11-27 1720 to 2026-11-28 0100".
SPAN = r"\d{4}-\d\d-\d\d \d{4} to (\d{4}-\d\d-\d\d )?\d{4}"


def saved(page, button):
    with page.expect_download() as download:
        button.click()
    return open(download.value.path(), "rb").read(), download.value.suggested_filename


def look(page, picture, top, bottom):
    check(picture[:8] == b"\x89PNG\r\n\x1a\n", "it is not a picture")
    return page.evaluate(LOOK, [base64.b64encode(picture).decode(), top, bottom])


def table(data):
    return list(csv.DictReader(io.StringIO(data.decode())))


def check_picture(page, button, name, head):
    """Checks that the saved picture has a heading and the visible chart."""
    drawn = [each["count"] for each in columns(page, "accent")]
    height = page.evaluate(f"document.querySelector('{CANVAS}').clientHeight")
    picture, file = saved(page, button)
    check(re.fullmatch(f"{SPAN} {re.escape(name)}", file), file)
    heading = look(page, picture, 12, 40)
    check(heading["ink"] > 200, "there is no heading")
    whole = look(page, picture, head, head + height - 40)
    check(whole["width"] == len(drawn) + 2 * EDGE, f"{whole['width']} pixels wide of {len(drawn)}")
    found = whole["columns"][EDGE : EDGE + len(drawn)]
    # In the picture, pale pixels of the chart are mixed with the background, so a few columns can differ.
    same = sum(1 for a, b in zip(found, drawn) if bool(a) == bool(b)) / len(drawn)
    check(sum(map(bool, drawn)) > 50 and same > 0.95, f"{same:.0%} of the columns are as on the screen")
    return picture


@test
def test_a_picture_has_the_visible_chart_with_heading_and_legend(browser):
    with browser.shared("you", six) as page:
        show(page, hour_of(page.world, 62), hour_of(page.world, 30))
        expect(page.locator(".legend button")).to_have_count(6)
        button = page.get_by_role("button", name="PNG")
        picture = check_picture(page, button, "heartRate.png", 62)
        # The legend has six names in one or two lines. The mark of the first one has the accent color.
        legend = look(page, picture, -65, -4)
        check(legend["accent"] > 40 and legend["ink"] > 60, f"there is no legend: {legend['accent']}")
        # A hidden source is not in the legend of the picture.
        page.locator(".legend button").first.click()
        settle(page)
        other = look(page, saved(page, button)[0], -65, -4)
        check(other["accent"] < legend["accent"], "a hidden source is in the legend")


@test
def test_beats_are_saved_as_a_table_and_as_a_picture(browser):
    with browser.shared("beats") as page:
        settle(page, "beats")
        start = page.world.now - HOUR
        go(page, f"beats?from={start}&to={start + MINUTE}")
        data, file = saved(page, page.get_by_role("button", name="CSV"))
        rows = table(data)
        check(re.fullmatch(rf"{SPAN} beats\.csv", file) and 65 < len(rows) < 75, f"{file}, {len(rows)} rows")
        first = rows[0]
        check(
            first["unit"] == "ms"
            and first["sourceBundleIdentifier"] == STRAP
            and 790 < float(first["value"]) < 910,
            str(first),
        )
        check([each["time"] for each in rows] == sorted(each["time"] for each in rows), "not in order")
        check({each["isArtefact"] for each in rows} == {"true", "false"}, "artifacts are not marked")
        check_picture(page, page.get_by_role("button", name="PNG"), "beats.png", 62)
        # The beats of a day are drawn as bars, so the table has ranges.
        go(page, f"beats?from={start - DAY}&to={start}")
        rows = table(saved(page, page.get_by_role("button", name="CSV"))[0])
        check(rows and set(rows[0]) >= {"start", "end", "lowest", "highest"}, f"{rows[:1]}")
        check(rows[0]["lowest"] == "800" and rows[0]["values"] == "", f"{rows[0]}")


@test
def test_a_comparison_is_saved_as_a_table_and_as_a_picture(browser):
    with browser.shared("sessions") as page:
        settle(page, "sessions")
        for box in page.locator(".session input").all():
            box.check()
        expect(page.locator("canvas.comparison")).to_be_visible()
        saving = page.locator("section", has=page.locator("canvas.comparison")).last
        wearings = page.world.wearings
        covered = {"from": min(start for start, _ in wearings), "to": max(end for _, end in wearings)}
        wanted = named(covered, "").strip()
        data, file = saved(page, saving.get_by_role("button", name="CSV"))
        rows = table(data)
        check(file == wanted + " sessions.csv" and len({each["session"] for each in rows}) == 2, f"{rows[:2]}")
        check(all(60 <= float(each["average"]) <= 80 for each in rows), "the averages are others")
        check(rows[0]["secondsFromStart"] == "0" and rows[0]["unit"] == "count/min", f"{rows[0]}")
        picture, file = saved(page, saving.get_by_role("button", name="PNG"))
        found = look(page, picture, 62, -60)
        # The first session, which has the accent color, takes one of six hours.
        check(file == wanted + " sessions.png" and 100 < sum(map(bool, found["columns"])) < 300, "nothing is drawn")
        check(look(page, picture, 12, 40)["ink"] > 200, "there is no heading")
        check(look(page, picture, -44, -16)["accent"] > 20, "there is no legend")


@test
def test_a_name_that_looks_like_a_formula_is_text(browser):
    with browser.shared("you") as page:
        text = page.evaluate("""() => import("/csv.js").then(({ csvOf }) =>
          csvOf(["a", "b"], [["=1+1", -3.5], ['a "b", c', null], ["-7", "\\n@x"]]).text())""")
        check(text == 'a,b\n\'=1+1,-3.5\n"a ""b"", c",\n-7,\'@x\n', repr(text))


@test
def test_an_error_of_a_download_is_shown_and_not_saved_as_a_file(browser):
    sentence = "There are no such samples."
    with browser.standin("you") as page:
        settle(page, "you")
        session = f"session?source={STRAP}&start={page.world.wearings[0][0]}"
        places = ("heart-rate", "data?type=heartRate", session)
        for part in places:
            page.world.failing = {}
            go(page, part)
            link = page.locator("#main a[href*='export.csv']").first
            kept, _ = saved(page, link)
            check(kept == b"812\n", f"{part}: {kept}")
            page.world.failing = {"/api/export.csv": sentence}
            files = []

            def keep(file, files=files):
                files.append(file)

            page.on("download", keep)
            link.click()
            expect(page.locator("#notice")).to_have_text(sentence)
            page.wait_for_timeout(300)
            check(not files, f"{part}: an error was saved as a file")
            page.remove_listener("download", keep)


@test
def test_a_busy_server_is_asked_for_the_file_again(browser):
    with browser.standin("heart-rate") as page:
        settle(page, "heart-rate")
        page.world.busy = ["/api/export.csv"]
        kept, name = saved(page, page.locator("#main a[href*='export.csv']").first)
        check(kept == b"812\n" and re.fullmatch(rf"{SPAN} heartRate\.csv", name), f"{name}: {kept}")


@test
def test_a_file_is_streamed_and_not_held_in_memory(browser):
    with browser.standin("heart-rate") as page:
        settle(page, "heart-rate")
        goes_on = threading.Event()

        def parts():
            yield b"first\n"
            goes_on.wait(page.timeout / 1000)
            yield b"last\n"

        page.world.parts = parts
        with page.expect_download() as download:
            page.locator("#main a[href*='export.csv']").first.click()
        goes_on.set()
        check(download.value.suggested_filename == "long.csv", download.value.suggested_filename)
        kept = open(download.value.path(), "rb").read()
        check(kept == b"first\nlast\n", f"{kept}")
