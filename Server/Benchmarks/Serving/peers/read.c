// The client of the serving benchmark for large files: N connections request one file again and again for some seconds and discard its bytes.
//
//   read plain|tls|h2 PORT PATH BYTES CONNECTIONS SECONDS RATE
//
// BYTES is the file's length. RATE is how many bytes a second each connection reads (0: as fast as it can). Connection number I comes from
// its own loopback address, 127.0.1.1 and up. The program fails unless every response has status 200 and the right length. It prints JSON:
//
//   {"seconds":…, "bytes":…, "files":…, "least":…, "starved":…, "busy":…}
//
// `bytes` counts the bytes of bodies, `files` the complete responses. `least` is how many bytes the slowest connection got, `starved` how
// many connections got none. `busy` is the share of one processor that this client used: near 1, it measures itself and not the server.
//
// On plain HTTP/1.1 the kernel discards bodies without copying them (MSG_TRUNC). All servers use TLS 1.3 with AES-128-GCM. HTTP/2 runs over
// TLS, with windows of 16 MiB, as browsers have, and frames of 16 KiB.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK = 256 * 1024, TURN = 1024 * 1024, HEAD = 16 * 1024, FRAME_HEAD = 9, WINDOW = 16 * 1024 * 1024, SLOW_BUFFER = 64 * 1024 };
enum { DATA = 0, HEADERS = 1, RST_STREAM = 3, SETTINGS = 4, PING = 6, GOAWAY = 7, WINDOW_UPDATE = 8 };

struct connection {
    int number, fd;
    SSL *ssl;
    bool hasMore;       // It read a full turn, so the next read may succeed without a new event.
    char head[HEAD];    // HTTP/1.1: the response's head. HTTP/2: the payload of a frame other than DATA.
    size_t headLength;
    bool isBody;        // HTTP/1.1: the head is complete.
    int64_t left;       // Bytes of the body that have not arrived.
    int64_t got;        // Body bytes since the start.
    double allowance;   // With a rate: how many bytes it may read now.
    // HTTP/2
    uint8_t frame[FRAME_HEAD];
    size_t frameLength, payloadLeft;
    uint32_t stream, unreturned;
};

static bool isSecure, isHTTP2;
static const char *path;
static int port;
static int64_t bodyLength, files, bytes;
static double rate;
static char block[BLOCK];

