"""What the page shows of electrocardiograms, medications and the reads of apps."""

import math
import re

from harness import PHONE, check, expect, go, settle, test
from standin import HOUR
from test_accessibility import axe, findings

RECORDING = {
    "classification": "sinusRhythm", "averageHeartRate": 62.4, "symptoms": "none", "samplingFrequency": 512,
    "voltages": 15_360,
}
DOSE = {"medication": "a", "name": "The white one", "status": "taken", "quantity": 2, "unit": "count"}


@test
def test_electrocardiograms_and_doses_are_listed_with_what_they_found(browser):
    def world(world):
        world.listed = {
            "electrocardiogram": [{"electrocardiogram": RECORDING}],
            "medicationDoseEvent": [
                {"dose": DOSE | {"scheduled": world.now - HOUR, "scheduledQuantity": 1}},
                {"dose": {**DOSE, "status": "skipped", "quantity": None, "name": None}},
            ],
        }

    with browser.shared("data?type=electrocardiogram", world) as page:
        row = page.locator(".samples tbody tr").first
        expect(row).to_contain_text("Sinus rhythm, 62 beats a minute on average")
        row.locator("summary").click()
        expect(row).to_contain_text("15,360 voltages, 512 Hz")
        go(page, "data?type=medicationDoseEvent")
        rows = page.locator(".samples tbody tr")
        expect(rows.first).to_contain_text("The white one, 2, Taken")
        expect(rows.nth(1)).to_contain_text("Skipped")
        rows.first.locator("summary").click()
        expect(rows.first).to_contain_text("Scheduled")


INKED = """() => {
  const canvas = document.querySelector('.curve canvas');
  const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  const ink = getComputedStyle(document.documentElement).color.match(/\\d+/g).map(Number);
  const found = new Set();
  for (let i = 0; i < data.length; i += 4) {
    const near = [0, 1, 2].every((k) => Math.abs(data[i + k] - ink[k]) < 30);
    if (data[i + 3] > 200 && near) found.add(Math.floor(i / 4 / canvas.width));
  }
  return [found.size, canvas.width, canvas.height];
}"""


@test
def test_the_curve_of_an_electrocardiogram_is_drawn(browser):
    def world(world):
        world.listed = {"electrocardiogram": [{"electrocardiogram": RECORDING}]}
        times = [k / 128 for k in range(30 * 128)]
        beat = [1.1 if k % 128 == 40 else 0.1 * math.sin(k / 20) - 0.05 for k in range(30 * 128)]
        world.curve = {"time": times, "millivolts": beat, "isReduced": False}

    for options, strips in (({}, 3), ({"size": PHONE, "theme": "dark"}, 6)):
        with browser.standin("data?type=electrocardiogram", world, **options) as page:
            settle(page, "data")
            # Nothing is requested before it is shown.
            check(not any(path == "/api/electrocardiogram" for path, _ in page.world.asked), "it was requested")
            row = page.locator(".samples tbody tr").first
            row.locator("summary").click()
            curve = page.locator(".curve")
            expect(curve).to_contain_text("25 mm/s, 10 mm/mV")
            canvas = curve.get_by_role("img", name="Curve of the electrocardiogram: 30 seconds")
            expect(canvas).to_have_attribute("aria-label", re.compile(r"from -0\.15 to 1\.1 millivolts"))
            box = canvas.bounding_box()
            # 1.1 mV to -0.15 mV have the squares from 1.5 to -0.5 mV, which are 20 mm high.
            mm = box["width"] / (10 if strips == 3 else 5) / 25
            check(abs(box["height"] - strips * (20 * mm + 18)) < 3, f"{box}, {mm}")
            inked, _, height = page.evaluate(INKED)
            check(inked > height / 3, f"{inked} of {height} rows have the curve")
            page.evaluate(axe())
            check(not findings(page), f"{findings(page)}")
            wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            check(wide <= 0 and box["x"] + box["width"] <= page.viewport_size["width"], f"{box}")
            row.locator("summary").click()
            expect(curve).to_have_count(0)
            # A failure is a sentence, and the next opening asks again.
            page.world.failing["/api/electrocardiogram"] = "There is no such electrocardiogram."
            page.reload()
            settle(page, "data")
            row.locator("summary").click()
            expect(curve).to_contain_text("There is no such electrocardiogram.")


@test
def test_medications_are_under_you_if_there_are_any(browser):
    def world(world):
        common = {"form": "tablet", "isArchived": False, "hasSchedule": True}
        world.medications = [
            common | {"identifier": "a", "name": "Aspirin", "nickname": "The white one"},
            common | {"identifier": "b", "name": "<b>Ibuprofen</b>", "isArchived": True},
        ]

    with browser.standin("you", world) as page:
        section = page.locator("section", has=page.get_by_role("heading", name="Medications")).last
        expect(section.locator("li")).to_have_text(
            ["The white one  Aspirin, Tablet, on a schedule", "<b>Ibuprofen</b>  Tablet, on a schedule, archived"]
        )
    with browser.shared("summary") as page:
        go(page, "you")
        expect(page.get_by_role("heading", name="Medications")).to_be_hidden()


@test
def test_the_medical_id_is_under_you(browser):
    with browser.shared("you") as page:
        section = page.locator("section", has=page.get_by_role("heading", name="Medical ID")).last
        expect(section.get_by_label("Date of birth")).to_have_value("1980-02-29")
        expect(section.get_by_label("Sex")).to_have_value("")
