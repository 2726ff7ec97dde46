"""signedout.py [TEST…] URL: what people do before they are signed in: registration by invitation, and forgotten passwords. Prints one line
of JSON per test, as drive.py. The server needs KEEPSAKE_REGISTRATION=invite, mails.py as its mail server, and as KEEPSAKE_RESET_URL an
address that ends with `/console/#/reset?code={token}`. KEEPSAKE_INVITES are the codes of three invitations, separated by commas, and
KEEPSAKE_MAILS is the folder of mails.py."""

import os
import pathlib
import re
import sys

from axe_playwright_python.sync_playwright import Axe
from console import Browser, chosen, expect, judge, report, sign_in, tried, until
from mails import texts

email, password = "ada@example.org", "a quiet afternoon"


class SignedOut:
    """The browser, and a page where nobody is signed in at first."""

    def __init__(self, url):
        self.browser = Browser(url, "none.wav")
        self.page = self.browser.page(microphone=False, viewport={"width": 375, "height": 720})
        self.invites = os.environ["KEEPSAKE_INVITES"].split(",")

    def reset(self, count):
        """The address without its host, and the code, of the reset link of that number that was mailed to Ada, as soon as it is there."""
        def links():
            mails = [text for to, text in texts(pathlib.Path(os.environ["KEEPSAKE_MAILS"])) if to == email]
            return [link for text in mails for link in re.findall(r"(/console/#/reset\?code=([0-9A-Z-]+))", text)]

        return until(self.page, lambda: links()[count - 1 : count])[0]


def fill(page, email=email, password=password):
    page.get_by_label("Name").fill("Ada")
    page.get_by_label("E-mail").fill(email)
    page.get_by_label("Password").fill(password)


@tried
def a_link_with_an_invitation_opens_the_registration_with_its_code(signed_out):
    page = signed_out.page
    page.goto(f"/console/?invite={signed_out.invites[0]}")
    expect(page.get_by_role("heading", name="Create an account")).to_be_visible()
    expect(page.get_by_label("Invitation code")).to_have_value(signed_out.invites[0])
    found = judge(Axe(), page, "registration")
    assert not found, found
    fill(page)
    page.get_by_role("button", name="Create the account").click()
    expect(page.get_by_role("heading", name="Timeline")).to_be_visible()
    # The code is of no more use, so a reload or a bookmark must not contain it.
    assert "invite" not in page.url, page.url
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()


@tried
def a_code_can_be_written_and_a_wrong_one_is_said_in_words(signed_out):
    page = signed_out.browser.page(microphone=False)
    page.goto("/console/")
    page.get_by_role("button", name="Create an account").click()
    fill(page, "ben@example.org", "short")
    page.get_by_role("button", name="Create the account").click()
    expect(page.get_by_role("alert")).to_contain_text("at least 8 characters")
    expect(page.get_by_label("Password")).to_be_focused()
    page.get_by_label("Password").fill(password)
    for code in ["", signed_out.invites[0]]:
        page.get_by_label("Invitation code").fill(code)
        page.get_by_role("button", name="Create the account").click()
        expect(page.get_by_role("alert")).to_contain_text("nvitation")
        expect(page.get_by_role("button", name="Create the account")).to_be_enabled()
    page.get_by_label("Invitation code").fill(signed_out.invites[1].lower().replace("-", ""))
    page.get_by_role("button", name="Create the account").click()
    expect(page.get_by_role("heading", name="Timeline")).to_be_visible()
    page.context.close()


@tried
def a_forgotten_password_is_set_anew_by_the_link_of_a_mail(signed_out):
    signed_in = signed_out.browser.page(microphone=False)
    sign_in(signed_in)
    page = signed_out.page
    page.goto("/console/")
    page.get_by_label("E-mail").fill(email)
    page.get_by_role("button", name="Forgot your password?").click()
    page.get_by_role("button", name="Send me a code").click()
    expect(page.get_by_role("alert")).to_contain_text("e-mail address")
    page.get_by_label("E-mail").fill(email)
    page.get_by_role("button", name="Send me a code").click()
    expect(page.get_by_role("heading", name="A new password")).to_be_visible()
    expect(page.get_by_text("a mail with a code is on its way")).to_be_visible()
    found = judge(Axe(), page, "new password")
    assert not found, found
    link, code = signed_out.reset(1)
    page.goto(link)
    expect(page.get_by_label("Code")).to_have_value(code)
    page.get_by_label("New password").fill("another afternoon")
    page.get_by_role("button", name="Set the password").click()
    expect(page.get_by_text("Your new password is set")).to_be_visible()
    assert code not in page.url, page.url
    # All sessions of the account have ended.
    expect(signed_in.get_by_text("Your session has ended. Sign in again.")).to_be_visible()
    signed_in.context.close()
    page.get_by_label("E-mail").fill(email)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("password")
    page.get_by_label("Password").fill("another afternoon")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name="Timeline")).to_be_visible()


@tried
def a_link_works_where_somebody_is_signed_in_and_a_used_code_is_refused_in_words(signed_out):
    other = signed_out.browser.page(microphone=False)
    other.goto("/console/")
    other.get_by_role("button", name="Forgot your password?").click()
    other.get_by_label("E-mail").fill(email)
    other.get_by_role("button", name="Send me a code").click()
    link, code = signed_out.reset(2)
    other.get_by_label("Code").fill(code.lower().replace("-", ""))
    other.get_by_label("New password").fill("short")
    other.get_by_role("button", name="Set the password").click()
    expect(other.get_by_role("alert")).to_contain_text("at least 8 characters")
    page = signed_out.page
    expect(page.get_by_text("Live", exact=True)).to_be_visible()
    page.goto(link)
    page.get_by_label("New password").fill("a third afternoon")
    page.get_by_role("button", name="Set the password").click()
    expect(page.get_by_text("Your new password is set")).to_be_visible()
    expect(page.get_by_role("link", name="Timeline")).to_have_count(0)
    other.get_by_label("New password").fill("a fourth afternoon")
    other.get_by_role("button", name="Set the password").click()
    expect(other.get_by_role("alert")).to_contain_text("was used")
    other.get_by_role("button", name="Sign in").click()
    expect(other.get_by_role("heading", name="Keepsake")).to_be_visible()
    other.context.close()
    sign_in(page, password="a third afternoon")


def main():
    signed_out = SignedOut(sys.argv[-1])
    report(signed_out, chosen(sys.argv[1:-1]))
    signed_out.browser.close()


main()
