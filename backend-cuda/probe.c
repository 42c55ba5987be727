/* probe.c - says whether CUDA is usable here, or else why not and the cure; describes its devices.
 *
 * Quiet: nothing is printed or logged. States are distinguished in the order in which a user can
 * cure them: driver, its age, device, compiler. */
#include "config.h"

#include "backend-cuda/device.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char install_driver[] =
  "install NVIDIA's driver (Debian: apt install nvidia-driver libcuda1; in a container: start it "
  "with the GPU passed in), or use another backend";

static void not_ready(trm_probe *out, trm_backend_state state, const char *cure)
{
  out->state = state;
  snprintf(out->cure, sizeof out->cure, "%s", cure);
}

/* The release of the kernel module ("580.95.05"), which the driver's interface does not tell. */
static void read_release(char *release, size_t bytes)
{
  char line[256];
  FILE *file = fopen("/proc/driver/nvidia/version", "r");
  release[0] = '\0';
  if (!file) return;
  if (fgets(line, sizeof line, file)) {
    char *rest = NULL;
    for (char *word = strtok_r(line, " \t\n", &rest); word; word = strtok_r(NULL, " \t\n", &rest))
      if (isdigit((unsigned char)word[0]) && strchr(word, '.')) {
        snprintf(release, bytes, "%s", word);
        break;
      }
  }
  fclose(file);
}

static void say_driver(char *text, size_t bytes)
{
  const cuda_platform *p = &cuda_found;
  snprintf(text, bytes, "CUDA driver %d.%d%s%.31s%s", p->driver_version / 1000,
           p->driver_version % 1000 / 10, p->driver_release[0] ? " (" : "", p->driver_release,
           p->driver_release[0] ? ")" : "");
}

/* cuInit failed: each cause has its own cure. */
static void explain_init(trm_probe *out, cu_result result)
{
  char text[256];
  snprintf(out->reason, sizeof out->reason, "cuInit: %s",
           cuda_result_text(result, text, sizeof text));
  if (result == CU_NO_DEVICE)
    not_ready(out, TRM_BACKEND_NO_DEVICE,
              "check that nvidia-smi lists a GPU, that /dev/nvidia* may be opened by this user, "
              "and that CUDA_VISIBLE_DEVICES is unset or names one");
  else if (result == CU_STUB_LIBRARY)
    not_ready(out, TRM_BACKEND_NO_DRIVER,
              "the loader found a CUDA toolkit's stub library instead of the driver's "
              "libcuda.so.1: take the toolkit's folder `stubs` out of LD_LIBRARY_PATH, and "
              "install NVIDIA's driver if it is missing");
  else if (result == CU_SYSTEM_DRIVER_MISMATCH)
    not_ready(out, TRM_BACKEND_BROKEN,
              "libcuda.so.1 and the loaded kernel module are of different releases: restart the "
              "machine after a driver update");
  else if (result == CU_COMPAT_NOT_SUPPORTED)
    not_ready(out, TRM_BACKEND_DRIVER_TOO_OLD,
              "take the CUDA compatibility package's folder out of LD_LIBRARY_PATH, or update "
              "NVIDIA's driver");
  else if (result == CU_SYSTEM_NOT_READY)
    not_ready(out, TRM_BACKEND_BROKEN, "start NVIDIA's fabric manager: systemctl start "
              "nvidia-fabricmanager");
  else
    not_ready(out, TRM_BACKEND_BROKEN,
              "check `nvidia-smi` and the kernel's log (dmesg | grep -i -e nvidia -e NVRM); "
              "loading the module nvidia-uvm (modprobe nvidia-uvm) or a restart often helps");
}

/* 1 when the driver is there and answers. */
static int probe_driver(trm_probe *out, int *devices)
{
  int version;
  const char *problem = cuda_driver_open(&version);
  if (problem && version == 0 && !cu.cuDriverGetVersion) {
    snprintf(out->reason, sizeof out->reason, "%s", problem);
    not_ready(out, TRM_BACKEND_NO_DRIVER, install_driver);
    return 0;
  }
  if (version != 0 && version < TRM_CUDA_OLDEST_DRIVER) {
    snprintf(out->reason, sizeof out->reason,
             "the driver is for CUDA %d.%d; CUDA %d.%d (driver 520) is the oldest that will do",
             version / 1000, version % 1000 / 10, TRM_CUDA_OLDEST_DRIVER / 1000,
             TRM_CUDA_OLDEST_DRIVER % 1000 / 10);
    not_ready(out, TRM_BACKEND_DRIVER_TOO_OLD, "update NVIDIA's driver to release 520 or newer");
    return 0;
  }
  if (problem) {
    snprintf(out->reason, sizeof out->reason, "%s", problem);
    not_ready(out, TRM_BACKEND_BROKEN, "reinstall NVIDIA's driver: its library is damaged");
    return 0;
  }
  cuda_found.driver_version = version;
  read_release(cuda_found.driver_release, sizeof cuda_found.driver_release);
  cu_result result = cu.cuInit(0);
  if (result == CU_OK && version == 0) result = CU_UNKNOWN;
  if (result == CU_OK) result = cu.cuDeviceGetCount(devices);
  if (result == CU_OK && *devices == 0) result = CU_NO_DEVICE;
  if (result == CU_OK) return 1;
  explain_init(out, result);
  return 0;
}

