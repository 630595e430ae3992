/* Writing the page: page.html with its marks replaced by style, code, three.js and data. Numbers are 32-bit floats, the
 * lowest byte first, in base64 (RFC 4648). */
#include "view/page.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "view/embedded.h"

/* ---- numbers ---- */

typedef struct Base64 {
    FILE *out;
    unsigned char held[3];
    int count;
} Base64;

static void put_three(Base64 *to, int count) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned bits = (unsigned)to->held[0] << 16 | (unsigned)to->held[1] << 8 | to->held[2];
    for (int k = 0; k < 4; k++) fputc(k <= count ? letters[bits >> (18 - 6 * k) & 63u] : '=', to->out);
}

static void put_float(Base64 *to, float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    for (int k = 0; k < 4; k++) {
        to->held[to->count++] = (unsigned char)(bits >> (8 * k));
        if (to->count < 3) continue;
        put_three(to, 3);
        to->count = 0;
    }
}

static void finish(Base64 *to) {
    for (int k = to->count; k < 3; k++) to->held[k] = 0;
    if (to->count > 0) put_three(to, to->count);
}

static void put_numbers(FILE *out, const char *name, int run, const float *numbers, size_t count) {
    Base64 to = {.out = out};
    fprintf(out, "<script type=\"text/plain\" id=\"%s%d\">", name, run);
    for (size_t i = 0; i < count; i++) put_float(&to, numbers[i]);
    finish(&to);
    fputs("</script>\n", out);
}

/* Times by themselves: they are kept as doubles until here. */
static void put_times(FILE *out, int run, const Movie *movie) {
    Base64 to = {.out = out};
    fprintf(out, "<script type=\"text/plain\" id=\"t%d\">", run);
    for (int i = 0; i < movie->frames; i++) put_float(&to, (float)movie->t[i]);
    finish(&to);
    fputs("</script>\n", out);
}

/* ---- text ---- */

/* For HTML. */
static void put_escaped(FILE *out, const char *text) {
    for (; *text != '\0'; text++) {
        if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '&')
            fputs("&amp;", out);
        else
            fputc(*text, out);
    }
}

/* JSON inside of a script: no "<", which could end it. */
static void put_scenes(FILE *out, const Page *page) {
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    if (memory == NULL) return; /* the page then says that it has no data */
    Json json = {.out = memory};
    json_open_object(&json, NULL, true);
    json_string(&json, "version", cardan_version_text());
    json_open_array(&json, "runs", true);
    for (int i = 0; i < page->movies; i++) scene_json(&json, &page->movie[i], page->labels[i]);
    json_close(&json);
    json_open_array(&json, "traces", true);
    for (int i = 0; i < page->traces; i++) {
        const Trace *trace = &page->trace[i];
        json_open_object(&json, NULL, false);
        json_string(&json, "name", trace->name);
        json_integer(&json, "body", movie_body(&page->movie[0], trace->body));
        json_vector(&json, "point", (double[]){trace->point.x, trace->point.y, trace->point.z}, 3);
        json_close(&json);
    }
    json_close(&json);
    json_close(&json);
    fclose(memory);
    fputs("<script type=\"application/json\" id=\"scene\">", out);
    for (const char *s = text; s != NULL && *s != '\0'; s++) {
        if (*s == '<')
            fputs("\\u003c", out);
        else
            fputc(*s, out);
    }
    fputs("</script>\n", out);
    free(text);
}

static void put_data(FILE *out, const Page *page) {
    put_scenes(out, page);
    for (int i = 0; i < page->movies; i++) {
        const Movie *movie = &page->movie[i];
        size_t frames = (size_t)movie->frames;
        put_times(out, i, movie);
        put_numbers(out, "poses", i, movie->poses, frames * (size_t)movie->body_count * POSE_NUMBERS);
        put_numbers(out, "forces", i, movie->forces, frames * (size_t)movie->arrow_count * ARROW_NUMBERS);
        put_numbers(out, "values", i, movie->values, frames * (size_t)movie->channels.columns);
    }
}

/* ---- marks ---- */

static void put_title(FILE *out, const Page *page) {
    put_escaped(out, cardan_model_name(page->movie[0].model));
}

static void put_style(FILE *out, const Page *page) {
    (void)page;
    fputs(embedded_style, out);
}

static void put_three_js(FILE *out, const Page *page) {
    fwrite(page->three.bytes, 1, page->three.length, out);
}

static void put_code(FILE *out, const Page *page) {
    (void)page;
    fputs(embedded_code, out);
}

static const struct {
    const char *mark;
    void (*put)(FILE *out, const Page *page);
} marks[] = {{"@TITLE@", put_title},
             {"@STYLE@", put_style},
             {"@THREE@", put_three_js},
             {"@DATA@", put_data},
             {"@CODE@", put_code}};

void page_write(FILE *out, const Page *page) {
    for (const char *s = embedded_page; *s != '\0';) {
        size_t k = 0;
        while (k < sizeof marks / sizeof *marks && strncmp(s, marks[k].mark, strlen(marks[k].mark)) != 0) k++;
        if (k == sizeof marks / sizeof *marks) {
            fputc(*s++, out);
        } else {
            marks[k].put(out, page);
            s += strlen(marks[k].mark);
        }
    }
}
