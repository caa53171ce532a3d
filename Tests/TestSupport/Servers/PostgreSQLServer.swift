import Foundation
import Glibc

/// A PostgreSQL server for tests, on a socket in its own directory and on a loopback port. The socket
/// accepts all users; loopback accepts `owner` with the password `right`.
final class PostgreSQLServer: Sendable {
  let port: Int
  let folder: URL
  private let input: FileHandle
  private let output: FileHandle
  private let process: Process

  private static let script = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "postgresql-server.sh")

  /// Debian installs the programs in a directory for each version.
  private static let programs: URL? = {
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
    let folders =
      versions.sorted { $0.compare($1, options: .numeric) == .orderedDescending }
      .map { "/usr/lib/postgresql/\($0)/bin" } + ["/usr/bin", "/usr/local/bin"]
    return folders.first {
      FileManager.default.isExecutableFile(atPath: "\($0)/initdb")
        && FileManager.default.isExecutableFile(atPath: "\($0)/postgres")
    }.map { URL(filePath: $0) }
  }()

  private static func found() throws -> URL {
    guard let programs else { throw POSIXError(.ENOENT) }
    return programs
  }

  static let isInstalled: Bool = {
    if programs == nil { print("skipped: PostgreSQL's initdb is missing (scripts/install --for-tests)") }
    return programs != nil
  }()

  /// The server of all tests that do not stop it. It exits with the process of the tests.
  static let shared = Result { try PostgreSQLServer() }

  /// - Parameter isDurable: Whether commits wait for the disk, as on a production server.
  init(isDurable: Bool = false) throws {
    let programs = try Self.found()
    // The path is short, because the length of a socket's path is limited.
    folder = URL(filePath: "/tmp/pg-\(UUID().uuidString.prefix(8))")
    port = try Self.freePort()
    let (input, output) = (Pipe(), Pipe())
    process = Process()
    // The server refuses to run as root, so the user is `nobody`. The script is passed as text, because
    // `nobody` may not be allowed to read its file.
    let user = geteuid() == 0 ? ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] : []
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.currentDirectoryURL = URL(filePath: "/tmp")
    process.arguments =
      user + [
        "sh", "-c", try String(contentsOf: Self.script, encoding: .utf8), "sh", programs.path, folder.path,
        "\(port)", isDurable ? "on" : "off",
      ]
    process.standardInput = input
    process.standardOutput = output
    self.input = input.fileHandleForWriting
    self.output = output.fileHandleForReading
    try process.run()
    guard line() == "made" else { throw POSIXError(.EIO) }
    try start()
  }

  deinit { try? input.close() }

  /// Starts the server, and returns when it accepts connections.
  func start() throws {
    let pid = Int32(try order("start")) ?? 0
    while kill(pid, 0) == 0 {
      if (try? psql("postgres", "SELECT 1")) == ["1"] { return }
      usleep(20_000)
    }
    throw POSIXError(.ECHILD)
  }

  /// The root certificate for verifying the server as `localhost`; `nil` if openssl is missing.
  var rootCertificate: String? {
    let path = folder.appending(path: "root.crt").path
    return FileManager.default.isReadableFile(atPath: path) ? path : nil
  }

  /// Stops the server immediately, like a loss of power.
  func stop() throws {
    guard try order("stop") == "stopped" else { throw POSIXError(.EIO) }
  }

  private func order(_ order: String) throws -> String {
    try input.write(contentsOf: Data("\(order)\n".utf8))
    return line()
  }

  private func line() -> String {
    var line: [UInt8] = []
    while let byte = try? output.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") { line.append(byte) }
    return String(decoding: line, as: UTF8.self)
  }

  // MARK: - Queries

  /// Returns the output of `psql` for a statement: one line for each row. `psql` connects over the socket as
  /// `owner`.
  func psql(_ database: String, _ sql: String) throws -> [String] {
    let programs = try Self.found()
    let process = Process()
    // The output is a file, because a pipe stays open until all programs that inherited it have exited.
    let temporary = try TemporaryFolder()
    let output = try temporary.file("output", [])
    process.executableURL = programs.appending(path: "psql")
    process.arguments = [
      "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", folder.path, "-p", "\(port)", "-U", "owner",
      "-d", database,
      "-c", sql,
    ]
    process.standardOutput = FileHandle(forWritingAtPath: output)
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw POSIXError(.EIO) }
    return try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n").map(String.init)
  }

  private static func freePort() throws -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    return try withUnsafeMutablePointer(to: &address) {
      try $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        guard bind(descriptor, $0, length) == 0, getsockname(descriptor, $0, &length) == 0 else {
          throw POSIXError(.EADDRINUSE)
        }
      }
      return Int(UInt16(bigEndian: $0.pointee.sin_port))
    }
  }
}
