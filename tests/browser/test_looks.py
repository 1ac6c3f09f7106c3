"""Tests of replays, and of the page's appearance: light and dark, on a phone, in Chinese."""

import itertools
import math
import os
import subprocess

from page import JUDGE_LOGS, PICTURES, SHOTS, PageTest, expect

# A game without mistakes, up to its middle phase.
GAME = (
    "d1-d7/g7 g10-g8/d8 g1-g6/d6 d10-c9/c3 a4-d4/b4 j7-i6/i3 j4-g4/i4 a7-b7/b5 "
    "d4-e5/e3 c9-f9/f7 g6-h6/h7 i6-i5/g5"
)


class Page(PageTest):
    def test_page_loads_without_layout_shift_or_other_hosts(self):
        page, hosts = self.context.new_page(), set()
        page.on("request", lambda request: hosts.add(request.url.split("/")[2]))
        page.add_init_script(
            """window.shift = 0;
            const add = (one) => { if (!one.hadRecentInput) window.shift += one.value; };
            new PerformanceObserver((list) => list.getEntries().forEach(add))
                .observe({ type: "layout-shift", buffered: true });"""
        )
        page.goto(self.url)
        expect(page.locator("#status")).not_to_have_text("")
        times = page.evaluate(
            """() => {
                const [page] = performance.getEntriesByType("navigation");
                const files = performance.getEntriesByType("resource");
                const bytes = [page, ...files].reduce((sum, one) => sum + one.decodedBodySize, 0);
                return { loaded: page.loadEventEnd, files: files.length + 1, bytes };
            }"""
        )
        told = "page: loaded in {loaded:.0f} ms, {files} files, {bytes} bytes"
        print(told.format(**times))
        self.assertLess(times["bytes"], 260_000)
        page.locator("#analyse").click()
        page.wait_for_timeout(800)
        page.locator("#analyse").click()
        self.assertLess(page.evaluate("window.shift"), 0.01)
        self.assertEqual(hosts, {self.url.split("/")[2]})

    def test_the_picture_of_the_guide_is_up_to_date(self):
        drawn = self.page.evaluate(
            """async () => {
                const { showPicture } = await import("./app/picture.js");
                const box = document.createElement("div");
                const moves = ["f1-d3/g6", "a6-e6/d5", "a3-a4/d1", "c8-c6/b5"];
                showPicture(box, "2q2q2/8/q6q/8/8/Q6Q/8/2Q2Q2 w - - 0 1", moves);
                const style = document.createElementNS("http://www.w3.org/2000/svg", "style");
                const css = await (await fetch("./app/board.css")).text();
                style.textContent = `${css}:root { color-scheme: light dark; }`;
                box.firstElementChild.prepend(style);
                return new XMLSerializer().serializeToString(box.firstElementChild);
            }"""
        )
        file = PICTURES / "real-opening.svg"
        if os.environ.get("QUIVER_WRITE_PICTURES"):
            file.write_text(drawn)
        self.assertEqual(file.read_text(), drawn)

    def test_light_and_dark_are_a_choice(self):
        paper = "getComputedStyle(document.body).backgroundColor"
        square = "getComputedStyle(document.querySelector('.board-pale')).fill"

        def colours(theme):
            self.change_display(theme=theme)
            return self.page.evaluate(f"[{paper}, {square}]")

        light, dark = colours("system"), colours("dark")
        self.page.emulate_media(color_scheme="dark")
        self.assertEqual([colours(theme) for theme in ("dark", "light", "system")], [dark, light, dark])
        for one, other in zip(light, dark, strict=True):
            self.assertNotEqual(one, other)

    def test_marks_of_squares_are_distinct_and_those_of_the_legend(self):
        # Returns the colours that each kind of mark has on light and on dark squares.
        colours = """(kinds) => {
            const colour = (className, property) => {
                const probe = document.createElementNS("http://www.w3.org/2000/svg", "rect");
                probe.setAttribute("class", className);
                document.querySelector("#board svg").append(probe);
                const style = getComputedStyle(probe);
                const [fill, opacity] = [style.fill, Number(style.fillOpacity)];
                probe.remove();
                if (fill === "none") return [[0, 0, 0], 0];
                return [fill.match(/[0-9]+/g).slice(0, 3).map(Number), opacity];
            };
            return kinds.map((kind) => ["board-pale", "board-deep"].map((ground) => {
                const [[below], [over, opacity]] = [colour(ground), colour(kind)];
                return below.map((part, index) => part * (1 - opacity) + over[index] * opacity);
            }));
        }"""
        for theme in ("light", "dark"):
            self.change_display(theme=theme)
            for overlay, kinds in (
                ("territory", ["region-none", "near-first", "near-second"]),
                ("regions", ["region-none", "region-first", "region-second", "region-shared"]),
            ):
                found = self.page.evaluate(colours, kinds)
                for (one, first), (other, second) in itertools.combinations(
                    zip(kinds, found, strict=True), 2
                ):
                    nearest = min(math.dist(a, b) for a in first for b in second)
                    self.assertGreater(nearest, 25, (theme, one, other))
                self.show_overlay(overlay)
                grounds = "all => all.map(one => one.className.baseVal)"
                legend = self.find("#legend svg:first-child rect").evaluate_all(grounds)
                self.assertEqual(legend.count("board-pale"), 4)
                self.assertTrue(set(kinds) - {"region-none"} <= set(legend))
        # A frame marks the squares that only one side can reach.
        self.paste("Q*q1/1*2/1*2/1*2 w")
        self.show_overlay("territory")
        self.assertEqual([self.count_marks(".frame-first"), self.count_marks(".frame-second")], [3, 7])
        self.photograph("territory-framed")

    def test_a_proven_result_fills_the_balance(self):
        self.paste("Q*q1/1*2/1*2/1*2 w")
        self.click("#analyse")
        expect(self.find("#balance .low")).to_have_text("First 0 %")
        expect(self.find("#balance .high")).to_have_text("100 % Second")
        # A text with a background would look like a part of the bar of winning chances.
        for words in (".low", ".high"):
            expect(self.find(f"#balance {words}")).to_have_css("background-color", "rgba(0, 0, 0, 0)")

    def test_rows_of_a_dialog_stay_where_they_are(self):
        self.click("#open-save")
        row = self.find("#copy-fen").bounding_box()
        self.click("#copy-fen")
        self.expect_visible("#save-text")
        self.assertEqual(self.find("#copy-fen").bounding_box(), row)


