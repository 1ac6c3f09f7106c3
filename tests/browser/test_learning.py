"""Tests of levels, clocks, hints, advice, reviews, exercises, help, and the end of a game."""

import json
import re

from page import ROOT, PageTest, expect


class Games(PageTest):
    def test_two_levels_play_in_front_of_you_and_can_be_paused(self):
        self.start_game(size="6", first="level:1", second="level:2")
        expect(self.moves().nth(2)).to_be_visible()
        self.click("#pause")
        self.expect_text(pause="Go on")
        count = self.moves().count()
        # A lesson does not change the game.
        self.press("?")
        self.click("#help-lesson", "#task-leave")
        self.expect_text(pause="Go on")
        self.page.wait_for_timeout(1200)
        self.assertLessEqual(self.moves().count(), count + 1)
        self.click("#pause")
        self.expect_visible("#ending")
        self.expect_part(ending_title="wins.", ending_text="has no move left.")
        self.expect_players("Beginner", "Novice")
        self.click("#rematch")
        self.expect_players("Novice", "Beginner")
        self.expect_hidden("#ending")

    def test_a_win_is_an_event(self):
        self.paste("Q1*q2 w")
        self.play("a1-b1/a1")
        expect(self.moves()).to_have_count(1)
        notify = """async () => (await import("./app/messages.js")).notify("That move gave the win away.")"""
        self.page.evaluate(notify)
        self.expect_visible("#trouble")
        self.play("d1-e1/d1")
        self.expect_hidden("#trouble")
        self.expect_text(ending_title="Second player wins.")
        self.expect_text(ending_text="First player has no move left. Second player had 1 move left.")
        self.page.wait_for_timeout(1000)
        self.photograph("ending")
        self.press("Escape")
        self.expect_hidden("#ending")
        self.click("#back", "#next")
        self.expect_part(status="Second player wins.")
        self.expect_hidden("#ending")


class Clocks(PageTest):
    """Tests of the page with a simulated clock, which only `advance_clock` advances."""

    def setUp(self):
        super().setUp()
        self.page.clock.install(time=0)
        self.page.clock.pause_at(1000)
        self.page.reload()
        expect(self.square("a1")).to_be_visible()

    def advance_clock(self, seconds):
        self.page.clock.run_for(round(1000 * seconds))

    def expect_clocks(self, first, second, after=0):
        if after:
            self.advance_clock(after)
        expect(self.find("#seat-bottom time")).to_have_text(first)
        expect(self.find("#seat-top time")).to_have_text(second)

    def test_clock_charges_mover_and_survives_reload(self):
        self.start_game(clock="game:180+2")
        self.expect_clocks("3:00", "3:00", after=30)
        self.play("b1-b4/b5")
        self.expect_clocks("3:02", "3:00")
        self.expect_clocks("3:02", "2:50", after=10)
        self.play("a5-a4/a3")
        self.expect_clocks("3:02", "2:52")
        self.expect_clocks("2:57", "2:52", after=5)
        self.page.reload()
        expect(self.moves()).to_have_count(2)
        self.expect_clocks("2:57", "2:52")
        self.expect_clocks("2:52", "2:52", after=5)
        # Undo sets the clocks to their times before the move. Then the mover's clock runs again.
        self.click("#undo")
        self.expect_clocks("3:02", "3:00")
        self.expect_clocks("3:02", "2:53", after=7)
        self.play("f5-f4/f3")
        self.expect_clocks("3:02", "2:55")
        self.expect_clocks("3:01", "2:55", after=1)

    def test_a_pause_costs_nothing_and_time_before_it_stays_spent(self):
        self.start_game(first="level:1", second="level:1", clock="move:10")
        self.advance_clock(0.5)
        expect(self.moves()).to_have_count(1)
        self.expect_clocks("0:10", "9.7", after=0.3)
        self.click("#pause")
        self.expect_clocks("0:10", "9.7", after=60)
        self.click("#pause")
        self.expect_clocks("0:10", "9.5", after=0.2)

    def test_time_runs_out_while_an_earlier_position_is_looked_at(self):
        self.start_game(clock="move:10")
        self.play("b1-b4/b5")
        self.advance_clock(4)
        self.press("Home")
        self.expect_square("b1, first player’s amazon, can move")
        self.expect_clocks("0:10", "6.0")
        self.expect_clocks("0:10", "3.0", after=3)
        self.press("End")
        self.expect_clocks("0:10", "3.0")
        self.press("Home")
        self.advance_clock(3.1)
        self.expect_text(ending_title="First player wins.", ending_text="Second player is out of time.")
        expect(self.current_number_element()).to_have_text("1")
        self.assertEqual(self.squares_labelled("can move"), [])
        self.press("Escape")
        self.click("#undo")
        self.play("b1-b4/c4")
        self.expect_clocks("0:10", "9.0", after=1)

    def test_the_engine_thinks_on_while_an_earlier_position_is_looked_at(self):
        self.start_game(second="level:1", clock="move:10")
        self.click_squares("b1-b4/b5")
        expect(self.moves()).to_have_count(1)
        self.press("Home")
        self.expect_clocks("0:10", "9.7", after=0.3)
        self.advance_clock(0.3)
        expect(self.moves()).to_have_count(2)
        expect(self.current_number_element()).to_have_text("2")
        self.advance_clock(10.1)
        self.expect_text(ending_title="You lose.", ending_text="First player is out of time.")


