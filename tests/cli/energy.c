/* energy.c - energy and conditions are read, or the reason is kept: never a zero. */
#include "tests/harness.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/measure/clock.h"
#include "run/measure/conditions.h"
#include "run/measure/energy.h"
#include "run/surroundings.h"
#include "tests/fake/nvml.h"

static const trm_device_info host = {.backend = "openmp", .is_host = 1, .name = "a processor"};
static const trm_device_info gpu = {.backend = "cuda", .vendor = "NVIDIA", .name = "NVIDIA H200"};

static fake_nvml *fake(void)
{
  void *library = dlopen(FAKE_FOLDER "/libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) fail_msg("%s", dlerror());
  fake_nvml *state = dlsym(library, "fake_nvml_state");
  assert_non_null(state);
  *state = (fake_nvml){.count = 1, .names = {"NVIDIA H200"}, .millijoules = 1000, .processes = 1};
  return state;
}

/* ---- a folder like /sys or /proc ---------------------------------------------------- */

static char root[128];

static void put(const char *path, const char *text)
{
  char whole[256];
  for (const char *c = strchr(path, '/'); c; c = strchr(c + 1, '/')) {
    snprintf(whole, sizeof whole, "%s/%.*s", root, (int)(c - path), path);
    mkdir(whole, 0700);
  }
  snprintf(whole, sizeof whole, "%s/%s", root, path);
  FILE *file = fopen(whole, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

static void new_root(void)
{
  const char *state = getenv("TRIREME_TEST_STATE");
  snprintf(root, sizeof root, "%.100s/energy.XXXXXX", state ? state : "/tmp");
  assert_non_null(mkdtemp(root));
}

static void remove_root(void)
{
  char command[192];
  snprintf(command, sizeof command, "rm -rf '%s'", root);
  assert_int_equal(system(command), 0);
}

static void two_packages(void)
{
  new_root();
  put("intel-rapl:0/name", "package-0\n");
  put("intel-rapl:0/energy_uj", "900\n");
  put("intel-rapl:0/max_energy_range_uj", "1000\n");
  put("intel-rapl:0:0/name", "core\n"); /* a part of package 0 */
  put("intel-rapl:0:0/energy_uj", "5\n");
  put("intel-rapl:1/name", "package-1\n");
  put("intel-rapl:1/energy_uj", "100\n");
  put("intel-rapl:1/max_energy_range_uj", "1000\n");
  put("intel-rapl:2/name", "psys\n"); /* the whole board, packages included */
  put("intel-rapl:2/energy_uj", "7\n");
}

static void wait(double seconds)
{
  const double end = clock_now() + seconds;
  while (clock_now() < end) usleep(1000);
}

static const char *text_of(const json_t *object, const char *key)
{
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "(none)";
}

/* ---- energy --------------------------------------------------------------------------- */

static void packages_are_added_over_the_end_of_their_counters(void)
{
  energy_meter meter;
  two_packages();
  energy_open(&meter, &host, root);
  assert_string_equal(meter.missing, "");
  energy_begin(&meter);
  put("intel-rapl:0/energy_uj", "50\n");   /* 100 to its end and 50 more */
  energy_update(&meter);
  put("intel-rapl:0/energy_uj", "20\n");   /* 970 more, over the end again */
  put("intel-rapl:1/energy_uj", "130\n");
  wait(0.03);
  energy_end(&meter);
  assert_string_equal(meter.missing, "");
  assert_true(fabs(meter.joules - 1150e-6) < 1e-9);
  assert_true(meter.seconds >= 0.03);
  assert_non_null(strstr(meter.source, "2 packages"));
  energy_close(&meter);
  remove_root();
}

static double member_of(const json_t *in, const char *name)
{
  return json_number_value(json_object_get(in, name));
}

/* Two packages, memory of one of them, two boards: 100 000 updates in 1.05 s; idle before. */
static void a_node_is_all_its_counters(void)
{
  node_meter node;
  node_taken taken = {0};
  energy_meter meter;
  fake_nvml *state = fake();
  *state = (fake_nvml){.count = 2, .names = {"NVIDIA H200", "NVIDIA H100"}, .millijoules = 1000};
  two_packages();
  put("intel-rapl:0:1/name", "dram\n");
  put("intel-rapl:0:1/energy_uj", "400\n");
  put("intel-rapl:0:1/max_energy_range_uj", "1000\n");
  node_open(&node, root);
  for (int part = 0; part < NODE_PARTS; part++) assert_string_equal(node.missing[part], "");
  assert_int_equal(node.board_count, 2);
  assert_true(node_has_counters(&node));
  node_measure_idle(&node, 0.05);
  assert_true(node.idle[NODE_PACKAGES] == 0 && node.idle[NODE_BOARDS] == 0);
  for (int part = 0; part < NODE_PARTS; part++) node.idle[part] = part == NODE_BOARDS ? 20 : 0;
  energy_open(&meter, &host, root);
  meter.node = &node;
  energy_begin(&meter);
  put("intel-rapl:0/energy_uj", "50\n");   /* 150 over its end */
  put("intel-rapl:1/energy_uj", "150\n");  /* 50 */
  put("intel-rapl:0:1/energy_uj", "500\n"); /* 100 */
  state->millijoules += 50000;             /* of each of two */
  wait(1.05);
  energy_end(&meter);
  assert_true(fabs(meter.joules - 200e-6) < 1e-9); /* the device itself: packages alone */
  node_add(&taken, &node, 1e5);
  json_t *found = node_json(&node, &taken);
  assert_true(fabs(member_of(found, "packages") - 200e-6 / 1e5) < 1e-15);
  assert_true(fabs(member_of(found, "memory") - 100e-6 / 1e5) < 1e-15);
  assert_true(fabs(member_of(found, "boards") - 100 / 1e5) < 1e-9);
  assert_true(fabs(member_of(found, "joules_per_update") - 100.0003 / 1e5) < 1e-9);
  assert_true(fabs(member_of(found, "idle_part") - 20 * taken.seconds / 100.0003) < 1e-6);
  assert_int_equal(json_object_size(json_object_get(found, "missing")), 0);
  json_decref(found);
  energy_close(&meter);
  node_close(&node);
  assert_int_equal(state->is_open, 0);
  remove_root();
}

/* No memory is counted, no board is there, and 0.03 s are too short. */
static void a_part_without_a_counter_has_its_reason(void)
{
  node_meter node;
  node_taken taken = {0};
  fake_nvml *state = fake();
  state->count = 0;
  two_packages();
  node_open(&node, root);
  node_begin(&node);
  put("intel-rapl:1/energy_uj", "130\n");
  wait(0.03);
  node_pause(&node);
  node_add(&taken, &node, 1e5);
  json_t *found = node_json(&node, &taken);
  const json_t *why = json_object_get(found, "missing");
  assert_true(json_is_null(json_object_get(found, "joules_per_update")));
  assert_non_null(strstr(text_of(why, "packages"), "too few for the counters of a whole machine"));
  assert_non_null(strstr(text_of(why, "memory"), "no memory of this machine has a counter"));
  assert_string_equal(text_of(why, "boards"), "no board of NVIDIA");
  json_decref(found);
  taken.seconds = 2;
  taken.has_others = 1;
  found = node_json(&node, &taken);
  why = json_object_get(found, "missing");
  assert_true(json_is_null(json_object_get(found, "packages")));
  assert_true(json_is_null(json_object_get(found, "joules_per_update")));
  assert_non_null(strstr(text_of(why, "packages"), "other machines took part"));
  json_decref(found);
  node_close(&node);
  remove_root();
}

static void other_machines_are_seen(void)
{
  const trm_device_part alone[] = {{.node = ""}, {.node = ""}},
                        one[] = {{.node = "a"}, {.node = "a"}},
                        two[] = {{.node = "a"}, {.node = "b"}}, elsewhere[] = {{.node = "b"}};
  assert_false(node_has_others(NULL, 0, ""));
  assert_false(node_has_others(alone, 2, ""));
  assert_false(node_has_others(one, 2, "a"));
  assert_true(node_has_others(two, 2, "a"));
  assert_true(node_has_others(elsewhere, 1, "a"));
}

static void what_cannot_be_read_is_a_reason(void)
{
  energy_meter meter;
  two_packages();
  char path[192];
  snprintf(path, sizeof path, "%s/intel-rapl:1/energy_uj", root);
  assert_int_equal(unlink(path), 0);
  energy_open(&meter, &host, root);
  assert_non_null(strstr(meter.missing, "intel-rapl:1/energy_uj cannot be read: No such file"));
  energy_begin(&meter);
  energy_end(&meter);
  assert_true(meter.joules == 0);
  energy_close(&meter);
  energy_open(&meter, &host, "/nowhere");
  assert_non_null(strstr(meter.missing, "/nowhere: No such file"));
  energy_close(&meter);
  remove_root();
  new_root();
  energy_open(&meter, &host, root);
  assert_non_null(strstr(meter.missing, "no package of this processor has a counter"));
  energy_close(&meter);
  remove_root();
}

static void a_counter_that_is_lost_on_the_way_is_a_reason(void)
{
  energy_meter meter;
  two_packages();
  energy_open(&meter, &host, root);
  energy_begin(&meter);
  remove_root();
  energy_update(&meter);
  energy_end(&meter);
  assert_non_null(strstr(meter.missing, "could not be read on the way"));
  energy_close(&meter);
}

static void a_counter_that_stands_still_is_a_reason(void)
{
  energy_meter meter;
  two_packages();
  energy_open(&meter, &host, root);
  energy_begin(&meter);
  wait(0.03);
  energy_end(&meter);
  assert_non_null(strstr(meter.missing, "stood still"));
  energy_close(&meter);
  energy_open(&meter, &host, root);
  energy_begin(&meter);
  put("intel-rapl:0/energy_uj", "950\n");
  energy_end(&meter);
  assert_non_null(strstr(meter.missing, "too short"));
  energy_close(&meter);
  energy_open(&meter, &host, root);
  energy_end(&meter); /* a run of one batch: nothing was timed */
  assert_non_null(strstr(meter.missing, "first batch"));
  energy_close(&meter);
  remove_root();
}

static void a_gpu_counts_its_board(void)
{
  energy_meter meter;
  fake_nvml *state = fake();
  energy_open(&meter, &gpu, "/nowhere");
  assert_string_equal(meter.missing, "");
  energy_begin(&meter);
  state->millijoules += 350000;
  wait(1.01);
  energy_end(&meter);
  assert_string_equal(meter.missing, "");
  assert_true(fabs(meter.joules - 350) < 1e-9);
  energy_close(&meter);
  assert_int_equal(state->is_open, 0);
}

static void of_two_gpus_of_one_name_the_one_at_the_address_counts(void)
{
  trm_device_info second = gpu;
  char why[200] = "";
  fake_nvml *state = fake();
  *state = (fake_nvml){.count = 2, .names = {"NVIDIA H200", "NVIDIA H100"},
                       .addresses = {"0000:17:00.0", "0000:65:00.0"}};
  nvml *found = nvml_open("0000:65:00.0", "NVIDIA H200", why, sizeof why);
  assert_non_null(found);
  state->names[0] = NULL; /* counts nothing any more */
  state->millijoules = 7000;
  double joules = 0;
  assert_int_equal(nvml_energy(found, &joules, why, sizeof why), 1);
  assert_true(joules == 7);
  nvml_close(&found);
  state->names[0] = "NVIDIA H200";
  state->names[1] = "NVIDIA H200";
  energy_meter meter;
  snprintf(second.pci, sizeof second.pci, "0000:17:00.0");
  energy_open(&meter, &second, "");
  assert_string_equal(meter.missing, "");
  energy_close(&meter);
  snprintf(second.pci, sizeof second.pci, "0000:99:00.0");
  energy_open(&meter, &second, "");
  assert_non_null(strstr(meter.missing, "of the GPU at 0000:99:00.0: Not Found"));
  energy_close(&meter);
  assert_int_equal(state->is_open, 0);
}

static void a_gpu_that_does_not_count_is_a_reason(void)
{
  static const trm_device_info other = {.backend = "opencl", .vendor = "Acme", .name = "Rocket"};
  energy_meter meter;
  fake_nvml *state = fake();
  state->energy_result = 3;
  energy_open(&meter, &gpu, "");
  assert_non_null(strstr(meter.missing, "the GPU counts no energy: Not Supported"));
  energy_close(&meter);
  state->init_result = 9;
  energy_open(&meter, &gpu, "");
  assert_non_null(strstr(meter.missing, "does not start: Driver Not Loaded"));
  energy_close(&meter);
  *state = (fake_nvml){.count = 2, .names = {"NVIDIA H200", "NVIDIA H200"}};
  energy_open(&meter, &gpu, "");
  assert_non_null(strstr(meter.missing, "2 GPUs of this machine are called 'NVIDIA H200'"));
  energy_close(&meter);
  state->names[0] = state->names[1] = "NVIDIA A100";
  energy_open(&meter, &gpu, "");
  assert_non_null(strstr(meter.missing, "knows no 'NVIDIA H200'"));
  energy_close(&meter);
  energy_open(&meter, &other, "");
  assert_non_null(strstr(meter.missing, "no counter is known for devices of 'Acme'"));
  energy_close(&meter);
  assert_int_equal(state->is_open, 0);
}

/* ---- conditions ------------------------------------------------------------------------- */

static void a_machine_is_described(void)
{
  conditions_clock begin;
  new_root();
  put("proc/stat", "cpu  1000 0 0 9000 0 0 0 500 0 0\n");
  put("proc/loadavg", "3.50 2.0 1.0 1/200 3\n");
  put("proc/cpuinfo", "processor : 0\nmodel name\t: Some CPU @ 2 GHz\ncpu MHz\t\t: 2000.0\n"
      "flags\t\t: fpu sse2 avx avx2 avx512vlx hypervisor\n");
  put("sys/class/dmi/id/sys_vendor", "Acme Clouds\n");
  for (int core = 0; core < 4; core++) {
    char path[96];
    snprintf(path, sizeof path, "sys/devices/system/cpu/cpu%d/topology/physical_package_id", core);
    put(path, core < 2 ? "0\n" : "3\n");
  }
  put("sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "0-1\n");
  put("sys/devices/system/cpu/cpu0/cache/index2/size", "1024K\n");
  put("sys/devices/system/cpu/cpu0/cache/index3/size", "307200K\n");
  put("sys/devices/system/cpu/cpu0/cache/index3/shared_cpu_list", "0-1,3\n");
  put("sys/devices/system/node/node0/cpulist", "0-1\n");
  put("sys/devices/system/node/node1/cpulist", "2-3\n");
  put("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  put("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "1200000\n");
  put("sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "3100000\n");
  put("sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "3400000\n");
  put("sys/devices/system/cpu/cpu1/cpufreq/cpuinfo_max_freq", "3700000\n");
  put("sys/devices/system/edac/mc/mc0/mc_name", "controller\n");
  put("sys/fs/cgroup/cpu.max", "150000 100000\n");
  conditions_begin(root, &begin);
  wait(0.3);
  /* three seconds of work of somebody, one that the host took, six of idleness */
  put("proc/stat", "cpu  1300 0 0 9600 0 0 0 600 0 0\n");
  json_t *found = conditions_host(root, &begin);
  assert_string_equal(text_of(found, "processor"), "Some CPU @ 2 GHz");
  assert_string_equal(text_of(found, "instruction_set"), "v3");
  assert_string_equal(text_of(found, "governor"), "powersave");
  const json_t *clock = json_object_get(found, "clock_hz");
  assert_true(json_number_value(json_object_get(clock, "least")) == 1.2e9);
  assert_true(json_number_value(json_object_get(clock, "most")) == 3.1e9);
  assert_true(json_number_value(json_object_get(found, "clock_max_hz")) == 3.7e9);
  assert_true(json_is_true(json_object_get(found, "ecc")));
  assert_true(json_number_value(json_object_get(found, "cores_granted")) == 1.5);
  assert_true(json_number_value(json_object_get(found, "load")) == 3.5);
  assert_true(json_number_value(json_object_get(found, "others_busy_cores")) > 3);
  assert_true(fabs(json_number_value(json_object_get(found, "stolen_part")) - 0.1) < 1e-12);
  const json_t *machine = json_object_get(found, "machine"),
               *cache = json_object_get(machine, "last_cache");
  assert_true(json_is_true(json_object_get(machine, "virtual")));
  assert_string_equal(text_of(machine, "vendor"), "Acme Clouds");
  assert_int_equal(json_integer_value(json_object_get(machine, "sockets")), 2);
  assert_int_equal(json_integer_value(json_object_get(machine, "threads_per_core")), 2);
  assert_int_equal(json_integer_value(json_object_get(machine, "memory_nodes")), 2);
  assert_true(json_number_value(json_object_get(cache, "bytes")) == 300 * 1048576.0);
  assert_int_equal(json_integer_value(json_object_get(cache, "processors")), 3);
  assert_int_equal(json_object_size(json_object_get(found, "unknown")), 0);
  json_decref(found);
  remove_root();
}

static void what_a_machine_does_not_tell_is_null_with_a_reason(void)
{
  conditions_clock begin;
  new_root();
  conditions_begin(root, &begin);
  json_t *found = conditions_host(root, &begin);
  const json_t *why = json_object_get(found, "unknown");
  static const char *const keys[] = {"processor", "governor", "clock_hz", "ecc", "load",
                                     "others_busy_cores", "instruction_set"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    assert_true(json_is_null(json_object_get(found, keys[i])));
    assert_non_null(json_string_value(json_object_get(why, keys[i])));
  }
  json_decref(found);
  remove_root();
}

/* Threads 0 and 2 share a core, and so do 1 and 3; of 7 nothing is told. */
static void fewer_cores_are_a_thread_of_each(void)
{
  static const int allowed[] = {0, 1, 2, 3, 7};
  int chosen[5];
  new_root();
  for (int i = 0; i < 4; i++) {
    char path[96];
    snprintf(path, sizeof path, "sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", i);
    put(path, i % 2 ? "1,3\n" : "0,2\n");
  }
  assert_int_equal(surroundings_choose(root, allowed, 5, 5, chosen), 3);
  assert_int_equal(chosen[0], 0);
  assert_int_equal(chosen[1], 1);
  assert_int_equal(chosen[2], 7);
  assert_int_equal(surroundings_choose(root, allowed + 1, 3, 2, chosen), 2);
  assert_int_equal(chosen[0], 1);
  assert_int_equal(chosen[1], 2);
  assert_int_equal(surroundings_choose("/nowhere", allowed, 5, 4, chosen), 4);
  remove_root();
}

static void a_gpu_is_described(void)
{
  char why[200] = "";
  fake();
  nvml *one = nvml_open("", "NVIDIA H200", why, sizeof why);
  assert_non_null(one);
  json_t *found = conditions_gpu(one, "");
  assert_true(json_number_value(json_object_get(found, "clock_hz")) == 1755e6);
  assert_true(json_number_value(json_object_get(found, "clock_max_hz")) == 1980e6);
  assert_true(json_number_value(json_object_get(found, "memory_clock_hz")) == 3201e6);
  assert_true(json_is_true(json_object_get(found, "ecc")));
  assert_int_equal(json_integer_value(json_object_get(found, "processes")), 1);
  assert_string_equal(text_of(found, "slowed_by"), "power limit, heat");
  assert_true(json_is_null(json_object_get(found, "power_limit_watts"))); /* the fake lacks it */
  json_decref(found);
  nvml_close(&one);
  found = conditions_gpu(NULL, "no library");
  assert_string_equal(text_of(found, "missing"), "no library");
  json_decref(found);
}

int main(int argc, char **argv)
{
  static const test_case cases[] = {
    TEST_HOST(packages_are_added_over_the_end_of_their_counters),
    TEST_HOST(a_node_is_all_its_counters), TEST_HOST(other_machines_are_seen),
    TEST_HOST(a_part_without_a_counter_has_its_reason),
    TEST_HOST(what_cannot_be_read_is_a_reason),
    TEST_HOST(a_counter_that_is_lost_on_the_way_is_a_reason),
    TEST_HOST(a_counter_that_stands_still_is_a_reason),
    TEST_HOST(a_gpu_counts_its_board),
    TEST_HOST(of_two_gpus_of_one_name_the_one_at_the_address_counts),
    TEST_HOST(a_gpu_that_does_not_count_is_a_reason),
    TEST_HOST(a_machine_is_described),
    TEST_HOST(what_a_machine_does_not_tell_is_null_with_a_reason),
    TEST_HOST(fewer_cores_are_a_thread_of_each),
    TEST_HOST(a_gpu_is_described),
  };
  clock_start();
  return TEST_RUN(argc, argv, cases);
}
