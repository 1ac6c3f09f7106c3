"""Makes an opening book as `quiver book make` does, but can run the searches on a cluster.

`quiver book make` with the same options makes the same book. Each of the two commands can continue
a book that the other has begun.
"""

import argparse
from contextlib import closing
from pathlib import Path

from tuning.command import Parser
from tuning.commands import options
from tuning.errors import InputError
from tuning.matches.engine import Engine
from tuning.matches.progress import print_message
from tuning.matches.worker import Job


def add_options(command: Parser) -> None:
    add = command.add_argument
    add("--out", type=Path, required=True, help="the file of the book to write")
    concurrency = "number of simultaneous searches; a different number gives a different book"
    add("--concurrency", type=options.COUNT, default=1, help=concurrency)
    options.add_engine(command)
    options.add_workers(command, "largest number of simultaneous searches on this machine")
    add("words", nargs="+", metavar="OPTION", help="the other options of 'quiver book make', after --")


def run(args: argparse.Namespace) -> None:
    engine, out = Engine.find(args.engine), args.out.resolve()
    words = ("book", "make", "--out", str(out), "--concurrency", str(args.concurrency), *args.words)
    with closing(options.executor_of(args, {"engine": engine.path}, out.parent)) as executor:
        while lines := engine.output_of(*words, "--next").splitlines():
            for job, text in executor.run_jobs([Job((*words, "--line", line)) for line in lines]):
                if not text:
                    raise InputError(
                        f"--line '{job.words[-1]}': the engine printed nothing, expected a line of the journal"
                    )
                with out.with_name(f"{out.name}.journal").open("a", encoding="utf-8") as journal:
                    journal.write(text)
            print_message(f"searched {len(lines)} more positions of {out}")
    print(engine.output_of(*words), end="")
