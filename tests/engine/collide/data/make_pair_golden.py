#!/usr/bin/env python3
"""Write pair_golden.txt: contacts of single geom pairs by MuJoCo, for golden_test.cpp.

Needs mujoco 4.0.0 (pip install mujoco==4.0.0) and numpy; run in this folder. Poses are rounded and the
rotation matrices are computed here by the formula of the test, so that both sides see the same numbers.

  C type1 type2 margin  size1(3) size2(3)  pos1(3) quat1(4)  pos2(3) quat2(4)  ncon
  dist pos(3) normal(3) tangent1(3)      one line per contact, in MuJoCo's order
"""
import itertools
import math
import random

import mujoco
import numpy as np

TYPES = {0: "plane", 2: "sphere", 3: "capsule", 4: "ellipsoid", 5: "cylinder", 6: "box"}
PAIRS = [(0, 2), (0, 3), (0, 4), (0, 5), (0, 6), (2, 2), (2, 3), (2, 5), (2, 6), (3, 3), (3, 6), (6, 6)]
PER_PAIR = {(3, 6): 60, (6, 6): 90}  # others: 32


def matrix(q):
    n = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    w, x, y, z = (v / n for v in q)
    return [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y),
            2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x),
            2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z]


def scene(t1, t2):
    first = '<geom type="plane" size="1 1 1"/>'
    if t1:
        first = f'<body><freejoint/><geom type="{TYPES[t1]}" size=".1 .1 .1"/></body>'
    return (f'<mujoco><worldbody>{first}<body><freejoint/><geom type="{TYPES[t2]}" size=".1 .1 .1"/></body>'
            '</worldbody></mujoco>')


def quaternion(r):
    kind = r.randrange(4)
    if kind == 0:
        return [1, 0, 0, 0]
    if kind == 1:  # quarter turns
        q = [1, 0, 0, 0]
        q[r.randrange(1, 4)] = r.choice([1, -1])
        return q
    if kind == 2:  # nearly aligned
        return [1] + [round(r.uniform(-1, 1) * 10 ** -r.randrange(1, 9), 12) for _ in range(3)]
    return [round(r.uniform(-1, 1), 3) for _ in range(4)]


def case(r, t1, t2):
    size1, size2 = ([round(r.uniform(.05, .3), 2) for _ in range(3)] for _ in range(2))
    if r.random() < .3:
        size2 = list(size1)
    q1, q2 = quaternion(r), quaternion(r)
    if r.random() < .25:
        q2 = list(q1)
    p1 = [round(r.uniform(-1, 1), 2) for _ in range(3)] if r.random() < .7 else [0, 0, 0]
    kind = r.randrange(8)
    if kind == 0:
        offset = [0, 0, 0]  # same centre
    elif kind == 1:  # one axis, deep or just touching
        offset = [0, 0, 0]
        k = r.randrange(3)
        offset[k] = r.choice([-1, 1]) * r.choice([.05, size1[k] + size2[k] - .001, size1[k] + size2[k]])
    else:
        s = r.choice([.15, .3])
        offset = [round(r.uniform(-s, s), 3) for _ in range(3)]
    p2 = [a + b for a, b in zip(p1, offset)]
    margin = r.choice([0, 0, .01, .05])
    return margin, size1, size2, p1, q1, p2, q2


def rbound(t, s):
    return {0: 0, 2: s[0], 3: s[0] + s[1], 4: max(s), 5: math.hypot(s[0], s[1]),
            6: math.sqrt(s[0] ** 2 + s[1] ** 2 + s[2] ** 2)}[t]


def main():
    r = random.Random(20261130)
    lines = [f"# MuJoCo {mujoco.__version__}, make_pair_golden.py"]
    for t1, t2 in PAIRS:
        m = mujoco.MjModel.from_xml_string(scene(t1, t2))
        d = mujoco.MjData(m)
        kept = 0
        for tries in itertools.count():
            margin, s1, s2, p1, q1, p2, q2 = case(r, t1, t2)
            mujoco.mj_forward(m, d)
            for g, (s, p, q) in enumerate([(s1, p1, q1), (s2, p2, q2)]):
                m.geom_size[g] = s
                m.geom_rbound[g] = rbound(m.geom_type[g], s)
                m.geom_aabb[g] = [0, 0, 0] + [10] * 3
                m.geom_margin[g] = margin / 2
                d.geom_xpos[g] = p
                d.geom_xmat[g] = matrix(q)
            mujoco.mj_collision(m, d)
            if d.ncon == 0 and kept % 6:  # one in six may miss
                continue
            fields = [margin, *s1, *s2, *p1, *q1, *p2, *q2]
            lines.append(f"C {t1} {t2} " + " ".join(repr(float(x)) for x in fields) + f" {d.ncon}")
            for c in d.contact:
                values = [c.dist, *c.pos, *c.frame[:6]]
                lines.append(" ".join(f"{x:.14g}" for x in values))
            kept += 1
            if kept == PER_PAIR.get((t1, t2), 32):
                break
    with open("pair_golden.txt", "w") as f:
        f.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
