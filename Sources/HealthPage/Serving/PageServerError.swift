import Foundation
import Glibc

/// An error of the server or of a client on its Unix domain socket.
package struct PageServerError: Error, CustomStringConvertible, LocalizedError {
  package let description: String

  init(_ description: String) { self.description = description }

  /// Creates the error for a port on which the server cannot listen.
  init(port: Int, errno: Int32) {
    description =
      switch errno {
      case EADDRINUSE: "port \(port) is in use by another program: choose another with --port"
      case EACCES: "port \(port) needs root privileges: choose one above 1023 with --port"
      default: "cannot listen on port \(port): \(String(cString: strerror(errno)))"
      }
  }

  /// The error if the kernel cannot report which user opened a connection. Without that, the server could not
  /// accept any.
  static let noPeers = PageServerError(
    """
    the kernel does not report which user connects (NETLINK_SOCK_DIAG): load its module (modprobe tcp_diag); \
    in a service, allow AF_NETLINK in RestrictAddressFamilies, as hrgate's own units do
    """)

  package var errorDescription: String? { description }
}