class Advice(PageTest):
    def test_a_hint_comes_in_three_steps(self):
        self.start_game(size="6")
        for step, words in enumerate(("again for its target.", "again for the arrow.", "arrow to"), 1):
            self.press("h")
            expect(self.find("#status")).to_contain_text(words)
            self.assertEqual(self.count_marks("rect.hint"), step)
            self.expect_no_thoughts()
        self.press("h")
        expect(self.find("#board rect.hint")).to_have_count(0)

    def test_a_move_that_is_taken_back_is_explained(self):
        self.start_game(size="6", second="level:1")
        # This move is a mistake, because its arrow blocks the player's own amazon.
        self.click_squares("b1-a1/b1")
        expect(self.moves()).to_have_count(2)
        self.click("#undo")
        words = r"b1-a1/b1 gave away \d+ % of the winning chances\. Look at the amazon on [a-f][1-6]\."
        self.expect_text(status=re.compile(words))
        self.assertEqual(self.moves().count(), 2)
        # The page shows a better move only after the user starts the analysis.
        self.expect_no_thoughts()
        self.click("#analyse")
        expect(self.find("#board .layer-over .think").first).to_be_attached()

    def test_mistakes_are_tried_again_one_by_one(self):
        self.paste_mistakes()
        self.expect_text(review="Review")
        self.click("#retry")
        self.click("#open-setup", "#setup-cancel")
        self.expect_hidden("#pause")
        self.expect_part(status="Mistake 1 of ")
        expect(self.find("#back")).to_be_disabled()
        self.expect_no_thoughts()
        self.click_squares("b1-a1/b1")
        self.expect_part(status="Try again.")
        self.expect_no_thoughts()
        self.make_the_answer()
        self.expect_part(status="is good")
        self.click("#task-next")
        self.expect_part(status=re.compile("Mistake 2|That was the last"))
        # The move b2-c3/b3, better than the mistake b2-a1/b2, ends the game.
        self.paste("q*2/*3/1Q2/4 w")
        self.play("b2-a1/b2", "a4-b3/a2")
        self.click("#review")
        self.expect_text(review="Review")
        self.click("#retry")
        self.expect_part(status="Mistake 1 of ")
        self.click_squares("b2-c3/b3")
        self.expect_part(status="b2-c3/b3 is good")

    def test_words_are_counted_a_side_and_the_best_move_has_none(self):
        self.paste_mistakes()
        summary = self.find("#summary tbody tr")
        expect(summary.first).to_be_visible()
        marks = self.find("#moves > li.ply .cost").all_inner_texts()
        signs = [mark.split(" ")[0] for mark in marks]
        for word, sign in (("inaccuracy", "?!"), ("mistake", "?"), ("blunder", "??")):
            counts = summary.locator(f'[data-word="{word}"]').all_inner_texts()
            self.assertEqual(counts, [str(signs[side::2].count(sign)) for side in (0, 1)])
        # The first move blocks the player's own amazon, so the review marks it as a mistake.
        self.assertNotEqual(marks[0], "")
        first = self.find("#moves button").first
        first.click()
        words = r"^(Inaccuracy|Mistake|Blunder): b1-a1/b1 gave away \d+ % of the winning chances"
        self.expect_text(status=re.compile(words + r"; (\S+) is better\.$"))
        expect(first).to_have_attribute("title", re.compile(words + "$"))
        # The page draws the move that would have been better, not the best reply to the mistake.
        better = re.search(r"; (\S+) is", self.status()).group(1)
        expect(self.find("#board .layer-over .think.mark")).to_have_text("!")
        arrow = self.square(better.partition("/")[2]).bounding_box()
        badge = self.find("#board .layer-over .badge").bounding_box()
        self.assertLess(abs(badge["x"] + badge["width"] / 2 - arrow["x"] - arrow["width"] / 2), 2)
        self.assertLess(abs(badge["y"] + badge["height"] / 2 - arrow["y"] - arrow["height"] / 2), 2)
        colour = "word => getComputedStyle(document.querySelector(`#summary [data-word=${word}]`)).color"
        colours = [
            self.page.evaluate(colour, word) for word in ("accuracy", "inaccuracy", "mistake", "blunder")
        ]
        self.assertEqual(len(set(colours)), 4)
        accuracies = summary.locator('[data-word="accuracy"]').all_inner_texts()
        self.assertTrue(all(re.fullmatch(r"\d+\.\d %", text) for text in accuracies), accuracies)
        self.reload()
        expect(self.find("#moves > li.ply .cost")).to_have_text(marks)
        expect(summary.first).to_be_visible()
        # The summary counts the deleted move too, so it is hidden until "Undo" restores the move.
        self.click("#delete")
        expect(self.moves()).to_have_count(0)
        self.expect_hidden("#summary")
        self.click("#trouble button")
        expect(summary.first).to_be_visible()

    def test_a_variation_leaves_columns_and_graph_as_they_are(self):
        self.paste_mistakes()
        expect(self.find("#summary tbody tr").first).to_be_visible()
        path = "path => path.getAttribute('d')"
        chances = self.find("#graph .chance").evaluate(path)
        for played, instead in ((1, "e1-e2/d2"), (0, "f5-f4/f3")):
            self.find("#moves > li.ply button").nth(played).click()
            self.play(instead)
            self.assertEqual(self.find("#graph .chance").evaluate(path), chances)
        for selector, columns in (("#moves > li.ply", "1212"), ("#moves .aside li.ply", "21")):
            lefts = self.find(selector).evaluate_all(
                "all => all.map(one => one.getBoundingClientRect().left)"
            )
            middle = self.find("#moves").evaluate(
                "one => one.getBoundingClientRect().left + one.offsetWidth / 2 - 20"
            )
            self.assertEqual("".join("12"[left > middle] for left in lefts), columns)
        self.photograph("variations")

    def test_no_two_words_of_a_review_have_one_number(self):
        texts = """async () => {
            const { costText } = await import("./app/panel.js");
            return [...Array(1000)].map((_, thousandth) => [thousandth, costText(thousandth / 1000)]);
        }"""
        words = {}
        for thousandth, text in self.page.evaluate(texts):
            words.setdefault(text, set()).add(sum(thousandth >= least for least in (50, 100, 150)))
        self.assertEqual({text for text, kinds in words.items() if len(kinds) > 1}, set())

    def test_a_review_that_finds_nothing_says_so(self):
        self.start_game()
        self.expect_hidden("#review", "#retry")
        # This game has one move, which leaves the second player without a move.
        self.paste("q*2/*3/1Q2/4 w")
        self.play("b2-c3/b3")
        self.click("#review")
        self.expect_text(status="The review found no inaccuracy, no mistake and no blunder.")


