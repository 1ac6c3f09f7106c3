"""Tests of the policy network's rows, training and files. Most of them need PyTorch."""

import json
import subprocess
import sys
from contextlib import suppress

import numpy as np
import pytest
from conftest import refuse_each

from tuning.errors import InputError
from tuning.rows import read_policy_rows, split_games

with suppress(ImportError):
    import torch

    from tuning.policy.net import PolicyNet, QuantisedNet
    from tuning.policy.net_file import read_net, write_net
    from tuning.policy.samples import decode, symmetry
    from tuning.policy.train import Training, TrainingSettings, measure_network, move_log_probabilities

needs_torch = pytest.mark.skipif("torch" not in globals(), reason="PyTorch is not installed")


def _settings(steps=60, **more):
    return TrainingSettings(steps, 20, 64, 3e-3, 5e-4, 0.5, 1.0, seed=1, holdout=4, **more)


def _random_net():
    torch.manual_seed(7)
    floating = PolicyNet()
    for layer in floating.means:
        torch.nn.init.normal_(layer.weight, std=0.2)
    torch.nn.init.normal_(floating.head.weight)
    return QuantisedNet(floating)


@pytest.fixture(scope="module")
def rows(engine, tmp_path_factory):
    folder = tmp_path_factory.mktemp("policy")
    games, out = folder / "games", folder / "rows.bin"
    play = ["--board", "6", "--games", "8", "--playouts", "16", "--seed", "3", "--out", games]
    engine.output_of("selfplay", *map(str, play))
    engine.output_of("features", "--policy", "--games", str(games), "--out", str(out))
    return read_policy_rows(out)


def test_rows_are_read_by_their_header(rows):
    fields = rows.fields
    assert rows.board == 6 and len(fields) == rows.about["rows"] > 100
    assert set(np.unique(fields["half"])) == {0, 1}
    legal = np.unpackbits(fields["legal"], axis=2, bitorder="little")
    for row, bits in zip(fields, legal, strict=True):
        shares, moves = row["shares"].astype(int), row["moves"]
        assert shares[0] > 0 and (np.diff(shares) <= 0).all() and shares.sum() <= 65_543
        assert all(bits[slot, to] for (slot, to), share in zip(moves, shares, strict=True) if share)
        own, _, empty, shooter, *_ = np.unpackbits(row["planes"][:, :1], axis=1, bitorder="little").T
        assert (empty.sum(), shooter.sum()) == (row["empties"], row["half"])
        assert own[row["from"][: 1 if row["half"] else 4]].all()
    training, held_out = split_games(rows.fields["game"], 4)
    assert set(fields["game"][held_out]) == {0, 4}
    assert len(training) + len(held_out) == len(fields)


def test_what_is_no_file_of_policy_rows_is_refused(tmp_path, rows):
    other = rows.path.read_bytes().replace(b'"board":6', b'"board":8', 1)
    cases = (
        (b"my notes\n", "expected a file of rows as 'quiver features --policy' writes it"),
        (other, "expected the squares of board 8"),
    )
    refuse_each(read_policy_rows, tmp_path / "rows", cases)


def test_without_pytorch_the_command_says_what_to_install(rows, tmp_path):
    hide = "import sys; sys.modules['torch'] = None; from tuning.command import main; sys.exit(main())"
    line = ["fit-policy", "--rows", str(rows.path), "--out", "net"]
    done = subprocess.run([sys.executable, "-c", hide, *line], cwd=tmp_path, capture_output=True, text=True)
    advice = "tuning/python -m pip install --no-deps -r tuning/requirements-policy.lock"
    assert done.returncode == 2 and f"expected PyTorch: {advice}" in done.stderr


def test_missing_folder_is_refused_before_training(rows, tmp_path, refused):
    out = tmp_path / "nowhere" / "6.net"
    refused(f"'{out}', expected a file in a folder", "fit-policy", "--rows", rows.path, "--out", out)
    assert not list(tmp_path.iterdir())


@needs_torch
def test_a_symmetric_batch_is_the_same_board(rows):
    device = torch.device("cpu")
    chosen = rows.fields[:64]
    plain = decode(chosen, 6, 0, device)
    assert (plain.legal.flatten(1).gather(1, plain.moves) | (plain.shares == 0)).all()
    assert len({tuple(symmetry(6, number)) for number in range(8)}) == 8
    for number in range(8):
        turned = decode(chosen, 6, number, device)
        source = torch.from_numpy(symmetry(6, number))
        assert torch.equal(turned.planes.flatten(2), plain.planes.flatten(2)[:, :, source])
        assert torch.equal(source[turned.origins], plain.origins)
        assert (turned.legal.flatten(1).gather(1, turned.moves) | (turned.shares == 0)).all()


