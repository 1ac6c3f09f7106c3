"""Tests that game and settings survive a reload, a closed tab and a restart of the server."""

import gzip
import re

from page import FAULTS, JUDGE_LOGS, PageTest, expect, needs_server

MOVES = ("b1-b4/b5", "a5-a4/a3", "e1-e3/d2")


class Keeping(PageTest):
    context_options = {**PageTest.context_options, "permissions": ["clipboard-read", "clipboard-write"]}

    def play_sample_game(self):
        self.start_game()
        self.play(*MOVES)
        self.click("#back", "#back")
        self.play("f5-f4/f3")
        self.comment("<b>A good answer</b>")
        self.show_overlay("territory")
        self.wait_until_stored()

    def expect_sample_game(self):
        expect(self.moves()).to_have_count(3)
        expect(self.find("#moves .aside li.ply")).to_have_text(["2f5-f4/f3<b>A good answer</b>"])
        expect(self.current_number_element()).to_have_text("2")
        self.expect_square("f4, second player’s amazon")
        self.expect_players("You", "You")
        expect(self.find("#show-territory")).to_be_checked()
        self.assertGreater(self.count_marks(".near-first"), 0)

    def test_a_reload_brings_everything_back(self):
        self.play_sample_game()
        self.page.reload()
        self.expect_sample_game()
        # When the user steps through a restored game, the page requests its positions.
        self.press("Home")
        self.find("#moves > li.ply button").last.click()
        expect(self.current_number_element()).to_have_text("3")
        self.expect_square("e3, first player’s amazon")

    def test_reopened_page_restores_game_and_link_shares_line(self):
        self.play_sample_game()
        self.page.close()
        self.page = self.new_page()
        self.page.goto(self.url)
        self.expect_sample_game()
        # The page shows the game before it writes the game's moves into the URL.
        expect(self.page).to_have_url(re.compile("moves=b1b4b5_f5f4f3"))
        page = self.new_context().new_page()
        page.goto(self.page.url)
        expect(page.locator("#moves > li.ply .move")).to_have_text(["b1-b4/b5", "f5-f4/f3"])
        expect(page.locator('#moves [aria-current="step"] .number')).to_have_text("2")

    def test_link_without_valid_game_keeps_stored_game(self):
        self.play_sample_game()
        self.open_again("#board=6&moves=b1b4b5_zz")
        self.expect_visible("#trouble")
        self.expect_sample_game()
        self.wait_until_stored()
        self.open_again()
        self.expect_sample_game()

    def test_inherited_name_in_address_is_no_board(self):
        self.play_sample_game()
        self.open_again("#board=constructor")
        self.expect_sample_game()

    @needs_server
    def test_a_game_that_cannot_be_shown_now_is_kept(self):
        self.play_sample_game()
        self.page.reload()
        self.expect_sample_game()
        self.context.route("**/api/game", lambda route: route.abort())
        # The page does not know the position after the last move of the main line yet.
        self.find("#moves > li.ply button").last.click()
        self.expect_part(trouble="Is quiver still running?")
        self.page.reload()
        self.expect_part(trouble="Is quiver still running?")
        expect(self.moves()).to_have_count(0)
        self.wait_until_stored()
        self.troubles.clear()
        self.context.unroute("**/api/game")
        self.open_again()
        self.expect_sample_game()

    @needs_server
    def test_a_move_before_the_stored_game_is_shown_loses_nothing(self):
        self.play_sample_game()
        held = []
        for link in ("", self.page.url.removeprefix(self.url)):
            self.context.route("**/api/game", lambda route: held.append(route))
            self.open_again(link)
            self.click_squares("d1-d7/g7")
            while held:
                held.pop(0).continue_()
            self.context.unroute("**/api/game")
            expect(self.moves()).to_have_text(["1d1-d7/g7"])
            self.click("#back-to-own")
            self.expect_sample_game()
            self.wait_until_stored()
            self.page.evaluate("localStorage.removeItem('quiver.aside')")

    def test_the_game_that_a_link_replaces_is_offered(self):
        self.play_sample_game()
        link = "#board=6&moves=e1e3d2"
        back = self.find("#back-to-own")
        expect(back).to_be_hidden()
        self.open_again(link)
        expect(self.moves()).to_have_text(["1e1-e3/d2"])
        self.wait_until_stored()
        back.click()
        self.expect_sample_game()
        # The page does not keep an unchanged game from a link, so no game is left to go back to.
        expect(back).to_be_hidden()
        # The page must write the user's game into the URL before the test changes the URL.
        self.wait_until_stored()
        self.page.evaluate("link => { location.hash = link; }", link)
        expect(self.moves()).to_have_text(["1e1-e3/d2"])
        self.play("a5-a4/a3")
        self.wait_until_stored()
        self.open_again()
        expect(self.moves()).to_have_count(2)
        back.click()
        self.expect_sample_game()
        # The user added a move to the game from the link, so the page keeps it, even after a paste.
        back.click()
        expect(self.moves()).to_have_text(["1e1-e3/d2", "2a5-a4/a3"])
        self.paste_on_the_page()
        expect(self.find("#moves .move").first).to_have_text("c1-c3/c5")
        back.click()
        self.find("#choice-list button").first.click()
        expect(self.moves()).to_have_text(["1e1-e3/d2", "2a5-a4/a3"])

    def test_settings_and_language_come_back(self):
        self.start_game(size="8", second="level:7", clock="game:300+3")
        self.change_display(sound=True, language="zh", theme="dark")
        self.reload()
        self.expect_value(theme="dark")
        self.click("#new")
        self.expect_value(opponent="level:7", clock="game:300+3", size="8", side="first")
        expect(self.find("#sound")).to_have_attribute("aria-checked", "true")
        self.expect_text(new="新对局")
        levels = self.find("#opponent option", has_text=re.compile(r"\d+ · .*[\u4e00-\u9fff]"))
        expect(levels).to_have_count(14)

    def test_damaged_storage_is_ignored(self):
        damaged = {"quiver.settings": "5", "quiver.solved": "5", "quiver.language": '"toString"'}
        self.page.evaluate("damaged => Object.assign(localStorage, damaged)", damaged)
        self.page.reload()
        self.click("#open-exercises")
        self.expect_visible("#exercises")

    def test_a_variation_is_promoted_deleted_and_brought_back(self):
        self.start_game()
        self.play(*MOVES[:2])
        self.click("#back")
        self.play("f5-f4/f3")
        self.click("#promote")
        expect(self.moves()).to_have_text(["1b1-b4/b5", "2f5-f4/f3"])
        expect(self.find("#moves .aside li.ply")).to_have_text(["2a5-a4/a3"])
        self.click("#delete")
        expect(self.moves()).to_have_text(["1b1-b4/b5", "2a5-a4/a3"])
        expect(self.find("#moves .aside")).to_have_count(0)
        self.click("#trouble button")
        expect(self.moves()).to_have_text(["1b1-b4/b5", "2f5-f4/f3"])
        expect(self.find("#moves .aside li.ply")).to_have_text(["2a5-a4/a3"])

    def test_no_game_is_lost_to_another(self):
        self.start_game(size="8", second="level:1")
        self.expect_hidden("#back-to-own")
        self.click_first_move()
        expect(self.moves()).to_have_count(2)
        played = self.moves().all_text_contents()
        self.click("#new")
        self.choose_players("level:5", "level:4")
        self.select(size="6", clock="move:30")
        self.click("#new-game [data-close]")
        expect(self.moves()).to_have_text(played)
        self.expect_players("You", "Beginner")
        self.start_game()
        self.expect_players("You", "You")
        self.click("#back-to-own")
        expect(self.moves()).to_have_text(played)
        self.expect_players("You", "Beginner")
        expect(self.find(".squares button")).to_have_count(64)
        # The page keeps the game when the user begins an exercise or sets up a position.
        self.click("#open-exercises")
        self.find("#exercise-list button").first.click()
        expect(self.moves()).to_have_count(0)
        self.click("#back-to-own")
        expect(self.moves()).to_have_text(played)
        self.click("#open-setup", "#setup-done")
        expect(self.moves()).to_have_count(0)
        self.expect_players("You", "Beginner")
        self.start_game()
        self.play(MOVES[0])
        self.start_game()
        self.click("#back-to-own")
        expect(self.find("#choice-list button")).to_have_text(
            ["You – You · 6 × 6 · 1 ply", "You – Beginner · 8 × 8 · 2 plies"]
        )
        self.find("#choice-list button").last.click()
        expect(self.moves()).to_have_text(played)
        self.reload()
        expect(self.moves()).to_have_text(played)
        self.click("#back-to-own")
        expect(self.moves()).to_have_text(["1" + MOVES[0]])

    def test_other_players_go_on_from_the_position_on_the_board(self):
        self.start_game()
        self.play(*MOVES)
        self.press("Home")
        self.click("#new")
        self.choose_players("level:2", "person")
        self.select(size="here")
        self.click("#begin")
        self.expect_players("You", "Novice")
        expect(self.find("#board")).to_have_class("turned")
        expect(self.current_number_element()).to_have_text("1")
        expect(self.find("#moves button", has_text="3" + MOVES[2])).to_be_attached()
        # The dialog "New game" now proposes a 6x6 start position, not the position on the board.
        self.click("#new")
        self.expect_value(size="6", opponent="level:2", side="second")
        self.click("#new-game [data-close]")
        # An exercise from which the user goes on becomes the user's game.
        for exercises in ("exercise-list", "best-move-list"):
            self.click("#open-exercises")
            self.find(f"#{exercises} button").first.click()
            expect(self.moves()).to_have_count(0)
            self.click("#new")
            self.choose_players("person", "person")
            self.select(size="here")
            self.click("#begin")
            self.click_first_move()
            self.expect_part(status="player to move: choose an amazon.")
        self.click("#back-to-own")
        expect(self.find("#choice-list button")).to_have_text(
            [re.compile("^You – You · .* · 1 ply$"), "Novice – You · 6 × 6 · 1 ply"]
        )

    def test_the_line_played_after_a_move_taken_back_leads(self):
        self.start_game()
        self.play(*MOVES[:2])
        self.click("#undo")
        self.play("f5-f4/f3")
        expect(self.moves()).to_have_text(["1b1-b4/b5", "2f5-f4/f3"])
        expect(self.find("#moves .aside li.ply")).to_have_text(["2a5-a4/a3"])
        self.start_game(second="level:1")
        self.click_squares(MOVES[0])
        expect(self.moves()).to_have_count(2)
        self.click("#undo")
        self.click_squares("b1-b4/c4")
        expect(self.moves().first).to_have_text("1b1-b4/c4")
        expect(self.moves()).to_have_count(2)
        self.press("Home")
        self.click_squares("e1-e3/d2")
        expect(self.moves().first).to_have_text("1e1-e3/d2")
        expect(self.moves()).to_have_count(2)
        expect(self.find("#moves .aside")).to_have_count(2)
        played = self.moves().all_text_contents()
        file = self.download("sgf")
        self.start_game()
        self.open_file(file)
        expect(self.moves()).to_have_text([re.compile("^" + move) for move in played])

    def test_a_new_game_keeps_the_opponent_after_a_file(self):
        self.start_game(second="level:5", clock="move:30")
        self.paste("(;FF[4]GM[18]PB[Ada]PW[Bob](;B[djddgd];W[addgad]))")
        self.expect_players("Ada", "Bob")
        self.reload()
        expect(self.find("#seat-top span")).to_have_text("Bob")
        self.open_file(self.download("sgf"))
        self.expect_hidden("#open")
        expect(self.find("#seat-top span")).to_have_text("Bob")
        self.click("#new")
        self.expect_value(opponent="level:5", side="first", clock="move:30")
        self.click("#begin")
        self.expect_players("You", "Amateur")

    @needs_server
    def test_a_move_that_the_server_refuses_is_not_kept(self):
        self.start_game()
        refuse = '{"error": "no such move", "field": "moves"}'
        # The second answer has status 200, but the page cannot use it.
        for status, body, words in ((400, refuse, "no such move"), (200, "{}", "undefined")):
            self.fake_game_answers(status, body)
            self.click_squares("b1-b4/b5")
            self.expect_part(trouble=words)
            expect(self.moves()).to_have_count(0)
            self.context.unroute("**/api/game")
        self.play("b1-b4/b5")

    def fake_game_answers(self, status, body):
        answer = {"status": status, "body": body, "content_type": "application/json"}
        self.context.route("**/api/game", lambda route: route.fulfill(**answer))

    def test_a_file_is_opened_and_dropped(self):
        self.open_file(JUDGE_LOGS / "random-1.json")
        expect(self.moves()).to_have_count(48)
        # The page sends the bytes of the file, and the server detects the character encoding.
        self.open_file(FAULTS / "gb18030.sgf")
        expect(self.find("#seat-bottom span")).to_have_text("甲")
        expect(self.moves()).to_have_count(1)
        self.drop_file("c1-c3/c5 a6-b6/b5", "game.txt")
        # A fast review may already have added the lost winning chances to the moves.
        expect(self.moves()).to_have_text([re.compile("^1c1-c3/c5"), re.compile("^2a6-b6/b5")])
        self.drop_file("nothing of the kind", "note.txt")
        self.expect_text(text_error="No game can be read from this.")

    def test_a_file_that_is_packed_is_opened(self):
        packed = gzip.compress((JUDGE_LOGS / "random-1.json").read_bytes())
        self.open_file({"name": "log.gz", "mimeType": "application/gzip", "buffer": packed})
        expect(self.moves()).to_have_count(48)
        self.open_file({"name": "log.gz", "mimeType": "application/gzip", "buffer": packed[:100]})
        self.expect_text(text_error="This gzip file is damaged.")
        # Each of these characters becomes six bytes of the request.
        long = "棋".encode() * 1_000_000
        self.press("Escape")
        self.open_file({"name": "game.sgf", "mimeType": "text/plain", "buffer": long})
        self.expect_text(text_error="This is too large: as JSON, at most 4 MB can be opened.")

    def drop_file(self, content, name):
        self.page.evaluate(
            """([content, name]) => {
                const data = new DataTransfer();
                data.items.add(new File([content], name, { type: "text/plain" }));
                const drop = { dataTransfer: data, bubbles: true, cancelable: true };
                document.body.dispatchEvent(new DragEvent("drop", drop));
            }""",
            [content, name],
        )

    def test_text_is_pasted_anywhere_on_the_page_and_ends_the_setting_up(self):
        self.paste_on_the_page()
        expect(self.moves()).to_have_count(2)
        self.start_game()
        expect(self.moves()).to_have_count(0)
        self.click("#open-setup")
        self.expect_visible("#setup")
        self.paste_on_the_page()
        expect(self.moves()).to_have_count(2)
        self.expect_hidden("#setup")
        self.expect_visible("#game")
        self.click("#open-setup")
        self.page.evaluate("() => { location.hash = '#board=6&moves=e1e3d2'; }")
        self.expect_hidden("#setup")
        self.play("a5-a4/a3")

    def paste_on_the_page(self):
        self.page.evaluate("navigator.clipboard.writeText('1. c1-c3/c5 2. a6-b6/b5')")
        self.press("Control+v")

    def test_what_is_saved_is_opened_again(self):
        self.start_game(size="8")
        self.play("c1-c3/c5")
        for form in ("sgf", "log", "moves", "fen"):
            self.open_file(self.download(form))
            self.expect_hidden("#open")
            self.expect_square("c3, first player’s amazon")
        self.expect_text(status="Second player to move: choose an amazon.")

    def test_variations_and_comments_are_saved_and_opened_again(self):
        self.start_game()
        self.play("b1-b4/b5")
        self.comment("<b>A start</b>")
        self.play("a5-a4/a3")
        self.press("Home")
        self.comment("Before the first move")
        self.press("ArrowRight")
        self.play("f5-f4/f3", "e1-e3/d2")
        self.press("ArrowLeft")
        self.play("e1-e2/d2")
        self.comment("Another ] way")
        file = self.download("sgf")
        self.start_game()
        expect(self.moves()).to_have_count(0)
        self.open_file(file)
        expect(self.find("#moves li")).to_have_text(
            [
                "Before the first move",
                "1b1-b4/b5<b>A start</b>",
                "2a5-a4/a3",
                re.compile("^2f5-f4/f33e1-e3/d23e1-e2/d2"),
                "2f5-f4/f3",
                "3e1-e3/d2",
                re.compile("^3e1-e2/d2"),
                "3e1-e2/d2Another ] way",
            ]
        )
        # The page does not know the position after this move yet, so it requests the position.
        self.find("#moves button", has_text="e1-e2/d2").click()
        self.expect_square("e2, first player’s amazon")


class Restart(PageTest):
    @needs_server
    def test_a_restart_of_the_server_loses_nothing(self):
        self.start_game()
        self.play(*MOVES)
        self.wait_until_stored()
        self.server.kill()
        self.server.wait()
        self.click_squares("f5-f4/f3")
        kept = "Your move f5-f4/f3 is kept, and is sent again when the server is back."
        expect(self.find("#status")).to_contain_text(kept)
        expect(self.moves()).to_have_count(4)
        expect(self.current_number_element()).to_have_text("3")
        self.assertEqual(self.squares_labelled("can move"), [])
        self.click("#open-setup", "#setup-clear")
        self.start_server(port=re.search(r":(\d+)/", self.url).group(1))
        self.expect_part(trouble="The server is back and has your move f5-f4/f3.")
        self.assertEqual(self.count_marks(".board-pieces use"), 0)
        self.click("#setup-cancel")
        expect(self.current_number_element()).to_have_text("4")
        self.expect_square("f4, second player’s amazon")
        self.troubles.clear()
        self.reload()
        expect(self.moves()).to_have_count(4)