class Lessons(PageTest):
    def open_list(self, name):
        self.click("#open-exercises")
        return self.find(f"#{name} button")

    def test_first_lesson_has_five_steps_and_restores_game(self):
        self.start_game()
        self.play("b1-b4/b5")
        self.open_list("lesson-list").click()
        self.expect_part(status="1/5: ")
        self.reload()
        expect(self.moves()).to_have_text(["1b1-b4/b5"])
        self.press("?")
        self.click("#help-lesson")
        self.expect_part(status="1/5: Your")
        self.assertEqual(self.count_marks("rect.hint"), 1)
        for language, words in (("zh", "1/5: 深色"), ("en", "1/5: Your")):
            self.change_display(language=language)
            self.expect_part(status=words)
        self.click_squares("b2-c3/b2")
        self.expect_text(status="Not this move: try again.")
        # A click on the message's cross, or the start of another move, shows the task's text again.
        self.click("#advice-close")
        self.expect_part(status="1/5: Your")
        self.click_squares("b2-c3/b2")
        self.expect_text(status="Not this move: try again.")
        self.click_squares("b2")
        self.expect_part(status="1/5: Your")
        self.press("Escape")
        expect(self.square("b2")).to_have_attribute("aria-label", re.compile("can move"))
        self.expect_no_thoughts()
        for step in range(5):
            self.expect_part(status=f"{step + 1}/5: ")
            self.make_the_answer()
            self.expect_part(status="Press Next.")
            self.click("#task-next")
        self.expect_text(ending_title="You know the game.")
        expect(self.moves()).to_have_text(["1b1-b4/b5"])
        self.click("#ending-exercises")
        self.expect_visible("#exercises")

    def test_a_best_move_is_found_part_by_part(self):
        exercises = self.open_list("best-move-list")
        self.assertEqual(exercises.count(), 21)
        exercises.nth(2).click()
        self.expect_part(status="Which move is best?")
        self.expect_no_thoughts()
        self.assertEqual(self.count_marks("rect.hint"), 0)
        self.make_the_answer()
        self.expect_part(status="is the best move. Press Next.")
        self.press("u")
        self.page.wait_for_timeout(300)
        expect(self.current_number_element()).to_have_text("1")
        self.expect_part(status="is the best move. Press Next.")
        self.click("#task-next")
        self.expect_part(status="Position 4: ")
        self.click_first_move()
        self.expect_part(status="Try again.")
        self.expect_no_thoughts()
        self.click("#task-leave")
        expect(self.find(".squares button")).to_have_count(100)
        expect(self.open_list("best-move-list").nth(2)).to_contain_text("✓")
        expect(self.find("#best-move-list button").nth(3)).not_to_contain_text("✓")
        # Another game than the user's ends the exercise, and is not paused.
        exercises.first.click()
        self.expect_part(status="Position 1: ")
        self.paste("c1-c3/c5")
        self.expect_hidden("#open", "#task-leave", "#pause")

    def test_an_endgame_is_won_against_the_engine(self):
        exercises = self.open_list("exercise-list")
        expect(exercises.locator("svg")).to_have_count(22)
        grades = [text.split(" · ")[0] for text in exercises.locator("small").all_inner_texts()]
        self.assertEqual(grades, sorted(grades, key=["easy", "medium", "hard"].index))
        self.assertEqual(set(grades), {"easy", "medium", "hard"})
        self.photograph("exercises")
        exercises.first.click()
        self.expect_hidden("#exercises")
        endgames = json.loads((ROOT / "src/analysis/exercises/endgames.json").read_text())

        def wait_for_endgame(number):
            kept = "start => new URLSearchParams(location.hash.slice(1)).get('position') === start"
            self.page.wait_for_function(kept, arg=endgames[number][1])

        wait_for_endgame(0)
        self.page.reload()
        self.expect_text(status="Exercise: win as the second player.")
        # A user who follows the engine's hints wins the endgame.
        for _ in range(40):
            expect(self.find("#ending:not([hidden]), #hint:not([disabled])").first).to_be_attached()
            if self.find("#ending").is_visible():
                break
            played = self.moves().count()
            for step in range(3):
                self.press("h")
                expect(self.find("#board rect.hint")).to_have_count(step + 1)
            self.follow_hint()
            expect(self.moves().nth(played)).to_be_attached()
        self.expect_text(ending_title="Solved.")
        self.expect_hidden("#ending-save", "#ending-new")
        self.click("#next-exercise")
        wait_for_endgame(1)
        expect(self.open_list("exercise-list").first).to_contain_text("✓")


