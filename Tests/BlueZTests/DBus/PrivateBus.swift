import DBus
import Foundation
import Testing

/// A private dbus-daemon of the test, with a socket in a temporary directory.
final class PrivateBus {
  let address: BusAddress
  let socket: String
  private let folder: URL
  private let configuration: URL
  /// The process ID of the daemon, or zero if it is not running.
  private var daemon: pid_t = 0

  static let program = "/usr/bin/dbus-daemon"

  static var isInstalled: Bool {
    let isThere = FileManager.default.isExecutableFile(atPath: program)
    if !isThere { print("skipped: \(program) is not installed") }
    return isThere
  }

  /// - Parameter policy: Rules for all users, as in dbus-daemon(1).
  init(limits: [String: Int] = [:], policy: String = "") throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "bus-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    socket = folder.appending(path: "socket").path
    address = .address("unix:path=\(socket)")
    configuration = folder.appending(path: "bus.conf")
    let all = ["max_incoming_bytes", "max_outgoing_bytes", "max_message_size"].reduce(into: limits) {
      $0[$1] = $0[$1] ?? 1_000_000_000
    }
    let lines = all.map { #"<limit name="\#($0)">\#($1)</limit>"# }.joined(separator: "\n")
    try """
    <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
     "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
    <busconfig>
      <type>session</type>
      <listen>unix:path=\(socket)</listen>
      <auth>EXTERNAL</auth>
      <policy context="default">
        <allow send_destination="*" eavesdrop="true"/>
        <allow eavesdrop="true"/>
        <allow own="*"/>
        \(policy)
      </policy>
      \(lines)
      <limit name="max_replies_per_connection">50000</limit>
      <limit name="max_match_rules_per_connection">5000</limit>
    </busconfig>
    """.write(to: configuration, atomically: true, encoding: .utf8)
    try start()
  }

  /// Starts the daemon, and returns when it listens.
  func start() throws {
    try? FileManager.default.removeItem(atPath: socket)
    // Foundation's `Process` is not used: waiting for it blocks a thread of the pool, and sometimes never
    // returns.
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw StartError(number: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { for end in ends where end >= 0 { close(end) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    let arguments = [
      Self.program, "--config-file=\(configuration.path)", "--nofork", "--nopidfile", "--print-address",
    ]
    var pointers = arguments.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    let result = posix_spawn(&daemon, Self.program, &actions, nil, &pointers, environ)
    guard result == 0 else { throw StartError(number: result) }
    close(ends[1])
    ends[1] = -1
    var byte: UInt8 = 0
    #expect(read(ends[0], &byte, 1) == 1, "the daemon did not start")
  }

  struct StartError: Error {
    var number: Int32
  }

  /// Kills the daemon, like a crash.
  func crash() {
    guard daemon > 0 else { return }
    kill(daemon, SIGKILL)
    var status: Int32 = 0
    waitpid(daemon, &status, 0)
    daemon = 0
  }

  /// Sends a signal to the daemon, for example to stop and continue it.
  func signal(_ number: Int32) {
    kill(daemon, number)
  }

  deinit {
    crash()
    try? FileManager.default.removeItem(at: folder)
  }
}

/// Runs `body` with a bus and two connections to it, one for a service and one for a client.
func withConnections(
  limits: [String: Int] = [:], _ body: (PrivateBus, BusConnection, BusConnection) async throws -> Void
) async throws {
  let bus = try PrivateBus(limits: limits)
  let service = try await BusConnection.open(bus.address)
  let client = try await BusConnection.open(bus.address)
  do {
    try await body(bus, service, client)
  } catch {
    await service.close()
    await client.close()
    throw error
  }
  await service.close()
  await client.close()
}

extension BusConnection {
  /// Calls a method of `org.example.Test`, the interface that the tests export.
  @discardableResult
  func call(
    _ destination: BusConnection, _ member: String, _ body: [DBusValue] = [], at path: ObjectPath = "/test",
    timeout: Duration? = .seconds(25)
  ) async throws(BusError) -> Reply {
    try await call(
      MethodCall(
        destination: destination.uniqueName, path: path, interface: "org.example.Test", member: member,
        body: body),
      timeout: timeout)
  }

  /// Exports `org.example.Test` with the given methods.
  func export(_ methods: ExportedMethod..., at path: ObjectPath = "/test") throws(BusError) {
    try export(
      ExportedObject(interfaces: [ExportedInterface(name: "org.example.Test", methods: methods)]), at: path)
  }
}

/// Returns the error that the work throws, and records an issue if it throws none.
func failure(
  _ work: () async throws(BusError) -> Void, sourceLocation: SourceLocation = #_sourceLocation
) async -> BusError? {
  do throws(BusError) {
    try await work()
    Issue.record("nothing was thrown", sourceLocation: sourceLocation)
    return nil
  } catch {
    return error
  }
}
