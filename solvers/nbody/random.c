/* random.c - random numbers of initial states: the same bodies from a seed on every machine.
 *
 * Philox4x32-10 of Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3"
 * (SC11): numbers follow from a counter alone; there is no state. */
#include "solvers/nbody/nbody.h"

#include <string.h>

enum { ROUNDS = 10 };

void nbody_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
  uint32_t c[4] = {counter[0], counter[1], counter[2], counter[3]}, k[2] = {key[0], key[1]};
  for (int round = 0; round < ROUNDS; round++) {
    const uint64_t p0 = (uint64_t)0xD2511F53u * c[0], p1 = (uint64_t)0xCD9E8D57u * c[2];
    const uint32_t next[4] = {(uint32_t)(p1 >> 32) ^ c[1] ^ k[0], (uint32_t)p1,
                              (uint32_t)(p0 >> 32) ^ c[3] ^ k[1], (uint32_t)p0};
    memcpy(c, next, sizeof c);
    k[0] += 0x9E3779B9u;
    k[1] += 0xBB67AE85u;
  }
  memcpy(out, c, sizeof c);
}

nbody_random nbody_random_for(uint64_t seed, uint64_t body)
{
  return (nbody_random){.seed = seed, .body = body};
}

static uint32_t next_word(nbody_random *r)
{
  if (r->left == 0) {
    const uint32_t counter[4] = {r->draw++, 0, (uint32_t)r->body, (uint32_t)(r->body >> 32)};
    const uint32_t key[2] = {(uint32_t)r->seed, (uint32_t)(r->seed >> 32)};
    nbody_philox(counter, key, r->word);
    r->left = 4;
  }
  return r->word[4 - r->left--];
}

double nbody_random_uniform(nbody_random *random)
{
  const uint64_t high = next_word(random), low = next_word(random);
  return ((double)((high << 32 | low) >> 12) + 0.5) * 0x1p-52;
}

/* ---- random() of the GNU C library: an additive generator of 31 words -------------------- */

void nbody_glibc_seed(nbody_glibc *g, uint32_t seed)
{
  int64_t word = seed ? seed : 1;
  for (int i = 0; i < 31; i++) {
    g->state[i] = (uint32_t)word;
    word = 16807 * word % 2147483647;
  }
  for (int i = 31; i < 34; i++) g->state[i] = g->state[i - 31];
  g->at = 0;
  for (int i = 0; i < 310; i++) (void)nbody_glibc_next(g);
}

/* o(i) = o(i - 31) + o(i - 3), without its lowest bit. state holds the last 34, from `at`. */
uint32_t nbody_glibc_next(nbody_glibc *g)
{
  const uint32_t value = g->state[(g->at + 3) % 34] + g->state[(g->at + 31) % 34];
  g->state[g->at] = value;
  g->at = (g->at + 1) % 34;
  return value >> 1;
}
