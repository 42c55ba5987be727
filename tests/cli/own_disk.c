/* own_disk.c - file systems of this process's own, in a mount namespace: as root at once, else in a
 * user namespace of which the process is root. */
#include "tests/cli/own_disk.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/harness.h"

static int write_line(const char *path, const char *line)
{
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  const ssize_t length = (ssize_t)strlen(line);
  const int good = file >= 0 && write(file, line, (size_t)length) == length;
  if (file >= 0) close(file);
  return good;
}

static int become_root_of_own(void)
{
  char users[64], groups[64];
  snprintf(users, sizeof users, "0 %ld 1\n", (long)geteuid());
  snprintf(groups, sizeof groups, "0 %ld 1\n", (long)getegid());
  return unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 && write_line("/proc/self/setgroups", "deny") &&
         write_line("/proc/self/uid_map", users) && write_line("/proc/self/gid_map", groups);
}

void own_disk_begin(void)
{
  static int begun;
  if (begun) return;
  if (unshare(CLONE_NEWNS) != 0 && !become_root_of_own())
    TEST_SKIP("no mounts of one's own here (unshare: %s)", strerror(errno));
  if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
    TEST_SKIP("no mounts of one's own here (mount: %s)", strerror(errno));
  begun = 1;
}

void own_disk_mount(const char *folder, size_t bytes)
{
  char size[64];
  snprintf(size, sizeof size, "size=%zu,mode=0700", bytes ? bytes : 1);
  if (mkdir(folder, 0700) != 0) assert_int_equal(errno, EEXIST);
  if (mount("own", folder, "tmpfs", 0, size) != 0)
    TEST_SKIP("no file system of one's own here (mount: %s)", strerror(errno));
}

void own_disk_protect(const char *folder)
{
  assert_int_equal(mount("own", folder, NULL, MS_REMOUNT | MS_RDONLY, NULL), 0);
}

void own_disk_remove(const char *folder)
{
  assert_int_equal(umount2(folder, MNT_DETACH), 0);
  assert_int_equal(rmdir(folder), 0);
}
