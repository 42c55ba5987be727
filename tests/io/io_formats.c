/* VTK and NumPy files, read back by readers of this test's own. */
#include "tests/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/file.h"
#include "io/htg.h"
#include "io/npy.h"
#include "io/vti.h"

#include <zlib.h>

static const char *path_of(const char *name)
{
  static char path[4096];
  snprintf(path, sizeof path, "%s/%s", test_folder(), name);
  return path;
}

static char *load(const char *path, size_t *bytes)
{
  char *text = NULL;
  TEST_OK(trm_file_load(path, (size_t)1 << 30, &text, bytes));
  return text;
}

/* ---- VTK ------------------------------------------------------------------- */

static int base64_digit(char c)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const char *at = c ? strchr(digits, c) : NULL;
  return at ? (int)(at - digits) : -1;
}

/* Decodes so many bytes, which end with their own padding; *text is moved behind them. */
static void decode(const char **text, unsigned char *out, size_t bytes)
{
  int digits = 4;
  for (size_t n = 0; n < bytes; *text += 4) {
    unsigned bits = 0;
    assert_int_equal(digits, 4);                     /* padding at the end only */
    digits = 0;
    for (int i = 0; i < 4; i++) {
      const int d = base64_digit((*text)[i]);
      if (d < 0) assert_int_equal((*text)[i], '=');
      else digits++;
      bits = bits << 6 | (unsigned)(d < 0 ? 0 : d);
    }
    assert_true(n + (size_t)digits - 1 <= bytes);
    for (int i = 0; i < digits - 1; i++) out[n++] = (unsigned char)(bits >> (16 - 8 * i) & 255);
  }
}

/* Decodes a field as VTK's reader does: the table of its blocks, then each of them. */
static unsigned char *decode_field(const char *text, size_t *bytes)
{
  uint64_t head[3] = {0}, packed = 0;
  const char *at = text;
  decode(&at, (unsigned char *)head, sizeof head);   /* three numbers: no padding */
  const size_t blocks = (size_t)head[0], entries = 3 + blocks;
  uint64_t *table = malloc(entries * sizeof *table);
  at = text;
  decode(&at, (unsigned char *)table, entries * sizeof *table);
  for (size_t i = 0; i < blocks; i++) packed += table[3 + i];
  unsigned char *data = malloc(packed), *out = malloc(blocks * head[1]);
  decode(&at, data, packed);
  *bytes = 0;
  for (size_t i = 0, from = 0; i < blocks; from += table[3 + i], i++) {
    const size_t wanted = (size_t)(i + 1 == blocks && head[2] ? head[2] : head[1]);
    uLongf length = head[1];
    assert_int_equal(uncompress(out + *bytes, &length, data + from, table[3 + i]), Z_OK);
    assert_int_equal(length, wanted);
    *bytes += length;
  }
  free(data);
  free(table);
  return out;
}

/* The offset that the file gives for a field, from its own XML. */
static const char *block_of(const char *text, const char *name)
{
  char key[64];
  snprintf(key, sizeof key, "Name=\"%s\"", name);
  const char *at = strstr(text, key);
  assert_non_null(at);
  at = strstr(at, "offset=\"");
  assert_non_null(at);
  const size_t offset = strtoull(at + 8, NULL, 10);
  const char *data = strstr(text, "<AppendedData encoding=\"base64\">");
  assert_non_null(data);
  return strchr(data, '_') + 1 + offset;
}

