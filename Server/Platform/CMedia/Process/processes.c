#define _GNU_SOURCE
#include "cmedia.h"

#include <errno.h>

#ifdef __linux__
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct start {
    const char *path;
    char *const *arguments, *const *environment;
    int socket, input, output;
    /// The errno when the program could not be executed; 0 otherwise.
    int error;
};

/// Runs in the child until exec. It shares our memory, and the parent waits. It makes only calls that are safe after fork.
static int become(void *argument) {
    struct start *start = argument;
    struct sigaction standard = {.sa_handler = SIG_DFL};
    for (int number = 1; number < 65; number++) sigaction(number, &standard, NULL);
    // A dup2 must not overwrite a descriptor that a later dup2 needs. Ours are all above 3, because the server has 0, 1 and 2 open, and
    // creates the sockets after those.
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    // A decoder's messages may contain text from a hostile file, so they must not reach a log.
    if (nothing < 0 || dup2(start->input >= 0 ? start->input : nothing, 0) < 0 || dup2(start->output >= 0 ? start->output : nothing, 1) < 0 ||
        dup2(nothing, 2) < 0 || (start->socket >= 0 && dup2(start->socket, 3) < 0) || setpgid(0, 0) != 0)
        goto failed;
    unsigned int first = start->socket >= 0 ? 4 : 3;
    if (syscall(__NR_close_range, first, ~0U, 0) != 0) {
        long most = sysconf(_SC_OPEN_MAX);
        for (long descriptor = first; descriptor < most; descriptor++) close((int)descriptor);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(start->path, start->arguments, start->environment);
failed:
    start->error = errno;
    _exit(127);
}

enum { isolation = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC, stack_size = 64 * 1024 };

/// Works like posix_spawn, which cannot create namespaces.
static pid_t start_child(int (*body)(void *), void *argument, int flags) {
    char *stack = mmap(NULL, stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED) return -errno;
    sigset_t all, before;
    sigfillset(&all);
    // Signal handlers must not run in the child, which shares our memory.
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t child = clone(body, stack + stack_size, CLONE_VM | CLONE_VFORK | SIGCHLD | flags, argument);
    int code = child < 0 ? -errno : child;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    munmap(stack, stack_size);
    return code;
}

int media_spawn(
    const char *path, char *const *arguments, char *const *environment, int socket, int input, int output, int isolated, pid_t *process) {
    struct start start = {
        .path = path, .arguments = arguments, .environment = environment, .socket = socket, .input = input, .output = output};
    pid_t child = isolated ? start_child(become, &start, isolation) : -EPERM;
    // Namespaces are disabled, or their number is exhausted.
    if (child < 0) child = start_child(become, &start, 0);
    if (child < 0) return child;
    if (start.error) {
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
        return -start.error;
    }
    *process = child;
    return 0;
}

static int leave(void *argument) { _exit(0); }

int media_has_namespaces(void) {
    pid_t child = start_child(leave, NULL, isolation);
    if (child < 0) return 0;
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    return 1;
}

int media_hide_process(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 ? 0 : -errno; }

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
    const char *path, char *const *arguments, char *const *environment, int socket, int input, int output, int isolated, pid_t *process) {
    return -ENOSYS;
}
int media_has_namespaces(void) { return 0; }
int media_hide_process(void) { return -ENOSYS; }
int64_t media_processor_time(pid_t process) { return -ENOSYS; }
int64_t media_resident_bytes(pid_t process) { return -ENOSYS; }
int media_allow_processor_time(pid_t process, int seconds) { return -ENOSYS; }
#endif
