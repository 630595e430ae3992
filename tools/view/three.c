/* Finding three.js. It is not part of this program: Debian's package libjs-three has it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "view/page.h"

static const char *const places[] = {
    "/usr/share/javascript/three/three.min.js",
    "/usr/local/share/javascript/three/three.min.js",
    "/usr/share/nodejs/three/build/three.min.js",
    "/usr/share/javascript/three/three.js",
};

/* What the page uses that other versions do not have. */
static const char needed[] = "InstancedMesh";

static bool read_all(FILE *in, Text *text) {
    size_t room = 0, got = 0;
    do {
        if (text->length + 1 >= room) {
            room = room > 0 ? 2 * room : 1u << 20;
            char *more = realloc(text->bytes, room);
            if (more == NULL) return false;
            text->bytes = more;
        }
        got = fread(text->bytes + text->length, 1, room - 1 - text->length, in);
        text->length += got;
    } while (got > 0);
    text->bytes[text->length] = '\0';
    return !ferror(in);
}

static int read_file(const char *path, Text *text) {
    errno = 0;
    FILE *in = fopen(path, "rb");
    bool read = in != NULL && read_all(in, text);
    int why = errno;
    if (in != NULL) fclose(in);
    if (!read) {
        complain("view: three.js could not be read from '%s': %s", path, why != 0 ? strerror(why) : "read error");
        return STATUS_IO;
    }
    bool fits = strstr(text->bytes, needed) != NULL && strstr(text->bytes, "</script") == NULL;
    if (fits) return STATUS_DONE;
    complain("view: '%s' is not three.js as one script (r111 is what the page is made for): it has no %s", path,
             needed);
    return STATUS_IO;
}

int three_read(const char *given, Text *text) {
    *text = (Text){0};
    const char *from_environment = getenv("CARDAN_THREE");
    if (given == NULL && from_environment != NULL && from_environment[0] != '\0') given = from_environment;
    if (given != NULL) return read_file(given, text);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        FILE *there = fopen(places[i], "rb");
        if (there == NULL) continue;
        fclose(there);
        return read_file(places[i], text);
    }
    complain(
        "view: three.js is not installed (%s); install the package libjs-three, or name the file with --three FILE or "
        "in the variable CARDAN_THREE",
        places[0]);
    return STATUS_IO;
}