class Desktop(PageTest):
    name = "light"

    def test_a_position_with_everything_on_it(self):
        self.paste(GAME)
        self.expect_hidden("#open")
        self.press("End")
        expect(self.find("#review")).to_have_text(self.review)
        self.click("#analyse")
        self.wait_for_more_visits()
        self.page.wait_for_timeout(1500)
        self.photograph(f"{self.name}-analysis")
        self.show_overlay("territory")
        self.page.evaluate("scrollTo(0, 0)")
        self.photograph(f"{self.name}-territory")
        # The legend makes the list of moves shorter, but the current move stays visible.
        sight = "one => one.getBoundingClientRect()"
        last, box = [self.find(part).evaluate(sight) for part in ('#moves [aria-current="step"]', "#moves")]
        self.assertLessEqual(last["bottom"], box["bottom"] + 1)
        self.find("#best tr").first.hover()
        self.photograph(f"{self.name}-line")
        self.expect_no_sideways_scroll()

    review = "Review"

    def expect_no_sideways_scroll(self):
        width = self.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        self.assertLessEqual(width[0], width[1])


class Dark(Desktop):
    name = "dark"
    context_options = {**PageTest.context_options, "color_scheme": "dark"}


class Chinese(Desktop):
    name = "chinese"
    review = "复盘"
    context_options = {**PageTest.context_options, "locale": "zh-CN"}

    def test_chinese_has_a_font_of_its_own(self):
        command = ["fc-list", ":lang=zh", "family"]
        known = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        tools = self.context.new_cdp_session(self.page)
        for domain in ("DOM", "CSS"):
            tools.send(f"{domain}.enable")
        root = tools.send("DOM.getDocument")["root"]["nodeId"]
        node = tools.send("DOM.querySelector", {"nodeId": root, "selector": "#new"})["nodeId"]
        fonts = tools.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
        # A font without Chinese characters would draw empty boxes instead of them.
        self.assertTrue(fonts and all(font["familyName"] in known for font in fonts), fonts)

    def test_every_word_is_chinese(self):
        texts = self.find("[data-t]").evaluate_all("all => all.map(one => one.textContent)")
        # A Chinese text may also have Latin words, such as FEN.
        latin = [text for text in texts if not any("\u4e00" <= letter <= "\u9fff" for letter in text)]
        self.assertEqual(latin, [])
        self.assertEqual(self.find("html").get_attribute("lang"), "zh-CN")


