#define _GNU_SOURCE
#include "cmedia.h"

#include <errno.h>

#ifdef __linux__
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

int media_spawn(
    const char *path, char *const *arguments, char *const *environment, int socket, int input, int output, pid_t *process) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    // A dup2 onto a number that a later one still reads from would lose it; ours are all above 3, because the program has 0, 1
    // and 2 open, and every socket is made after those.
    if (input >= 0)
        posix_spawn_file_actions_adddup2(&actions, input, 0);
    else
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (output >= 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1);
    else
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    // What a decoder says is chosen by whoever made the file: it does not reach a log.
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    if (socket >= 0) posix_spawn_file_actions_adddup2(&actions, socket, 3);
    posix_spawn_file_actions_addclosefrom_np(&actions, socket >= 0 ? 4 : 3);

    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    sigdelset(&all, SIGKILL);
    sigdelset(&all, SIGSTOP);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    int code = posix_spawn(process, path, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return -code;
}

int64_t media_processor_time(pid_t process) {
    clockid_t clock;
    struct timespec used;
    int code = clock_getcpuclockid(process, &clock);
    if (code != 0) return -code;
    if (clock_gettime(clock, &used) != 0) return -errno;
    return (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
}

int64_t media_resident_bytes(pid_t process) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/statm", (int)process);
    FILE *file = fopen(path, "re");
    if (!file) return -errno;
    long long pages = -ESRCH;
    int found = fscanf(file, "%*s %lld", &pages);
    fclose(file);
    return found == 1 ? pages * sysconf(_SC_PAGESIZE) : -ESRCH;
}

int media_allow_processor_time(pid_t process, int seconds) {
    int64_t used = media_processor_time(process);
    if (used < 0) return (int)used;
    struct rlimit limit;
    if (prlimit(process, RLIMIT_CPU, NULL, &limit) != 0) return -errno;
    rlim_t until = (rlim_t)(used / 1000000000 + 1 + seconds);
    limit.rlim_cur = until < limit.rlim_max ? until : limit.rlim_max;
    return prlimit(process, RLIMIT_CPU, &limit, NULL) == 0 ? 0 : -errno;
}
#else
int media_spawn(
    const char *path, char *const *arguments, char *const *environment, int socket, int input, int output, pid_t *process) {
    return -ENOSYS;
}
int64_t media_processor_time(pid_t process) { return -ENOSYS; }
int64_t media_resident_bytes(pid_t process) { return -ENOSYS; }
int media_allow_processor_time(pid_t process, int seconds) { return -ENOSYS; }
#endif
