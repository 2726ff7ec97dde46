#define _GNU_SOURCE
#include "cmedia.h"

#include <errno.h>

#ifdef __linux__
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "the sandbox knows x86-64 and arm64"
#endif

// A filter is a list of rules, evaluated from top to bottom: each rule either returns a decision or falls through to the next.
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
// Loads the lower half of an argument (on little-endian machines); the flags that are checked below are 32 bits wide.
#define LOAD_ARGUMENT(n) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[n]))
#define ANSWER(what) BPF_STMT(BPF_RET | BPF_K, what)
#define REFUSE(code) ANSWER(SECCOMP_RET_ERRNO | (code))
#define IS_NOT(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (skip))
#define ALLOW(name) IS_NOT(__NR_##name, 1), ANSWER(SECCOMP_RET_ALLOW)
#define FAIL(name, code) IS_NOT(__NR_##name, 1), REFUSE(code)
/// Allows the call if none of these bits is set in argument n.
#define ALLOW_WITHOUT(name, n, bits) \
    IS_NOT(__NR_##name, 4), LOAD_ARGUMENT(n), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), 0, 1), REFUSE(EPERM), ANSWER(SECCOMP_RET_ALLOW)
/// Allows the call if this bit is set in argument n.
#define ALLOW_WITH(name, n, bit) \
    IS_NOT(__NR_##name, 4), LOAD_ARGUMENT(n), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bit), 1, 0), REFUSE(EPERM), ANSWER(SECCOMP_RET_ALLOW)
/// Allows the call if the lower half of argument n has this value.
#define ALLOW_EQUAL(name, n, value) \
    IS_NOT(__NR_##name, 4), LOAD_ARGUMENT(n), IS_NOT((value), 1), ANSWER(SECCOMP_RET_ALLOW), REFUSE(EPERM)
/// Allows the call if argument n is NULL; checks both halves.
#define ALLOW_NULL(name, n) \
    IS_NOT(__NR_##name, 6), LOAD_ARGUMENT(n), IS_NOT(0, 3), \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[n]) + 4), IS_NOT(0, 1), ANSWER(SECCOMP_RET_ALLOW), REFUSE(EPERM)
/// Allows fcntl, except for sending signals to another process.
#define ALLOW_FCNTL \
    IS_NOT(__NR_fcntl, 6), LOAD_ARGUMENT(1), IS_NOT(F_SETOWN, 1), REFUSE(EPERM), IS_NOT(F_SETOWN_EX, 1), REFUSE(EPERM), \
    ANSWER(SECCOMP_RET_ALLOW)
/// Allows signals to the process itself, as abort() sends them. The process id does not change with exec.
#define ALLOW_OWN_SIGNALS ALLOW_EQUAL(tgkill, 0, (unsigned int)getpid())
#define FOREIGN_CALLS_DIE \
    LOAD(arch), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0), ANSWER(SECCOMP_RET_KILL_PROCESS), LOAD(nr)

static int install(struct sock_filter *rules, size_t count) {
    struct sock_fprog program = {.len = (unsigned short)count, .filter = rules};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -errno;
    // TSYNC applies the filter also to threads that libraries have started.
    long code = syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
    return code == 0 ? 0 : code > 0 ? -ESRCH : -errno;
}

// Rules that both filters share: memory, open descriptors, threads, time and random numbers.
#define ALLOW_DESCRIPTORS \
    ALLOW(read), ALLOW(write), ALLOW(readv), ALLOW(writev), ALLOW(pread64), ALLOW(pwrite64), ALLOW(lseek), ALLOW(close), ALLOW(fstat), ALLOW_FCNTL
#define ALLOW_MEMORY ALLOW(munmap), ALLOW(mremap), ALLOW(madvise), ALLOW(brk)
// Allows threads, but not processes. A filter cannot read the flags of clone3; when it fails with ENOSYS, glibc uses clone.
#define ALLOW_THREADS \
    FAIL(clone3, ENOSYS), ALLOW_WITH(clone, 0, CLONE_THREAD), ALLOW(futex), ALLOW(set_robust_list), ALLOW(rseq), ALLOW(gettid), ALLOW(getpid), \
    ALLOW(sched_yield), ALLOW(sched_getaffinity), ALLOW(exit), ALLOW(exit_group), ALLOW(rt_sigaction), ALLOW(rt_sigprocmask), \
    ALLOW(rt_sigreturn), ALLOW(sigaltstack), ALLOW(restart_syscall), ALLOW_OWN_SIGNALS
#define ALLOW_TIME \
    ALLOW(clock_gettime), ALLOW(clock_getres), ALLOW(clock_nanosleep), ALLOW(nanosleep), ALLOW(gettimeofday), ALLOW(getrandom), \
    ALLOW(getrusage), ALLOW(sysinfo)

int media_seal_decoder(void) {
    struct sock_filter rules[] = {
        FOREIGN_CALLS_DIE,
        // Memory is never executable, so injected code stays data.
        ALLOW_WITHOUT(mmap, 2, PROT_EXEC), ALLOW_WITHOUT(mprotect, 2, PROT_EXEC), ALLOW_MEMORY,
        ALLOW_DESCRIPTORS, ALLOW_WITH(newfstatat, 3, AT_EMPTY_PATH), ALLOW(ftruncate), ALLOW(ppoll), ALLOW(sendmsg), ALLOW(recvmsg),
        ALLOW(memfd_create),
#ifdef __x86_64__
        ALLOW(poll),
#endif
        ALLOW_THREADS, ALLOW_TIME,
        REFUSE(EPERM),
    };
    return install(rules, sizeof rules / sizeof *rules);
}

// Allows the calls that ffmpeg, ffprobe and pocketsphinx make on all fixtures of the tests, as counted by strace, and those that the
// dynamic linker and a shell need to start. Landlock decides which files may be opened and executed; this filter blocks opening for
// writing.
int media_seal_tool(void) {
    enum { writing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND };
    struct sock_filter rules[] = {
        FOREIGN_CALLS_DIE,
        ALLOW(mmap), ALLOW(mprotect), ALLOW_MEMORY, ALLOW_DESCRIPTORS,
        ALLOW_WITHOUT(openat, 2, writing), ALLOW(newfstatat), FAIL(statx, ENOSYS), ALLOW(faccessat), ALLOW(readlinkat), ALLOW(getdents64),
        ALLOW(statfs), ALLOW(fstatfs), ALLOW(getcwd), ALLOW(dup), ALLOW(dup3), ALLOW(ppoll), ALLOW(pselect6),
        // ioctl reports that the descriptor is not a terminal.
        FAIL(ioctl, ENOTTY),
#ifdef __x86_64__
        ALLOW_WITHOUT(open, 1, writing), ALLOW(stat), ALLOW(lstat), ALLOW(access), ALLOW(readlink), ALLOW(dup2), ALLOW(poll), ALLOW(select),
        ALLOW(time), ALLOW(arch_prctl), ALLOW(getpgrp),
#endif
        // The program needs these calls to start. The executed program inherits this filter, so another exec gains nothing.
        ALLOW(execve), ALLOW(set_tid_address), ALLOW_NULL(prlimit64, 2), ALLOW(getrlimit), ALLOW(uname), ALLOW(times),
        ALLOW(getppid), ALLOW(getuid), ALLOW(geteuid), ALLOW(getgid), ALLOW(getegid), ALLOW_EQUAL(prctl, 0, PR_SET_NAME),
        ALLOW_THREADS, ALLOW_TIME,
        REFUSE(EPERM),
    };
    return install(rules, sizeof rules / sizeof *rules);
}

int media_drop_capabilities(void) {
    struct { uint32_t version; int process; } header = {0x20080522, 0};
    struct { uint32_t effective, permitted, inheritable; } none[2] = {{0}};
    return syscall(__NR_capset, &header, none) == 0 ? 0 : -errno;
}
#else
int media_seal_decoder(void) { return -ENOSYS; }
int media_seal_tool(void) { return -ENOSYS; }
int media_drop_capabilities(void) { return -ENOSYS; }
#endif
