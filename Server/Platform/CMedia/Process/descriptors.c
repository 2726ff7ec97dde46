#define _GNU_SOURCE
#include "cmedia.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/mman.h>

ssize_t media_send(int socket, const void *bytes, size_t length, int descriptor) {
    struct iovec piece = {.iov_base = (void *)bytes, .iov_len = length};
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr header;
    } control;
    memset(&control, 0, sizeof control);
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
    if (descriptor >= 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
    }
    ssize_t sent;
    do sent = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (sent < 0 && errno == EINTR);
    return sent < 0 ? -errno : sent;
}

ssize_t media_receive(int socket, void *bytes, size_t capacity, int *descriptor) {
    *descriptor = -1;
    struct iovec piece = {.iov_base = bytes, .iov_len = capacity};
    union {
        // Alignment makes space for a second descriptor, which the kernel may fill in; therefore `count` is checked below.
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr header;
    } control;
    struct msghdr message = {
        .msg_iov = &piece, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    ssize_t received;
    do received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    while (received < 0 && errno == EINTR);
    if (received < 0) return -errno;
    int count = 0, last = -1;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        size_t here = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < here; i++) {
            int value;
            memcpy(&value, CMSG_DATA(header) + i * sizeof(int), sizeof(int));
            if (last >= 0) close(last);
            last = value;
            count++;
        }
    }
    if (count > 1 || (message.msg_flags & MSG_CTRUNC)) {
        if (last >= 0) close(last);
        return -EBADMSG;
    }
    *descriptor = last;
    return received;
}

int media_socket_pair(int *first, int *second) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return -errno;
    *first = pair[0];
    *second = pair[1];
    return 0;
}

int media_reopen_read_only(int descriptor) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    // O_NONBLOCK: opening a pipe or a device must not block.
    int copy = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    return copy < 0 ? -errno : copy;
}

int media_memory(void) {
    int descriptor = memfd_create("keepsake-media", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    return descriptor < 0 ? -errno : descriptor;
}

int media_sealed_memory(const void *bytes, size_t length) {
    int descriptor = media_memory();
    if (descriptor < 0) return descriptor;
    size_t done = 0;
    while (done < length) {
        ssize_t written = write(descriptor, (const char *)bytes + done, length - done);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) {
            int code = written < 0 ? errno : EIO;
            close(descriptor);
            return -code;
        }
        done += (size_t)written;
    }
    if (fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) != 0) {
        int code = errno;
        close(descriptor);
        return -code;
    }
    return descriptor;
}

int media_is_sealed(int descriptor) {
    int wanted = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
    int seals = fcntl(descriptor, F_GET_SEALS);
    return seals >= 0 && (seals & wanted) == wanted;
}
#else
ssize_t media_send(int socket, const void *bytes, size_t length, int descriptor) { return -ENOSYS; }
ssize_t media_receive(int socket, void *bytes, size_t capacity, int *descriptor) {
    *descriptor = -1;
    return -ENOSYS;
}
int media_socket_pair(int *first, int *second) { return -ENOSYS; }
int media_reopen_read_only(int descriptor) { return -ENOSYS; }
int media_memory(void) { return -ENOSYS; }
int media_sealed_memory(const void *bytes, size_t length) { return -ENOSYS; }
int media_is_sealed(int descriptor) { return 0; }
#endif
