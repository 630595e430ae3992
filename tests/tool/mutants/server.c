/* Runs the command once a line, each time in a child of its own: what a process costs to start (libraries, sanitizers)
 * is paid once. A line of stdin is what `cardan` would be given, words parted by tabs; the first two words are where
 * its stdout and stderr go. The answer is one line, 'STATUS SECONDS': the exit status, or minus the signal that ended
 * it; a child that takes longer than the limit of argv[1] seconds is ended by SIGALRM. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WORDS_MAX = 32, LINE_MAX_BYTES = 4096 };

int cardan_main(int count, char **words); /* main of tools/main.c, by another name */

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void child(unsigned limit, int count, char **words) {
    struct rlimit cpu = {limit, limit + 1};
    if (setrlimit(RLIMIT_CPU, &cpu) != 0) exit(EXIT_FAILURE);
    alarm(10 * limit);
    if (freopen(words[0], "w", stdout) == NULL || freopen(words[1], "w", stderr) == NULL) exit(EXIT_FAILURE);
    if (freopen("/dev/null", "r", stdin) == NULL) exit(EXIT_FAILURE);
    char name[] = "cardan", *command[WORDS_MAX + 1] = {name};
    for (int i = 2; i < count; i++) command[i - 1] = words[i];
    exit(cardan_main(count - 1, command));
}

static int ended(pid_t pid) {
    int how = 0;
    if (waitpid(pid, &how, 0) != pid) return EXIT_FAILURE;
    return WIFEXITED(how) ? WEXITSTATUS(how) : -WTERMSIG(how);
}

int main(int count, char **words) {
    unsigned limit = count > 1 ? (unsigned)strtoul(words[1], NULL, 10) : 10;
    char line[LINE_MAX_BYTES];
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        char *word[WORDS_MAX];
        int n = 0;
        for (char *s = strtok(line, "\t"); s != NULL && n < WORDS_MAX; s = strtok(NULL, "\t")) word[n++] = s;
        if (n < 3) return EXIT_FAILURE;
        double began = now();
        pid_t pid = fork();
        if (pid < 0) return EXIT_FAILURE;
        if (pid == 0) child(limit, n, word);
        int status = ended(pid);
        printf("%d %.3f\n", status, now() - began);
        fflush(stdout);
    }
    return EXIT_SUCCESS;
}
