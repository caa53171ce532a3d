"""An encrypted store that is locked: the page asks for its passphrase."""

from harness import check, expect, go, is_quiet, settle, test


def locked(world):
    world.passphrase = "correct horse"


def dialog_of(page):
    return page.get_by_role("dialog", name="Unlock the store")


@test
def test_a_locked_store_is_unlocked_with_its_passphrase(browser):
    with browser.standin("now", locked) as page:
        dialog = dialog_of(page)
        field = dialog.get_by_label("Passphrase")
        expect(field).to_be_focused()
        expect(field).to_have_attribute("type", "password")
        field.fill("wrong")
        dialog.get_by_role("button", name="Unlock").click()
        expect(dialog.get_by_role("alert")).to_contain_text("does not open the store")
        field.fill("correct horse")
        field.press("Enter")
        settle(page, "now")
        expect(dialog).to_have_count(0)
        check("correct" not in page.url, f"the address has the passphrase: {page.url}")


@test
def test_a_store_that_is_locked_later_is_asked_for_once_in_each_part(browser):
    with browser.standin("summary") as page:
        settle(page, "summary")
        locked(page.world)
        go(page, "data")
        dialog = dialog_of(page)
        dialog.get_by_role("button", name="Cancel").click()
        expect(page.get_by_text("The store is encrypted and locked.").first).to_be_visible()
        is_quiet(page)
        expect(dialog).to_have_count(0)
        go(page, "sleep")
        dialog.get_by_label("Passphrase").fill("correct horse")
        dialog.get_by_role("button", name="Unlock").click()
        settle(page, "sleep")
        expect(dialog).to_have_count(0)
        expect(page.get_by_text("The store is encrypted and locked.")).to_have_count(0)


@test
def test_a_locked_store_without_a_passphrase_says_how_to_unlock_it(browser):
    def keyed(world):
        locked(world)
        world.has_passphrase = False

    with browser.standin("now", keyed) as page:
        expect(page.get_by_role("alert")).to_contain_text("The store is encrypted and locked.")
        is_quiet(page)
        expect(dialog_of(page)).to_have_count(0)


@test
def test_a_backup_of_an_encrypted_store_has_its_keys_beside_it(browser):
    keys = "Download its keys"
    with browser.standin("storage") as page:
        settle(page, "storage")
        expect(page.get_by_role("link", name=keys)).to_have_count(0)
        page.world.is_encrypted = True
        go(page, "sleep")
        go(page, "storage")
        expect(page.get_by_role("link", name=keys)).to_have_attribute("href", "/api/backup-keys")
        expect(page.get_by_text("The file is encrypted: keep its keys beside it")).to_be_visible()
