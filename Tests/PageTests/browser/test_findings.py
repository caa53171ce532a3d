"""What the page shows of electrocardiograms, medications and the reads of apps."""

from harness import check, expect, go, test
from standin import HOUR

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
