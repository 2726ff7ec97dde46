// The reference: a minimal, careful C program that receives an upload. It is as durable as Keepsake: it fsyncs every file,
// then the folder, then responds. Each connection has one thread and one buffer, and reads, hashes and writes in turn.
// It makes none of Keepsake's checks (accounts, quotas, file types, limits).
//
//   receive PORT FOLDER raw|multipart [sync|nosync]
//
// raw: the body is one file. multipart: every part of a multipart/form-data body is a separate file.
// It responds with 200 {"files":[{"size":…,"sha256":"…"}]}, and serves one request per connection.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum { bufferSize = 256 * 1024, maximumParts = 16, maximumBoundary = 70 };

static const char *folder;
static int folderDescriptor;
static bool isMultipart, isSynced = true;
static atomic_ulong nextName;

struct file {
    int descriptor;
    EVP_MD_CTX *hash;
    size_t size;
    char sha256[65];
};

struct connection {
    int socket;
    size_t left;        // bytes of the body that are not yet read from the socket
    size_t start, end;  // the unread range of the buffer
    struct file files[maximumParts];
    size_t fileCount;
    unsigned char *buffer;
};

// MARK: - Files

static bool openFile(struct connection *c) {
    if (c->fileCount == maximumParts) return false;
    struct file *file = &c->files[c->fileCount];
    char path[4096];
    snprintf(path, sizeof path, "%s/%lu.bin", folder, atomic_fetch_add(&nextName, 1));
    file->descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file->descriptor < 0) return false;
    file->size = 0;
    file->hash = EVP_MD_CTX_new();
    c->fileCount += 1;
    return EVP_DigestInit_ex(file->hash, EVP_sha256(), NULL) == 1;
}

static bool append(struct connection *c, size_t count) {
    struct file *file = &c->files[c->fileCount - 1];
    const unsigned char *bytes = c->buffer + c->start;
    c->start += count;
    file->size += count;
    if (EVP_DigestUpdate(file->hash, bytes, count) != 1) return false;
    while (count > 0) {
        ssize_t written = write(file->descriptor, bytes, count);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        bytes += written;
        count -= (size_t)written;
    }
    return true;
}

/// Makes all files durable: their bytes, then their names.
static bool finishFiles(struct connection *c) {
    for (size_t i = 0; i < c->fileCount; i++) {
        struct file *file = &c->files[i];
        unsigned char digest[32];
        if (EVP_DigestFinal_ex(file->hash, digest, NULL) != 1) return false;
        for (int j = 0; j < 32; j++) sprintf(file->sha256 + 2 * j, "%02x", digest[j]);
        if (isSynced && fsync(file->descriptor) != 0) return false;
    }
    return !isSynced || fsync(folderDescriptor) == 0;
}

// MARK: - Socket

/// Reads more bytes after the unread ones. Returns false when the peer has disconnected or the buffer is full.
static bool fill(struct connection *c, size_t limit) {
    if (c->start > 0) {
        memmove(c->buffer, c->buffer + c->start, c->end - c->start);
        c->end -= c->start;
        c->start = 0;
    }
    size_t room = bufferSize - c->end;
    if (room > limit) room = limit;
    ssize_t count;
    do count = recv(c->socket, c->buffer + c->end, room, 0);
    while (count < 0 && errno == EINTR);
    if (count <= 0) return false;
    c->end += (size_t)count;
    return true;
}

static bool fillFromBody(struct connection *c) {
    size_t before = c->end - c->start;
    if (c->left == 0 || !fill(c, c->left)) return false;
    c->left -= c->end - before;
    return true;
}

static bool sendAll(int socket, const char *text) {
    for (size_t left = strlen(text); left > 0;) {
        ssize_t sent = send(socket, text, left, MSG_NOSIGNAL);
        if (sent <= 0) return false;
        text += sent;
        left -= (size_t)sent;
    }
    return true;
}

// MARK: - Bodies

static bool receiveRaw(struct connection *c) {
    if (!openFile(c)) return false;
    do {
        if (!append(c, c->end - c->start)) return false;
        if (c->left == 0) return true;
    } while (fillFromBody(c));
    return false;
}

