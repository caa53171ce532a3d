// libmosquitto, taken up when it is first needed: a gateway that tells nothing to a broker does not pay for it,
// nor for the TLS that it brings.
#ifndef CMOSQUITTO_H
#define CMOSQUITTO_H

#include <mosquitto.h>
#include <mqtt_protocol.h>
// How a thread that waits is woken; Glibc's module leaves it out.
#include <sys/eventfd.h>

/// Why libmosquitto cannot be used on this machine; NULL where it can. Ask before any other function is called:
/// they end the program where it is missing.
const char *libmosquittoUnavailable(void);

#endif
