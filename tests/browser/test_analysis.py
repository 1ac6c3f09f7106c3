"""Tests that the page draws and updates the analysis, and that closing the page ends the search."""

import pathlib
import time

from page import JUDGE_LOGS, STATIC, PageTest, expect, needs_server


class Analysis(PageTest):
    def test_it_appears_and_changes_and_stops(self):
        self.start_game(size="8")
        self.expect_hidden("#thoughts")
        self.click("#analyse")
        self.expect_part(figures=" playouts · ")
        expect(self.find("#figures")).not_to_contain_text("depth")
        self.click("#details")
        self.expect_part(figures="playouts · depth")
        self.wait_for_more_visits()
        # The page draws one best move, whose arrow is one dashed line.
        self.assertEqual(self.count_marks(".layer-over .think.dashed"), 1)
        expect(self.find("#balance .low")).to_contain_text("First ")
        self.press(" ")
        self.page.wait_for_timeout(300)
        self.expect_hidden("#thoughts")
        if not STATIC:
            before = self.cpu_seconds()
            self.page.wait_for_timeout(500)
            self.assertLess(self.cpu_seconds() - before, 0.2)

    def test_analysis_shows_lines_and_follows_game(self):
        self.start_game(size="8")
        self.click("#analyse")
        expect(self.find("#best tr").nth(1).locator("button")).not_to_have_text("·")
        self.wait_for_more_visits()
        self.find("#best tr").nth(0).hover()
        self.expect_part(line="The engine expects ")
        self.assertGreaterEqual(self.count_marks(".layer-over .dark.disc"), 1)
        self.page.mouse.move(1, 1)
        expect(self.find("#board .layer-over .dark.disc")).to_have_count(0)
        # The table changes during the search, so one script reads the move and clicks on it. The
        # second click comes before the engine has answered the first.
        move = self.find("#best tr:first-child button")
        read = "button => { const text = button.innerText; button.click(); button.click(); return text; }"
        played = move.evaluate(read)
        expect(self.moves()).to_have_text([f"1{played.strip()}"])
        self.wait_for_more_visits()
        self.expect_part(figures=" playouts · ")

    def test_one_overlay_is_drawn_at_a_time_and_explained(self):
        self.start_game(size="8")
        self.expect_text(
            facts="The first player is nearer to 12 squares, the second to 12; 32 are equally near."
        )

        def counts():
            return [
                self.count_marks(mark) for mark in (".near-first", ".near-second", ".count", ".region-shared")
            ]

        for name, marks, sentence in (
            ("territory", [12, 12, 0, 0], "fewer queen moves"),
            ("freedom", [0, 0, 8, 0], "counts the squares"),
            ("regions", [0, 0, 0, 0], "cut off"),
            ("none", [0, 0, 0, 0], ""),
        ):
            self.show_overlay(name)
            expect(self.find("#overlay-text")).to_contain_text(sentence)
            self.assertEqual(counts(), marks, name)
        self.show_overlay("territory")
        expect(self.find("#legend span")).to_have_count(4)
        self.square("c1").hover()
        self.expect_text(facts="The amazon on c1 can move to 15 squares.")
        # The page shows the distances to a square only while the analysis is on.
        self.square("d4").hover()
        self.expect_text(facts="Both players need the same number of moves to d4.")
        self.click("#analyse")
        self.square("d4").hover()
        self.expect_text(facts="Distance to d4 (first : second player): 2 : 2 queen moves, 3 : 3 king moves.")
        self.paste("Q*q1/1*2/1*2/1*2 w")
        self.show_overlay("regions")
        expect(self.find("#board .region-first")).to_have_count(4)
        self.assertEqual([self.count_marks(".region-second"), self.count_marks(".region-count")], [8, 2])

    @needs_server
    def test_closing_the_page_ends_the_search(self):
        self.start_game(size="8")
        self.click("#analyse")
        self.wait_for_more_visits()
        self.page.close()
        # If closing the page did not end this search, it would run for a day.
        for _ in range(120):
            before = self.cpu_seconds()
            time.sleep(1)
            if self.cpu_seconds() - before < 0.05:
                return
        self.fail("the server is still searching")

    def cpu_seconds(self):
        fields = pathlib.Path(f"/proc/{self.server.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / 100


class Games(PageTest):
    def test_a_pasted_log_is_reviewed_and_its_graph_seeks(self):
        self.paste((JUDGE_LOGS / "random-1.json").read_text())
        self.expect_hidden("#open")
        expect(self.moves()).to_have_count(48)
        self.expect_part(about="Second player won after 48 plies")
        self.expect_text(review="Review")
        self.assertGreater(self.find("#graph .blunder").count(), 0)
        self.assertGreater(self.find("#moves .cost", has_text="−").count(), 0)
        self.find("#graph").click()
        expect(self.current_number_element()).to_have_text("24")
        expect(self.find("#graph")).to_have_attribute("aria-valuenow", "24")
        # The review has analysed the chosen position, so the position's figures appear at once.
        expect(self.find("#figures")).not_to_have_text("")
        self.find("#moves li", has=self.find(".cost", has_text="−")).first.locator("button").click()
        self.expect_part(status="gave away")

    def test_what_cannot_be_read_is_said_where_it_was_pasted(self):
        self.paste("3/2/3 w")
        self.expect_text(text_error="No game can be read from this.")
        self.expect_part(text_detail="row 2 of the FEN has 2 squares")
        self.expect_visible("#open")
        expect(self.moves()).to_have_count(0)

    def test_a_position_is_set_up(self):
        self.click("#open-setup")
        self.select(setup_width="5", setup_height="4")
        expect(self.find(".squares button")).to_have_count(20)
        self.click("#setup-clear")
        self.put_piece("First player’s amazon", "a1", "b1", "c1", "d1", "e1")
        second = self.find("#palette").get_by_label("Second player’s amazon")
        second.press("Enter")
        expect(second).to_be_focused()
        self.square("c4").click()
        self.put_piece("Burnt square", "b2", "c2")
        self.click("#setup-done")
        self.expect_part(trouble="a fifth amazon of the first player on e1")
        self.put_piece("Empty square", "e1", "c4")
        self.click("#setup-done")
        self.expect_part(trouble="Second player has no amazon")
        self.put_piece("Second player’s amazon", "c4")
        self.put_piece("Burnt square", "b3", "c3", "d3", "b4", "d4")
        self.select(setup_side="b")
        self.click("#setup-done")
        self.expect_part(trouble="has no move: there is no game")
        self.put_piece("Empty square", "b3", "c3", "d3", "b4", "d4")
        self.select(setup_side="w")
        self.click("#setup-done")
        self.expect_hidden("#setup")
        self.expect_square("b2, burnt")
        self.play("d1-e1/e4")
        expect(self.moves()).to_have_count(1)
        self.click("#open-setup", "#setup-cancel")
        expect(self.moves()).to_have_count(1)

    def put_piece(self, piece, *names):
        self.find("#palette").get_by_label(piece).click()
        for name in names:
            self.square(name).click()
