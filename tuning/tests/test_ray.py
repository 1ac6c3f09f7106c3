"""A real Ray cluster on loopback: two nodes, one of which dies in the middle of its work."""

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from conftest import Run, script
from test_measure import LIST, games, line

from tuning.errors import InputError
from tuning.matches.engine import Engine
from tuning.matches.executor import Job

ray = pytest.importorskip("ray", reason="Ray is an extra: requirements-ray.lock is not installed")
from ray.cluster_utils import Cluster  # noqa: E402

from tuning.matches.ray_executor import RayExecutor  # noqa: E402

SELFPLAY = ("selfplay", "--board", "6", "--games", "2", "--playouts", "5", "--out", "{output}")

# Ray takes 127.0.0.1 for this machine's address in its network, where nothing of a test has to listen.
NODES = [
    {"num_cpus": 1, "object_store_memory": 80 * 2**20, "node_ip_address": f"127.0.0.{last}"}
    for last in (2, 3)
]


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    """Start a head and a node, both with one core."""
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("RAY_gcs_server_port_wait_time_s", "120")
    # Ray waits half a minute for a node, which a busy machine may exceed.
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


def _listed(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    text = LIST.replace("playouts=20", "playouts=6000").replace("playouts=2", "playouts=3000", 1)
    text = text.replace("games = 8", "games = 40").replace("batch = 4", "batch = 10")
    (folder / "list.toml").write_text(text)
    return folder / "list.toml"


def test_node_that_dies_costs_its_batch(cluster: Cluster, engine: Engine, tmp_path: Path, run: Run) -> None:
    far, near, cut = (_listed(tmp_path / name) for name in ("far", "near", "cut"))
    (victim,) = cluster.worker_nodes

    def kill() -> None:
        while not games(far) and not over.is_set():
            time.sleep(0.01)
        # A batch takes seconds: by now both nodes are in the middle of one.
        time.sleep(0.5)
        cluster.remove_node(victim, allow_graceful=False)

    over = threading.Event()
    killer = threading.Thread(target=kill)
    killer.start()
    try:
        told = run(*line(far, "--only", "chain", "--ray-address", cluster.address))
    finally:
        over.set()
        killer.join()
    assert "; tried again" in told and "on 2 cores (the Ray cluster" in told, told
    run(*line(near, "--only", "chain"))
    # The same games, each once; at fixed playouts nothing but the times may differ.
    assert games(far) == games(near) and len(games(near)) == 40

    # What is ended by `kill` goes on.
    asked = line(cut, "--only", "chain", "--ray-address", cluster.address)
    cut_short = subprocess.Popen([sys.executable, "-m", "tuning", *asked], stderr=subprocess.PIPE, text=True)
    while not games(cut) and cut_short.poll() is None:
        time.sleep(0.1)
    cut_short.terminate()
    _, told = cut_short.communicate(timeout=120)
    assert cut_short.returncode == 1 and "the same command goes on" in told, told

    # What the engine refuses is said, wherever it was refused.
    with closing(RayExecutor(engine, cluster.address, tmp_path / "speed.json")) as executor:
        refused = executor.submit(Job(("match", "--a", "nobody", "--b", "quiver"), tmp_path / "none"))
        with pytest.raises(InputError, match="nobody"):
            refused.result(timeout=60)
        executor.submit(Job(SELFPLAY, tmp_path / "games")).result(timeout=60)
        assert (tmp_path / "games").is_file() and not (tmp_path / "none").exists()

    book = ["--board", "6", "--playouts", "30", "--positions", "2"]
    run("book", "--out", tmp_path / "there.txt", "--ray-address", cluster.address, "--", *book)
    engine.ask("book", "make", "--out", str(tmp_path / "here.txt"), *book)
    assert (tmp_path / "there.txt").read_text() == (tmp_path / "here.txt").read_text()


def test_a_node_that_does_not_run_the_engine_is_left_out(
    cluster: Cluster, engine: Engine, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cluster.add_node(**NODES[1] | {"node_ip_address": "127.0.0.4"}, env_vars={"OLD_LIBRARY": "1"})
    old = 'if [ -n "$OLD_LIBRARY" ]; then echo "version \'GLIBC_2.38\' not found" >&2; exit 1; fi\n'
    some = script(tmp_path / "some", f'{old}exec {engine.path} "$@"\n')
    with closing(RayExecutor(Engine(some), cluster.address, tmp_path / "speed.json")) as executor:
        for job in [executor.submit(Job(SELFPLAY, tmp_path / f"games-{one}")) for one in range(12)]:
            job.result(timeout=120)
        told = capsys.readouterr().err
        assert told.count("is left out") == 1 and "GLIBC_2.38" in told and "node 127.0.0.4" in told, told
        assert executor.cores == 2
    # The same where there is no other node.
    none = script(tmp_path / "none", "echo no library >&2; exit 1\n")
    with closing(RayExecutor(Engine(none), cluster.address, tmp_path / "speed.json")) as executor:
        lost = executor.submit(Job(("match",), tmp_path / "lost"))
        with pytest.raises(InputError, match="no node of the cluster runs the engine: no library"):
            lost.result(timeout=120)


def test_times_are_scaled_by_node(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cluster.add_node(**NODES[1] | {"node_ip_address": "127.0.0.4"}, env_vars={"SLOW": "1"})
    text = (
        'case "$1" in\n'
        "--version) echo engine;;\n"
        'bench) if [ -n "$SLOW" ]; then echo \'{"playouts_per_second": 4e4}\'; '
        "else echo '{\"playouts_per_second\": 8e4}'; fi;;\n"
        '*) echo "$1 ${SLOW:-0}" > "$2";;\n'
        "esac\n"
    )
    slow = Engine(script(tmp_path / "engine", text))
    outputs = [tmp_path / f"out-{one}" for one in range(12)]
    words = ("{seconds:0.05}", "{output}")
    with closing(RayExecutor(slow, cluster.address, tmp_path / "speed.json")) as executor:
        for job in [executor.submit(Job(words, output)) for output in outputs]:
            job.result(timeout=240)
        told = {output.read_text() for output in outputs}
        assert told <= {"0.05 0\n", "0.1 1\n"} and "0.05 0\n" in told, told
        told = capsys.readouterr().err
        assert told.count("times are scaled") == told.count("node 127.0.0.4: times are scaled by 2.00") == 1
        assert (tmp_path / "speed.json").read_text() == '{"playouts_per_second": 80000.0}\n'
        # Every node that was measured has died since.
        monkeypatch.setattr(executor, "_fit_nodes", list)
        with pytest.raises(InputError, match="expected a node that is alive"):
            executor.submit(Job(words, tmp_path / "late")).result(timeout=60)


def test_refuses_address_without_ray(engine: Engine, tmp_path: Path, run: Run) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    outside = "a driver outside of the cluster needs Ray's client"
    for wrong, expected in (
        *[(one, "expected a Ray cluster") for one in (address, "127.0.0.1:nothing", "auto")],
        ("ray://127.0.0.1:10001", outside),
    ):
        said = run(*line(_listed(tmp_path / "list"), "--only", "chain", "--ray-address", wrong), status=2)
        error = said.splitlines()[-1]
        assert f" --ray-address {wrong}: " in error and expected in error
