"""Engines of commits: built once, in a git worktree that is removed afterwards."""

import hashlib
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tuning.errors import InputError
from tuning.files import replace
from tuning.matches.engine import Engine
from tuning.matches.progress import say
from tuning.provenance import ROOT


@dataclass(frozen=True)
class Version:
    """An engine to compare, and what it is called."""

    engine: Engine
    name: str
    """The short hash of a commit with its subject, or the path of a file."""
    key: str
    """A part of a folder's name that tells the version from others."""
    commit: str | None


def version(text: str, builds: Path) -> Version:
    """Return the engine at a path, or that of a commit, which is built unless `builds` has it."""
    path = Path(text)
    if path.is_file():
        engine = Engine(path.resolve())
        return Version(engine, text, hashlib.sha256(path.read_bytes()).hexdigest()[:9], None)
    try:
        commit = _git("rev-parse", "--verify", "--end-of-options", f"{text}^{{commit}}").strip()
        subject = _git("show", "--no-patch", "--format=%h %s", commit).strip()
    except InputError as error:
        raise InputError(f"'{text}': expected a commit of this repository, or an engine's file") from error
    binary = builds / commit
    if not binary.is_file():
        _build(commit, binary)
    return Version(Engine(binary), subject, commit[:9], commit)


def _build(commit: str, binary: Path) -> None:
    """Build the engine of a commit by `cargo build --release --locked`."""
    tree = binary.with_name(f"{commit}.tree")
    # All commits share the folder of compiled dependencies.
    target = binary.with_name("target")
    say(f"builds the engine of commit {commit[:9]}")
    binary.parent.mkdir(parents=True, exist_ok=True)
    # A build that was cut short left its tree behind.
    shutil.rmtree(tree, ignore_errors=True)
    _git("worktree", "prune")
    _git("worktree", "add", "--detach", str(tree), commit)
    try:
        words = ["build", "--release", "--locked", "--target-dir"]
        cargo = [os.environ.get("CARGO", "cargo"), *words, str(target)]
        try:
            done = subprocess.run(cargo, cwd=tree, capture_output=True, text=True, check=False)
        except OSError as error:
            raise InputError(
                f"cargo: {error.strerror}, expected Rust's cargo to build commits with"
            ) from error
        if done.returncode != 0:
            said = next(
                (line for line in done.stderr.splitlines() if line.startswith("error")), "no reason given"
            )
            raise InputError(f"commit {commit[:9]} does not build: {said}")
        replace(binary, (target / "release" / "quiver").read_bytes(), mode=0o755)
    finally:
        _git("worktree", "remove", "--force", str(tree))


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise InputError(f"git {' '.join(words)}: {done.stderr.strip()}, expected it to succeed")
    return done.stdout