static void vtk_fields_are_read_back(void)
{
  enum { NX = 5, NY = 3, CELLS = NX * NY };
  float pressure[CELLS];
  double velocity[2 * CELLS], vorticity[3 * CELLS] = {0};
  uint8_t solid[CELLS];
  for (int i = 0; i < CELLS; i++) {
    pressure[i] = 0.1f * (float)i;
    velocity[i] = i + 0.25;
    velocity[CELLS + i] = -i;
    solid[i] = (uint8_t)(i % 2);
  }
  const trm_array fields[] = {{"pressure", "1", TRM_TYPE_F32, 1, NX, NY, 1, pressure},
                              {"velocity", "1", TRM_TYPE_F64, 2, NX, NY, 1, velocity},
                              {"solid", "1", TRM_TYPE_U8, 1, NX, NY, 1, solid},
                              {"vorticity", "1", TRM_TYPE_F64, 3, NX, NY, 1, vorticity}};
  const trm_vti image = {fields, 4, {0.5, 0, 0}, {2, 1, 1}, 12, 1.5};
  TEST_OK(trm_vti_stream(path_of("a.vti"), &image, NULL));
  char *text = load(path_of("a.vti"), NULL);
  assert_non_null(strstr(text, "WholeExtent=\"0 5 0 3 0 0\" Origin=\"0.5 0 0\" Spacing=\"2 1 1\""));
  assert_non_null(strstr(text, "Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">1.5<"));
  assert_non_null(strstr(text, "type=\"Float64\" Name=\"velocity\" NumberOfComponents=\"3\" "
                         "TriremeComponents=\"2\" format="));
  assert_non_null(strstr(text, "Name=\"vorticity\" NumberOfComponents=\"3\" format="));
  size_t bytes = 0;
  unsigned char *block = decode_field(block_of(text, "pressure"), &bytes);
  assert_int_equal(bytes, sizeof pressure);
  assert_memory_equal(block, pressure, bytes);
  free(block);
  block = decode_field(block_of(text, "velocity"), &bytes);
  assert_int_equal(bytes, 3 * CELLS * sizeof(double));
  for (int i = 0; i < CELLS; i++) {
    double v[3];
    memcpy(v, block + (size_t)i * sizeof v, sizeof v);
    assert_true(v[0] == velocity[i] && v[1] == velocity[CELLS + i] && v[2] == 0.0);
  }
  free(block);
  block = decode_field(block_of(text, "solid"), &bytes);
  assert_int_equal(bytes, sizeof solid);
  assert_memory_equal(block, solid, bytes);
  free(block);
  free(text);
}

/* Every rest modulo three, and fields of several blocks. */
static void vtk_blocks_of_every_length_are_whole(void)
{
  static uint8_t values[600000];
  for (size_t i = 0; i < sizeof values; i++) values[i] = (uint8_t)(i * 7 + i / 256);
  for (size_t n = 1; n <= sizeof values; n = n < 8 ? n + 1 : n * 4 + n % 5 - 1) {
    const trm_array fields[] = {{"first", "1", TRM_TYPE_U8, 1, n, 1, 1, values},
                                {"second", "1", TRM_TYPE_U8, 1, n, 1, 1, values}};
    const trm_vti image = {fields, 2, {0, 0, 0}, {1, 1, 1}, 0, 0};
    TEST_OK(trm_vti_stream(path_of("a.vti"), &image, NULL));
    char *text = load(path_of("a.vti"), NULL);
    size_t bytes = 0;
    unsigned char *block = decode_field(block_of(text, "second"), &bytes);
    assert_int_equal(bytes, n);
    assert_memory_equal(block, values, n);
    free(block);
    free(text);
  }
}

/* Values of an array elsewhere; no part may be more than `most` bytes. */
typedef struct elsewhere { const trm_array *whole; size_t most; } elsewhere;

static trm_status read_elsewhere(void *user, const trm_array *array, size_t component, size_t first,
                                 size_t count, void *out)
{
  const elsewhere *from = user;
  assert_null(array->data);
  assert_true(count * trm_type_size(array->type) <= from->most);
  return trm_array_part(from->whole, NULL, component, first, count, out);
}

static trm_status never_read(void *user, const trm_array *array, size_t component, size_t first,
                             size_t count, void *out)
{
  (void)user, (void)array, (void)component, (void)count, (void)out;
  return first == 0 ? TRM_OK : TRM_FAIL(DEVICE, "the device is gone");
}

static void same_files(const char *a, const char *b)
{
  size_t bytes = 0, others = 0;
  char *one = load(path_of(a), &bytes), *other = load(path_of(b), &others);
  assert_int_equal(bytes, others);
  assert_memory_equal(one, other, bytes);
  free(one);
  free(other);
}

static void fields_that_are_elsewhere_are_written_in_parts(void)
{
  enum { CELLS = 400001, COMPONENTS = 2 };
  double *values = malloc(COMPONENTS * CELLS * sizeof *values);
  for (size_t i = 0; i < (size_t)COMPONENTS * CELLS; i++) values[i] = (double)i * 0.37;
  trm_array field = {"velocity", "1", TRM_TYPE_F64, COMPONENTS, CELLS, 1, 1, values};
  const trm_array whole = field;
  const trm_vti image = {&field, 1, {0, 0, 0}, {1, 1, 1}, 0, 0};
  elsewhere from = {&whole, 1 << 18};
  TEST_OK(trm_vti_stream(path_of("a.vti"), &image, NULL));
  TEST_OK(trm_npy_write(path_of("a.npy"), &field));
  field.data = NULL;
  TEST_OK(trm_vti_stream(path_of("b.vti"), &image, &(trm_array_source){read_elsewhere, &from}));
  from.most = 1 << 20;
  TEST_OK(trm_npy_stream(path_of("b.npy"), &field, &(trm_array_source){read_elsewhere, &from}));
  same_files("a.vti", "b.vti");
  same_files("a.npy", "b.npy");
  const trm_array_source gone = {never_read, NULL};
  TEST_FAILS(trm_vti_stream(path_of("c.vti"), &image, &gone), TRM_ERROR_DEVICE, "is gone");
  TEST_FAILS(trm_npy_stream(path_of("c.npy"), &field, &gone), TRM_ERROR_DEVICE, "is gone");
  assert_int_not_equal(access(path_of("c.vti"), F_OK), 0);
  assert_int_not_equal(access(path_of("c.npy"), F_OK), 0);
  free(values);
}

static void the_vtk_file_is_well_formed_xml(void)
{
  char command[8192];
  const int32_t values[1] = {-3};
  const trm_array field = {"a<b>&\"c\"", "1", TRM_TYPE_I32, 1, 1, 1, 1, values};
  const trm_vti image = {&field, 1, {0, 0, 0}, {1, 1, 1}, 0, 0};
  TEST_OK(trm_vti_stream(path_of("a.vti"), &image, NULL));
  if (system("command -v xmllint >/dev/null 2>&1") != 0)
    TEST_SKIP("xmllint is not installed (libxml2-utils)");
  snprintf(command, sizeof command, "xmllint --noout --huge '%s'", path_of("a.vti"));
  const int status = system(command);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void vtk_files_hold_one_grid(void)
{
  const float values[2] = {0};
  const trm_array fields[] = {{"a", "1", TRM_TYPE_F32, 1, 2, 1, 1, values},
                              {"b", "1", TRM_TYPE_F32, 1, 1, 2, 1, values}};
  trm_vti image = {fields, 2, {0, 0, 0}, {1, 1, 1}, 0, 0};
  TEST_FAILS(trm_vti_stream(path_of("b.vti"), &image, NULL), TRM_ERROR_INVALID,
             "'a' and 'b' differ in shape");
  image.field_count = 0;
  TEST_FAILS(trm_vti_stream(path_of("b.vti"), &image, NULL), TRM_ERROR_INVALID, "no field");
}

/* Two blocks of 2 x 2 cells side by side. The western one was split, and of its parts the last. */
enum { LEAVES = 8, NODES = 1 + 4 + 16 + 16 + 1 + 4 };
static const uint8_t leaf_level[LEAVES + 1] = {1, 1, 1, 2, 2, 2, 2, 0, 0};
static const int32_t leaf_place[LEAVES + 1][3] = {{0, 0}, {1, 0}, {0, 1}, {2, 2}, {3, 2},
                                                  {2, 3}, {3, 3}, {1, 0}, {2, 0}};

static trm_status number_of_cell(void *user, const trm_array *array, size_t component, size_t first,
                                 size_t count, void *out)
{
  (void)user;
  for (size_t i = 0; i < count; i++)
    if (array->type == TRM_TYPE_F64) ((double *)out)[i] = (double)(first + i + 100 * component);
    else ((uint8_t *)out)[i] = leaf_level[(first + i) / 4];
  return TRM_OK;
}

static void check_bytes(const char *text, const char *name, const void *wanted, size_t count)
{
  size_t bytes = 0;
  unsigned char *data = decode_field(block_of(text, name), &bytes);
  assert_int_equal(bytes, count);
  assert_memory_equal(data, wanted, count);
  free(data);
}

static void blocks_are_written_as_trees(void)
{
  const trm_array fields[] = {{"velocity", "m/s", TRM_TYPE_F64, 2, LEAVES * 4, 1, 1, NULL},
                              {"level", "", TRM_TYPE_U8, 1, LEAVES * 4, 1, 1, NULL},
                              {"before", "", TRM_TYPE_F64, 5, LEAVES * 4, 1, 1, NULL}};
  const trm_htg grid = {.roots = {2, 1, 1}, .dimensions = 2, .side = 2, .origin = {1, 2, 3},
                        .width = {0.5, 0.5, 0}, .leaf_count = LEAVES, .level = leaf_level,
                        .place = leaf_place, .fields = fields, .field_count = 3, .time = 1.5};
  static const double x[] = {1, 1.5, 2}, z[] = {3};
  static const uint8_t split[] = {0xf8, 0x00, 0x7c};
  static const int64_t vertices[] = {1, 4, 16, 16, 1, 4}, trees[] = {0, 1};
  static const uint32_t depths[] = {4, 2};
  double values[NODES] = {9, 1.5, 5.5, 9.5, 19.5};
  for (int i = 0; i < 12; i++) values[5 + i] = i;
  for (int i = 0; i < 4; i++) values[17 + i] = 13.5 + 4 * i;
  for (int i = 0; i < 16; i++) values[21 + i] = 12 + i;
  values[37] = 29.5;
  for (int i = 0; i < 4; i++) values[38 + i] = 28 + i;
  TEST_OK(trm_htg_stream(path_of("a.htg"), &grid, &(trm_array_source){number_of_cell, NULL}));
  char *text = load(path_of("a.htg"), NULL);
  assert_non_null(strstr(text, "BranchFactor=\"2\" TransposedRootIndexing=\"0\" "
                               "Dimensions=\"3 2 1\""));
  assert_non_null(strstr(text, "type=\"Bit\" Name=\"Descriptors\" NumberOfComponents=\"1\" "
                               "NumberOfTuples=\"22\""));
  check_bytes(text, "XCoordinates", x, sizeof x);
  check_bytes(text, "ZCoordinates", z, sizeof z);
  check_bytes(text, "Descriptors", split, sizeof split);
  check_bytes(text, "NumberOfVerticesPerDepth", vertices, sizeof vertices);
  check_bytes(text, "TreeIds", trees, sizeof trees);
  check_bytes(text, "DepthPerTree", depths, sizeof depths);
  check_bytes(text, "velocity_x", values, sizeof values);
  for (int i = 0; i < NODES; i++) values[i] += 100;
  check_bytes(text, "velocity_y", values, sizeof values);
  for (int i = 0; i < NODES; i++) values[i] += 300; /* more components than axes have letters */
  check_bytes(text, "before_4", values, sizeof values);
  free(text);
}

static void blocks_that_make_up_no_trees_are_refused(void)
{
  trm_htg grid = {.roots = {2, 1, 1}, .dimensions = 2, .side = 2, .leaf_count = LEAVES - 1,
                  .level = leaf_level, .place = leaf_place};
  const trm_array_source source = {number_of_cell, NULL};
  TEST_FAILS(trm_htg_stream(path_of("b.htg"), &grid, &source), TRM_ERROR_INVALID,
             "the 7 blocks of a hyper tree grid do not make up its roots");
  grid.leaf_count = LEAVES + 1;
  TEST_FAILS(trm_htg_stream(path_of("b.htg"), &grid, &source), TRM_ERROR_INVALID,
             "has 1 blocks more than they hold");
  grid.leaf_count = LEAVES;
  grid.side = 12;
  TEST_FAILS(trm_htg_stream(path_of("b.htg"), &grid, &source), TRM_ERROR_INVALID,
             "a power of two");
  assert_int_not_equal(access(path_of("b.htg"), F_OK), 0);
}

/* ---- NumPy ----------------------------------------------------------------- */

static void numpy_head_is(const trm_array *array, const char *expected)
{
  size_t bytes = 0;
  TEST_OK(trm_npy_write(path_of("a.npy"), array));
  char *text = load(path_of("a.npy"), &bytes);
  const size_t head = (size_t)(unsigned char)text[8] + 256 * (size_t)(unsigned char)text[9];
  assert_memory_equal(text, "\x93NUMPY\x01\x00", 8);
  assert_int_equal((head + 10) % 64, 0);
  assert_int_equal(text[head + 9], '\n');
  assert_memory_equal(text + 10, expected, strlen(expected));
  for (size_t i = 10 + strlen(expected); i < head + 9; i++) assert_int_equal(text[i], ' ');
  free(text);
}

static void numpy_heads_are_what_numpy_writes(void)
{
  static const double values[24];
  numpy_head_is(&(trm_array){"a", "", TRM_TYPE_F64, 1, 4, 3, 1, values},
                "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }");
  numpy_head_is(&(trm_array){"a", "", TRM_TYPE_F32, 2, 4, 3, 1, values},
                "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 4), }");
  numpy_head_is(&(trm_array){"a", "", TRM_TYPE_I32, 1, 4, 3, 2, values},
                "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3, 4), }");
  numpy_head_is(&(trm_array){"a", "", TRM_TYPE_U8, 1, 4, 1, 1, values},
                "{'descr': '|u1', 'fortran_order': False, 'shape': (4,), }");
  numpy_head_is(&(trm_array){"a", "", TRM_TYPE_U8, 3, 4, 1, 1, values},
                "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 4), }");
  numpy_head_is(&(trm_array){"a", "", TRM_TYPE_U8, 1, 4, 1, 2, values},
                "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 1, 4), }");
}

static void numpy_arrays_are_read_back(void)
{
  float values[24];
  trm_npy npy;
  for (int i = 0; i < 24; i++) values[i] = (float)i / 7.0f;
  const trm_array array = {"a", "", TRM_TYPE_F32, 2, 4, 3, 1, values};
  TEST_OK(trm_npy_write(path_of("a.npy"), &array));
  TEST_OK(trm_npy_read(path_of("a.npy"), &npy));
  assert_int_equal(npy.type, TRM_TYPE_F32);
  assert_int_equal(npy.axes, 3);
  assert_true(npy.shape[0] == 2 && npy.shape[1] == 3 && npy.shape[2] == 4);
  TEST_SAME_BITS(npy.data, values, 24, TRM_TYPE_F32);
  trm_npy_free(&npy);
  assert_null(npy.data);
}

static void numpy_refused(const char *bytes, size_t count, const char *part)
{
  trm_npy npy;
  TEST_OK(trm_file_save(path_of("bad.npy"), bytes, count));
  TEST_FAILS(trm_npy_read(path_of("bad.npy"), &npy), TRM_ERROR_INPUT, part);
}

/* A file of version 1.0 with this header and this much data. */
static void head_refused(const char *head, size_t data, const char *part)
{
  char bytes[512] = "\x93NUMPY\x01";
  bytes[8] = (char)strlen(head);
  memcpy(bytes + 10, head, strlen(head));
  numpy_refused(bytes, 10 + strlen(head) + data, part);
}

static void damaged_numpy_files_are_refused(void)
{
  numpy_refused("", 0, "not a .npy file");
  numpy_refused("\x93NUMPX\x01\x00\x05\x00{}    ", 16, "not a .npy file");
  numpy_refused("\x93NUMPY\x04\x00\x05\x00{}    ", 16, "not a .npy file");
  numpy_refused("\x93NUMPY\x01\x00\x40\x00{'descr'", 18, "ends inside its header");
  head_refused("{'descr': '<f2', 'fortran_order': False, 'shape': (1,), }", 2, "another type");
  head_refused("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", 4, "another type");
  head_refused("{'descr': '<f4', 'fortran_order': True, 'shape': (1,), }", 4, "Fortran order");
  head_refused("{'descr': '<f4', 'fortran_order': False, }", 4, "has no shape");
  head_refused("{'descr': '<f4', 'fortran_order': False, 'shape': (a,), }", 4, "cannot be read");
  head_refused("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", 3,
               "holds 3 bytes of data where its shape needs 4");
  head_refused("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", 5, "holds 5 bytes");
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(vtk_fields_are_read_back),
    TEST_HOST(vtk_blocks_of_every_length_are_whole),
    TEST_HOST(fields_that_are_elsewhere_are_written_in_parts),
    TEST_HOST(the_vtk_file_is_well_formed_xml),
    TEST_HOST(vtk_files_hold_one_grid),
    TEST_HOST(blocks_are_written_as_trees),
    TEST_HOST(blocks_that_make_up_no_trees_are_refused),
    TEST_HOST(numpy_heads_are_what_numpy_writes),
    TEST_HOST(numpy_arrays_are_read_back),
    TEST_HOST(damaged_numpy_files_are_refused),
  };
  return TEST_RUN(argc, argv, cases);
}