@needs_torch
def test_training_learns_and_resumes(rows, tmp_path):
    settings, device = _settings(), torch.device("cpu")
    messages = []
    index, held_out = split_games(rows.fields["game"], 4)

    def training(name):
        return Training(rows, settings, tmp_path / name, device)

    *_, before = measure_network(training("none").net, rows, held_out, device)[0]
    net = training("whole").run(messages.append, save_seconds=0)
    *_, after = measure_network(net, rows, held_out, device)[0]
    # The training reduces both the cross-entropy of the moves and the error of the value.
    assert after[0] < before[0] and after[-1] < before[-1]
    assert training("whole").step == 80

    class Interrupted(Training):
        stop = 0

        def _train_step(self, batch):
            if self.step == self.stop:
                raise KeyboardInterrupt
            return super()._train_step(batch)

    # Interrupt a training within an epoch: at step 37 in floating point, at step 71 when quantised.
    epoch = len(index) // settings.batch
    for stop in (37, 71):
        assert stop > epoch and stop % epoch > 0
        interrupted = Interrupted(rows, settings, tmp_path / f"{stop}", device)
        interrupted.stop = stop
        with pytest.raises(KeyboardInterrupt):
            interrupted.run(messages.append, save_seconds=0)
        resumed = training(f"{stop}")
        assert resumed.step == stop
        resumed.run(messages.append)
        for name, weights in net.state_dict().items():
            assert torch.equal(resumed.net.state_dict()[name], weights), name

    with pytest.raises(InputError, match="with steps 60, expected 61, or another --state"):
        Training(rows, _settings(61), tmp_path / "whole", device)
    state = torch.load(tmp_path / "whole")
    state["net"]["pooled"] = state["net"].pop("means.1")
    torch.save(state, tmp_path / "whole")
    with pytest.raises(InputError, match="expected a checkpoint of this version's network"):
        Training(rows, _settings(), tmp_path / "whole", device)


@needs_torch
def test_training_begins_with_a_network_file(rows, tmp_path):
    path, again = tmp_path / "6.net", tmp_path / "again.net"
    write_net(path, _random_net(), rows.board, {"date": "today"})
    net = read_net(path)
    write_net(again, net, rows.board, {"date": "today"})
    assert again.read_bytes() == path.read_bytes()

    device = torch.device("cpu")
    training = Training(rows, _settings(begin="a digest"), tmp_path / "checkpoint", device, net)
    index = split_games(rows.fields["game"], 4)[1]
    floating, folded = (measure_network(n, rows, index, device)[0][-1] for n in (training.net, net))
    assert floating[0] == pytest.approx(folded[0], rel=0.01)
    assert floating[-1] == pytest.approx(folded[-1], rel=0.01)

    with pytest.raises(InputError, match="No such file"):
        read_net(tmp_path / "none")
    data = path.read_bytes()
    cases = (
        (b"my notes\n", "expected a network file that 'fit-policy' wrote"),
        (data[:-1], "bytes after the header, expected"),
        (data.replace(b'"channels":32', b'"channels":64', 1), "channels, convolutions .* expected"),
        (data.replace(b'"format":3', b'"format":[3]', 1), r"expected \[3, 32, 4\]"),
        (data[:-9] + b"\1" + data[-8:], "the file is damaged"),
    )
    refuse_each(read_net, path, cases)


@needs_torch
def test_the_engine_computes_the_same_priors(engine, tmp_path):
    board, net = 6, _random_net()
    net_file, games, rows_file = tmp_path / "6.net", tmp_path / "games", tmp_path / "rows"
    write_net(net_file, net, board, {"date": "today"})
    options = ["--playouts", "3000", "--net", str(net_file), "--set", "policy_visits=1"]
    options += ["--set", "policy_queen_temperature=1", "--set", "policy_arrow_temperature=1"]
    game = ["--games", "1", "--random-plies", "0", "--blunders", "0", "--out", str(games)]
    engine.output_of("selfplay", "--board", str(board), *game, *options)
    engine.output_of("features", "--policy", "--games", str(games), "--out", str(rows_file))
    # Row 0 has the start position, and row 1 the position after a queen move, before its arrow.
    first = read_policy_rows(rows_file).fields[:2]
    batch = decode(first, board, 0, torch.device("cpu"))
    with torch.no_grad():
        head, value = net(batch.planes, batch.live)
        logarithms = move_log_probabilities(head, batch).view(2, 4, board * board).numpy()
    target = first["from"][1, 0]
    slot = next(at for at, square in enumerate(first["from"][0]) if not first["planes"][1, square, 0] & 1)

    def name(square):
        return f"{'abcdef'[square % board]}{square // board + 1}"

    queen = f"{name(first['from'][0, slot])}-{name(target)}/"
    answer = json.loads(engine.output_of("analyze", "--board", str(board), "--json", *options))
    # The engine adds integers and PyTorch adds floats, so a few rounded activations may differ.
    assert answer["rootInfo"]["rawWinrate"] == pytest.approx(float(value[0].sigmoid()), rel=0.03)
    priors = {info["move"]: info["prior"] for info in answer["moveInfos"] if info["move"].startswith(queen)}
    assert max(priors.values()) > 1e-3
    for arrow in range(board * board):
        prior = priors.get(queen + name(arrow))
        if prior is not None:
            expected = np.exp(logarithms[0, slot, target] + logarithms[1, 0, arrow])
            # The prior of the full move is a product of two priors, each rounded to 1 / 65,535.
            assert prior == pytest.approx(expected, abs=2e-6)
