"""A robustness study on a SLURM cluster, through dask-jobqueue; nothing in the plan changes.

    pip install 'trueness[cluster]' dask-jobqueue
    python examples/slurm_robustness.py examples/robustness.toml --jobs 20 --queue normal --hours 4
    python examples/slurm_robustness.py examples/robustness.toml --local 2      the same on this machine, without SLURM

This process is the driver: start it where it may run as long as the study does (a login node in tmux, or a small job).
It alone writes, so only its folder must be kept. SLURM may end and requeue jobs: lost fits are handed out again, and
the same command goes on after any stop. Bytes are those of a run on one machine.
"""

import argparse
import subprocess
import sys


def cluster_of(asked: argparse.Namespace):
    if asked.local:
        from distributed import LocalCluster

        return LocalCluster(n_workers=asked.local, threads_per_worker=1, dashboard_address=None)
    from dask_jobqueue import SLURMCluster

    cluster = SLURMCluster(
        queue=asked.queue,
        account=asked.account,
        cores=asked.cores,
        processes=asked.cores,  # one fit at a time in each: a fit has its own process and one thread
        memory=asked.memory,
        walltime=f"{asked.hours:02d}:00:00",
        job_extra_directives=asked.sbatch,
    )
    cluster.scale(jobs=asked.jobs)
    return cluster


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("plan")
    parser.add_argument("--folder", help="the study folder (default: the plan's own)")
    parser.add_argument("--jobs", type=int, default=10, help="SLURM jobs")
    parser.add_argument("--cores", type=int, default=8, help="of a job")
    parser.add_argument("--memory", default="16GB", help="of a job")
    parser.add_argument("--hours", type=int, default=4, help="walltime of a job")
    parser.add_argument("--queue", help="partition")
    parser.add_argument("--account")
    parser.add_argument("--sbatch", action="append", default=[], help="a further #SBATCH line, e.g. --gres=gpu:1")
    parser.add_argument("--local", type=int, metavar="WORKERS", help="processes on this machine instead of SLURM jobs")
    asked = parser.parse_args()
    with cluster_of(asked) as cluster:
        cluster.wait_for_workers(1)
        place = ["--folder", asked.folder] if asked.folder else []
        words = ["run", asked.plan, "--cluster", cluster.scheduler_address, *place]
        return subprocess.run([sys.executable, "-m", "trueness", *words], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
