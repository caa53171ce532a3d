#ifndef CMOSQUITTO_SHIM_H
#define CMOSQUITTO_SHIM_H

#include <mosquitto.h>
#include <mqtt_protocol.h>
// For eventfd, which wakes a waiting thread. The Glibc module does not include it.
#include <sys/eventfd.h>

#endif
