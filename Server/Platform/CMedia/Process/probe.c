#define _GNU_SOURCE
#include "cmedia.h"

#ifdef __linux__
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static int can_read(const char *path) {
    char byte;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return 0;
    ssize_t length = read(descriptor, &byte, 1);
    close(descriptor);
    return length >= 0;
}

/// Opening the file checks the permission; there is no need to read.
static int can_see_memory(pid_t process) {
    char path[64], byte;
    snprintf(path, sizeof path, "/proc/%d/mem", (int)process);
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor >= 0) return 1;
    // Tries to read at the address of a function of this program. EFAULT would also mean that reading is permitted; EPERM means that it is
    // not.
    struct iovec here = {&byte, 1}, there = {(void *)&can_read, 1};
    return process_vm_readv(process, &here, 1, &there, 1, 0) == 1;
}

int media_probe_sandbox(pid_t victim, const char *file, int exec_too) {
    int got = 0;
    char environment[64], scratch[64];
    snprintf(environment, sizeof environment, "/proc/%d/environ", (int)victim);
    snprintf(scratch, sizeof scratch, "/tmp/keepsake-media-probe-%d", (int)victim);
    if (socket(AF_INET, SOCK_STREAM, 0) >= 0 || socket(AF_UNIX, SOCK_STREAM, 0) >= 0) got |= media_probe_socket;
    if (can_read(file)) got |= media_probe_file;
    if (can_read(environment)) got |= media_probe_environment;
    if (can_see_memory(victim)) got |= media_probe_memory;
    if (kill(victim, 0) == 0) got |= media_probe_signal;
    if (open(scratch, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) >= 0) {
        got |= media_probe_writing;
        unlink(scratch);
    }
    pid_t child = (pid_t)syscall(__NR_clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0) _exit(0);
    if (child > 0) {
        got |= media_probe_fork;
        waitpid(child, NULL, 0);
    }
    void *much = mmap(NULL, (size_t)8 << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (much != MAP_FAILED) got |= media_probe_much_memory;
    void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (code != MAP_FAILED) got |= media_probe_code;
    // Attach without stopping the process, and detach.
    if (ptrace(PTRACE_SEIZE, victim, 0, 0) == 0) {
        got |= media_probe_tracing;
        ptrace(PTRACE_DETACH, victim, 0, 0);
    }
    // If this succeeds, only the exit code of /bin/false reports it.
    if (exec_too) execl("/bin/false", "false", (char *)0);
    return got;
}
#else
int media_probe_sandbox(pid_t victim, const char *file, int exec_too) { return -1; }
#endif
