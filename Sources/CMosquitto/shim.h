#ifndef CMOSQUITTO_SHIM_H
#define CMOSQUITTO_SHIM_H

#include <mosquitto.h>
#include <mqtt_protocol.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>

// These are functions, because Swift sees the types and constants of these system headers through only one of
// the modules that include them. Which module that is differs between debug and release builds.

/// Creates an eventfd that wakes the thread of a connection. Returns -1 on an error.
static inline int cmosquitto_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

/// Blocks all signals in the calling thread.
static inline void cmosquitto_block_signals(void) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, NULL);
}

#endif
