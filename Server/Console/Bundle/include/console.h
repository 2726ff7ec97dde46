#ifndef CONSOLE_H
#define CONSOLE_H

#include <stddef.h>

// One complete file of the console. The pointers stay valid for the life of the program.
struct console_file {
    // Relative to /console/, for example "lib/api.js".
    const char *path;
    // Its Content-Type.
    const char *type;
    const unsigned char *bytes;
    size_t count;
};

// Returns NULL after the last file.
const struct console_file *console_file_at(size_t index);

#endif
