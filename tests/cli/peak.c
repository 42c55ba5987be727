/* peak.c - runs a program, and appends to a file how much memory it had at most: its MPI rank, and
 * kilobytes.
 *
 *   peak FILE PROGRAM ARGUMENT...      ends with the program's exit code */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
  const char *rank = getenv("OMPI_COMM_WORLD_RANK");
  struct rusage usage;
  int status;
  if (argc < 3) return 2;
  const pid_t child = fork();
  if (child == 0) {
    execvp(argv[2], argv + 2);
    _exit(127);
  }
  if (child < 0 || wait4(child, &status, 0, &usage) != child) return 2;
  FILE *file = fopen(argv[1], "ae");
  if (!file || fprintf(file, "%s %ld\n", rank ? rank : "0", usage.ru_maxrss) < 0 || fclose(file))
    return 2;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}
