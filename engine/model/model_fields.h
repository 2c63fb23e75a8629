// The one table of a compiled model's arrays.
//
// Storage (Model), the casts used by step code (Params), `stepbench inspect --json`, the comparison
// with MuJoCo and the layout tests are all generated from these lists. Names, order and meaning are
// MuJoCo's (mjModel); SI units, angles in radians, quaternions (w, x, y, z).
//
//   X(type, name, rows, columns)    type: int or real; rows: a size of the model; columns: per row
#pragma once

// Sizes, in MuJoCo's names. nM: entries of the sparse inertia matrix; ntree: kinematic trees.
#define SB_MODEL_SIZES(X)                                                                     \
  X(nq)                                                                                       \
  X(nv) X(nu) X(na) X(nbody) X(njnt) X(ngeom) X(nsite) X(npair) X(nexclude) X(nkey) X(nmocap) \
      X(ntree) X(nM)

#define SB_MODEL_BODY(X)              \
  X(int, body_parentid, nbody, 1)     \
  X(int, body_rootid, nbody, 1)       \
  X(int, body_weldid, nbody, 1)       \
  X(int, body_mocapid, nbody, 1)      \
  X(int, body_jntnum, nbody, 1)       \
  X(int, body_jntadr, nbody, 1)       \
  X(int, body_dofnum, nbody, 1)       \
  X(int, body_dofadr, nbody, 1)       \
  X(int, body_treeid, nbody, 1)       \
  X(int, body_geomnum, nbody, 1)      \
  X(int, body_geomadr, nbody, 1)      \
  X(real, body_pos, nbody, 3)         \
  X(real, body_quat, nbody, 4)        \
  X(real, body_ipos, nbody, 3)        \
  X(real, body_iquat, nbody, 4)       \
  X(real, body_mass, nbody, 1)        \
  X(real, body_subtreemass, nbody, 1) \
  X(real, body_inertia, nbody, 3)     \
  X(real, body_invweight0, nbody, 2)  \
  X(real, body_gravcomp, nbody, 1)

#define SB_MODEL_JNT(X)               \
  X(int, jnt_type, njnt, 1)           \
  X(int, jnt_qposadr, njnt, 1)        \
  X(int, jnt_dofadr, njnt, 1)         \
  X(int, jnt_bodyid, njnt, 1)         \
  X(int, jnt_group, njnt, 1)          \
  X(int, jnt_limited, njnt, 1)        \
  X(int, jnt_actfrclimited, njnt, 1)  \
  X(int, jnt_actgravcomp, njnt, 1)    \
  X(real, jnt_solref, njnt, 2)        \
  X(real, jnt_solimp, njnt, 5)        \
  X(real, jnt_pos, njnt, 3)           \
  X(real, jnt_axis, njnt, 3)          \
  X(real, jnt_stiffness, njnt, 1)     \
  X(real, jnt_stiffnesspoly, njnt, 2) \
  X(real, jnt_range, njnt, 2)         \
  X(real, jnt_actfrcrange, njnt, 2)   \
  X(real, jnt_margin, njnt, 1)

#define SB_MODEL_DOF(X)            \
  X(int, dof_bodyid, nv, 1)        \
  X(int, dof_jntid, nv, 1)         \
  X(int, dof_parentid, nv, 1)      \
  X(int, dof_treeid, nv, 1)        \
  X(real, dof_solref, nv, 2)       \
  X(real, dof_solimp, nv, 5)       \
  X(real, dof_frictionloss, nv, 1) \
  X(real, dof_armature, nv, 1)     \
  X(real, dof_damping, nv, 1)      \
  X(real, dof_dampingpoly, nv, 2)  \
  X(real, dof_invweight0, nv, 1)   \
  X(real, dof_M0, nv, 1)

#define SB_MODEL_GEOM(X)             \
  X(int, geom_type, ngeom, 1)        \
  X(int, geom_contype, ngeom, 1)     \
  X(int, geom_conaffinity, ngeom, 1) \
  X(int, geom_condim, ngeom, 1)      \
  X(int, geom_bodyid, ngeom, 1)      \
  X(int, geom_group, ngeom, 1)       \
  X(int, geom_priority, ngeom, 1)    \
  X(real, geom_solmix, ngeom, 1)     \
  X(real, geom_solref, ngeom, 2)     \
  X(real, geom_solimp, ngeom, 5)     \
  X(real, geom_size, ngeom, 3)       \
  X(real, geom_rbound, ngeom, 1)     \
  X(real, geom_pos, ngeom, 3)        \
  X(real, geom_quat, ngeom, 4)       \
  X(real, geom_friction, ngeom, 3)   \
  X(real, geom_margin, ngeom, 1)     \
  X(real, geom_gap, ngeom, 1)

