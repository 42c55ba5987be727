/* process.h - descriptors and signals that this process inherited, and how it ends. */
#ifndef TRIREME_CLI_PROCESS_H
#define TRIREME_CLI_PROCESS_H

#include <stdatomic.h>
#include <stdio.h>

#include "cli/command.h"
#include "run/trireme-run.h"

/* Call it first. A closed standard descriptor becomes /dev/null: a file that is opened later would
 * get its number, and receive printed text. Children can be waited for, whatever the
 * parent ignored; a reader that went away and a limit on file sizes are errors of
 * the write. A SIGUSR1 ends nothing. EXIT_CANNOT where /dev/null cannot be
 * opened. */
exit_code process_begin(void);

/* For a result that a program reads: from now on, output of drivers and plugins is for people, on
 * stderr, and process_output is the former stdout. EXIT_CANNOT where no descriptor is left. */
exit_code process_keep_output(void);
FILE *process_output(void);

/* Call it last, with the exit code of main. A driver or a library that calls exit before that ends
 * the program with EXIT_CANNOT and a sentence: its own number would be read as a result. */
int process_end(exit_code code);

/* For the time while a run is opened, which may take minutes (a large surface, a compiler). An
 * interrupt, SIGTERM or a terminal that closes ends the program at once with EXIT_STOPPED, and
 * prints this line unless it is to be quiet. The caller keeps the line; NULL: the previous line.
 * The limit of processor time does the same, with a line of its own. A signal that the parent
 * ignored stays ignored. */
void process_catch_early(const char *line);

/* This process is one of several. A launcher ends all by SIGTERM where one has failed, which has
 * said why: before the first step there is no line about it. */
void process_is_launched(void);

/* From now on an interrupt, SIGTERM, a terminal that closes or the limit of processor time does not
 * end the program. It sets process_interrupted to 1 and interrupts `run`, which may be NULL; a
 * second one ends the program. A signal that the parent ignored stays ignored. SIGUSR1 has `run`
 * write a checkpoint. */
void process_catch_signals(trm_run *run);
extern atomic_int process_interrupted;   /* a session_hooks's `interrupted` */
extern atomic_int process_checkpoint_requested; /* a SIGUSR1 came, and no run has seen it yet */
/* The cause that stopped a run, for "stopped %s". */
const char *process_cause(void);
/* As an interrupt does; when another part of the program asks for it. */
void process_interrupt(void);
/* The run is about to be closed. */
void process_forget_run(void);

/* For code that draws on the terminal: `leave` gives the terminal back and `enter` takes it again.
 * Both are called from a handler, where a signal ends or stops the process, or a library ends it.
 * NULL: no code draws. */
void process_guard(void (*leave)(void), void (*enter)(void));

#endif
