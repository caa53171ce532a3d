#ifndef CMOSQUITTO_SHIM_H
#define CMOSQUITTO_SHIM_H

#include <mosquitto.h>
#include <mqtt_protocol.h>
// Wakes a waiting thread; Glibc's module leaves it out.
#include <sys/eventfd.h>

#endif
