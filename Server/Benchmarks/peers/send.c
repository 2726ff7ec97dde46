// The load: sends prepared requests concurrently, and times each one from before it connects until it has read the response.
// It sends bodies from memory with sendfile, so that the client needs as little of a small machine's processor as possible.
//
//   send PORT HEAD BODY [HEAD BODY …]     one connection per pair of files; HEAD is the request's head in bytes
//
// Prints "wall SECONDS" (first start to last response), then for each request "STATUS SECONDS LENGTH" and the response's body.
// With SEND_COPY=1 in the environment it copies the body with send(2) instead, for comparison.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct request {
    pthread_t thread;
    char head[8192];
    size_t headLength, bodyLength;
    int bodyDescriptor;
    char *body;
    double started, ended;
    int status;
    char answer[65536];
    size_t answerLength, answerStart;
};

static int port;
static pthread_barrier_t gate;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void readAnswer(struct request *r, int socket) {
    for (;;) {
        ssize_t count = recv(socket, r->answer + r->answerLength, sizeof r->answer - 1 - r->answerLength, 0);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return;
        r->answerLength += (size_t)count;
        r->answer[r->answerLength] = 0;
        char *end = strstr(r->answer, "\r\n\r\n");
        if (end == NULL) continue;
        r->answerStart = (size_t)(end + 4 - r->answer);
        r->status = atoi(r->answer + 9);
        char *field = strcasestr(r->answer, "\r\nContent-Length:");
        size_t expected = field && field < end ? strtoull(field + 17, NULL, 10) : SIZE_MAX;
        if (expected != SIZE_MAX && r->answerLength - r->answerStart >= expected) return;
    }
}

static void *run(void *argument) {
    struct request *r = argument;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    pthread_barrier_wait(&gate);
    r->started = now();
    int socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(socket_, (struct sockaddr *)&address, sizeof address) == 0) {
        setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
        send(socket_, r->head, r->headLength, MSG_NOSIGNAL | MSG_MORE);
        off_t offset = 0;
        while ((size_t)offset < r->bodyLength) {
            ssize_t count = r->body ? send(socket_, r->body + offset, r->bodyLength - (size_t)offset, MSG_NOSIGNAL)
                                    : sendfile(socket_, r->bodyDescriptor, &offset, r->bodyLength - (size_t)offset);
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) break;  // The server has rejected the request early: the response says why.
            if (r->body) offset += count;
        }
        readAnswer(r, socket_);
    }
    r->ended = now();
    close(socket_);
    return NULL;
}

int main(int count, char **arguments) {
    if (count < 4 || count % 2) return fprintf(stderr, "usage: send PORT HEAD BODY [HEAD BODY …]\n"), 64;
    port = atoi(arguments[1]);
    signal(SIGPIPE, SIG_IGN);
    int requestCount = (count - 2) / 2;
    struct request *requests = calloc((size_t)requestCount, sizeof *requests);
    for (int i = 0; i < requestCount; i++) {
        struct request *r = &requests[i];
        int head = open(arguments[2 + 2 * i], O_RDONLY);
        ssize_t length = read(head, r->head, sizeof r->head);
        r->bodyDescriptor = open(arguments[3 + 2 * i], O_RDONLY);
        struct stat status;
        if (length <= 0 || fstat(r->bodyDescriptor, &status) != 0) return perror("send"), 64;
        close(head);
        r->headLength = (size_t)length;
        r->bodyLength = (size_t)status.st_size;
        if (getenv("SEND_COPY"))
            r->body = mmap(NULL, r->bodyLength, PROT_READ, MAP_PRIVATE | MAP_POPULATE, r->bodyDescriptor, 0);
    }
    pthread_barrier_init(&gate, NULL, (unsigned)requestCount);
    for (int i = 0; i < requestCount; i++) pthread_create(&requests[i].thread, NULL, run, &requests[i]);
    double started = 1e300, ended = 0;
    for (int i = 0; i < requestCount; i++) {
        pthread_join(requests[i].thread, NULL);
        if (requests[i].started < started) started = requests[i].started;
        if (requests[i].ended > ended) ended = requests[i].ended;
    }
    printf("wall %.6f\n", ended - started);
    for (int i = 0; i < requestCount; i++) {
        struct request *r = &requests[i];
        size_t length = r->answerLength - r->answerStart;
        printf("%d %.6f %zu\n", r->status, r->ended - r->started, length);
        fwrite(r->answer + r->answerStart, 1, length, stdout);
        printf("\n");
    }
}
