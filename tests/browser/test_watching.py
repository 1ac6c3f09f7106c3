"""Tests of the page on which `quiver match` shows a match, during the match and after its end."""

import os
import re
import subprocess

from page import SHOTS, PageTest, expect


class Watching(PageTest):
    """Tests of the page of a match. Each test opens this page, not the page of the base class."""

    def watch_match(self, *arguments, first="level9"):
        self.file = SHOTS / "contest.html"
        self.file.unlink(missing_ok=True)
        command = [os.environ["QUIVER"], "match", "--player", first, "--player", "level10", "--board", "6"]
        command += ["--watch", "0", "--html", self.file, *arguments]
        match = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for clean in (match.stderr.close, match.wait, match.kill):
            self.addCleanup(clean)
        self.page.goto(re.search(r"http://\S+", match.stderr.readline()).group())
        return match

    def test_games_are_shown_as_they_are_played_and_stepped_through(self):
        match = self.watch_match("--games", "100000", "--sprt", "0,1", first="level9 name='<b>Ada</b>'")
        self.expect_part(state="of 100000 games", score="<b>Ada</b>")
        expect(self.find("#games li").nth(2)).to_be_visible()
        expect(self.find("#board .board-pieces use").first).to_be_attached()
        self.expect_visible("#sprt")
        # A finished game that the user chose stays on the board while other games are played.
        self.find("#games button", has_text=re.compile("1-0|0-1")).last.click()
        self.expect_part(now="Game 1, ply 0 of ")
        self.press("ArrowRight")
        self.page.wait_for_timeout(1500)
        self.expect_part(now="Game 1, ply 1 of ")
        self.photograph("watch")
        match.kill()
        self.expect_text(state="The server of the match does not answer.")
        self.troubles.clear()

    def test_a_tournament_has_a_table_of_results(self):
        match = self.watch_match("--player", "level1", "--games", "10")
        self.expect_part(state="30 of 30 games, over")
        self.assertEqual(match.wait(), 0)
        self.page.goto(self.file.as_uri())
        self.page.set_viewport_size({"width": 390, "height": 844})
        self.photograph("tournament", whole=True)
        expect(self.find("#results td:nth-child(2)")).to_have_count(3)
        cells = self.find("#results td").evaluate_all(
            "all => all.map(one => [one.textContent, one.offsetHeight])"
        )
        # No cell has two lines. The two cells of a pairing mirror each other, such as 7-3 and 3-7.
        heights = [height for _, height in cells]
        self.assertLess(max(heights), 1.5 * min(heights))
        pairs = [tuple(map(int, text.split("-"))) for text, _ in cells if re.fullmatch(r"\d+-\d+", text)]
        self.assertEqual((len(pairs), {won + lost for won, lost in pairs}), (6, {10}))
        self.assertEqual(sorted(pairs), sorted((lost, won) for won, lost in pairs))
        self.find("#games button").first.click()
        expect(self.find(".plot .axis i")).to_have_text(["100 %", "50 %", "0 %"])

    def test_a_finished_match_is_one_page(self):
        match = self.watch_match("--games", "6")
        self.expect_part(state="6 of 6 games, over")
        self.assertEqual(match.wait(), 0)
        self.page.goto(self.file.as_uri())
        self.expect_text(state="6 of 6 games, over")
        expect(self.find("#games li")).to_have_count(6)
        self.expect_part(text="Score of level9 vs level10")
        self.expect_visible("#elo")
        for number in (1, 6):
            self.find("#games li").nth(6 - number).locator("button").click()
            self.expect_part(now=f"Game {number}, ply 0 of ")
            self.press("End")
            self.expect_part(now="won: no move")
            burnt = self.find('#board use[href="#board-x"]').count()
            plies = int(re.search(r"of (\d+)", self.find("#now").inner_text()).group(1))
            self.assertEqual(burnt, plies)
        self.photograph("contest")
        label = re.compile("^Board of 6x6.*Last move ")
        expect(self.find("svg.board")).to_have_attribute("aria-label", label)
        self.select(language="zh")
        self.expect_text(state="已完成 6 局，共 6 局，已结束", games_title="对局")
        self.expect_part(now="获胜：无路可走")
        expect(self.find("#games li").first).to_contain_text("步")
        self.photograph("contest-chinese")