class Still(PageTest):
    """Tests that the board stays in its place in the window when a message appears."""

    viewports = ((1440, 900), (1024, 700), (390, 844), (320, 640))

    def test_messages_do_not_move_board_or_cover_buttons(self):
        for width, height in self.viewports:
            self.page.set_viewport_size({"width": width, "height": height})
            self.start_game(size="6", second="level:1")
            self.place = self.places()
            self.click_squares("b1-a1/b1")
            expect(self.moves()).to_have_count(2)
            self.click("#undo")
            self.expect_part(status="Look at the amazon on")
            self.expect_same_places("a move taken back")
            self.press("h")
            self.expect_part(status="Hint: ")
            self.expect_same_places("a hint")
            self.change_display(language="zh")
            self.expect_same_places("Chinese")
            self.change_display(language="en")
            self.paste_mistakes()
            self.click("#retry")
            self.expect_part(status="Mistake 1 of ")
            self.expect_same_places("a mistake to try again")
            self.click("#task-leave")
            notify = """async () => (await import("./app/messages.js")).notify("A message. ".repeat(20))"""
            self.page.evaluate(notify)
            self.expect_same_places("a long message")
            self.find("#trouble").evaluate("one => { one.hidden = true; }")

    def test_every_sentence_fits_its_place(self):
        too_long = """async () => {
            const all = [(await import("./app/english.js")).ENGLISH, (await import("./app/chinese.js")).CHINESE];
            const sentences = all.flatMap((words) => {
                const [side, move, share] = [words.player.second, "d10-a10/j10", "100 %"];
                return [
                    ...words.lesson.flatMap(({ ask, good }, step) => [`${step + 1}/5: ${ask}`, good]),
                    ...words.agreed.map((say) => say(move)), ...words.hints.map((say) => say("d10", "a10", "j10")),
                    words.bestMove(21, side, true), words.bestMove(21, side, false), words.bestMovesDone,
                    words.lessonDone,
                    words.retryTask(10, 12, move, share), words.retryGood(move, share), words.retryBad(move, share),
                    words.retryDone(12), words.noMistakes, words.lessonAgain, words.behind,
                    words.cost(words.verdicts.inaccuracy, move, share, move), words.flawless, words.reviewed(12),
                    words.waiting(move),
                    words.advice(move, share, "d10"), words.fine(move), words.noMoveAtStart(side),
                ];
            });
            const [box, status] = ["message", "status"].map((id) => document.getElementById(id));
            return sentences.filter((sentence) => {
                status.textContent = sentence;
                return box.scrollHeight > box.clientHeight;
            });
        }"""
        for width, height in (*self.viewports, (360, 740), (740, 360)):
            self.page.set_viewport_size({"width": width, "height": height})
            self.assertEqual(self.page.evaluate(too_long), [], (width, height))

    def places(self):
        self.page.evaluate("scrollTo(0, 0)")
        return [self.find(part).bounding_box() for part in ("#board", "#message", ".controls")]

    def expect_same_places(self, what):
        self.assertEqual(self.places(), self.place, f"{what} at {self.page.viewport_size}")
        sizes = "[document.documentElement.scrollWidth, innerWidth, innerHeight]"
        width, room, height = self.page.evaluate(sizes)
        self.assertLessEqual(width, room, what)
        board, message, controls = self.place
        self.assertLessEqual(controls["y"] + controls["height"], height, what)
        self.assertLessEqual(message["y"] + message["height"], controls["y"], what)


