/* fingerprint.c - one number for the state of a solver: equal states, equal fingerprints.
 *
 * XXH3's 128-bit hash with seed 0 over these bytes, all integers little-endian and unsigned:
 *
 *   for each field with TRM_FIELD_HASHED, in the order of declaration:
 *     u32  length of the name, then the name without its NUL
 *     u32  length of the type's name, then that name ("f32")
 *     u32  components
 *     u64  nx, u64 ny, u64 nz      the global shape
 *     u64  step                    steps done
 *     the interior cells as they are in memory: component, z, y, x, x fastest
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
  XXH3_state_t *state;
  const trm_field *field;
  trmi_state_visitor *visit;   /* NULL: nobody else */
  void *user;
} sink;

static trm_status hash_elements(void *user, const void *elements, size_t count)
{
  const sink *s = user;
  if (s->visit) TRM_TRY(s->visit(s->user, s->field, elements, count));
  return hash(s->state, elements, count * trm_type_size(s->field->type));
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
  return trmi_field_walk(field, hash_elements, s);
}

trm_status trm_solver_fingerprint(const trm_solver *solver, char text[33])
{
  return trmi_fingerprint_shown(solver, NULL, NULL, text);
}

trm_status trmi_fingerprint_shown(const trm_solver *solver, trmi_state_visitor *visit, void *user,
                                  char text[33])
{
  XXH3_state_t *state = XXH3_createState();
  sink s = {state, NULL, visit, user};
  if (!state) return TRM_FAIL(NO_HOST_MEMORY, "no memory for a fingerprint");
  XXH3_128bits_reset(state);
  trm_status status = TRM_OK;
  size_t fields = 0;
  for (size_t i = 0; i < solver->field_count && status == TRM_OK; i++) {
    if (!(solver->fields[i].flags & TRM_FIELD_HASHED)) continue;
    fields++;
    status = hash_field(&s, &solver->fields[i], solver->step);
  }
  if (status == TRM_OK && !fields)
    status = TRM_FAIL(INVALID, "the solver '%s' declares no field of its state, so it has no "
                      "fingerprint; give one the flag TRM_FIELD_STATE", solver->type->name);
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state));
  XXH3_freeState(state);
  TRM_TRY(status);
  for (size_t i = 0; i < sizeof canonical.digest; i++)
    snprintf(text + 2 * i, 3, "%02x", canonical.digest[i]);
  return TRM_OK;
}
