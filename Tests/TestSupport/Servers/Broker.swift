import Foundation
import Glibc
import Testing

/// A mosquitto broker for one test, on a free loopback port and with its own directory.
final class Broker {
  enum Encryption {
    case none
    /// TLS with a certificate for this host name or address, which is signed by a new authority.
    case tls(name: String)
    /// TLS with a self-signed certificate.
    case own(OwnAuthority)
  }

  struct NotStartedError: Error, CustomStringConvertible {
    var description: String
  }

  static let program = "/usr/sbin/mosquitto"

  static var isInstalled: Bool {
    let isThere = ["/usr/sbin/mosquitto", "/usr/bin/mosquitto_passwd", "/usr/bin/openssl"].allSatisfy {
      FileManager.default.isExecutableFile(atPath: $0)
    }
    if !isThere { print("skipped: \(program), mosquitto_passwd or openssl is not installed") }
    return isThere
  }

  let folder: TemporaryFolder
  private(set) var port = 0
  private var child: Child?
  private let lines: [String]

  /// - Parameters:
  ///   - options: Additional lines of the configuration.
  ///   - users: Passwords by user name. If it is not empty, other users are rejected.
  init(_ options: [String] = [], users: [String: String] = [:], _ encryption: Encryption = .none) async throws
  {
    folder = try TemporaryFolder()
    var lines = [
      "persistence false", "log_dest file \(folder.path("log"))", "connection_messages true",
      "allow_anonymous \(users.isEmpty)", "max_queued_messages 0",
    ]
    if getuid() == 0 { lines.append("user root") }
    if !users.isEmpty {
      _ = try folder.file("users", [])
      for (user, password) in users {
        try Child.run("/usr/bin/mosquitto_passwd", ["-b", folder.path("users"), user, password])
      }
      lines.append("password_file \(folder.path("users"))")
    }
    switch encryption {
    case .none: break
    case .tls(let name):
      try Certificates.make(in: folder, name: name)
      lines += ["certfile \(folder.path("server.pem"))", "keyfile \(folder.path("server.key"))"]
    case .own(let authority):
      lines += ["certfile \(authority.certificate)", "keyfile \(authority.key)"]
    }
    self.lines = lines + options
    // Chooses another port if a process takes the free port before the broker binds it.
    for _ in 0..<20 where child == nil {
      port = try Self.freePort()
      try? await start()
    }
    guard child != nil else { throw NotStartedError(description: log) }
  }

  /// Starts the broker on its port, and returns when it listens.
  func start() async throws {
    let configuration = ["listener \(port) 127.0.0.1"] + lines
    try configuration.joined(separator: "\n").appending("\n")
      .write(toFile: folder.path("conf"), atomically: true, encoding: .utf8)
    try? FileManager.default.removeItem(atPath: folder.path("log"))
    let child = try Child(Self.program, ["-c", folder.path("conf")])
    let isRunning = await eventually { log.contains(" running") || log.contains("Error") || child.hasEnded }
    guard isRunning, log.contains(" running") else { throw NotStartedError(description: log) }
    self.child = child
  }

  /// The log since the last start.
  var log: String { (try? String(contentsOfFile: folder.path("log"), encoding: .utf8)) ?? "" }

  /// Kills the broker, like a crash.
  func crash() {
    child?.signal(SIGKILL)
    child?.wait()
    child = nil
  }

  /// Pauses the broker (SIGSTOP) so that it does not respond, or resumes it (SIGCONT).
  func signal(_ number: Int32) { child?.signal(number) }

  /// Whether the broker has received bytes that it has not read.
  var hasUnread: Bool {
    let digits = String(port, radix: 16, uppercase: true)
    let local = String(repeating: "0", count: 4 - digits.count) + digits
    // String(contentsOfFile:) would read only the first page of this file, which has no size.
    let table = try? FileHandle(forReadingFrom: URL(filePath: "/proc/net/tcp")).readToEnd()
    return String(decoding: table ?? Data(), as: UTF8.self).split(separator: "\n").contains { line in
      // The fields are: number, local address, remote address, state (01: connected), and the bytes to send
      // and to read.
      let fields = line.split(separator: " ")
      return fields.count > 4 && fields[1].hasSuffix(":\(local)") && fields[3] == "01"
        && !fields[4].hasSuffix(":00000000")
    }
  }

  private static func freePort() throws -> Int {
    let descriptor = try LoopbackSocket.listening()
    defer { close(descriptor) }
    return LoopbackSocket.port(of: descriptor)
  }
}

extension Child {
  /// Whether the process has exited.
  var hasEnded: Bool {
    var info = siginfo_t()
    return waitid(P_PID, id_t(process), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_signo != 0
  }
}

/// Creates a certificate authority and a server certificate that it has signed.
enum Certificates {
  static func make(in folder: TemporaryFolder, name: String) throws {
    let new = [
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
    ]
    try Child.run(
      "/usr/bin/openssl",
      new + [
        "-subj", "/CN=a test's authority", "-keyout", folder.path("ca.key"), "-out", folder.path("ca.pem"),
      ])
    let kind = name.contains { $0.isLetter } ? "DNS" : "IP"
    try Child.run(
      "/usr/bin/openssl",
      new + [
        "-subj", "/CN=a test's server", "-addext", "subjectAltName=\(kind):\(name)",
        "-CA", folder.path("ca.pem"), "-CAkey", folder.path("ca.key"),
        "-keyout", folder.path("server.key"), "-out", folder.path("server.pem"),
      ])
  }
}

/// Creates loopback sockets.
enum LoopbackSocket {
  struct SocketError: Error {
    var number: Int32
  }

  static func listening() throws -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard descriptor >= 0, status == 0, listen(descriptor, 4) == 0 else { throw SocketError(number: errno) }
    return descriptor
  }

  /// Creates a socket that connects to a port without waiting for the connection.
  static func connecting(to port: Int) -> Int32 {
    let descriptor = socket(
      AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
    _ = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    return descriptor
  }

  static func port(of descriptor: Int32) -> Int {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    return Int(UInt16(bigEndian: address.sin_port))
  }
}
