/* Parameters of the compressible solver's kernels, in the kernels' own precision (`real`); the
 * case's units. */
#ifndef TRIREME_FV_PARAMS_H
#define TRIREME_FV_PARAMS_H
typedef struct fv_params {
  real inv_gamma;
  real enthalpy;         /* 1 / (gamma - 1): times a^2 an enthalpy */
  real heat;             /* gamma (gamma - 1): times an inner energy the square of a */
  real critical;         /* AUSM+: times an enthalpy the square of its critical speed of sound */
  real chi;              /* AUSM: how much the pressure is taken from upwind */
  real viscosity;        /* dynamic */
  real per_reference;    /* Sutherland: 1 / T where the viscosity is `viscosity` */
  real sutherland;       /* his temperature, in units of that T */
  real conduction;       /* 1 / ((gamma - 1) Pr): heat conducted to momentum diffused */
  real inv_h;            /* 1 / a cell's side, at level 0 */
  real diffusion;        /* cfl / cfl_viscous * viscosity / h^2 */
  real cfl;
  real oblique;          /* cfl / what a step bears of the stream along all axes together */
  real indicator[4];     /* 1 / threshold of each FV_INDICATOR_..., 0: not looked at */
  real when;             /* for values of sides: the fraction of the step that has passed */
  real alpha;            /* of the stage, times dt is its length */
  int stage;             /* 0 to 4 */
  int is_last;           /* of the step's stages; FV_RESIDUAL: one that leaves residuals */
  int form;              /* FV_LIMITED, FV_SUTHERLAND */
  int blocks;            /* leaves */
  int boundaries;        /* slots from there on lie beyond the sides */
  int interfaces;        /* leaves at coarse-fine interfaces */
  int first;             /* of the launch's ghosts */
  int kind[6];           /* of the sides, west to top: FV_PERIODIC ... */
  int values;            /* clock: maxima to fold */
  int begins;            /* clock: no step was made, only the next dt is wanted */
  int units, faces, walls; /* entries of the lists about walls */
  int sized;             /* of the faces those that have sizes */
  int moves;             /* walls: they move in the step */
  int is_plain;          /* walls: slopes by the gas alone */
  int limit;             /* steps that a series has room for */
  int sums;              /* the first of the series of fv_integrals.h */
  int paced;             /* the first of the series of dual time (fv_dual.h) */
  int probes;            /* places of probes */
  int marked;            /* there: groups are entries of the list of blocks at walls */
} fv_params;
#endif
