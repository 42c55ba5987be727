/* environment.h - sets variables of the environment before any plugin is opened. */
#ifndef TRIREME_CLI_ENVIRONMENT_H
#define TRIREME_CLI_ENVIRONMENT_H

/* libgomp reads its settings when it is loaded, so the program, never the library, sets them. Where
 * the user did not, it sets OMP_PLACES=cores, OMP_PROC_BIND=close (false where several devices of
 * openmp are named) and a short GOMP_SPINCOUNT. A program in a build tree searches its plugins
 * there, and cases in its sources, unless TRIREME_BACKEND_PATH or TRIREME_CASES is set. */
void environment_prepare(int argc, char *const *argv);

/* Warns of an unknown variable that is written much like a known one: TRIREME_PRECISON. */
void environment_warn(void);

#endif
