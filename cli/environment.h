/* environment.h - sets variables of the environment before any plugin is opened. */
#ifndef TRIREME_CLI_ENVIRONMENT_H
#define TRIREME_CLI_ENVIRONMENT_H

/* libgomp reads its settings when it is loaded, so the program, never the library, sets them: where
 * the user did not, OMP_PLACES=cores, OMP_PROC_BIND=close (false where several
 * devices of openmp are named) and a short GOMP_SPINCOUNT. A program
 * that stands in a build tree looks for its plugins there, and for cases in its sources, unless
 * TRIREME_BACKEND_PATH or TRIREME_CASES says otherwise. */
void environment_prepare(int argc, char *const *argv);

/* Warns of a variable that is none and is written much like one: TRIREME_PRECISON. */
void environment_warn(void);

#endif
