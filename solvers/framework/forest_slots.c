/* forest_slots.c - where a forest's leaves lie in memory. */
#include <config.h>

#include "solvers/framework/forest_slots.h"

#include <string.h>

/* The next number of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
 * generators, 2014). */
static uint64_t draw(uint64_t *state)
{
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

void forest_choose_slots(int32_t *slot, size_t count, const trm_forest_shape *shape)
{
  const uint64_t seed = shape->shuffle;
  uint64_t state = seed;
  if (shape->slots) {
    memcpy(slot, shape->slots, count * sizeof *slot);
    return;
  }
  for (size_t i = 0; i < count; i++) slot[i] = (int32_t)i;
  for (size_t i = count; seed && i > 1; i--) {
    const size_t other = (size_t)(draw(&state) % i);
    const int32_t last = slot[i - 1];
    slot[i - 1] = slot[other];
    slot[other] = last;
  }
}
