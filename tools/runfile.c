/* Run files: POSIX files under the library's records. */
#include "runfile.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text.h"

enum { SENTENCE_SIZE = 1024, LINE_SIZE = 4096 };

static const char MAGIC[] = "\x89"
                            "CARDAN\n";

/* ---- reading ---- */

bool runfile_is(const char *path) {
    char head[sizeof MAGIC - 1];
    FILE *in = fopen(path, "rb");
    if (in == NULL) return false;
    bool same = fread(head, 1, sizeof head, in) == sizeof head && memcmp(head, MAGIC, sizeof head) == 0;
    fclose(in);
    return same;
}

/* All of the file. */
static int read_bytes(RunFile *file) {
    struct stat about;
    FILE *in = fopen(file->path, "rb");
    if (in == NULL || fstat(fileno(in), &about) != 0) {
        complain("'%s' could not be opened: %s", file->path, strerror(errno));
        if (in != NULL) fclose(in);
        return STATUS_IO;
    }
    size_t room = (size_t)about.st_size;
    file->bytes = malloc(room + 1);
    if (file->bytes != NULL) file->size = fread(file->bytes, 1, room, in);
    bool good = file->bytes != NULL && !ferror(in);
    fclose(in);
    if (good) return STATUS_DONE;
    complain("'%s' could not be read: %s", file->path, file->bytes == NULL ? "out of memory" : strerror(errno));
    return file->bytes == NULL ? STATUS_FAULT : STATUS_IO;
}

int runfile_read(RunFile *file, const char *path) {
    char sentence[SENTENCE_SIZE] = "";
    *file = (RunFile){.path = path};
    int status = read_bytes(file);
    if (status != STATUS_DONE) return status;
    CardanStatus st = cardan_result_read(file->bytes, file->size, &file->result, sentence, sizeof sentence);
    if (st < 0) {
        complain("'%s': %s", path, sentence);
        return exit_status(st);
    }
    file->info = cardan_result_info(file->result);
    if (file->info.damage[0] != '\0') complain("'%s': %s", path, file->info.damage);
    return STATUS_DONE;
}

void runfile_free(RunFile *file) {
    cardan_result_close(file->result);
    free(file->bytes);
    *file = (RunFile){0};
}

bool runfile_note(const RunFile *file, const char *key, int k, char *value, size_t size) {
    size_t length = strlen(key);
    for (const char *line = file->info.notes; *line != '\0';) {
        size_t end = strcspn(line, "\n");
        if (end > length && strncmp(line, key, length) == 0 && line[length] == ' ' && k-- == 0) {
            snprintf(value, size, "%.*s", (int)(end - length - 1), line + length + 1);
            return true;
        }
        line += end + (line[end] == '\n');
    }
    return false;
}

static int set_parameters(const RunFile *file, CardanBuilder *builder) {
    char note[LINE_SIZE];
    for (int k = 0; runfile_note(file, "set", k, note, sizeof note); k++) {
        char *equals = strchr(note, '=');
        double value = 0.0;
        if (equals != NULL) *equals = '\0';
        bool good = equals != NULL && parse_number(equals + 1, &value);
        if (good && cardan_builder_set_parameter(builder, note, value) >= 0) continue;
        complain("'%s': the parameter '%s' of the run is none of its model", file->path, note);
        return STATUS_IO;
    }
    return STATUS_DONE;
}

int runfile_model(const RunFile *file, CardanModel **out) {
    CardanBuilder *builder = NULL;
    *out = NULL;
    if (file->info.model_length == 0) {
        complain("'%s': the run file has no model text in it: it was written by a program, which has to go on itself",
                 file->path);
        return STATUS_IO;
    }
    CardanStatus st =
        cardan_builder_read_text(file->info.model_text, file->info.model_length, file->info.model_label, &builder);
    int status = exit_status(st);
    if (st >= 0) status = set_parameters(file, builder);
    if (st >= 0 && status == STATUS_DONE) {
        st = cardan_builder_compile(builder, out);
        status = exit_status(st);
    }
    if (st < 0) complain_about(file->path, builder != NULL ? cardan_builder_message(builder) : "out of memory");
    cardan_builder_destroy(builder);
    return status;
}

/* ---- writing ---- */

static int failed(RunSink *sink, const char *what) {
    complain("'%s' could not be %s: %s", sink->path, what, strerror(errno));
    runsink_close(sink);
    return STATUS_IO;
}

static int lock(RunSink *sink) {
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(sink->descriptor, F_SETLK, &whole) == 0 || (errno != EACCES && errno != EAGAIN)) return STATUS_DONE;
    complain("'%s' is being written by another run", sink->path);
    runsink_close(sink);
    return STATUS_IO;
}

/* The name of a new file survives a power cut with its folder. */
static void sync_folder(const char *path) {
    char copy[LINE_SIZE];
    snprintf(copy, sizeof copy, "%s", path);
    int folder = open(dirname(copy), O_RDONLY | O_DIRECTORY);
    if (folder < 0) return;
    (void)fsync(folder);
    close(folder);
}

int runsink_create(RunSink *sink, const char *path) {
    struct stat about;
    *sink = (RunSink){.path = path, .descriptor = -1};
    if (stat(path, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0 && !runfile_is(path)) {
        complain("'%s' is there already and is no run file; it is not written over", path);
        return STATUS_IO;
    }
    sink->descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (sink->descriptor < 0) return failed(sink, "opened for writing");
    int status = lock(sink);
    if (status != STATUS_DONE) return status;
    if (ftruncate(sink->descriptor, 0) != 0 && errno != EINVAL) return failed(sink, "written");
    sync_folder(path);
    return STATUS_DONE;
}

int runsink_append(RunSink *sink, const char *path, size_t size) {
    *sink = (RunSink){.path = path, .descriptor = open(path, O_RDWR | O_CLOEXEC)};
    if (sink->descriptor < 0) return failed(sink, "opened for writing");
    int status = lock(sink);
    if (status != STATUS_DONE) return status;
    return runsink_truncate(sink, size) == 0 ? STATUS_DONE : failed(sink, "written");
}

static int put(void *user, const void *bytes, size_t size) {
    RunSink *sink = user;
    const char *at = bytes;
    while (size > 0) {
        ssize_t written = write(sink->descriptor, at, size);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) {
            sink->why = written < 0 ? errno : ENOSPC;
            return -1;
        }
        at += written;
        size -= (size_t)written;
    }
    return 0;
}

/* What cannot be synced (a pipe, some file systems) says EINVAL: it is written all the same. */
static int sync_file(void *user) {
    RunSink *sink = user;
    if (fsync(sink->descriptor) == 0 || errno == EINVAL || errno == EROFS) return 0;
    sink->why = errno;
    return -1;
}

int runsink_truncate(void *user, size_t size) {
    RunSink *sink = user;
    if (ftruncate(sink->descriptor, (off_t)size) == 0 && lseek(sink->descriptor, (off_t)size, SEEK_SET) >= 0) return 0;
    sink->why = errno;
    return -1;
}

CardanSink runsink_of(RunSink *sink) {
    return (CardanSink){.user = sink, .write = put, .sync = sync_file};
}

void runsink_close(RunSink *sink) {
    if (sink->descriptor >= 0) close(sink->descriptor);
    sink->descriptor = -1;
}
