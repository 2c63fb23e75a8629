#!/usr/bin/env python3
"""Writes values.csv: what MuJoCo compiles from scenes.txt and from the shared models.

Run with a Python that has mujoco 4.0.0, only when scenes.txt changes or the oracle's version does:
  make_values.py [folder of the shared models]

A row holds one scene. The column of an array is the sum of element i times cos(i): one number in which
neither a wrong value nor a wrong place goes unseen. Names are joined by '|'.
"""
import csv
import math
import os
import re
import sys

import mujoco
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
FIELDS_H = os.path.join(HERE, "../../../../engine/model/model_fields.h")
SIZES = "nq nv nu na nbody njnt ngeom nsite npair nexclude nkey nmocap ntree nM".split()
NAMES = {"body": "body", "jnt": "joint", "geom": "geom", "site": "site", "actuator": "actuator", "key": "key"}


def fields():
    return [m.group(1) for m in re.finditer(r"X\((?:int|real), (\w+),", open(FIELDS_H).read())]


def scenes():
    text = open(os.path.join(HERE, "scenes.txt")).read()
    for block in re.split(r"^# ", text, flags=re.M)[1:]:
        name, xml = block.split("\n", 1)
        yield name.strip(), xml


def full_rows(m):
    """M_rownnz, M_rowadr, M_colind without MuJoCo's short rows of simple bodies."""
    rows = []
    for i in range(m.nv):
        row = []
        while i >= 0:
            row.append(i)
            i = m.dof_parentid[i]
        rows.append(row[::-1])
    nnz = [len(r) for r in rows]
    return {"M_rownnz": nnz, "M_rowadr": np.cumsum([0] + nnz)[:-1], "M_colind": sum(rows, [])}


def checksum(values):
    values = np.asarray(values, float).ravel()
    total = 0.0
    for i, v in enumerate(values):
        total += float(v) * math.cos(i)
    return repr(float("%.14g" % total)) if total else "0"


def row(name, m):
    out = {"scene": name, "meaninertia": repr(float(m.stat.meaninertia))}
    for s in SIZES:
        out[s] = getattr(m, s)
    sparse = full_rows(m)
    for f in fields():
        out[f] = checksum(sparse[f] if f in sparse else getattr(m, f))
    for column, kind in NAMES.items():
        count = m.nu if kind == "actuator" else getattr(m, {"joint": "njnt"}.get(kind, "n" + kind))
        out["names_" + column] = "|".join(getattr(m, kind)(i).name for i in range(count))
    return out


def main():
    rows = [row(name, mujoco.MjModel.from_xml_string(xml)) for name, xml in scenes()]
    if len(sys.argv) > 1:
        corpus = sys.argv[1]
        for entry in csv.DictReader(open(os.path.join(corpus, "corpus.csv"))):
            if entry["tier_nosensor"] in ("0", "1"):
                path = entry["path"]
                rows.append(row("shared:" + path, mujoco.MjModel.from_xml_path(os.path.join(corpus, path))))
    with open(os.path.join(HERE, "values.csv"), "w", newline="") as f:
        writer = csv.DictWriter(f, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
