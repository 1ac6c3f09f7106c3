"""Tests that the user can play moves by clicks, drags and keys, with and without the engine."""

import re

from page import PageTest, expect


class Playing(PageTest):
    def test_a_game_played_by_clicks_to_its_end(self):
        self.start_game(size="6", second="level:1")
        for turn in range(18):
            self.expect_text(status="Your move: choose an amazon.")
            self.click_first_move()
            over = self.find("#status", has_text="has no move left")
            expect(self.moves().nth(2 * turn + 1).or_(over).first).to_be_attached()
            if "has no move left" in self.status():
                break
        self.expect_part(status="has no move left.")
        self.assertEqual(self.squares_labelled("can move"), [])
        expect(self.find("#move-now")).to_be_disabled()
        self.assertEqual(self.find(".seat i", has_text="★").count(), 1)
        # The copied text has all moves of the game.
        self.expect_visible("#ending")
        self.click("#ending-save", "#copy-moves")
        self.expect_text(save_note="Copied.")
        text = self.find("#save-text").input_value()
        self.assertEqual(len(text.split()), self.moves().count())

    def test_legal_targets_are_shown_and_nothing_else_can_be_done(self):
        self.start_game()
        self.assertEqual(sorted(self.squares_labelled("can move")), ["a2", "b1", "e1", "f2"])
        self.square("c3").click()
        self.assertEqual(self.squares_labelled("can go here"), [])
        self.square("b1").click()
        self.expect_text(status="Where does it go?")
        self.assertIn("b4", self.squares_labelled("can go here"))
        self.assertNotIn("d4", self.squares_labelled("can go here"))
        self.assertEqual(self.count_marks(".dot"), len(self.squares_labelled("can go here")))
        self.square("d4").click()
        self.expect_text(status="First player to move: choose an amazon.")
        self.click_squares("b1-b4")
        # The arrow may go to the square that the amazon left. Escape takes the amazon back.
        self.assertIn("b1", self.squares_labelled("arrow can go here"))
        self.press("Escape")
        self.expect_square("b1, first player’s amazon, can move")
        self.assertEqual(self.moves().count(), 0)

    def test_a_queen_is_dragged_and_its_arrow_too(self):
        self.start_game()
        self.square("b1").drag_to(self.square("b4"), steps=6)
        self.expect_text(status="Where does the arrow go?")
        self.square("b4").drag_to(self.square("b5"), steps=6)
        expect(self.moves()).to_have_text(["1b1-b4/b5"])
        # The dragged amazon is drawn above the marks of its target squares.
        piece = self.square("a5").bounding_box()
        self.page.mouse.move(piece["x"] + 20, piece["y"] + 20)
        self.page.mouse.down()
        self.page.mouse.move(piece["x"] + 60, piece["y"] + 60, steps=4)
        below = """dot => {
            const dragged = [...document.querySelectorAll("#board use")].find((use) => use.style.translate);
            return Boolean(dragged.compareDocumentPosition(dot) & Node.DOCUMENT_POSITION_PRECEDING);
        }"""
        self.assertTrue(self.find("#board .dot").first.evaluate(below))
        self.page.mouse.move(piece["x"] + 20, piece["y"] + 20)
        self.page.mouse.up()
        self.press("Escape")
        self.square("a5").drag_to(self.square("b1"), steps=6)
        self.expect_square("a5, second player’s amazon, can move")
        self.assertEqual(self.moves().count(), 1)

    def test_the_engine_answers_and_is_taken_back_with_its_move(self):
        self.start_game(size="8", first="level:6")
        expect(self.moves()).to_have_count(1)
        expect(self.find("#board")).to_have_class("turned")
        self.click_first_move()
        expect(self.moves()).to_have_count(3)
        self.expect_text(status="Your move: choose an amazon.")
        self.click("#undo")
        expect(self.current_number_element()).to_have_text("1")
        self.click("#advice-close")
        self.expect_text(status="Your move: choose an amazon.")

    def test_it_moves_now_when_told_to(self):
        self.start_game(size="10", first="time:30")
        button = self.find("#move-now")
        expect(button).to_have_text("Move now")
        self.expect_text(status="First player is thinking …")
        self.page.wait_for_timeout(400)
        button.click()
        # The engine moves before its thirty seconds are over.
        expect(self.moves()).to_have_count(1, timeout=25_000)
        # In the user's turn the engine takes one second, not the user's time on the clock.
        self.start_game(clock="move:60")
        button.click()
        expect(self.moves()).to_have_count(1, timeout=25_000)


