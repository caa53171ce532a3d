"""Adding values by hand: from Summary, from each type, and what is refused or asked about."""

from harness import PHONE, check, eventually, expect, go, settle, test
from test_accessibility import axe, findings
from test_parts import posted

SUBMIT = "button[type=submit]"


def refusing(world):
    """Makes the stand-in refuse these values as the server does (tested by EntryTests)."""
    asks = {"error": "implausible", "field": "value", "message": "Usual values are from 2 to 300 kg."}
    never = {"error": "argument", "field": "value",
             "message": "The value is out of range: bodyMass is from 0.1 to 1000 kg."}
    late = {"error": "argument", "field": "start", "message": "The time is in the future."}
    world.refused = {"732": (409, asks), "7320": (400, never), "1": (400, late)}


@test
def test_a_weight_is_three_taps_from_the_summary(browser):
    for options in ({}, {"size": PHONE}):
        with browser.standin("summary", **options) as page:
            settle(page, "summary")
            # First tap: the form opens with the type and the time, and the field of the value has the focus.
            page.get_by_role("button", name="Add data").click()
            expect(page.get_by_label("Value")).to_be_focused()
            # Second tap: the value.
            page.keyboard.type("73.2")
            # Third tap: the form is sent.
            page.locator(SUBMIT).click()
            expect(page.locator("#notice")).to_have_text("Added.")
            body = posted(page, "/api/samples")[0]
            check(body["type"] == "bodyMass" and body["value"] == "73.2", str(body))
            check(abs(body["start"] - page.world.now) < 120_000, f"{body} is not of now")


@test
def test_several_pasted_values_are_rejected_beside_the_field(browser):
    """The field drops what is between pasted numbers, so they would become one wrong number."""
    with browser.standin("summary", permissions=["clipboard-read", "clipboard-write"]) as page:
        settle(page, "summary")
        page.get_by_role("button", name="Add data").click()
        value = page.locator("dialog [name=value]")
        expect(value).to_be_focused()

        def paste(text):
            page.evaluate("text => navigator.clipboard.writeText(text)", text)
            value.focus()
            page.keyboard.press("Control+V")

        pasted = ["\n".join(["73.2"] * 10_000), "\t".join(["73"] * 10_000), "; ".join(["73,2"] * 10_000)]
        for text in (*pasted, "73.2\n72.9"):
            paste(text)
            problem = page.locator(".field", has=page.locator("[name=value]")).locator(".problem")
            expect(problem).to_have_text("Paste a single number.")
            expect(value).to_have_attribute("aria-invalid", "true")
            expect(value).to_have_value("")
            # The field is required, so nothing is sent.
            page.locator(SUBMIT).click()
            check(not posted(page, "/api/samples"), f"{str(posted(page, '/api/samples'))[:100]} was sent")
        # The form can still be used, also by pasting.
        paste("73.2\n")
        expect(page.locator("dialog .problem").filter(has_text="single")).to_have_count(0)
        page.locator(SUBMIT).click()
        expect(page.locator("#notice")).to_have_text("Added.")
        check([each["value"] for each in posted(page, "/api/samples")] == ["73.2"], "another value was sent")


@test(slow=True)
def test_each_type_has_a_button_that_adds_to_it(browser):
    for part, button, type_ in (
        ("summary", "Add resting heart rate", "restingHeartRate"),
        ("data", "Add steps", "stepCount"),
        ("data?type=stepCount", "Add", "stepCount"),
        ("heart-rate?type=stepCount", "Add steps", "stepCount"),
    ):
        def world(world):
            world.listed = {"workout": [{}]}
            plain = world.answer

            def answer(path, asked):
                found = plain(path, asked)
                if path == "/api/entry":
                    found["types"].append(
                        {"type": "restingHeartRate", "kind": "quantity", "unit": "count/min",
                         "units": ["count/min"], "needsDuration": False, "mayBeOngoing": False})
                return found

            world.answer = answer

        with browser.standin(part, world) as page:
            settle(page, part.split("?")[0])
            page.get_by_role("button", name=button, exact=True).click()
            page.get_by_label("Value").fill("61")
            page.locator(SUBMIT).click()
            eventually(page, lambda: posted(page, "/api/samples"), f"{part}: nothing was sent")
            check(posted(page, "/api/samples")[0]["type"] == type_, f"{part}: {posted(page, '/api/samples')}")
            expect(page.locator("dialog")).to_have_count(0)
            # Workouts are only recorded by devices, so their list has no button for adding one.
            go(page, "data?type=workout")
            expect(page.get_by_role("button", name="Add", exact=True)).to_have_count(0)