static void fail(const char *text, ...) {
    va_list arguments;
    va_start(arguments, text);
    fputs("read: ", stderr);
    vfprintf(stderr, text, arguments);
    fputc('\n', stderr);
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static void sendAll(struct connection *c, const void *data, size_t length) {
    const char *from = data;
    while (length > 0) {
        ssize_t sent;
        if (c->ssl) {
            sent = SSL_write(c->ssl, from, (int)length);
            if (sent <= 0) {
                int error = SSL_get_error(c->ssl, (int)sent);
                if (error != SSL_ERROR_WANT_WRITE && error != SSL_ERROR_WANT_READ) fail("connection %d: cannot write", c->number);
                sent = 0;
            }
        } else {
            sent = send(c->fd, from, length, MSG_NOSIGNAL);
            if (sent < 0) {
                if (errno != EAGAIN && errno != EINTR) fail("connection %d: send: %s", c->number, strerror(errno));
                sent = 0;
            }
        }
        if (sent == 0) poll(&(struct pollfd){.fd = c->fd, .events = POLLOUT}, 1, 1000);
        from += sent;
        length -= sent;
    }
}

static void putFrameHead(uint8_t *frame, size_t length, int type, int flags, uint32_t stream) {
    frame[0] = length >> 16, frame[1] = length >> 8, frame[2] = length, frame[3] = type, frame[4] = flags;
    frame[5] = stream >> 24, frame[6] = stream >> 16, frame[7] = stream >> 8, frame[8] = stream;
}

static size_t putText(uint8_t *to, const char *text) { // HPACK's string literal (RFC 7541 §5.2), not compressed
    size_t length = strlen(text), at = 0;
    if (length < 127) {
        to[at++] = length;
    } else {
        to[at++] = 127;
        size_t rest = length - 127;
        for (; rest >= 128; rest /= 128) to[at++] = rest % 128 + 128;
        to[at++] = rest;
    }
    memcpy(to + at, text, length);
    return at + length;
}

static void request(struct connection *c) {
    c->left = bodyLength;
    if (!isHTTP2) {
        char text[2048];
        int length = snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n", path, port);
        c->isBody = false;
        c->headLength = 0;
        sendAll(c, text, length);
        return;
    }
    uint8_t frame[2048], *to = frame + FRAME_HEAD;
    char host[32];
    snprintf(host, sizeof host, "127.0.0.1:%d", port);
    *to++ = 0x82;  // :method GET
    *to++ = 0x87;  // :scheme https
    *to++ = 0x04;  // :path
    to += putText(to, path);
    *to++ = 0x01;  // :authority
    to += putText(to, host);
    c->stream = c->stream ? c->stream + 2 : 1;
    putFrameHead(frame, to - frame - FRAME_HEAD, HEADERS, 5, c->stream);  // END_HEADERS, END_STREAM
    sendAll(c, frame, to - frame);
}

static void count(struct connection *c, int64_t length) {
    if (length > c->left) fail("connection %d: the body is longer than %lld bytes", c->number, (long long)bodyLength);
    c->left -= length;
    c->got += length;
    bytes += length;
}

static void finish(struct connection *c) {
    if (c->left != 0) fail("connection %d: the body is %lld bytes short", c->number, (long long)c->left);
    files++;
    request(c);
}

// MARK: HTTP/2

static void returnWindow(struct connection *c, uint32_t stream, uint32_t length) {
    uint8_t frame[FRAME_HEAD + 4];
    putFrameHead(frame, 4, WINDOW_UPDATE, 0, stream);
    frame[9] = length >> 24, frame[10] = length >> 16, frame[11] = length >> 8, frame[12] = length;
    sendAll(c, frame, sizeof frame);
}

static void endFrame(struct connection *c) {
    int type = c->frame[3], flags = c->frame[4];
    const uint8_t *payload = (const uint8_t *)c->head;
    switch (type) {
    case DATA:
        if (flags & 1) {
            uint32_t own = c->unreturned;
            c->unreturned = 0;
            if (own) returnWindow(c, 0, own);
            finish(c);
        } else if (c->unreturned >= WINDOW / 4) {
            returnWindow(c, 0, c->unreturned);
            returnWindow(c, c->stream, c->unreturned);
            c->unreturned = 0;
        }
        break;
    case HEADERS: {
        size_t at = 0;
        while (at < c->headLength && payload[at] >> 5 == 1) at++;  // An update of the table's size may precede the fields.
        if (at >= c->headLength || payload[at] != 0x88) fail("connection %d: the response's status is not 200", c->number);
        break;
    }
    case SETTINGS:
        if (!(flags & 1)) {
            uint8_t frame[FRAME_HEAD];
            putFrameHead(frame, 0, SETTINGS, 1, 0);
            sendAll(c, frame, sizeof frame);
        }
        break;
    case PING:
        if (!(flags & 1) && c->headLength == 8) {
            uint8_t frame[FRAME_HEAD + 8];
            putFrameHead(frame, 8, PING, 1, 0);
            memcpy(frame + FRAME_HEAD, payload, 8);
            sendAll(c, frame, sizeof frame);
        }
        break;
    case RST_STREAM:
    case GOAWAY: fail("connection %d: the server ended the %s", c->number, type == GOAWAY ? "connection" : "stream");
    }
    c->frameLength = c->headLength = 0;
}

static void receiveFrames(struct connection *c, const char *data, size_t length) {
    while (length > 0) {
        if (c->frameLength < FRAME_HEAD) {
            c->frame[c->frameLength++] = *data++;
            length--;
            if (c->frameLength < FRAME_HEAD) continue;
            c->payloadLeft = c->frame[0] << 16 | c->frame[1] << 8 | c->frame[2];
            if (c->payloadLeft > HEAD) fail("connection %d: a frame of %zu bytes", c->number, c->payloadLeft);
            if (c->frame[3] == DATA && c->frame[4] & 8) fail("connection %d: a padded frame", c->number);
        } else {
            size_t part = length < c->payloadLeft ? length : c->payloadLeft;
            if (c->frame[3] == DATA) {
                count(c, part);
                c->unreturned += part;
            } else {
                memcpy(c->head + c->headLength, data, part);
                c->headLength += part;
            }
            c->payloadLeft -= part;
            data += part;
            length -= part;
        }
        if (c->payloadLeft == 0) endFrame(c);
    }
}

// MARK: HTTP/1.1

/// Receives a part of the head. Returns how many bytes of `data` belong to the head.
static size_t receiveHead(struct connection *c, const char *data, size_t length) {
    size_t before = c->headLength, room = HEAD - 1 - before, part = length < room ? length : room;
    memcpy(c->head + before, data, part);
    c->headLength += part;
    c->head[c->headLength] = 0;
    char *end = strstr(c->head, "\r\n\r\n");
    if (!end) {
        if (part == room) fail("connection %d: the head is too long", c->number);
        return part;
    }
    *end = 0;
    if (strncmp(c->head, "HTTP/1.1 200 ", 13) != 0) fail("connection %d: %.60s", c->number, c->head);
    char *field = strcasestr(c->head, "\r\ncontent-length:");
    if (!field || strtoll(field + 17, NULL, 10) != bodyLength) fail("connection %d: not %lld bytes", c->number, (long long)bodyLength);
    c->isBody = true;
    return end + 4 - c->head - before;
}

// MARK: Reading

/// Reads up to `most` bytes. Returns how many it read; 0 if none are there now.
static ssize_t take(struct connection *c, size_t most) {
    ssize_t length;
    if (c->ssl) {
        length = SSL_read(c->ssl, block, (int)(most < BLOCK ? most : BLOCK));
        if (length <= 0) {
            if (SSL_get_error(c->ssl, (int)length) == SSL_ERROR_WANT_READ) return 0;
            fail("connection %d: the server closed the connection", c->number);
        }
    } else {
        bool discards = c->isBody;
        if (discards && (int64_t)most > c->left) most = c->left;
        if (!discards && most > 4096) most = 4096;
        length = recv(c->fd, discards ? NULL : block, most, discards ? MSG_TRUNC : 0);
        if (length < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
        if (length <= 0) fail("connection %d: the server closed the connection", c->number);
        if (discards) {
            count(c, length);
            if (c->left == 0) finish(c);
            return length;
        }
    }
    if (isHTTP2) {
        receiveFrames(c, block, length);
        return length;
    }
    for (size_t at = 0; at < (size_t)length;) {
        if (!c->isBody) {
            at += receiveHead(c, block + at, length - at);
        } else {
            int64_t part = length - at;
            count(c, part);
            at += part;
            if (c->left == 0) finish(c);
        }
    }
    return length;
}

static void turn(struct connection *c, size_t most) {
    size_t sum = 0;
    c->hasMore = true;
    while (sum < most) {
        ssize_t length = take(c, c->ssl && rate == 0 ? BLOCK : most - sum);
        if (length == 0) {
            c->hasMore = false;
            return;
        }
        sum += length;
        c->allowance -= length;
    }
}

static void open_(struct connection *c, SSL_CTX *context) {
    c->fd = socket(AF_INET, SOCK_STREAM, 0);
    if (c->fd < 0) fail("socket: %s", strerror(errno));
    // Use a small buffer, because on a slow network few bytes are in flight. With the default buffer, the kernel would receive megabytes at
    // once.
    if (rate > 0) setsockopt(c->fd, SOL_SOCKET, SO_RCVBUF, &(int){SLOW_BUFFER}, sizeof(int));
    struct sockaddr_in from = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7F000101 + c->number / 250 * 256 + c->number % 250)};
    if (bind(c->fd, (struct sockaddr *)&from, sizeof from) != 0) fail("bind: %s", strerror(errno));
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (connect(c->fd, (struct sockaddr *)&to, sizeof to) != 0) fail("connect: %s", strerror(errno));
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    if (isSecure) {
        c->ssl = SSL_new(context);
        SSL_set_fd(c->ssl, c->fd);
        if (SSL_connect(c->ssl) != 1) fail("connection %d: TLS: %s", c->number, ERR_error_string(ERR_get_error(), NULL));
        if (isHTTP2) {
            const unsigned char *chosen;
            unsigned length;
            SSL_get0_alpn_selected(c->ssl, &chosen, &length);
            if (length != 2 || memcmp(chosen, "h2", 2) != 0) fail("the server does not speak HTTP/2");
            uint8_t frame[FRAME_HEAD + 12] = {0};
            sendAll(c, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 24);
            putFrameHead(frame, 12, SETTINGS, 0, 0);
            frame[10] = 2;  // ENABLE_PUSH: 0
            frame[16] = 4, frame[17] = WINDOW >> 24, frame[18] = WINDOW >> 16 & 255, frame[19] = WINDOW >> 8 & 255, frame[20] = WINDOW & 255;
            sendAll(c, frame, sizeof frame);
            returnWindow(c, 0, WINDOW - 65535);
        }
    }
    request(c);
    fcntl(c->fd, F_SETFL, fcntl(c->fd, F_GETFL) | O_NONBLOCK);
}

