"""Playing: by clicks, by drags, by keys, against the engine and against oneself."""

from page import PageTest, expect


class Playing(PageTest):
    def test_a_game_played_by_clicks_to_its_end(self):
        self.start(size="6", second="level:1")
        for turn in range(18):
            expect(self.status()).to_have_text("Your move: choose an amazon.")
            self.square(self.squares("can move")[0]).click()
            expect(self.status()).to_have_text("Where does it go?")
            self.square(self.squares("can go here")[-1]).click()
            expect(self.status()).to_have_text("Where does the arrow go?")
            self.square(self.squares("arrow can go here")[-1]).click()
            self.page.wait_for_function(
                """turns => document.querySelectorAll("#moves > li.ply").length >= turns
                    || document.querySelector("#status").textContent.includes("has no move left")""",
                arg=2 * turn + 2,
            )
            if "has no move left" in self.status().inner_text():
                break
        expect(self.status()).to_contain_text("has no move left.")
        self.assertEqual(self.squares("can move"), [])
        expect(self.page.locator("#move-now")).to_be_disabled()
        self.assertEqual(self.page.locator(".seat i", has_text="★").count(), 1)
        # What was played is one legal game.
        expect(self.page.locator("#ending")).to_be_visible()
        self.page.locator("#ending-save").click()
        self.page.locator("#copy-moves").click()
        expect(self.page.locator("#save-note")).to_have_text("Copied.")
        text = self.page.locator("#save-text").input_value()
        self.assertEqual(len(text.split()), self.moves().count())

    def test_legal_targets_are_shown_and_nothing_else_can_be_done(self):
        self.start()
        self.assertEqual(sorted(self.squares("can move")), ["a2", "b1", "e1", "f2"])
        self.square("c3").click()
        self.assertEqual(self.squares("can go here"), [])
        self.square("b1").click()
        self.assertIn("b4", self.squares("can go here"))
        self.assertNotIn("d4", self.squares("can go here"))
        self.assertEqual(self.marks(".dot"), len(self.squares("can go here")))
        self.square("d4").click()
        expect(self.status()).to_have_text("First player to move: choose an amazon.")
        self.square("b1").click()
        self.square("b4").click()
        # The square just left is open to the arrow; choosing no target takes the queen back.
        self.assertIn("b1", self.squares("arrow can go here"))
        self.page.keyboard.press("Escape")
        expect(self.square("b1")).to_have_attribute("aria-label", "b1, first player’s amazon, can move")
        self.assertEqual(self.moves().count(), 0)

    def test_a_queen_is_dragged_and_its_arrow_too(self):
        self.start()
        self.drag("b1", "b4")
        expect(self.status()).to_have_text("Where does the arrow go?")
        self.drag("b4", "b5")
        expect(self.moves()).to_have_text(["1b1-b4/b5"])
        # Let go where it may not stand, it goes back.
        self.drag("a5", "b1")
        expect(self.square("a5")).to_have_attribute("aria-label", "a5, second player’s amazon, can move")
        self.assertEqual(self.moves().count(), 1)

    def drag(self, start, end):
        self.square(start).hover()
        self.page.mouse.down()
        box = self.square(end).bounding_box()
        self.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=6)
        self.page.mouse.up()

    def test_undo_redo_and_another_way(self):
        self.start()
        for move in ("b1-b4/b5", "a5-a4/a3"):
            self.play(move)
        expect(self.moves()).to_have_count(2)
        self.page.locator("#undo").click()
        expect(self.square("a4")).to_have_attribute("aria-label", "a4, empty")
        self.page.locator("#redo").click()
        expect(self.square("a4")).to_have_attribute("aria-label", "a4, second player’s amazon")
        self.page.locator("#undo").click()
        self.play("a5-a4/a5")
        # The line that was there stays; the new one is a variation of it.
        expect(self.moves()).to_have_text(["1b1-b4/b5", "2a5-a4/a3"])
        expect(self.page.locator("#moves .aside li.ply")).to_have_text(["2a5-a4/a5"])

    def test_the_engine_answers_and_is_taken_back_with_its_move(self):
        self.start(size="8", first="level:6")
        expect(self.moves()).to_have_count(1)
        expect(self.page.locator("#board")).to_have_class("turned")
        self.square(self.squares("can move")[0]).click()
        self.square(self.squares("can go here")[0]).click()
        self.square(self.squares("arrow can go here")[0]).click()
        expect(self.moves()).to_have_count(3)
        expect(self.status()).to_have_text("Your move: choose an amazon.")
        self.page.locator("#undo").click()
        expect(self.page.locator('#moves [aria-current="step"]')).to_have_text("1" + self.first_move())
        # The move that was taken back is still in the list, and it is the person's turn.
        self.page.locator("#advice-close").click()
        expect(self.status()).to_have_text("Your move: choose an amazon.")

    def first_move(self):
        return self.moves().first.inner_text().split("\n")[-1].lstrip("1").strip()

    def test_it_moves_now_when_told_to(self):
        self.start(size="10", first="time:30")
        button = self.page.locator("#move-now")
        expect(button).to_have_text("Move now")
        expect(self.status()).to_have_text("First player is thinking …")
        self.page.wait_for_timeout(400)
        button.click()
        # Long before the thirty seconds are over.
        expect(self.moves()).to_have_count(1, timeout=25_000)

    def test_every_board_there_is(self):
        for size, label in (("6", "b1"), ("8", "c1"), ("10", "d1")):
            self.start(size=size)
            expect(self.square(label)).to_have_attribute(
                "aria-label", f"{label}, first player’s amazon, can move"
            )


class Keyboard(PageTest):
    def test_keys_step_flip_and_analyse(self):
        self.start()
        for move in ("b1-b4/b5", "a5-a4/a3"):
            self.play(move)
        current = self.current()
        for key, number in (
            ("ArrowLeft", "1"),
            ("ArrowRight", "2"),
            ("Home", None),
            ("End", "2"),
            ("u", "1"),
            ("r", "2"),
        ):
            self.page.keyboard.press(key)
            if number:
                expect(current).to_have_text(number)
            else:
                expect(current).to_have_count(0)

        # The first player is below; turned, the second is, and a is on the right.
        def height(name):
            return self.square(name).bounding_box()["y"]

        self.assertLess(height("a2"), height("a1"))
        self.page.keyboard.press("f")
        expect(self.page.locator("#board")).to_have_class("turned")
        self.assertGreater(height("a2"), height("a1"))
        self.assertGreater(self.square("a1").bounding_box()["x"], self.square("b1").bounding_box()["x"])
        self.page.keyboard.press(" ")
        expect(self.page.locator("#analyse")).to_have_attribute("aria-checked", "true")
        self.page.keyboard.press(" ")
        expect(self.page.locator("#analyse")).to_have_attribute("aria-checked", "false")

    def test_a_move_without_a_pointer(self):
        self.start()
        self.square("a1").focus()
        for key in ("ArrowRight", "Enter", "ArrowUp", "ArrowUp", "ArrowUp", "Enter", "ArrowRight", " "):
            self.page.keyboard.press(key)
        expect(self.moves()).to_have_text(["1b1-b4/c4"])
        # Stepping through the game is for keys outside the board.
        expect(self.page.locator('#moves [aria-current="step"]')).to_have_count(1)

    def test_one_square_is_in_the_order_of_tabs(self):
        order = self.page.locator('.squares button[tabindex="0"]')
        expect(order).to_have_count(1)
        self.square("a1").focus()
        self.page.keyboard.press("ArrowRight")
        expect(order).to_have_count(1)
        expect(order).to_have_attribute("data-square", "b1")
