#define _GNU_SOURCE
#include "cmedia.h"

#include <errno.h>

#ifdef __linux__
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Copied from linux/landlock.h, because the headers of the build machine may be older than the kernel that runs the program.
#ifndef __NR_landlock_create_ruleset
#define __NR_landlock_create_ruleset 444
#define __NR_landlock_add_rule 445
#define __NR_landlock_restrict_self 446
#endif

enum {
    fs_execute = 1 << 0,
    fs_read_file = 1 << 2,
    fs_read_dir = 1 << 3,
    net_all = 3,
    scope_all = 3,
    rule_path_beneath = 1,
    create_version = 1,
};

struct ruleset {
    uint64_t fs, net, scoped;
};

struct path_rule {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));

int media_landlock_version(void) {
    long version = syscall(__NR_landlock_create_ruleset, NULL, 0, create_version);
    return version < 0 ? -errno : (int)version;
}

/// Creates a ruleset that blocks everything this version of Landlock can block. Rules then allow a part of it.
static long make_ruleset(int version) {
    struct ruleset rules = {.fs = 0x1FFF};
    size_t size = sizeof(uint64_t);
    if (version >= 2) rules.fs |= 1 << 13;  // Renaming and linking across folders.
    if (version >= 3) rules.fs |= 1 << 14;  // Truncating.
    if (version >= 4) rules.net = net_all, size = 2 * sizeof(uint64_t);
    if (version >= 5) rules.fs |= 1 << 15;  // ioctl on devices.
    // Abstract Unix sockets, and signals to processes outside the sandbox.
    if (version >= 6) rules.scoped = scope_all, size = sizeof rules;
    return syscall(__NR_landlock_create_ruleset, &rules, size, 0);
}

static int allow_descriptor(int ruleset, int descriptor, uint64_t rights) {
    struct stat status;
    if (fstat(descriptor, &status) != 0) return -errno;
    if (!S_ISDIR(status.st_mode)) rights &= ~(uint64_t)fs_read_dir;
    struct path_rule rule = {.allowed = rights, .parent = descriptor};
    if (syscall(__NR_landlock_add_rule, ruleset, rule_path_beneath, &rule, 0) == 0) return 0;
    // EBADFD means that the descriptor is a pipe, a socket or a file in memory. Landlock does not restrict those.
    return errno == EBADFD ? 0 : -errno;
}

/// Ignores missing paths: not every machine has every folder.
static int allow_path(int ruleset, const char *path, uint64_t rights) {
    int descriptor = open(path, O_PATH | O_CLOEXEC);
    if (descriptor < 0) return 0;
    int code = allow_descriptor(ruleset, descriptor, rights);
    close(descriptor);
    return code;
}

/// Allows the interpreter that a script's first line names; without it, the script does not start.
static int allow_interpreter(int ruleset, const char *program) {
    char line[256];
    int descriptor = open(program, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return 0;
    ssize_t length = read(descriptor, line, sizeof line - 1);
    close(descriptor);
    if (length < 3 || line[0] != '#' || line[1] != '!') return 0;
    line[length] = 0;
    char *start = line + 2 + strspn(line + 2, " \t");
    start[strcspn(start, " \t\n")] = 0;
    return allow_path(ruleset, start, fs_execute | fs_read_file);
}

int media_confine(const char *program, const char *const *readable) {
    int version = media_landlock_version();
    // The kernel has no Landlock, Landlock is switched off, or a container's filter blocks it. Then only the sandbox's other layers apply.
    if (version == -ENOSYS || version == -EOPNOTSUPP || version == -EPERM) return 0;
    if (version < 0) return version;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -errno;
    long made = make_ruleset(version);
    if (made < 0) return -errno;
    int ruleset = (int)made, code = 0;
    if (program) {
        // These folders hold the libraries and the dynamic linker, which must be executable.
        static const char *const libraries[] = {"/usr/lib", "/usr/lib64", "/usr/lib32", "/lib", "/lib64", "/usr/local/lib", "/usr/local/lib64"};
        for (size_t i = 0; !code && i < sizeof libraries / sizeof *libraries; i++)
            code = allow_path(ruleset, libraries[i], fs_execute | fs_read_file | fs_read_dir);
        if (!code) code = allow_path(ruleset, "/etc/ld.so.cache", fs_read_file);
        if (!code) code = allow_path(ruleset, program, fs_execute | fs_read_file);
        if (!code) code = allow_interpreter(ruleset, program);
        // Descriptor 0 is the one file that the program reads. It needs a rule, because ffmpeg opens it again as /dev/fd/0.
        if (!code) code = allow_descriptor(ruleset, 0, fs_read_file);
    }
    for (; !code && readable && *readable; readable++) code = allow_path(ruleset, *readable, fs_read_file | fs_read_dir);
    if (!code && syscall(__NR_landlock_restrict_self, ruleset, 0) != 0) code = -errno;
    close(ruleset);
    return code;
}
#else
int media_landlock_version(void) { return -ENOSYS; }
int media_confine(const char *program, const char *const *readable) { return -ENOSYS; }
#endif
