"""Tests of the page as static files, with the engine in the browser's workers, also offline."""

import json
import os
import pathlib
import re
import subprocess
import unittest

from page import STATIC, PageTest, expect

SEARCH = """async ([board, visits]) => {
    const { search } = await import("./app/backend.js");
    let last;
    await search({ boardXSize: board, maxVisits: visits, seed: 5 }, null, (answer) => { last = answer; });
    return last;
}"""


@unittest.skipUnless(STATIC, "tests/release/page has built no folder")
class Static(PageTest):
    def test_it_works_without_a_network_after_the_first_visit(self):
        self.page.evaluate("navigator.serviceWorker.ready")
        self.server.kill()
        self.server.wait()
        self.addCleanup(self.start_server, port=re.search(r":(\d+)/", self.url).group(1))
        self.page.reload()
        expect(self.square("a1")).to_be_visible()
        self.start_game(second="level:1")
        self.click_squares("b1-b4/b5")
        expect(self.moves()).to_have_count(2)

    def test_stopped_search_keeps_tree_with_shared_memory(self):
        self.assertFalse(self.page.evaluate("crossOriginIsolated"))
        self.search_twice()
        self.page.evaluate("navigator.serviceWorker.ready")
        self.page.reload()
        self.assertTrue(self.page.evaluate("crossOriginIsolated"))
        self.assertGreater(self.search_twice()["reused"], 0)

    def search_twice(self):
        """Runs a search twice, each time up to its first answer. Returns the second answer."""
        return self.page.evaluate(
            """async () => {
                const { search } = await import("./app/backend.js");
                const query = { boardXSize: 6, reuse: true, priority: 1, reportDuringSearchEvery: 0.05 };
                const first = async () => {
                    const stop = new AbortController();
                    let heard = null;
                    await search(query, stop.signal, (answer) => { heard ??= answer; stop.abort(); }).catch(() => {});
                    return heard;
                };
                await first();
                return first();
            }"""
        )

    def test_unsupported_browser_shows_message_and_keeps_game(self):
        self.start_game()
        self.play("b1-b4/b5")
        self.wait_until_stored()
        self.context.add_init_script("WebAssembly.validate = () => false")
        self.page.reload()
        self.expect_part(status="This browser cannot run the engine")
        self.expect_error("cannot run the engine")
        page = self.context.new_page()
        page.add_init_script("WebAssembly.validate = () => true")
        page.goto(self.url)
        expect(page.locator("#moves .move")).to_have_text(["b1-b4/b5"])

    def test_a_match_record_has_a_sentence(self):
        self.paste('{"contest":{"players":[]}}')
        self.expect_part(text_error="This is a record of quiver match")

    def test_failed_worker_shows_message_and_is_replaced(self):
        self.start_game()
        self.play("b1-b4/b5")
        self.wait_until_stored()
        self.context.add_init_script(
            """globalThis.Worker = class extends Worker {
                postMessage(data) {
                    if (!globalThis.dies || !data.name) return super.postMessage(data);
                    this.dispatchEvent(new ErrorEvent("error", { message: "unreachable" }));
                }
            };"""
        )
        self.page.reload()
        expect(self.square("a1")).to_be_visible()
        self.page.evaluate("globalThis.dies = true")
        self.click_squares("a5-a4/a3")
        self.expect_part(trouble="The engine has stopped: unreachable.")
        expect(self.moves()).to_have_text(["1b1-b4/b5"])
        self.page.evaluate("globalThis.dies = false")
        self.play("a5-a4/a3")

    def test_values_are_those_of_the_program_and_memory_is_small(self):
        """Alternates searches in the page and the program, so a busy machine slows both equally."""
        self.page.evaluate("navigator.serviceWorker.ready")
        self.page.reload()
        for board, visits in ((8, 4000), (10, 3000)):
            rounds = [
                (self.page.evaluate(SEARCH, [board, visits]), self.native_answer(board, visits))
                for _ in range(3)
            ]
            ours, theirs = rounds[0]
            self.assertEqual(ours["rootInfo"], theirs["rootInfo"])
            speeds = [
                max(one["playouts"] / one["time"] for one in side) for side in zip(*rounds, strict=True)
            ]
            print(
                f"{board}x{board}: {speeds[0]:.0f} playouts/s in the browser, {speeds[1]:.0f} in {os.environ['QUIVER']}"
            )
        # This search fills its tree, so that the page uses the most memory that it can.
        self.page.evaluate(SEARCH, [10, 100_000])
        print(f"memory of the page: {self.renderer_memory():.0f} MB")
        self.assertLess(self.renderer_memory(), 128)

    def renderer_memory(self):
        """Returns the anonymous resident memory of the browser's largest renderer, in MB."""
        processes = self.browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
        renderers = [
            pathlib.Path(f"/proc/{one['id']}/status") for one in processes if one["type"] == "renderer"
        ]
        return max(int(re.search(r"RssAnon:\s+(\d+)", one.read_text()).group(1)) for one in renderers) / 1000

    def native_answer(self, board, visits):
        query = {"id": "a", "boardXSize": board, "maxVisits": visits, "seed": 5}
        command = [os.environ["QUIVER"], "analyze", "--jsonl", "--memory", "32M"]
        kernel = {**os.environ, "QUIVER_KERNEL": "portable"}
        out = subprocess.run(
            command, input=json.dumps(query), check=True, stdout=subprocess.PIPE, text=True, env=kernel
        )
        return json.loads(out.stdout)

    def expect_error(self, words):
        self.assertTrue(self.troubles, words)
        self.assertTrue(all(words in trouble for trouble in self.troubles), self.troubles)
        self.troubles.clear()