class Resigning(PageTest):
    def test_a_lost_game_is_resigned_and_saved_with_names_date_and_result(self):
        self.start_game(second="level:1")
        self.expect_hidden("#resign")
        self.click_squares("b1-b4/b5")
        expect(self.moves()).to_have_count(2)
        self.click("#resign")
        self.expect_text(ending_title="You lose.", ending_text="First player resigned.")
        self.expect_hidden("#resign")
        self.click("#trouble button")
        self.expect_hidden("#ending")
        self.expect_text(status="Your move: choose an amazon.")
        self.click("#resign")
        self.expect_visible("#ending")
        self.press("Escape")
        self.expect_text(status="You lose. First player resigned.")
        self.assertEqual(self.squares_labelled("can move"), [])
        self.reload()
        self.expect_text(status="You lose. First player resigned.")
        file = self.download("sgf")
        today = self.page.evaluate("new Date().toLocaleDateString('sv')")
        for part in ("PB[Human]", "PW[Quiver (Beginner)]", f"DT[{today}]", "RE[W+R]"):
            self.assertIn(part, file.read_text())
        self.open_file(file)
        self.expect_players("Human", "Quiver (Beginner)")
        # When the review of the opened game ends, its summary replaces the status.
        self.expect_text(status=re.compile("^The review found"))
        self.press("Home")
        self.press("End")
        self.expect_text(status="Second player wins. First player resigned.")
        self.assertEqual(self.download("sgf").read_text(), file.read_text())

    def test_of_two_persons_the_one_to_move_resigns(self):
        self.start_game()
        self.play("b1-b4/b5")
        self.press("Home")
        self.click("#resign")
        # The page shows the final position, even if the user viewed an earlier position.
        self.expect_text(ending_title="First player wins.", ending_text="Second player resigned.")
        expect(self.current_number_element()).to_have_text("1")
        self.press("Escape")
        self.click("#undo")
        self.play("b1-b4/c4")
        self.expect_text(status="Second player to move: choose an amazon.")

    def test_an_engine_resigns_what_is_proven_lost(self):
        self.paste("Q*q1/1*2/1*2/1*2 w")
        self.click("#new")
        self.choose_players("time:0.1", "person")
        self.select(size="here")
        self.click("#begin")
        self.expect_text(ending_title="You win.", ending_text="First player resigned.")


class Keyboard(PageTest):
    def test_keys_step_flip_and_analyse(self):
        self.start_game()
        self.play("b1-b4/b5", "a5-a4/a3")
        current = self.current_number_element()
        self.press("Home")
        expect(current).to_have_count(0)
        for key, number in (("End", "2"), ("ArrowLeft", "1"), ("ArrowRight", "2"), ("u", "1"), ("r", "2")):
            self.press(key)
            expect(current).to_have_text(number)
        for button, square in (("#undo", "a4, empty"), ("#redo", "a4, second player’s amazon")):
            self.click(button)
            self.expect_square(square)

        # The first player is at the bottom. On a turned board, the second player is at the bottom,
        # and column a is on the right.
        def y_of(name):
            return self.square(name).bounding_box()["y"]

        self.assertLess(y_of("a2"), y_of("a1"))
        self.press("f")
        expect(self.find("#board")).to_have_class("turned")
        self.assertGreater(y_of("a2"), y_of("a1"))
        self.assertGreater(self.square("a1").bounding_box()["x"], self.square("b1").bounding_box()["x"])
        knob = self.find("#analyse .knob")
        left = "knob => getComputedStyle(knob).left"
        off = knob.evaluate(left)
        self.press(" ")
        expect(self.find("#analyse")).to_have_attribute("aria-checked", "true")
        expect(knob).not_to_have_css("left", off)
        self.press(" ")
        expect(self.find("#analyse")).to_have_attribute("aria-checked", "false")
        expect(knob).to_have_css("left", off)

    def test_a_move_without_a_pointer(self):
        self.start_game()
        # The tab key reaches only one square of the board.
        order = self.find('.squares button[tabindex="0"]')
        expect(order).to_have_count(1)
        self.square("a1").focus()
        self.press("ArrowRight")
        expect(order).to_have_attribute("data-square", "b1")
        for key in ("Enter", "ArrowUp", "ArrowUp", "ArrowUp", "Enter", "ArrowRight", " "):
            self.press(key)
        expect(self.moves()).to_have_text(["1b1-b4/c4"])
        # The arrow keys on the board do not step through the game.
        expect(self.find('#moves [aria-current="step"]')).to_have_count(1)
