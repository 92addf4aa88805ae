#!/usr/bin/env python3
"""performance.py [DYN]: times everything by runs of `dyn bench` and writes the tables of docs/performance.md.

Lower deciles of rounds that take turns: what else runs on the machine falls out of the ratios. Libraries beside
ours are timed where dyn_bench_peers was built."""

import json
import pathlib
import subprocess
import sys

PAGE = pathlib.Path(__file__).parent.parent / "docs/performance.md"
BEGIN, END = "<!-- figures: scripts/performance.py -->", "<!-- end of the figures -->"
SIZES = (7, 30, 100)
COMMAND = ["bench", "--dof", ",".join(map(str, SIZES)), "--batch", "8", "--only", "fast", "--rounds", "61",
           "--json"]
OWN = ["--batch", "64", "--specialise", "--only", "fast", "--rounds", "61", "--no-peers", "--json"]
ARMS = (("puma560", ["puma560"]), ("arm7", ["arm7"]), ("n = 7, general twists", ["--dof", "7"]))
QUANTITIES = {
    "mass_matrix": "M",
    "inverse_dynamics": "inverse dynamics",
    "forward_dynamics": "forward dynamics",
    "coriolis": "C matrix",
    "mass_matrix_inverse": "M⁻¹",
    "factorisation": "U, D",
    "all": "all of `dynamics()`",
    "inverse_dynamics_derivatives": "∂ID/∂(q, q̇, q̈)",
    "forward_dynamics_derivatives": "∂FD/∂(q, q̇, τ)",
}
RATIOS = (
    ("∂ID/∂(q, q̇, q̈) to the C matrix", "inverse_dynamics_derivatives", "coriolis"),
    ("∂FD/∂(q, q̇, τ) to M⁻¹", "forward_dynamics_derivatives", "mass_matrix_inverse"),
)


def row(cells):
    return "| " + " | ".join(cells) + " |"


def tables(timings, processor):
    ns = {(t["quantity"], t["algorithm"], t["dof"]): t["ns_decile"] for t in timings}
    columns = [(a, n) for a in ("fast", "batch", "kdl", "mujoco", "dart") for n in SIZES
               if any(key[1:] == (a, n) for key in ns)]
    titles = {"fast": "`fast`", "batch": "`Batch` of 8", "kdl": "KDL", "mujoco": "MuJoCo", "dart": "DART"}
    lines = [f"`dyn {' '.join(COMMAND)}`, {processor}, lower decile of the rounds, ns for a state:", "",
             row([""] + [f"{titles[a]}, n = {n}" for a, n in columns]),
             "|---|" + "--:|" * len(columns)]
    for quantity, name in QUANTITIES.items():
        cells = [ns.get((quantity, *column)) for column in columns]
        lines.append(row([name] + ["" if c is None else f"{c:.0f}" for c in cells]))
    lines += ["", row(["ratios in this run"] + [f"n = {n}" for n in SIZES]), "|---|" + "--:|" * len(SIZES)]
    for name, above, below in RATIOS:
        lines.append(row([name] + [f"{ns[above, 'fast', n] / ns[below, 'fast', n]:.2f}" for n in SIZES]))
    return "\n".join(lines)


def table_of_own(runs):
    """Code for one robot beside the general kernels, robot by robot, each pair from one run."""
    lines = ["", f"`dyn bench ROBOT {' '.join(OWN)}`, code for one robot and, in brackets, its ratio to the general "
             "`Batch` in the same run, ns for a state:", "",
             row(["", "M", "inverse dynamics", "forward dynamics"]), "|---|--:|--:|--:|"]
    for (name, _), timings in zip(ARMS, runs):
        ns = {(t["quantity"], t["algorithm"]): t["ns_decile"] for t in timings}
        cells = []
        for quantity in ("mass_matrix", "inverse_dynamics", "forward_dynamics"):
            own, general = ns[quantity, "batch_specialised"], ns[quantity, "batch"]
            cells.append(f"{own:.1f} ({own / general:.2f})")
        lines.append(row([name] + cells))
    return "\n".join(lines)


def bench(dyn, command):
    return json.loads(subprocess.run([dyn, "bench", *command], check=True, capture_output=True).stdout)


def main():
    dyn = sys.argv[1] if len(sys.argv) > 1 else "build/release/dyn"
    run = bench(dyn, COMMAND[1:])
    own = [bench(dyn, [*robot, *OWN])["timings"] for _, robot in ARMS]
    models = [line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")]
    page = PAGE.read_text()
    before, rest = page.split(BEGIN)
    text = tables(run["timings"], models[0] if models else "this machine") + "\n" + table_of_own(own)
    PAGE.write_text(f"{before}{BEGIN}\n{text}\n{END}{rest.split(END)[1]}")
    print(f"{text}\n\ntypical rounds took {100 * (run['unrest'] - 1):.0f} % longer than the quietest")


if __name__ == "__main__":
    main()
