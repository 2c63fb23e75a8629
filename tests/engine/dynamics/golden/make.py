#!/usr/bin/env python3
"""Write NAME.txt for each NAME.xml here: what MuJoCo 4.0.0 computes, as lines "key value value ...".

Needs Python's `mujoco` 4.0.0. Start states are drawn from a fixed seed. `forward.*`: one evaluation at the
start state. `INTEGRATOR.N.*`: the state after N steps with constant controls.
"""
import pathlib

import mujoco
import numpy as np

HERE = pathlib.Path(__file__).parent
STEPS = (1, 20, 200)
INTEGRATORS = {"euler": 0, "rk4": 1, "implicitfast": 3}


def start(model):
    rng = np.random.default_rng(7)
    data = mujoco.MjData(model)
    dq = 0.5 * rng.uniform(-1, 1, model.nv)
    mujoco.mj_integratePos(model, data.qpos, dq, 1)
    data.qvel[:] = 2 * rng.uniform(-1, 1, model.nv)
    data.act[:] = 0.1 * rng.uniform(-1, 1, model.na)
    data.ctrl[:] = rng.uniform(-1, 1, model.nu)
    return data


def lines(name):
    model = mujoco.MjModel.from_xml_path(str(HERE / f"{name}.xml"))
    model.opt.enableflags |= int(mujoco.mjtEnableBit.mjENBL_ENERGY)
    out = {}
    data = start(model)
    for key in ("qpos", "qvel", "act", "ctrl"):
        out[f"start.{key}"] = np.copy(getattr(data, key))
    mujoco.mj_forward(model, data)
    for key in ("xpos", "xquat", "xmat", "xipos", "geom_xpos", "geom_xmat", "qfrc_bias", "qfrc_passive",
                "actuator_force", "act_dot", "qfrc_actuator", "qacc_smooth", "energy"):
        out[f"forward.{key}"] = np.copy(getattr(data, key))
    out["forward.M"] = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, out["forward.M"])
    for integrator, number in INTEGRATORS.items():
        model.opt.integrator = number
        data = start(model)
        for step in range(1, STEPS[-1] + 1):
            mujoco.mj_step(model, data)
            if step in STEPS:
                for key in ("qpos", "qvel", "act", "qacc_warmstart"):
                    out[f"{integrator}.{step}.{key}"] = np.copy(getattr(data, key))
    for key, value in out.items():
        yield " ".join([key] + [repr(float(x)).removesuffix(".0") for x in np.ravel(value)])


for path in sorted(HERE.glob("*.xml")):
    path.with_suffix(".txt").write_text("\n".join(lines(path.stem)) + "\n")
