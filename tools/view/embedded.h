/* The page's own files, put here at build time (embed.c). */
#ifndef TOOL_VIEW_EMBEDDED_H
#define TOOL_VIEW_EMBEDDED_H

extern const char embedded_page[], embedded_style[], embedded_code[];

#endif
