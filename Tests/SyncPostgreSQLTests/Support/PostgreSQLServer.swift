import Foundation
import Glibc
import HealthDataSync
import Testing

@testable import SyncPostgreSQL
@testable import TestSupport

/// A PostgreSQL of the tests' own, on a socket in a folder of its own and on a port of loopback. Over the
/// socket everybody is let in, over loopback `owner` with the password `right`.
final class PostgreSQLServer: Sendable {
  let port: Int
  let folder: URL
  private let input: FileHandle
  private let output: FileHandle
  private let process: Process

  private static let script = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "postgresql-server.sh")

  /// Debian has them in a folder of each version.
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

  static let isInstalled: Bool = {
    if programs == nil { print("skipped: PostgreSQL's initdb is missing (scripts/install --for-tests)") }
    return programs != nil
  }()

  /// One for all tests that leave it running; it ends with the process.
  static let shared = Result { try PostgreSQLServer() }

  init() throws {
    let programs = try #require(Self.programs)
    // A socket's path is short.
    folder = URL(filePath: "/tmp/pg-\(UUID().uuidString.prefix(8))")
    port = try Self.freePort()
    let (input, output) = (Pipe(), Pipe())
    process = Process()
    // As a text: that user may not be allowed to read the file. The server refuses to run as root.
    let user = geteuid() == 0 ? ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] : []
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.currentDirectoryURL = URL(filePath: "/tmp")
    process.arguments =
      user + [
        "sh", "-c", try String(contentsOf: Self.script, encoding: .utf8), "sh", programs.path, folder.path,
        "\(port)",
      ]
    process.standardInput = input
    process.standardOutput = output
    self.input = input.fileHandleForWriting
    self.output = output.fileHandleForReading
    try process.run()
    #expect(line() == "made")
    try start()
  }

  deinit { try? input.close() }

  /// Starts it, and returns when it lets people in.
  func start() throws {
    let pid = Int32(try order("start")) ?? 0
    while kill(pid, 0) == 0 {
      if (try? connection(to: "postgres")) != nil { return }
      usleep(20_000)
    }
    throw POSIXError(.ECHILD)
  }

  /// The root of the certificate with which it proves to be `localhost`; nil where there is no openssl.
  var rootCertificate: String? {
    let path = folder.appending(path: "root.crt").path
    return FileManager.default.isReadableFile(atPath: path) ? path : nil
  }

  /// As by a loss of power.
  func stop() throws {
    #expect(try order("stop") == "stopped")
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

  // MARK: - Looking into it

  /// A connection over the socket, as `owner`.
  func connection(to database: String, as user: String = "owner") throws -> Connection {
    try Connection(
      ["host": folder.path, "port": "\(port)", "user": user, "dbname": database, "client_encoding": "UTF8"],
      limits: Limits(), cancellation: Cancellation())
  }

  /// A database of a test's own.
  func makeDatabase() throws -> TestDatabase {
    let name = "t\(UUID().uuidString.prefix(12).lowercased().filter { $0 != "-" })"
    try connection(to: "postgres").perform("CREATE DATABASE \(name)")
    return TestDatabase(server: self, name: name)
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

/// One database of a server.
struct TestDatabase: Sendable {
  let server: PostgreSQLServer
  let name: String

  /// As `owner`, over the socket.
  var url: String { "postgresql://owner@/\(name)?host=\(server.folder.path)&port=\(server.port)" }

  /// - Parameter url: another way there than over the socket.
  func store(
    _ gateway: String = "attic", person: String = "Ada", url: String? = nil, secret: String? = nil,
    schema: Schema = .current, limits: Limits = Limits()
  ) throws -> PostgreSQLStore {
    PostgreSQLStore(
      address: try PostgreSQLAddress(parsing: url ?? self.url), secret: secret,
      identity: ExternalIdentity(person: person, gateway: gateway), schema: schema, limits: limits)
  }

  func connection() throws -> Connection { try server.connection(to: name) }

  /// The rows of the answer to the last statement.
  @discardableResult
  func rows(_ sql: String) throws -> [[String?]] {
    try connection().perform("SET timezone = 'UTC'; \(sql)").rows
  }

  /// The first column.
  func column(_ sql: String) throws -> [String?] { try rows(sql).map { $0[0] } }
}
