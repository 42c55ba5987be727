/* fingerprint.c - one number for the state of a solver: equal states, equal fingerprints.
 *
 * Version 2. XXH3's 128-bit hash with seed 0 over these bytes, all integers little-endian and
 * unsigned:
 *
 *   for each field with TRM_FIELD_HASHED, in the order of declaration:
 *     u32  length of the name, then the name without its NUL
 *     u32  length of the type's name, then that name ("f32")
 *     u32  components
 *     u64  nx, u64 ny, u64 nz      the global shape
 *     u64  step                    steps done
 *     16 bytes for each chunk of the interior's values: XXH3's 128-bit hash of the chunk with seed
 *     0, in canonical form
 *
 * The interior's values have the order component, z, y, x, x fastest, as they are in memory. A
 * chunk has TRM_FINGERPRINT_CHUNK of them, the last one what remains. So a part of a field that
 * begins and ends with a chunk can be hashed by itself, at any time and anywhere.
 *
 * Ghosts, padding, layout, batch size, device and arithmetic mode never enter. The text is the
 * hash's canonical (big-endian) form, as xxhsum prints it. */
#include <config.h>

#include "solvers/field.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "fingerprints are defined over little-endian bytes, hashed here straight from memory"
#endif

static trm_status hash(XXH3_state_t *state, const void *bytes, size_t count)
{
  if (XXH3_128bits_update(state, bytes, count) == XXH_OK) return TRM_OK;
  return TRM_FAIL(INVALID, "xxHash refused %zu bytes of a fingerprint", count);
}

static trm_status hash_u32(XXH3_state_t *state, uint32_t value)
{
  return hash(state, &value, sizeof value);
}

static trm_status hash_u64(XXH3_state_t *state, uint64_t value)
{
  return hash(state, &value, sizeof value);
}

static trm_status hash_text(XXH3_state_t *state, const char *text)
{
  TRM_TRY(hash_u32(state, (uint32_t)strlen(text)));
  return hash(state, text, strlen(text));
}

typedef struct sink {
  XXH3_state_t *state, *chunk;
  size_t count;                /* of values in the chunk */
  const trm_field *field;
  trmi_state_visitor *visit;   /* NULL: nobody else */
  void *user;
} sink;

static trm_status end_chunk(sink *s)
{
  XXH128_canonical_t canonical;
  if (s->count == 0) return TRM_OK;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(s->chunk));
  s->count = 0;
  XXH3_128bits_reset(s->chunk);
  return hash(s->state, &canonical, sizeof canonical);
}

static trm_status hash_elements(void *user, const void *elements, size_t count)
{
  sink *s = user;
  const size_t bytes = trm_type_size(s->field->type);
  const char *at = elements;
  if (s->visit) TRM_TRY(s->visit(s->user, s->field, elements, count));
  while (count > 0) {
    const size_t room = TRM_FINGERPRINT_CHUNK - s->count, now = count < room ? count : room;
    TRM_TRY(hash(s->chunk, at, now * bytes));
    at += now * bytes;
    count -= now;
    s->count += now;
    if (s->count == TRM_FINGERPRINT_CHUNK) TRM_TRY(end_chunk(s));
  }
  return TRM_OK;
}

static trm_status hash_field(sink *s, const trm_field *field, uint64_t step)
{
  XXH3_state_t *state = s->state;
  s->field = field;
  TRM_TRY(trm_field_require_whole(field, "a fingerprint"));
  TRM_TRY(hash_text(state, field->name));
  TRM_TRY(hash_text(state, trm_type_name(field->type)));
  TRM_TRY(hash_u32(state, (uint32_t)field->components));
  TRM_TRY(hash_u64(state, field->nx));
  TRM_TRY(hash_u64(state, field->ny));
  TRM_TRY(hash_u64(state, field->nz));
  TRM_TRY(hash_u64(state, step));
  TRM_TRY(trmi_field_walk(field, hash_elements, s));
  return end_chunk(s);
}

static trm_status hash_fields(sink *s, const trm_solver *solver)
{
  size_t fields = 0;
  XXH3_128bits_reset(s->state);
  XXH3_128bits_reset(s->chunk);
  for (size_t i = 0; i < solver->field_count; i++) {
    if (!(solver->fields[i].flags & TRM_FIELD_HASHED)) continue;
    fields++;
    TRM_TRY(hash_field(s, &solver->fields[i], solver->step));
  }
  if (fields > 0) return TRM_OK;
  return TRM_FAIL(INVALID, "the solver '%s' declares no field of its state, so it has no "
                  "fingerprint; give one the flag TRM_FIELD_STATE", solver->type->name);
}

static void print(const XXH3_state_t *state, char text[33])
{
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state));
  for (size_t i = 0; i < sizeof canonical.digest; i++)
    snprintf(text + 2 * i, 3, "%02x", canonical.digest[i]);
}

trm_status trm_solver_fingerprint(const trm_solver *solver, char text[33])
{
  return trmi_fingerprint_shown(solver, NULL, NULL, text);
}

trm_status trmi_fingerprint_shown(const trm_solver *solver, trmi_state_visitor *visit, void *user,
                                  char text[33])
{
  sink s = {.state = XXH3_createState(), .chunk = XXH3_createState(), .visit = visit,
            .user = user};
  const trm_status status = s.state && s.chunk
                                ? hash_fields(&s, solver)
                                : TRM_FAIL(NO_HOST_MEMORY, "no memory for a fingerprint");
  if (status == TRM_OK) print(s.state, text);
  XXH3_freeState(s.state);
  XXH3_freeState(s.chunk);
  return status;
}