int main(int argc, char **argv) {
    if (argc != 8) {
        fputs("usage: read plain|tls|h2 PORT PATH BYTES CONNECTIONS SECONDS RATE\n", stderr);
        return 64;
    }
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    signal(SIGPIPE, SIG_IGN);
    isHTTP2 = strcmp(argv[1], "h2") == 0;
    isSecure = isHTTP2 || strcmp(argv[1], "tls") == 0;
    port = atoi(argv[2]);
    path = argv[3];
    bodyLength = atoll(argv[4]);
    int connectionCount = atoi(argv[5]);
    double seconds = atof(argv[6]);
    rate = atof(argv[7]);
    if (strlen(path) > 1024 || connectionCount < 1 || connectionCount > 16000) fail("a path or number is out of range");

    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
    SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256");
    SSL_CTX_set_alpn_protos(context, (const unsigned char *)(isHTTP2 ? "\2h2" : "\10http/1.1"), isHTTP2 ? 3 : 9);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    if (rate == 0) {
        // Read several records with one system call.
        SSL_CTX_set_read_ahead(context, 1);
        SSL_CTX_set_default_read_buffer_len(context, 128 * 1024);
    }

    struct connection *all = calloc(connectionCount, sizeof *all);
    int events = epoll_create1(0);
    for (int number = 0; number < connectionCount; number++) {
        struct connection *c = &all[number];
        c->number = number;
        open_(c, context);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
        if (rate == 0 && epoll_ctl(events, EPOLL_CTL_ADD, c->fd, &event) != 0) fail("epoll: %s", strerror(errno));
    }

    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    double begun = now(), time = begun, used = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
    bool hasMore = false;
    while (time - begun < seconds) {
        if (rate > 0) {
            usleep(50000);
            double last = time;
            time = now();
            for (int number = 0; number < connectionCount; number++) {
                struct connection *c = &all[number];
                c->allowance += rate * (time - last);
                // Allow at most the bytes of one second, so that a client that had to wait does not read faster afterwards.
                if (c->allowance > rate) c->allowance = rate;
                if (c->allowance >= 1) turn(c, (size_t)c->allowance);
            }
            continue;
        }
        struct epoll_event ready[64];
        int number = epoll_wait(events, ready, 64, hasMore ? 0 : 100);
        for (int at = 0; at < number; at++) turn(ready[at].data.ptr, TURN);
        // OpenSSL may hold bytes that it has already taken from the kernel, for which no event comes.
        if (isSecure) {
            hasMore = false;
            for (int at = 0; at < connectionCount; at++) {
                if (all[at].hasMore && SSL_has_pending(all[at].ssl)) turn(&all[at], BLOCK);
                hasMore |= all[at].hasMore && SSL_has_pending(all[at].ssl);
            }
        }
        time = now();
    }
    getrusage(RUSAGE_SELF, &usage);
    used = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6 - used;
    int64_t least = INT64_MAX;
    int starved = 0;
    for (int number = 0; number < connectionCount; number++) {
        least = all[number].got < least ? all[number].got : least;
        starved += all[number].got == 0;
    }
    printf("{\"seconds\": %.6f, \"bytes\": %lld, \"files\": %lld, \"least\": %lld, \"starved\": %d, \"busy\": %.3f}\n", time - begun,
           (long long)bytes, (long long)files, (long long)least, starved, used / (time - begun));
    return 0;
}