@test
def test_a_symptom_is_added(browser):
    with browser.standin("summary") as page:
        settle(page, "summary")
        page.get_by_role("button", name="Add data").click()
        expect(page.locator("optgroup[label=Symptoms] option")).to_have_text(["Headache"])
        page.get_by_label("Type").select_option("headache")
        page.get_by_label("Value").select_option("severe")
        page.locator(SUBMIT).click()
        expect(page.locator("#notice")).to_have_text("Added.")
        body = posted(page, "/api/samples")[0]
        check((body["type"], body["value"]) == ("headache", "severe"), str(body))


@test
def test_an_unusual_value_is_asked_about(browser):
    with browser.standin("summary", refusing) as page:
        settle(page, "summary")
        page.get_by_role("button", name="Add data").click()
        page.get_by_label("Value").fill("732")
        page.locator(SUBMIT).click()
        question = page.get_by_role("dialog", name="Is this right?")
        expect(question).to_contain_text("Weight: 732 kg")
        expect(question).to_contain_text("from 2 to 300 kg")
        question.get_by_role("button", name="Change it").click()
        check(not page.world.added, "it was added in spite of the answer")
        # The form is open again, with the value that was entered.
        expect(page.get_by_label("Value")).to_have_value("732")
        expect(page.get_by_label("Value")).to_be_focused()
        page.locator(SUBMIT).click()
        question.get_by_role("button", name="Add it").click()
        expect(page.locator("#notice")).to_have_text("Added.")
        check([(each["value"], each["confirmed"]) for each in page.world.added] == [("732", True)],
              str(page.world.added))


@test
def test_what_cannot_be_is_said_beside_its_field(browser):
    with browser.standin("summary", refusing) as page:
        settle(page, "summary")
        page.evaluate(axe())
        page.get_by_role("button", name="Add data").click()
        for value, label, words in (("7320", "Value", "out of range"), ("1", "Time", "future")):
            page.get_by_label("Value").fill(value)
            page.locator(SUBMIT).click()
            field = page.get_by_label(label)
            expect(field).to_have_attribute("aria-invalid", "true")
            expect(field).to_be_focused()
            expect(page.locator("label.field", has=field).locator(".problem")).to_contain_text(words)
            # The problem is shown once, at this field.
            expect(page.locator("dialog .problem:visible")).to_have_count(1)
            check(not findings(page), f"{findings(page)}")
        page.get_by_label("Value").fill("73")
        page.locator(SUBMIT).click()
        expect(page.locator("#notice")).to_have_text("Added.")
        check(len(page.world.added) == 1, str(page.world.added))


@test
def test_the_first_value_is_pinned_to_the_summary(browser):
    with browser.standin("summary", is_empty=True) as page:
        settle(page, "summary")
        page.get_by_role("button", name="Add data").click()
        page.get_by_label("Type").select_option("stepCount")
        page.get_by_label("Value").fill("400")
        page.world.is_empty = False
        page.locator(SUBMIT).click()
        expect(page.locator(".card", has_text="Steps")).to_have_count(1)


@test
def test_what_was_added_is_pinned_to_the_summary(browser):
    def world(world):
        world.refused = {}

    with browser.standin("summary", world) as page:
        settle(page, "summary")
        expect(page.locator(".card", has_text="Steps")).to_have_count(0)
        page.get_by_role("button", name="Add data").click()
        page.get_by_label("Type").select_option("stepCount")
        page.get_by_label("Value").fill("400")
        page.locator(SUBMIT).click()
        expect(page.locator(".card", has_text="Steps")).to_have_count(1)