static bool receiveMultipart(struct connection *c, const char *boundary) {
    char delimiter[maximumBoundary + 8];
    size_t length = (size_t)snprintf(delimiter, sizeof delimiter, "\r\n--%s", boundary);
    bool isInPart = false;
    size_t skip = 2;  // the first boundary has no line break before it
    for (;;) {
        unsigned char *unread = c->buffer + c->start;
        size_t count = c->end - c->start;
        unsigned char *found = memmem(unread, count, delimiter + skip, length - skip);
        if (found == NULL) {
            // The last bytes may be the beginning of a delimiter: keep them.
            size_t sure = count >= length ? count - length + 1 : 0;
            if (isInPart && sure > 0 && !append(c, sure)) return false;
            if (!fillFromBody(c)) return false;
            continue;
        }
        if (isInPart && !append(c, (size_t)(found - unread))) return false;
        if (!isInPart) c->start += (size_t)(found - unread);
        c->start += length - skip;
        skip = 0;
        while (c->end - c->start < 2)
            if (!fillFromBody(c)) return false;
        if (memcmp(c->buffer + c->start, "--", 2) == 0) break;
        unsigned char *headEnd;
        while ((headEnd = memmem(c->buffer + c->start, c->end - c->start, "\r\n\r\n", 4)) == NULL)
            if (!fillFromBody(c)) return false;
        c->start = (size_t)(headEnd + 4 - c->buffer);
        if (!openFile(c)) return false;
        isInPart = true;
    }
    // Discard the epilogue, the bytes after the last part.
    for (c->start = c->end; c->left > 0; c->start = c->end)
        if (!fillFromBody(c)) return false;
    return true;
}

// MARK: - Requests

static bool receive(struct connection *c) {
    unsigned char *headEnd;
    while ((headEnd = memmem(c->buffer, c->end, "\r\n\r\n", 4)) == NULL)
        if (!fill(c, bufferSize)) return false;
    headEnd[2] = 0;
    const char *head = (const char *)c->buffer;
    const char *field = strcasestr(head, "\r\nContent-Length:");
    if (field == NULL) return false;
    size_t total = strtoull(field + 17, NULL, 10);
    char boundary[maximumBoundary + 1] = "";
    if (isMultipart) {
        field = strcasestr(head, "boundary=");
        if (field == NULL || sscanf(field + 9, "%70[^;\r\n\" ]", boundary) != 1) return false;
    }
    if (strcasestr(head, "\r\nExpect: 100-continue") && !sendAll(c->socket, "HTTP/1.1 100 Continue\r\n\r\n")) return false;
    c->start = (size_t)(headEnd + 4 - c->buffer);
    if (total < c->end - c->start) return false;
    c->left = total - (c->end - c->start);
    if (!(isMultipart ? receiveMultipart(c, boundary) : receiveRaw(c)) || !finishFiles(c)) return false;

    char json[4096], answer[4400];
    size_t length = (size_t)sprintf(json, "{\"files\":[");
    for (size_t i = 0; i < c->fileCount; i++)
        length += (size_t)sprintf(
            json + length, "%s{\"size\":%zu,\"sha256\":\"%s\"}", i ? "," : "", c->files[i].size, c->files[i].sha256);
    length += (size_t)sprintf(json + length, "]}");
    sprintf(answer, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n%s",
        length, json);
    return sendAll(c->socket, answer);
}

static void *serve(void *argument) {
    struct connection c = {.socket = (int)(intptr_t)argument, .buffer = malloc(bufferSize)};
    if (!receive(&c)) sendAll(c.socket, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    close(c.socket);
    for (size_t i = 0; i < c.fileCount; i++) {
        close(c.files[i].descriptor);
        EVP_MD_CTX_free(c.files[i].hash);
    }
    free(c.buffer);
    return NULL;
}

int main(int count, char **arguments) {
    if (count < 4) return fprintf(stderr, "usage: receive PORT FOLDER raw|multipart [sync|nosync]\n"), 64;
    folder = arguments[2];
    isMultipart = strcmp(arguments[3], "multipart") == 0;
    isSynced = !(count > 4 && strcmp(arguments[4], "nosync") == 0);
    folderDescriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folderDescriptor < 0) return perror(folder), 69;

    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(arguments[1])),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
    if (bind(listener, (struct sockaddr *)&address, size) != 0 || listen(listener, 128) != 0) return perror("listen"), 69;
    getsockname(listener, (struct sockaddr *)&address, &size);
    printf("listening on http://127.0.0.1:%d\n", ntohs(address.sin_port));
    fflush(stdout);

    pthread_attr_t detached;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    for (;;) {
        int socket = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (socket < 0) continue;
        pthread_t thread;
        if (pthread_create(&thread, &detached, serve, (void *)(intptr_t)socket) != 0) close(socket);
    }
}
