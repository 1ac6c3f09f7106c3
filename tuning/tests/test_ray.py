"""Tests with a real Ray cluster on loopback: two nodes, one of which dies during its work."""

import socket
import subprocess
import sys
import threading
import time
from contextlib import closing

import pytest
from conftest import script
from test_measure import LIST, games, line

from tuning.errors import InputError

ray = pytest.importorskip("ray", reason="Ray is an extra: requirements-ray.lock is not installed")
from ray.cluster_utils import Cluster  # noqa: E402

from tuning.matches.batch import Batch, Side  # noqa: E402
from tuning.matches.ray_executor import RayExecutor  # noqa: E402
from tuning.matches.worker import Job  # noqa: E402

SELFPLAY = ("selfplay", "--board", "6", "--games", "2", "--playouts", "5", "--out", "{output}")

# Tests must not listen on the network. If a node had the address 127.0.0.1, Ray would replace it by
# this machine's address in the network, so the nodes have other loopback addresses.
NODES = [
    {"num_cpus": 1, "object_store_memory": 80 * 2**20, "node_ip_address": f"127.0.0.{last}"}
    for last in (2, 3)
]


@pytest.fixture
def cluster(monkeypatch):
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("RAY_gcs_server_port_wait_time_s", "120")
    # Ray waits half a minute for a node to start. A busy machine may need longer, so try again.
    for tries_left in (2, 1, 0):
        try:
            cluster = Cluster(initialize_head=True, head_node_args={**NODES[0], "include_dashboard": False})
            cluster.add_node(**NODES[1])
            break
        except Exception:
            if not tries_left:
                raise
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def _listed(folder):
    folder.mkdir(exist_ok=True)
    text = LIST.replace("playouts=20", "playouts=2000").replace("playouts=2", "playouts=1000", 1)
    text = text.replace("games = 8", "games = 40").replace("batch = 4", "batch = 10")
    (folder / "list.toml").write_text(text)
    return folder / "list.toml"


def test_node_that_dies_costs_its_batch(cluster, engine, tmp_path, run):
    far, near, cut = (_listed(tmp_path / name) for name in ("far", "near", "cut"))
    (victim,) = cluster.worker_nodes

    def kill():
        while not games(far) and not over.is_set():
            time.sleep(0.01)
        # A batch takes seconds, so half a second later both nodes are in the middle of a batch.
        time.sleep(0.5)
        cluster.remove_node(victim, allow_graceful=False)

    over = threading.Event()
    killer = threading.Thread(target=kill)
    killer.start()
    try:
        log = run(*line(far, "--only", "chain", "--ray-address", cluster.address))
    finally:
        over.set()
        killer.join()
    assert "; its jobs are run again" in log and "2 games at the same time (the Ray cluster" in log, log
    run(*line(near, "--only", "chain"))
    # At fixed playouts, runs with and without a cluster play the same 40 games. Only times differ.
    assert games(far) == games(near) and len(games(near)) == 40

    # If SIGTERM ends a run, a message says how to continue the run.
    asked = line(cut, "--only", "chain", "--ray-address", cluster.address)
    cut_short = subprocess.Popen([sys.executable, "-m", "tuning", *asked], stderr=subprocess.PIPE, text=True)
    while not games(cut) and cut_short.poll() is None:
        time.sleep(0.1)
    cut_short.terminate()
    _, log = cut_short.communicate(timeout=120)
    assert cut_short.returncode == 1 and "run the same command again" in log, log

    # If the engine fails on a node of the cluster, `run_jobs` raises the engine's error message.
    with closing(joined(engine.path, cluster)) as executor:
        ((_, _),) = executor.run_jobs([Job(SELFPLAY, tmp_path / "games")])
        with pytest.raises(InputError, match="nobody"):
            list(executor.run_jobs([Job(("match", "--a", "nobody", "--b", "quiver"), tmp_path / "none")]))
        assert (tmp_path / "games").is_file() and not (tmp_path / "none").exists()

    book = ["--board", "6", "--playouts", "30", "--positions", "2"]
    run("book", "--out", tmp_path / "there.txt", "--ray-address", cluster.address, "--", *book)
    engine.output_of("book", "make", "--out", str(tmp_path / "here.txt"), *book)
    assert (tmp_path / "there.txt").read_text() == (tmp_path / "here.txt").read_text()


def joined(program, cluster):
    return RayExecutor({"engine": program}, cluster.address, program.with_name("speed.json"))


def test_nodes_are_tried_before_their_first_job(cluster, engine, tmp_path, capsys):
    cluster.add_node(**NODES[1] | {"node_ip_address": "127.0.0.4"}, env_vars={"KIND": "slow"})
    cluster.add_node(**NODES[1] | {"node_ip_address": "127.0.0.5"}, env_vars={"KIND": "old"})
    report = '{"games": 2, "players": [], "mean_plies": 9, "faults": 0, "score": {"pairs": [0, 1, 0]}}'
    text = (
        '[ "$KIND" != old ] || { echo "version \'GLIBC_2.38\' not found" >&2; exit 1; }\n'
        'case "$1" in\n'
        "--version) echo engine;;\n"
        'bench) if [ "$KIND" = slow ]; then echo \'{"playouts_per_second": 4e4}\'; '
        "else echo '{\"playouts_per_second\": 8e4}'; fi;;\n"
        f"*) echo \"$* ${{KIND:-usual}}\" > $TMPDIR/$$.words; echo '{report}';;\n"
        "esac\n"
    )
    some = script(tmp_path / "engine", text.replace("$TMPDIR", str(tmp_path)))
    side = Side(time=0.05)
    batches = [Batch("timed", side, side, 6, 2, number, recorded=False) for number in range(12)]
    with closing(joined(some, cluster)) as executor:
        assert executor.cores == 3
        outcomes = [outcome for _, outcome in executor.run_jobs(map(Job, batches))]
    assert len(outcomes) == 12 and {outcome.pairs for outcome in outcomes} == {(0, 1, 0)}
    words = [path.read_text() for path in tmp_path.glob("*.words")]
    assert {(" time=0.1 " in text, text.split()[-1]) for text in words} == {(False, "usual"), (True, "slow")}
    log = capsys.readouterr().err
    assert log.count("is not used") == 1 and "node 127.0.0.5 is not used: it cannot run the engine" in log
    assert "GLIBC_2.38" in log
    assert log.count("times are scaled") == log.count("node 127.0.0.4: times are scaled by 2.00") == 1
    assert (tmp_path / "speed.json").read_text() == '{"playouts_per_second": 80000.0}\n'
    none = script(tmp_path / "none", "echo no library >&2; exit 1\n")
    with pytest.raises(InputError, match="no node of the cluster can run the engine: no library"):
        joined(none, cluster)


def test_refuses_address_without_ray(engine, tmp_path, run):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    outside = "a driver outside of the cluster needs Ray's client"
    for wrong, expected in (
        *[(host, "expected the address of a Ray cluster") for host in (address, "127.0.0.1:nothing", "auto")],
        ("ray://127.0.0.1:10001", outside),
    ):
        output = run(*line(_listed(tmp_path / "list"), "--only", "chain", "--ray-address", wrong), status=2)
        error = output.splitlines()[-1]
        assert f" --ray-address {wrong}: " in error and expected in error