#define SB_MODEL_SITE(X)        \
  X(int, site_type, nsite, 1)   \
  X(int, site_bodyid, nsite, 1) \
  X(real, site_size, nsite, 3)  \
  X(real, site_pos, nsite, 3)   \
  X(real, site_quat, nsite, 4)

#define SB_MODEL_PAIR(X)                 \
  X(int, pair_dim, npair, 1)             \
  X(int, pair_geom1, npair, 1)           \
  X(int, pair_geom2, npair, 1)           \
  X(int, pair_signature, npair, 1)       \
  X(real, pair_solref, npair, 2)         \
  X(real, pair_solreffriction, npair, 2) \
  X(real, pair_solimp, npair, 5)         \
  X(real, pair_margin, npair, 1)         \
  X(real, pair_gap, npair, 1)            \
  X(real, pair_friction, npair, 5)       \
  X(int, exclude_signature, nexclude, 1)

#define SB_MODEL_ACTUATOR(X)           \
  X(int, actuator_trntype, nu, 1)      \
  X(int, actuator_dyntype, nu, 1)      \
  X(int, actuator_gaintype, nu, 1)     \
  X(int, actuator_biastype, nu, 1)     \
  X(int, actuator_trnid, nu, 2)        \
  X(int, actuator_actadr, nu, 1)       \
  X(int, actuator_actnum, nu, 1)       \
  X(int, actuator_group, nu, 1)        \
  X(int, actuator_ctrllimited, nu, 1)  \
  X(int, actuator_forcelimited, nu, 1) \
  X(int, actuator_actlimited, nu, 1)   \
  X(int, actuator_actearly, nu, 1)     \
  X(real, actuator_dynprm, nu, 10)     \
  X(real, actuator_gainprm, nu, 10)    \
  X(real, actuator_biasprm, nu, 10)    \
  X(real, actuator_ctrlrange, nu, 2)   \
  X(real, actuator_forcerange, nu, 2)  \
  X(real, actuator_actrange, nu, 2)    \
  X(real, actuator_gear, nu, 6)        \
  X(real, actuator_damping, nu, 1)     \
  X(real, actuator_dampingpoly, nu, 2) \
  X(real, actuator_armature, nu, 1)    \
  X(real, actuator_acc0, nu, 1)        \
  X(real, actuator_length0, nu, 1)

// Reference poses. qpos_spring: pose in which springs carry no force.
#define SB_MODEL_POSE(X) \
  X(real, qpos0, nq, 1)  \
  X(real, qpos_spring, nq, 1)

#define SB_MODEL_KEY(X)                \
  X(real, key_time, nkey, 1)           \
  X(real, key_qpos, nkey, nq)          \
  X(real, key_qvel, nkey, nv)          \
  X(real, key_act, nkey, na)           \
  X(real, key_mpos, nkey, 3 * nmocap)  \
  X(real, key_mquat, nkey, 4 * nmocap) \
  X(real, key_ctrl, nkey, nu)

// Sparse inertia matrix, lower triangle by rows: row i holds dof i's ancestors in ascending order
// and i itself last (MuJoCo's CSR form: M_rownnz, M_rowadr, M_colind).
#define SB_MODEL_SPARSE(X) \
  X(int, M_rownnz, nv, 1)  \
  X(int, M_rowadr, nv, 1)  \
  X(int, M_colind, nM, 1)

// Everything step code reads.
#define SB_MODEL_STEP_FIELDS(X)                                                          \
  SB_MODEL_BODY(X)                                                                       \
  SB_MODEL_JNT(X) SB_MODEL_DOF(X) SB_MODEL_GEOM(X) SB_MODEL_PAIR(X) SB_MODEL_ACTUATOR(X) \
      SB_MODEL_POSE(X) SB_MODEL_SPARSE(X)

// Everything a model holds.
#define SB_MODEL_FIELDS(X) SB_MODEL_STEP_FIELDS(X) SB_MODEL_SITE(X) SB_MODEL_KEY(X)
