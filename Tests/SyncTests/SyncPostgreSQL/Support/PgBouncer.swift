import Foundation
import Glibc

@testable import TestSupport

/// A PgBouncer in front of a server, on a loopback port. Its process is killed when the object is released.
final class PgBouncer {
  static let program = "/usr/sbin/pgbouncer"
  static let isInstalled = FileManager.default.isExecutableFile(atPath: program)

  private(set) var port = 0
  private let folder: URL
  private let process = Process()

  struct NotStartedError: Error {}

  init(before server: PostgreSQLServer, mode: String, poolSize: Int = 20, isRoundRobin: Bool = false) throws {
    folder = URL(filePath: "/tmp/pgb-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    let listener = try LoopbackSocket.listening()
    port = LoopbackSocket.port(of: listener)
    close(listener)
    let settings = """
      [databases]
      * = host=\(server.folder.path) port=\(server.port) user=owner
      [pgbouncer]
      listen_addr = 127.0.0.1
      listen_port = \(port)
      unix_socket_dir =
      auth_type = any
      pool_mode = \(mode)
      default_pool_size = \(poolSize)
      server_round_robin = \(isRoundRobin ? 1 : 0)
      logfile = \(folder.path)/log
      """
    try Data(settings.utf8).write(to: folder.appending(path: "ini"))
    // PgBouncer does not run as root. The socket of the server accepts only the server's own user, `nobody`.
    let isRoot = geteuid() == 0
    if isRoot {
      for path in [folder.path, folder.path + "/ini"] { chown(path, 65_534, 65_534) }
    }
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments =
      (isRoot ? ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] : []) + [
        Self.program, "-q", folder.path + "/ini",
      ]
    process.currentDirectoryURL = URL(filePath: "/tmp")
    process.standardError = FileHandle.nullDevice
    try process.run()
    for _ in 0..<500 {
      let socket = LoopbackSocket.connecting(to: port)
      defer { close(socket) }
      var polled = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
      _ = poll(&polled, 1, 20)
      if polled.revents == Int16(POLLOUT) { return }
      guard process.isRunning else { break }
      usleep(20_000)
    }
    throw NotStartedError()
  }

  deinit {
    // If the process was not started, its ID is 0, and kill(2) would signal the process group of the tests.
    if process.isRunning {
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
    try? FileManager.default.removeItem(at: folder)
  }

  func url(_ database: String) -> String {
    "postgresql://owner@127.0.0.1:\(port)/\(database)?sslmode=disable"
  }
}