class Phone(Desktop):
    name = "phone"
    context_options = {
        "viewport": {"width": 375, "height": 740},
        "color_scheme": "dark",
        "device_scale_factor": 2,
        "is_mobile": True,
        "has_touch": True,
    }

    def test_a_thumb_can_play(self):
        self.expect_no_sideways_scroll()
        for name in ("d1", "d7", "g7"):
            self.square(name).tap()
        expect(self.moves()).to_have_count(2)
        small = self.find("button, select, .toggles span").evaluate_all(
            """all => all
                .filter(one => !one.closest(".squares"))
                .map(one => [one.id || one.textContent, one.getBoundingClientRect()])
                .filter(([, box]) => box.width > 0 && (box.width < 39.9 || box.height < 39.9))
                .map(([name, box]) => `${name}: ${box.width} x ${box.height}`)"""
        )
        self.assertEqual(small, [])
        heading, moves = [self.find(part).bounding_box()["y"] for part in ("#record .heading", "#moves")]
        self.assertLess(heading, moves)
        above = "all => all.map(one => one.getBoundingClientRect().top)"
        analysis, settings = self.find("#analysis, #game").evaluate_all(above)[::-1]
        self.assertLess(analysis, settings)
        self.photograph("phone-whole", whole=True)
        # The last button of a dialog is visible, and a tap outside the dialog closes it.
        for button, dialog in (
            ("#open-exercises", "#exercises"),
            ("#open-help", "#help"),
            ("#open-save", "#save"),
        ):
            self.click(button)
            expect(self.find(f"{dialog} [data-close]")).to_be_in_viewport(ratio=1)
            self.page.touchscreen.tap(4, 300)
            self.expect_hidden(dialog)


class Replay(PageTest):
    """Tests of the page that `quiver replay --html` writes."""

    def test_it_steps_through_a_match(self):
        file = SHOTS / "match.html"
        log = JUDGE_LOGS / "random-1.json"
        command = [os.environ["QUIVER"], "replay", log, "--html", file, "--analyze", "--playouts", "20"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        self.page.goto(file.as_uri())
        self.expect_part(now="Start")
        before = self.find("svg.board").get_attribute("aria-label")
        self.press("ArrowRight")
        self.expect_part(now="Ply 1 of 48")
        self.assertNotEqual(self.find("svg.board").get_attribute("aria-label"), before)
        self.click("#end")
        self.expect_part(now="Ply 48 of 48", facts="Legal movesfirst player 0, second player ")
        costs = self.find("#moves .cost").evaluate_all("all => all.map(one => one.title)")
        self.assertRegex(costs[0], r"^[a-h]\S+ gave away \d+ % of the winning chances$")
        self.photograph("replay")
        self.select(language="zh")
        self.expect_part(now="第 48 步，共 48 步：后手")
        self.expect_text(result="48 步后后手获胜：先手无路可走。", moves_title="棋谱")
        expect(self.find("#facts dt").first).to_have_text("着法")
        self.assertRegex(self.find("svg.board").get_attribute("aria-label"), "^8x8 棋盘。先手在 ")
        self.photograph("replay-chinese")
        self.page.reload()
        self.expect_part(result="获胜")