class Help(PageTest):
    def test_a_first_visit_shows_the_rules_once(self):
        self.open_page(storage_state=None)
        card = self.find("#welcome")
        expect(card.locator("li svg")).to_have_count(3)
        expect(card.locator("li b")).to_have_text(["Move.", "Shoot.", "Who wins."])
        self.photograph("welcome")
        self.click("#welcome-close")
        expect(card).to_be_hidden()
        self.page.reload()
        expect(self.find("#status")).not_to_have_text("")
        expect(card).to_be_hidden()
        # The first move closes the card with the rules.
        self.open_page(storage_state=None)
        expect(self.square("a1")).to_be_visible()
        self.start_game()
        self.expect_visible("#welcome")
        self.play("b1-b4/b5")
        self.expect_hidden("#welcome")
        self.start_game()
        self.expect_hidden("#welcome")
        self.change_display(language="zh")
        self.press("?")
        expect(self.find("#help .rules li b")).to_have_text(["走棋。", "射箭。", "胜负。"])
        expect(self.find("#help .rules svg").first).to_be_visible()

    def test_a_first_visit_on_a_phone(self):
        self.open_page(storage_state=None, viewport={"width": 390, "height": 844})
        expect(self.find("#welcome-title")).to_be_in_viewport()
        self.assertLessEqual(self.page.evaluate("document.documentElement.scrollWidth"), 390)

    def test_keys_and_symbols_are_explained(self):
        self.press("?")
        self.expect_visible("#help")
        keys = self.find("#keys-list dt").all_inner_texts()
        self.assertEqual(len(keys), len(set(keys)))
        for texts in ("#keys-list dd", "#symbols-list dd"):
            self.assertTrue(all(self.find(texts).all_inner_texts()))
        self.photograph("help")
        self.press("Escape")
        self.expect_hidden("#help")

    def test_both_languages_have_every_word(self):
        missing = self.page.evaluate(
            """async () => {
                const [{ ENGLISH }, { CHINESE }] = [await import("./app/english.js"), await import("./app/chinese.js")];
                const kind = (one) => (Array.isArray(one) ? one.length : typeof one);
                const keys = new Set([...Object.keys(ENGLISH), ...Object.keys(CHINESE)]);
                const names = ["t", "tLabel", "tTitle", "tHint"];
                const marked = "[data-t], [data-t-label], [data-t-title], [data-t-hint]";
                const nodes = [...document.querySelectorAll(marked)];
                const asked = nodes.flatMap((node) => names.map((name) => node.dataset[name]));
                return [
                    [...keys].filter((key) => kind(ENGLISH[key]) !== kind(CHINESE[key])),
                    asked.filter((key) => key && typeof ENGLISH[key] !== "string"),
                ];
            }"""
        )
        self.assertEqual(missing, [[], []])
