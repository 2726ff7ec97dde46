#ifndef KEEPSAKE_CMEDIA_H
#define KEEPSAKE_CMEDIA_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Calls that Swift's Glibc module does not offer: variadic functions, control messages, BPF. Nothing here depends on picture formats; both
// the server and the worker link it. A negative result is -errno. On systems other than Linux, all functions return -ENOSYS.

// MARK: - Descriptors

/// Sends at least one byte, and `descriptor` with the first byte unless it is -1. Never raises SIGPIPE and never waits.
/// - Returns: the number of bytes sent.
ssize_t media_send(int socket, const void *_Nonnull bytes, size_t length, int descriptor);

/// Receives the available bytes without waiting. `descriptor` receives a descriptor that was sent along, close-on-exec, or -1. If there was
/// more than one, or the control message was truncated, all of them are closed and the result is -EBADMSG.
/// - Returns: the number of bytes; 0 at the end of the stream.
ssize_t media_receive(int socket, void *_Nonnull bytes, size_t capacity, int *_Nonnull descriptor);

/// Creates two connected stream sockets, close-on-exec.
int media_socket_pair(int *_Nonnull first, int *_Nonnull second);

/// Opens the same file again, read-only and with its own offset. Returns the new descriptor.
int media_reopen_read_only(int descriptor);

/// Creates a sealed file in memory with these bytes: it can no longer be changed. Returns its descriptor.
int media_sealed_memory(const void *_Nonnull bytes, size_t length);

/// Creates an empty file in memory, close-on-exec. Returns its descriptor.
int media_memory(void);

/// Whether the descriptor is a file in memory that can no longer be changed, grown or shrunk.
int media_is_sealed(int descriptor);

// MARK: - Processes

/// Starts a program with `socket` as its descriptor 3, `input` as 0 and `output` as 1 (-1: /dev/null), /dev/null as its standard error, and
/// no other open descriptors. It gets its own process group, and no signal is blocked or ignored. The calling thread must outlive the
/// child, because the child requests to be killed when that thread ends.
/// - Parameter isolated: use new user, process, network and IPC namespaces, if the kernel allows them.
/// - Returns: 0, and the process id in `process`.
int media_spawn(
    const char *_Nonnull path, char *const _Nullable *_Nonnull arguments, char *const _Nullable *_Nonnull environment, int socket, int input,
    int output, int isolated, pid_t *_Nonnull process);

/// Whether `media_spawn` gets namespaces on this machine.
int media_has_namespaces(void);

/// Prevents other processes of the same user from reading this process's memory and environment. The effect ends with exec.
int media_hide_process(void);

/// Nanoseconds of processor time that the process has used so far; negative when it no longer exists.
int64_t media_processor_time(pid_t process);

/// Resident memory of the process in bytes; negative when it no longer exists.
int64_t media_resident_bytes(pid_t process);

/// Limits a child process to this many more seconds of processor time, from now.
int media_allow_processor_time(pid_t process, int seconds);

// MARK: - The sandbox

struct media_limits {
    /// Bytes of writable private memory (RLIMIT_DATA).
    uint64_t data;
    /// Bytes of address space, mapped input and libraries included (RLIMIT_AS).
    uint64_t address_space;
    /// Maximum bytes of each file it writes, including files in memory (RLIMIT_FSIZE).
    uint64_t file_size;
    /// Seconds of processor time over its whole life (RLIMIT_CPU).
    uint64_t processor_seconds;
    /// Maximum number of descriptors (RLIMIT_NOFILE).
    uint64_t descriptors;
};

/// Sets the limits, and disables core files and new privileges.
int media_limit(const struct media_limits *_Nonnull limits);

/// Makes the kernel kill this process when the thread that started it ends.
int media_die_with_parent(void);

/// From now on, all threads may only compute, allocate memory, and use their open descriptors: no opening of files, no sockets, no exec, no
/// new processes, no tracing. System calls that are not on the list fail with EPERM.
int media_seal_decoder(void);

/// Seals the process for a program that it executes next (ffmpeg): system calls that are not on a list fail with EPERM. Files can be opened
/// for reading only; no sockets, no processes, no signals to other processes, no tracing.
int media_seal_tool(void);

/// The kernel's version of Landlock, 1 or more; negative without Landlock.
int media_landlock_version(void);

/// Applies Landlock to the calling thread and the processes it starts: it may open only the listed files, and may not connect to anything
/// or signal processes outside. Without Landlock in the kernel, does nothing and returns 0.
/// - Parameters:
///   - program: the program to execute next. It, its libraries, and the file that is descriptor 0 may be read. NULL allows none of these.
///   - readable: additional readable files and folders, ended by NULL.
int media_confine(const char *_Nullable program, const char *const _Nullable *_Nullable readable);

/// Drops all capabilities of root.
int media_drop_capabilities(void);

/// Returns memory that is no longer needed after start-up to the system: free heap, and pages of libraries, which the kernel loads again
/// from the page cache when they are used.
void media_give_back_memory(int libraries_too);

/// The attempts of `media_probe_sandbox`.
enum {
    media_probe_socket = 1,
    media_probe_file = 2,
    media_probe_environment = 4,
    media_probe_memory = 8,
    media_probe_signal = 16,
    media_probe_writing = 32,
    media_probe_fork = 64,
    media_probe_tracing = 128,
    /// Allocating 8 GiB.
    media_probe_much_memory = 256,
    /// Memory that is writable and executable.
    media_probe_code = 512,
};

/// Tries what a sandbox must block: reading `file`; reading the environment and memory of the process `victim`, and signalling it; and so
/// on.
/// - Returns: the bits of the attempts that succeeded. Does not return if `exec_too` is set and /bin/false could be executed.
int media_probe_sandbox(pid_t victim, const char *_Nonnull file, int exec_too);

#endif
