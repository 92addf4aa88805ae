#!/usr/bin/env python3
"""performance.py [DYN]: times everything by one run of `dyn bench` and writes the tables of docs/performance.md.

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


def main():
    dyn = sys.argv[1] if len(sys.argv) > 1 else "build/release/dyn"
    run = json.loads(subprocess.run([dyn, *COMMAND], check=True, capture_output=True).stdout)
    models = [line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")]
    page = PAGE.read_text()
    before, rest = page.split(BEGIN)
    text = tables(run["timings"], models[0] if models else "this machine")
    PAGE.write_text(f"{before}{BEGIN}\n{text}\n{END}{rest.split(END)[1]}")
    print(f"{text}\n\ntypical rounds took {100 * (run['unrest'] - 1):.0f} % longer than the quietest")


if __name__ == "__main__":
    main()
