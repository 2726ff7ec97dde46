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
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "the sandbox knows x86-64 and arm64"
#endif

// A filter is a list of these, written top down: each rule either answers or falls through to the next.
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
// The lower half of an argument, on little-endian machines; the flags looked at below are 32 bits wide.
#define LOAD_ARGUMENT(n) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[n]))
#define ANSWER(what) BPF_STMT(BPF_RET | BPF_K, what)
#define REFUSE(code) ANSWER(SECCOMP_RET_ERRNO | (code))
#define IS_NOT(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (skip))
#define ALLOW(name) IS_NOT(__NR_##name, 1), ANSWER(SECCOMP_RET_ALLOW)
#define FAIL(name, code) IS_NOT(__NR_##name, 1), REFUSE(code)
/// Allowed when none of these bits is set in argument n.
#define ALLOW_WITHOUT(name, n, bits) \
    IS_NOT(__NR_##name, 4), LOAD_ARGUMENT(n), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), 0, 1), REFUSE(EPERM), ANSWER(SECCOMP_RET_ALLOW)
/// Allowed when all of the one bit is set in argument n.
#define ALLOW_WITH(name, n, bit) \
    IS_NOT(__NR_##name, 4), LOAD_ARGUMENT(n), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bit), 1, 0), REFUSE(EPERM), ANSWER(SECCOMP_RET_ALLOW)
/// Refused when one of these bits is set in argument n.
#define FAIL_WITH(name, n, bits, code) \
    IS_NOT(__NR_##name, 4), LOAD_ARGUMENT(n), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), 0, 1), REFUSE(code), ANSWER(SECCOMP_RET_ALLOW)
#define FOREIGN_CALLS_DIE \
    LOAD(arch), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0), ANSWER(SECCOMP_RET_KILL_PROCESS), LOAD(nr)

static int install(struct sock_filter *rules, size_t count) {
    struct sock_fprog program = {.len = (unsigned short)count, .filter = rules};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -errno;
    // TSYNC: threads the libraries have started are held too.
    long code = syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
    return code == 0 ? 0 : code > 0 ? -ESRCH : -errno;
}

int media_seal_decoder(void) {
    struct sock_filter rules[] = {
        FOREIGN_CALLS_DIE,
        // Memory; never executable, so injected code stays data.
        ALLOW_WITHOUT(mmap, 2, PROT_EXEC), ALLOW_WITHOUT(mprotect, 2, PROT_EXEC), ALLOW(munmap), ALLOW(mremap), ALLOW(madvise), ALLOW(brk),
        // The descriptors we have.
        ALLOW(read), ALLOW(write), ALLOW(readv), ALLOW(writev), ALLOW(pread64), ALLOW(pwrite64), ALLOW(lseek), ALLOW(close), ALLOW(fstat),
        ALLOW_WITH(newfstatat, 3, AT_EMPTY_PATH), ALLOW(fcntl), ALLOW(ftruncate), ALLOW(ppoll), ALLOW(sendmsg), ALLOW(recvmsg), ALLOW(memfd_create),
#ifdef __x86_64__
        ALLOW(poll),
#endif
        // Threads, but no processes. The flags of clone3 are out of a filter's sight; without it glibc takes clone.
        FAIL(clone3, ENOSYS), ALLOW_WITH(clone, 0, CLONE_THREAD), ALLOW(futex), ALLOW(set_robust_list), ALLOW(rseq), ALLOW(gettid),
        ALLOW(getpid), ALLOW(sched_yield), ALLOW(sched_getaffinity), ALLOW(exit), ALLOW(exit_group), ALLOW(rt_sigaction),
        ALLOW(rt_sigprocmask), ALLOW(rt_sigreturn), ALLOW(sigaltstack), ALLOW(restart_syscall),
        // Time and chance.
        ALLOW(clock_gettime), ALLOW(clock_getres), ALLOW(clock_nanosleep), ALLOW(nanosleep), ALLOW(gettimeofday), ALLOW(getrandom),
        ALLOW(getrusage), ALLOW(sysinfo),
        REFUSE(EPERM),
    };
    return install(rules, sizeof rules / sizeof *rules);
}

int media_seal_tool(void) {
    enum { writing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND };
    struct sock_filter rules[] = {
        FOREIGN_CALLS_DIE,
#ifdef __x86_64__
        // The other table of calls of this machine, which the numbers below would not match.
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x40000000, 0, 1), ANSWER(SECCOMP_RET_KILL_PROCESS),
        FAIL_WITH(open, 1, writing, EACCES), FAIL(creat, EACCES), FAIL(fork, EPERM), FAIL(vfork, EPERM), FAIL(rename, EPERM),
        FAIL(unlink, EPERM), FAIL(rmdir, EPERM), FAIL(mkdir, EPERM), FAIL(link, EPERM), FAIL(symlink, EPERM), FAIL(mknod, EPERM),
        FAIL(chmod, EPERM), FAIL(chown, EPERM), FAIL(lchown, EPERM), FAIL(utime, EPERM), FAIL(utimes, EPERM), FAIL(futimesat, EPERM),
#endif
        FAIL_WITH(openat, 2, writing, EACCES), FAIL(openat2, ENOSYS), FAIL(socket, EPERM), FAIL(socketpair, EPERM), FAIL(connect, EPERM),
        FAIL(bind, EPERM), FAIL(listen, EPERM), FAIL(ptrace, EPERM), FAIL(process_vm_readv, EPERM), FAIL(process_vm_writev, EPERM),
        FAIL(kill, EPERM), FAIL(tkill, EPERM), FAIL(pidfd_open, EPERM), FAIL(pidfd_send_signal, EPERM), FAIL(pidfd_getfd, EPERM),
        FAIL(renameat, EPERM), FAIL(renameat2, EPERM), FAIL(unlinkat, EPERM), FAIL(mkdirat, EPERM), FAIL(linkat, EPERM),
        FAIL(symlinkat, EPERM), FAIL(mknodat, EPERM), FAIL(fchmodat, EPERM), FAIL(fchmod, EPERM), FAIL(fchown, EPERM), FAIL(fchownat, EPERM),
        FAIL(truncate, EPERM), FAIL(setxattr, EPERM), FAIL(lsetxattr, EPERM), FAIL(fsetxattr, EPERM), FAIL(utimensat, EPERM),
        FAIL(mount, EPERM), FAIL(umount2, EPERM), FAIL(setns, EPERM), FAIL(unshare, EPERM), FAIL(chroot, EPERM), FAIL(pivot_root, EPERM),
        FAIL(bpf, EPERM), FAIL(perf_event_open, EPERM), FAIL(userfaultfd, EPERM), FAIL(keyctl, EPERM), FAIL(add_key, EPERM),
        FAIL(request_key, EPERM), FAIL(io_uring_setup, ENOSYS), FAIL(init_module, EPERM), FAIL(finit_module, EPERM),
        FAIL(delete_module, EPERM), FAIL(kexec_load, EPERM), FAIL(reboot, EPERM), FAIL(swapon, EPERM), FAIL(sethostname, EPERM),
        FAIL(clock_settime, EPERM), FAIL(settimeofday, EPERM), FAIL(setuid, EPERM), FAIL(setgid, EPERM), FAIL(setresuid, EPERM),
        FAIL(setresgid, EPERM), FAIL(prlimit64, EPERM), FAIL(setrlimit, EPERM),
        // Threads, but no processes.
        FAIL(clone3, ENOSYS), ALLOW_WITH(clone, 0, CLONE_THREAD),
        ANSWER(SECCOMP_RET_ALLOW),
    };
    return install(rules, sizeof rules / sizeof *rules);
}

int media_probe_sandbox(int exec_too) {
    int got = 0;
    if (socket(AF_INET, SOCK_STREAM, 0) >= 0 || socket(AF_UNIX, SOCK_STREAM, 0) >= 0) got |= 1;
    if (open("/tmp/keepsake-media-probe", O_WRONLY | O_CREAT | O_TRUNC, 0600) >= 0) got |= 4;
    if (open("/etc/passwd", O_RDONLY) >= 0) got |= 8;
    pid_t child = (pid_t)syscall(__NR_clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0) _exit(0);
    if (child > 0) got |= 16;
    if (ptrace(PTRACE_TRACEME, 0, 0, 0) == 0) got |= 32;
    if (kill(getppid(), 0) == 0) got |= 64;
    void *much = mmap(NULL, (size_t)8 << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (much != MAP_FAILED) got |= 128;
    void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (code != MAP_FAILED) got |= 256;
    // Where this works, nobody is left to answer.
    if (exec_too) execl("/bin/false", "false", (char *)0);
    return got;
}
#else
int media_seal_decoder(void) { return -ENOSYS; }
int media_seal_tool(void) { return -ENOSYS; }
int media_probe_sandbox(int exec_too) { return -1; }
#endif
