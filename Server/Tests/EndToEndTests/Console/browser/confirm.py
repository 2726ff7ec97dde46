"""confirm.py [TEST…] URL: a registration on a server that mails a code first (KEEPSAKE_VERIFY_EMAIL=on, with mails.py as its mail server).
Prints one line of JSON per test, as drive.py. KEEPSAKE_MAILS is the folder of mails.py."""

import os
import pathlib
import sys

from axe_playwright_python.sync_playwright import Axe
from console import Browser, chosen, expect, judge, report, tried, until
from mails import codes

email, password = "ada@example.org", "a quiet afternoon"


class SignedOut:
    """The browser, and a page where nobody is signed in at first."""

    def __init__(self, url):
        self.browser = Browser(url, "none.wav")
        self.page = self.browser.page(microphone=False, viewport={"width": 375, "height": 720})

    def code(self, count):
        """The code of that number that was mailed to Ada, as soon as it is there."""
        return until(self.page, lambda: codes(pathlib.Path(os.environ["KEEPSAKE_MAILS"]), email)[count - 1 : count])[0]


@tried
def a_registration_asks_for_the_code_of_a_mail(signed_out):
    page = signed_out.page
    page.goto("/console/")
    page.get_by_role("button", name="Create an account").click()
    page.get_by_label("Name").fill("Ada")
    page.get_by_label("E-mail").fill(email)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Create the account").click()
    expect(page.get_by_role("heading", name="Confirm your address")).to_be_visible()
    expect(page.get_by_text(email)).to_be_visible()
    found = judge(Axe(), page, "confirmation")
    assert not found, found
    first = signed_out.code(1)
    page.get_by_role("button", name="Confirm it").click()
    expect(page.get_by_role("alert")).to_contain_text("Enter the code")
    page.get_by_label("Code").fill("00000-00000-00000-00000")
    page.get_by_role("button", name="Confirm it").click()
    expect(page.get_by_role("alert")).to_contain_text("unknown")
    page.route("**/register/resend", lambda route: route.abort())
    page.get_by_role("button", name="Send another code").click()
    expect(page.get_by_text("The server cannot be reached.")).to_be_visible()
    page.unroute("**/register/resend")
    page.get_by_role("button", name="Send another code").click()
    expect(page.get_by_text("Another code is on its way.")).to_be_visible()
    second = signed_out.code(2)
    assert first != second, first
    page.get_by_label("Code").fill(second.lower().replace("-", ""))
    page.get_by_role("button", name="Confirm it").click()
    expect(page.get_by_role("heading", name="Timeline")).to_be_visible()


def main():
    signed_out = SignedOut(sys.argv[-1])
    report(signed_out, chosen(sys.argv[1:-1]))
    signed_out.browser.close()


main()