/* 1 when there is a compiler whose code this driver can load. */
static int probe_compiler(trm_probe *out)
{
  const cuda_platform *p = &cuda_found;
  const char *problem = cuda_nvrtc_open(p->driver_version);
  if (problem) {
    snprintf(out->reason, sizeof out->reason, "no NVRTC (CUDA's run-time compiler): %s", problem);
    snprintf(out->cure, sizeof out->cure,
             "install it (Debian: apt install libnvrtc11.2; NVIDIA's packages: cuda-nvrtc-%d-0; "
             "pip install nvidia-cuda-nvrtc), or give the file's path in TRIREME_NVRTC",
             p->driver_version / 1000);
    out->state = TRM_BACKEND_MISSING_LIBRARY;
    return 0;
  }
  if (p->nvrtc_major <= p->driver_version / 1000) return 1;
  snprintf(out->reason, sizeof out->reason,
           "the only NVRTC found is %d.%d (%.255s), whose code a driver for CUDA %d.%d cannot "
           "load",
           p->nvrtc_major, p->nvrtc_minor, p->nvrtc_file, p->driver_version / 1000,
           p->driver_version % 1000 / 10);
  snprintf(out->cure, sizeof out->cure,
           "update NVIDIA's driver, or install NVRTC %d and name its file in TRIREME_NVRTC",
           p->driver_version / 1000);
  out->state = TRM_BACKEND_DRIVER_TOO_OLD;
  return 0;
}

void cuda_probe(trm_probe *out)
{
  int devices = 0;
  memset(out, 0, sizeof *out);
  memset(&cuda_found, 0, sizeof cuda_found);
  const int driver_good = probe_driver(out, &devices);
  if (cuda_found.driver_version) say_driver(out->version, sizeof out->version);
  if (!driver_good || !probe_compiler(out)) return;
  const size_t used = strlen(out->version);
  snprintf(out->version + used, sizeof out->version - used, ", NVRTC %d.%d",
           cuda_found.nvrtc_major, cuda_found.nvrtc_minor);
  out->state = TRM_BACKEND_READY;
  out->device_count = (size_t)devices;
}

cuda_target cuda_target_of(int capability)
{
  const cuda_platform *p = &cuda_found;
  cuda_target target = {0, 0};
  for (int i = 0; i < p->arch_count; i++)
    if (p->archs[i] <= capability && p->archs[i] > target.arch) target.arch = p->archs[i];
  target.is_ptx = target.arch != capability;
  return target;
}

static trm_status query(size_t index, cu_device device, trm_device_info *out)
{
  int major, minor, units, can_map;
  size_t memory;
  CU_TRY(NULL, cuDeviceGetName, (out->name, (int)sizeof out->name, device));
  CU_TRY(NULL, cuDeviceGetPCIBusId, (out->pci, (int)sizeof out->pci, device));
  CU_TRY(NULL, cuDeviceTotalMem_v2, (&memory, device));
  CU_TRY(NULL, cuDeviceGetAttribute, (&major, CU_CAPABILITY_MAJOR, device));
  CU_TRY(NULL, cuDeviceGetAttribute, (&minor, CU_CAPABILITY_MINOR, device));
  CU_TRY(NULL, cuDeviceGetAttribute, (&units, CU_MULTIPROCESSOR_COUNT, device));
  CU_TRY(NULL, cuDeviceGetAttribute, (&can_map, CU_HAS_MAPPED_MEMORY, device));
  out->index = index;
  out->memory_bytes = memory;
  out->compute_units = units;
  if (!can_map)
    snprintf(out->whole, sizeof out->whole, "its driver has no virtual memory management");
  const cuda_target target = cuda_target_of(10 * major + minor);
  cuda_temporal_tell(target, out->fused, sizeof out->fused);
  snprintf(out->compiler, sizeof out->compiler,
           "NVRTC %d.%d for %s_%d (compute capability %d.%d)",
           cuda_found.nvrtc_major, cuda_found.nvrtc_minor, target.is_ptx ? "compute" : "sm",
           target.arch, major, minor);
  return TRM_OK;
}

trm_status cuda_describe(size_t index, trm_device_info *out)
{
  trm_device_info info;
  cu_device device;
  memset(&info, 0, sizeof info);
  CU_TRY(NULL, cuDeviceGet, (&device, (int)index));
  TRM_TRY(query(index, device, &info));
  snprintf(info.backend, sizeof info.backend, "cuda");
  snprintf(info.vendor, sizeof info.vendor, "NVIDIA");
  say_driver(info.driver, sizeof info.driver);
  info.has_f64 = 1;
  info.row_group_x = 128;
  info.row_group_y = 1;
  info.group = 256;
  info.row_align_bytes = 128;
  *out = info;
  return TRM_OK;
}
