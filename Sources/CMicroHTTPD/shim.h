// GNU libmicrohttpd for Swift. Swift cannot call variadic functions and does not import macros with a cast,
// so this header wraps them.

#ifndef CMICROHTTPD_SHIM_H
#define CMICROHTTPD_SHIM_H

// Replaces the headers that microhttpd.h would include. Otherwise the socket types would belong to this
// module, and files that import only Glibc could not see them.
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
// eventfd wakes the thread that runs the server. Glibc's module does not contain it.
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

// POLLRDHUP and accept4 are GNU extensions that Glibc's module does not contain.
static const short CMICROHTTPD_POLLRDHUP = 0x2000;
int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags);

#endif
