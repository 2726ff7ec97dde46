#ifndef CONSOLE_H
#define CONSOLE_H

#include <stddef.h>

// One file of the console, whole, for as long as the program runs.
struct console_file {
    // Below /console/, for example "lib/api.js".
    const char *path;
    // Its Content-Type.
    const char *type;
    const unsigned char *bytes;
    size_t count;
};

// NULL behind the last one.
const struct console_file *console_file_at(size_t index);

#endif
