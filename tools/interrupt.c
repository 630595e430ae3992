/* The one global of the command: which signal came. */
#include "interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int caught; /* lock-free, so the handler may write it while several threads read */

static void note(int number) {
    atomic_store(&caught, number);
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
    return atomic_load(&caught);
}
