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
#include <stdlib.h>
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

/* A field that is hashed; its chunks may be hashed by several threads. */
typedef struct hashing {
  const trm_field *field;
  XXH128_canonical_t *chunks;
  trmi_state_visitor *visit;   /* NULL: nobody else */
  void *user;
} hashing;

static trm_status hash_chunk(void *user, size_t first, const void *elements, size_t count)
{
  const hashing *h = user;
  XXH128_canonicalFromHash(&h->chunks[first / TRM_FINGERPRINT_CHUNK],
                           XXH3_128bits(elements, count * trm_type_size(h->field->type)));
  if (h->visit) h->visit(h->user, h->field, elements, count);
  return TRM_OK;
}

static trm_status hash_values(XXH3_state_t *state, hashing *h)
{
  size_t values;
  TRM_TRY(trm_field_elements(h->field, &values));
  const size_t chunks = (values + TRM_FINGERPRINT_CHUNK - 1) / TRM_FINGERPRINT_CHUNK;
  h->chunks = calloc(chunks + 1, sizeof *h->chunks);
  if (!h->chunks) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a fingerprint");
  trm_status status = trmi_field_each_chunk(h->field, TRM_FINGERPRINT_CHUNK, hash_chunk, h);
  if (status == TRM_OK) status = hash(state, h->chunks, chunks * sizeof *h->chunks);
  free(h->chunks);
  return status;
}

static trm_status hash_field(XXH3_state_t *state, hashing *h, uint64_t step)
{
  const trm_field *field = h->field;
  TRM_TRY(trm_field_require_whole(field, "a fingerprint"));
  TRM_TRY(hash_text(state, field->name));
  TRM_TRY(hash_text(state, trm_type_name(field->type)));
  TRM_TRY(hash_u32(state, (uint32_t)field->components));
  TRM_TRY(hash_u64(state, field->nx));
  TRM_TRY(hash_u64(state, field->ny));
  TRM_TRY(hash_u64(state, field->nz));
  TRM_TRY(hash_u64(state, step));
  return hash_values(state, h);
}

static trm_status hash_fields(XXH3_state_t *state, hashing *h, const trm_solver *solver)
{
  size_t fields = 0;
  XXH3_128bits_reset(state);
  for (size_t i = 0; i < solver->field_count; i++) {
    if (!(solver->fields[i].flags & TRM_FIELD_HASHED)) continue;
    fields++;
    h->field = &solver->fields[i];
    TRM_TRY(hash_field(state, h, solver->step));
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
  XXH3_state_t *state = XXH3_createState();
  hashing h = {.visit = visit, .user = user};
  const trm_status status = state ? hash_fields(state, &h, solver)
                                  : TRM_FAIL(NO_HOST_MEMORY, "no memory for a fingerprint");
  if (status == TRM_OK) print(state, text);
  XXH3_freeState(state);
  return status;
}
