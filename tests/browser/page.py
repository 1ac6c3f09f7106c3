"""The base class of the browser tests, which starts a server and a browser.

If QUIVER_PAGE names a folder of static files that tests/release/page built, the tests use a static
file server instead of `quiver serve`. The page's URL then ends with the name of this folder.
"""

import base64
import os
import pathlib
import re
import subprocess
import sys
import unittest
import urllib.parse

from playwright.sync_api import Error, expect, sync_playwright

ROOT = pathlib.Path(__file__).parents[2]
SHOTS = ROOT / "target" / "browser-shots"
SHOTS.mkdir(parents=True, exist_ok=True)
PICTURES = ROOT / "tests" / "data" / "pictures"
# The pictures of the README, which are written again if QUIVER_WRITE_PICTURES is set.
README_PICTURES = {"light-territory": "page.webp", "phone-territory": "page-phone.webp"}
FAULTS = ROOT / "tests" / "data" / "faults"
JUDGE_LOGS = ROOT / "tests" / "data" / "judge_logs"

STATIC = os.environ.get("QUIVER_PAGE")
needs_server = unittest.skipIf(STATIC, "the page has no server")

expect.set_options(timeout=int(os.environ.get("QUIVER_WAIT", 120_000)))


class PageTest(unittest.TestCase):
    """Starts a server for each class of tests, and opens its page as `self.page` for each test."""

    context_options = {"viewport": {"width": 1360, "height": 860}}

    @classmethod
    def setUpClass(cls):
        cls.start_server()
        cls.playwright = sync_playwright().start()
        cls.addClassCleanup(cls.playwright.stop)
        cls.launch_browser()

    @classmethod
    def start_server(cls, port="0"):
        if STATIC:
            folder = pathlib.Path(STATIC).resolve()
            command = [sys.executable, "-u", "-m", "http.server", port, "--bind", "127.0.0.1"]
            command += ["--directory", folder.parent]
        else:
            command = [
                os.environ["QUIVER"],
                "serve",
                "--memory",
                "64M",
                "--max-time",
                "100000",
                "--port",
                port,
            ]
        log = subprocess.DEVNULL if STATIC else None
        cls.server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        for clean in (cls.server.stdout.close, cls.server.wait, cls.server.kill):
            cls.addClassCleanup(clean)
        cls.url = re.search(r"http://[^ )]+", cls.server.stdout.readline()).group().strip()
        if STATIC:
            cls.url += f"{folder.name}/"

    @classmethod
    def launch_browser(cls):
        path, options = os.environ["QUIVER_CHROMIUM"], ["--no-sandbox", "--disable-gpu"]
        cls.browser = cls.playwright.chromium.launch(executable_path=path, args=options)
        cls.addClassCleanup(cls.browser.close)

    def open_page(self, **options):
        self.context = self.new_context(**options)
        self.page = self.new_page()
        self.page.goto(self.url)

    def setUp(self):
        self.troubles = []
        try:
            self.open_page()
        except Error:
            # Chromium sometimes crashes on a busy machine, so the test starts it once more.
            if self.browser.is_connected():
                raise
            self.launch_browser()
            self.troubles.clear()
            self.open_page()
        expect(self.square("a1")).to_be_visible()

    def new_context(self, **options):
        # This stored setting hides the card with the rules, which a first visit shows.
        kept = {"name": "quiver.settings", "value": '{"welcome":false}'}
        visited = {
            "origins": [{"origin": urllib.parse.urljoin(self.url, "/").rstrip("/"), "localStorage": [kept]}],
            "cookies": [],
        }
        defaults = {"locale": "en-US", "storage_state": visited}
        context = self.browser.new_context(**{**defaults, **self.context_options, **options})
        self.addCleanup(context.close)
        context.set_default_timeout(120_000)
        return context

    def new_page(self):
        page = self.context.new_page()
        page.on("console", self.note_console)
        page.on("pageerror", lambda error: self.troubles.append(str(error)))
        return page

    def note_console(self, message):
        # The browser logs an error for each answer of status 400, which tests cause on purpose.
        if message.type in ("error", "warning") and "status of 400" not in message.text:
            self.troubles.append(message.text)

    def tearDown(self):
        self.assertEqual(self.troubles, [])

    def find(self, selector, **how):
        return self.page.locator(selector, **how)

    def elements_with_values(self, values):
        """Returns pairs (element, value). The keys of `values` are ids with `_` for `-`."""
        return [(self.find("#" + name.replace("_", "-")), value) for name, value in values.items()]

    def expect_text(self, **texts):
        for element, text in self.elements_with_values(texts):
            expect(element).to_have_text(text)

    def expect_part(self, **texts):
        for element, text in self.elements_with_values(texts):
            expect(element).to_contain_text(text)

    def expect_value(self, **values):
        for element, value in self.elements_with_values(values):
            expect(element).to_have_value(value)

    def expect_hidden(self, *selectors):
        for selector in selectors:
            expect(self.find(selector)).to_be_hidden()

    def expect_visible(self, *selectors):
        for selector in selectors:
            expect(self.find(selector)).to_be_visible()

    def expect_square(self, *labels):
        """Waits until squares have these labels for screen readers, such as 'a1, empty'."""
        for label in labels:
            expect(self.square(label.partition(",")[0])).to_have_attribute("aria-label", label)

    def square(self, name):
        return self.find(f'.squares button[data-square="{name}"]')

    def squares_labelled(self, saying):
        found = self.find(f'.squares button[aria-label*="{saying}"]')
        return found.evaluate_all("all => all.map(one => one.dataset.square)")

    def status(self):
        return self.find("#status").inner_text()

    def moves(self):
        """Returns the elements of the main line's moves in the page's list of moves."""
        return self.find("#moves > li.ply")

    def current_number_element(self):
        return self.find('#moves [aria-current="step"] .number')

    def count_marks(self, selector):
        return self.find(f"#board svg {selector}").count()

    def expect_no_thoughts(self):
        self.assertEqual(self.count_marks(".layer-over .think"), 0)
        self.expect_hidden("#thoughts")
        expect(self.find("#balance")).to_have_class("unknown")
        self.expect_text(line="", figures=re.compile("^Off: |^$"))

    def show_overlay(self, name):
        # A click on the label waits until no dialog covers the label.
        self.find(f"label[for=show-{name}], label:has(#show-{name})").click()
        expect(self.find(f"#show-{name}")).to_be_checked()

    def start_game(self, size="6", first="person", second="person", clock="0"):
        """Starts a new game. `first` and `second` are players such as person, level:3 or time:1."""
        self.click("#new")
        self.choose_players(first, second)
        self.select(size=size, clock=clock)
        self.click("#begin")
        expect(self.find(".squares button")).to_have_count(int(size) ** 2)
        if first == "person":
            expect(self.find("#back")).to_be_disabled()

    def choose_players(self, first, second):
        """Chooses the two players in the dialog "New game", which must be open."""
        own, opponent = ("second", first) if second == "person" != first else ("first", second)
        self.select(opponent=opponent)
        if opponent != "person":
            self.select(side=own if "person" in (first, second) else "none")
        if "person" not in (first, second):
            self.select(opponent=first, other=second)

    def expect_players(self, bottom, top):
        expect(self.find("#seat-bottom span")).to_have_text(bottom)
        expect(self.find("#seat-top span")).to_have_text(top)

    def click(self, *selectors):
        for selector in selectors:
            self.find(selector).click()

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def select(self, **values):
        for element, value in self.elements_with_values(values):
            element.select_option(value)

    def click_squares(self, move):
        for name in re.split("[-/]", move):
            self.square(name).click()

    def click_first_move(self):
        for saying in ("can move", "can go here", "arrow can go here"):
            self.square(self.squares_labelled(saying)[0]).click()

    def follow_hint(self):
        best = re.search(r"from (\w+) to (\w+), arrow to (\w+)", self.status()).groups()
        self.click_squares("-".join(best))

    def make_the_answer(self):
        self.click("#task-answer")
        self.expect_part(status="Hint: from ")
        self.follow_hint()

    def play(self, *moves):
        for move in moves:
            self.click_squares(move)
            expect(self.find('#moves [aria-current="step"] .move')).to_have_text(move)

    def change_display(self, sound=False, **settings):
        """Changes settings in the dialog "Display". If `sound` is true, toggles the sound."""
        self.click("#open-display", *["#sound"] * sound)
        self.select(**settings)
        self.click("#display [data-close]")

    def wait_until_stored(self):
        """Waits until the page has written the game to its address and to local storage."""
        self.page.wait_for_timeout(400)

    def reload(self):
        self.wait_until_stored()
        self.page.reload()

    def open_again(self, link=""):
        self.page.goto("about:blank")
        self.page.goto(self.url + link)

    def paste(self, text):
        self.click("#open-open")
        self.find("#text-content").fill(text)
        self.click("#text-load")

    def paste_mistakes(self):
        """Pastes a game in which each side played two weak moves, and waits for its review."""
        self.paste("b1-a1/b1 a5-a4/a3 e1-f1/e1 f5-f4/f3")
        expect(self.find("#moves .cost", has_text="−").first).to_be_visible()

    def comment(self, text):
        if self.find("#comment-text").is_hidden():
            self.click("#comment")
        self.find("#comment-text").fill(text)
        self.find("#comment-text").blur()
        expect(self.find("#moves .comment", has_text=text)).to_be_visible()

    def open_file(self, path):
        self.click("#open-open")
        self.find("#file").set_input_files(path)

    def download(self, form):
        self.click("#open-save")
        with self.page.expect_download() as download:
            self.click(f"#download-{form}")
        self.press("Escape")
        return download.value.path()

    def wait_for_more_visits(self):
        visits = self.find("#best tr:first-child td:nth-child(3)")
        expect(visits).not_to_have_text(visits.inner_text())

    def photograph(self, name, whole=False):
        self.page.screenshot(path=SHOTS / f"{name}.png", full_page=whole)
        if name in README_PICTURES and os.environ.get("QUIVER_WRITE_PICTURES"):
            tools = self.context.new_cdp_session(self.page)
            scale = self.page.evaluate("devicePixelRatio")
            clip = {"x": 0, "y": 0, "scale": scale, **self.page.viewport_size}
            shot = tools.send("Page.captureScreenshot", {"format": "webp", "quality": 85, "clip": clip})
            (PICTURES / README_PICTURES[name]).write_bytes(base64.b64decode(shot["data"]))
