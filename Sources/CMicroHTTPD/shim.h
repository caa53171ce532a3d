// GNU libmicrohttpd for Swift. Swift calls no variadic functions and imports no macros with a cast: they are wrapped here.

#ifndef CMICROHTTPD_SHIM_H
#define CMICROHTTPD_SHIM_H

// In place of what microhttpd.h would include: the types of sockets would become part of this module, and be hidden from files
// that import Glibc alone.
#define MHD_PLATFORM_H
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#ifndef __socklen_t_defined
typedef __socklen_t socklen_t;
#define __socklen_t_defined
#endif
struct sockaddr;
#include <microhttpd.h>
// Wakes the thread that runs the server; Glibc's module leaves it out.
#include <sys/eventfd.h>

/// Starts a daemon without a thread and without a listening socket: the caller adds connections and polls.
static inline struct MHD_Daemon *CMicroHTTPD_start(
    void *context,
    void *(*begin)(void *context, const char *target, struct MHD_Connection *connection),
    MHD_AccessHandlerCallback handle, MHD_RequestCompletedCallback complete, MHD_NotifyConnectionCallback notify,
    unsigned int connection_limit, size_t connection_memory, unsigned int timeout_seconds) {
  return MHD_start_daemon(
      MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handle, context,
      MHD_OPTION_URI_LOG_CALLBACK, begin, context, MHD_OPTION_NOTIFY_COMPLETED, complete, context,
      MHD_OPTION_NOTIFY_CONNECTION, notify, context, MHD_OPTION_CONNECTION_LIMIT, connection_limit,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, connection_memory, MHD_OPTION_CONNECTION_TIMEOUT, timeout_seconds,
      MHD_OPTION_END);
}

/// The descriptor that is readable when a connection of the daemon has something to do.
static inline int CMicroHTTPD_epoll(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
  return info == NULL ? -1 : info->epoll_fd;
}

/// The socket of a connection.
static inline int CMicroHTTPD_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info == NULL ? -1 : info->connect_fd;
}

static const ssize_t CMICROHTTPD_END_OF_STREAM = MHD_CONTENT_READER_END_OF_STREAM;
static const ssize_t CMICROHTTPD_END_WITH_ERROR = MHD_CONTENT_READER_END_WITH_ERROR;

// GNU's, which Glibc's module leaves out.
static const short CMICROHTTPD_POLLRDHUP = 0x2000;
int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags);

#endif
