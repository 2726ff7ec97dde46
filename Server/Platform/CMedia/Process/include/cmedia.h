#ifndef KEEPSAKE_CMEDIA_H
#define KEEPSAKE_CMEDIA_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// What Swift's Glibc module cannot say: variadic calls, control messages, BPF. Nothing here knows a picture; the server
// links it, and so does the worker. A negative answer is -errno. Elsewhere than on Linux everything answers -ENOSYS.

// MARK: - Descriptors

/// Sends at least one byte, and with the first of them `descriptor`, unless that is -1. Never raises SIGPIPE, never waits.
/// - Returns: how many bytes were taken.
ssize_t media_send(int socket, const void *_Nonnull bytes, size_t length, int descriptor);

/// Takes what is there, without waiting. A descriptor that came along is close-on-exec; -1 when none did. More than one, or a cut
/// control message, is EBADMSG, and all of them are closed.
/// - Returns: 0 at the end of the stream.
ssize_t media_receive(int socket, void *_Nonnull bytes, size_t capacity, int *_Nonnull descriptor);

/// Two connected stream sockets, close-on-exec.
int media_socket_pair(int *_Nonnull first, int *_Nonnull second);

/// The same file, opened once more for reading only and with an offset of its own.
int media_reopen_read_only(int descriptor);

/// A file in memory holding these bytes, sealed: nobody can change it any more.
int media_sealed_memory(const void *_Nonnull bytes, size_t length);

/// An empty file in memory, close-on-exec.
int media_memory(void);

/// Whether it is memory that nobody can change, grow or shrink any more.
int media_is_sealed(int descriptor);

// MARK: - Processes

/// Starts a program with `socket` as its descriptor 3, `input` as 0 and `output` as 1 (-1: /dev/null), /dev/null as its standard
/// error, and nothing else open; in a process group of its own, with no signal blocked or ignored. The caller's thread must
/// outlive it: the child asks to die with that thread.
/// - Parameter isolated: in new user, process, network and IPC namespaces. Where the kernel does not allow those, without.
/// - Returns: 0 and the process id.
int media_spawn(
    const char *_Nonnull path, char *const _Nullable *_Nonnull arguments, char *const _Nullable *_Nonnull environment, int socket, int input,
    int output, int isolated, pid_t *_Nonnull process);

/// Whether `media_spawn` gets namespaces on this machine.
int media_has_namespaces(void);

/// Other processes of the same user can no longer read this one's memory and environment. Ends with exec.
int media_hide_process(void);

/// Nanoseconds of processor time the process has used so far; negative when it is gone.
int64_t media_processor_time(pid_t process);

/// Bytes of memory the process has resident; negative when it is gone.
int64_t media_resident_bytes(pid_t process);

/// Lets a child of ours use this many more seconds of processor time, counted from now.
int media_allow_processor_time(pid_t process, int seconds);

// MARK: - The sandbox

struct media_limits {
    /// Bytes of writable private memory (RLIMIT_DATA).
    uint64_t data;
    /// Bytes of address space, mapped input and libraries included (RLIMIT_AS).
    uint64_t address_space;
    /// Bytes of any file it writes, files in memory included (RLIMIT_FSIZE).
    uint64_t file_size;
    /// Seconds of processor time over its life (RLIMIT_CPU).
    uint64_t processor_seconds;
    /// Descriptors (RLIMIT_NOFILE).
    uint64_t descriptors;
};

/// Sets the limits, no core files, no new privileges.
int media_limit(const struct media_limits *_Nonnull limits);

/// SIGKILL when the thread that started us ends.
int media_die_with_parent(void);

/// From here on, all threads may only compute, allocate, and use the descriptors they have: no opening of any file, no socket, no
/// exec, no new process, no tracing. What is not on the list fails with EPERM.
int media_seal_decoder(void);

/// For a program that is executed afterwards (ffmpeg): a list of calls; what is not on it fails with EPERM. Files are opened for reading
/// only; no socket, no process, no signal to another, no tracing.
int media_seal_tool(void);

/// Which Landlock the kernel has, 1 or more; negative without.
int media_landlock_version(void);

/// Landlock, for the calling thread and what it starts: from here on it opens only what is listed, connects to nothing, and signals nothing
/// outside. Without Landlock in the kernel nothing happens, and the answer is 0.
/// - Parameters:
///   - program: what is executed afterwards: it, its libraries, and the file that is descriptor 0 may be read. NULL: nothing of that.
///   - readable: files and folders that may be read too, ended by NULL.
int media_confine(const char *_Nullable program, const char *const _Nullable *_Nullable readable);

/// Gives up what root may do more than others.
int media_drop_capabilities(void);

/// Gives memory of the start that is not needed any more back to the system: free heap, and pages of libraries, which come back
/// by themselves from the page cache when they are touched.
void media_give_back_memory(int libraries_too);

/// What `media_probe_sandbox` can get hold of.
enum {
    media_probe_socket = 1,
    media_probe_file = 2,
    media_probe_environment = 4,
    media_probe_memory = 8,
    media_probe_signal = 16,
    media_probe_writing = 32,
    media_probe_fork = 64,
    media_probe_tracing = 128,
    /// 8 GiB of it.
    media_probe_much_memory = 256,
    /// Memory that is writable and executable.
    media_probe_code = 512,
};

/// Tries what a sandbox must refuse: reading `file`; the environment and the memory of the process `victim`, and a signal to it; and so on.
/// - Returns: the bits of what succeeded. Nothing at all when `exec_too` and /bin/false could be executed.
int media_probe_sandbox(pid_t victim, const char *_Nonnull file, int exec_too);

#endif
