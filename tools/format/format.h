/* The generated parts of docs/FORMAT.md, each from the table of the library that holds the facts. */
#ifndef FORMAT_FORMAT_H
#define FORMAT_FORMAT_H

/* One row of a Markdown table: cells parted by '|', bars inside them escaped. A NULL cell is empty. */
void print_row(const char *const *cells, int count);

/* The heading and the line under it. */
void print_head(const char *const *cells, int count);

/* elements.c */
void print_body_keys(void);
void print_marker_keys(void);
void print_joints(void);
void print_joint_keys(void);
void print_forces(void);
void print_force_keys(void);
void print_start_keys(void);

/* expressions.c */
void print_functions(void);
void print_limits(void);

/* measures.c */
void print_body_measures(void);
void print_joint_measures(void);
void print_force_measures(void);
void print_model_measures(void);

/* options.c */
void print_options(void);
void print_steppers(void);
void print_words(void);

#endif
