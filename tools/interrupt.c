/* The one global of the command: which signal came. */
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t caught;

static void note(int number) {
    caught = number;
}

static void watch(int number) {
    struct sigaction action = {.sa_handler = note, .sa_flags = (int)(SA_RESTART | SA_RESETHAND)};
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

void interrupt_watch(void) {
    watch(SIGINT);
    watch(SIGTERM);
}

int interrupt_signal(void) {
    return (int)caught;
}
