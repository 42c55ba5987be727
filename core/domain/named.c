/* named.c - see named.h. */
#include "core/domain/ranks.h"
#include "core/domain/named.h"
#include "core/number.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

void domain_named_tidy(char *names)
{
  const size_t length = strlen(names);
  if (length >= 3 && names[0] == '(' && names[length - 1] == ')') {
    memmove(names, names + 1, length - 2);
    names[length - 2] = 0;
  }
  char *to = names, before = ',';
  for (const char *from = names; *from; from++) {
    const char next = from[strspn(from, " ")];
    if (*from == ' ' && (!next || strchr(",*@", before) || strchr(",*@", next))) continue;
    *to++ = before = *from;
  }
  *to = 0;
}

trm_status domain_named_check(const char *names)
{
  if (!strchr(names, '@')) return TRM_OK;
  return TRM_FAIL(INPUT, "devices \"%s\": a rank has one device, and @ names none of another rank; "
                  "start as many ranks as devices, and name one for each in the order of ranks",
                  names);
}

/* "opencl:0*2.5": the name, and how many rows it gets beside the others'; "*auto": as measured. */
trm_status domain_named_read(const char *text, size_t length, char *name, size_t bytes,
                              double *weight, int *is_auto)
{
  const char *star = memchr(text, '*', length);
  const size_t letters = star ? (size_t)(star - text) : length;
  char number[32] = "1", *end = number;
  const size_t digits = star ? length - letters - 1 : 1;
  if (star && digits < sizeof number) {
    memcpy(number, star + 1, digits);
    number[digits] = 0;
  }
  *is_auto = strcmp(number, "auto") == 0;
  *weight = *is_auto ? 1 : trm_number(number, &end);
  if (*is_auto) end = number + digits;
  if (letters == 0 || letters >= bytes)
    return TRM_FAIL(INVALID, "devices \"%s\": each is BACKEND, BACKEND:NUMBER or BACKEND:PART of "
                             "its name, separated by commas, as in \"cuda:0,cuda:1\"", text);
  if (digits >= sizeof number || end == number || *end || !(*weight >= 1e-3 && *weight <= 1e6))
    return TRM_FAIL(INVALID,
                    "devices \"%s\": after * comes the device's share of the rows, a "
                    "number from 0.001 to 1000000, as in \"cuda:0*30,openmp\", or auto, which is "
                    "measured",
                    text);
  memcpy(name, text, letters);
  name[letters] = 0;
  return TRM_OK;
}

/* As many as the user gave this process, else its cores; 0: not known. */
static int threads_of_process(void)
{
  const char *given = getenv("OMP_NUM_THREADS");
  const int threads = given ? atoi(given) : 0;
  cpu_set_t set;
  if (threads > 0) return threads;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

/* Several devices of this process share out its threads, unless each device's were named. */
int domain_named_threads(const char *names)
{
  int hosts = 0;
  for (const char *at = strstr(names, "openmp"); at; at = strstr(at + 1, "openmp")) hosts++;
  if (hosts < 2 || ranks_place()->size > 1) return 0;
  const int all = threads_of_process();
  return all == 0 || all / hosts > 1 ? all / hosts : 1;
}
