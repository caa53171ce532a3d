import DBus
import Foundation
import Testing

@testable import TestSupport

/// A dbus-daemon with the rules of a system bus: unless a policy file allows it, no client may own a name or
/// call a service.
final class MachineBus {
  static let program = "/usr/bin/dbus-daemon"

  static let isInstalled: Bool = {
    let isThere = FileManager.default.isExecutableFile(atPath: program)
    if !isThere { print("skipped: \(program) is not installed") }
    return isThere
  }()

  /// The policy for the user of this process, as `hrgate@USER.service` installs it.
  static let policy: String? = {
    let script = Process()
    script.executableURL =
      URL(filePath: #filePath).appending(path: "../../../../systemd/hrgate-prepare").standardized
    script.arguments = ["--policy", "\(geteuid())"]
    return (try? script.output()).map { String(decoding: $0, as: UTF8.self) }
  }()

  /// The address in D-Bus notation.
  let text: String
  var address: BusAddress { .address(text) }
  private let folder: URL
  private var daemon: Process?

  /// - Parameter policy: The contents of a file in /etc/dbus-1/system.d; `nil` for no file.
  init(policy: String?) throws {
    // The folder has a short path, because the path of a socket is limited. Other users must be able to reach
    // it.
    folder = URL(filePath: "/tmp/machine-\(UUID().uuidString.prefix(8))")
    let rules = folder.appending(path: "system.d")
    try FileManager.default.createDirectory(at: rules, withIntermediateDirectories: true)
    text = "unix:path=\(folder.path)/bus"
    if let policy { try write(policy) }
    let configuration = """
      <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
       "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
      <busconfig>
        <type>system</type>
        <listen>\(text)</listen>
        <auth>EXTERNAL</auth>
        <policy context="default">
          <allow user="*"/>
          <deny own="*"/>
          <deny send_type="method_call"/>
          <allow send_type="signal"/>
          <allow send_requested_reply="true" send_type="method_return"/>
          <allow send_requested_reply="true" send_type="error"/>
          <allow receive_type="method_call"/>
          <allow receive_type="method_return"/>
          <allow receive_type="error"/>
          <allow receive_type="signal"/>
          <allow send_destination="org.freedesktop.DBus"/>
        </policy>
        <includedir>\(rules.path)</includedir>
      </busconfig>
      """
    try Data(configuration.utf8).write(to: folder.appending(path: "bus.conf"))
    try start()
  }

  /// Starts the daemon, and returns when it listens.
  func start() throws {
    try? FileManager.default.removeItem(at: folder.appending(path: "bus"))
    let output = Pipe()
    let process = Process()
    process.executableURL = URL(filePath: Self.program)
    process.arguments = [
      "--config-file=\(folder.appending(path: "bus.conf").path)", "--nofork", "--nopidfile",
      "--print-address",
    ]
    process.standardOutput = output
    try process.run()
    daemon = process
    #expect(try output.fileHandleForReading.read(upToCount: 1)?.count == 1, "the daemon did not start")
  }

  private func write(_ policy: String) throws {
    try Data(policy.utf8).write(to: folder.appending(path: "system.d/gateway.conf"))
  }

  /// Makes the running daemon read a policy, as after adding a file to /etc/dbus-1/system.d.
  func permit(_ policy: String) async throws {
    try write(policy)
    // dbus-daemon reloads on SIGHUP too, but this one inherited a signal mask that blocks it.
    let connection = try await BusConnection.open(address)
    let name = "org.freedesktop.DBus"
    try await connection.call(
      MethodCall(
        destination: name, path: "/org/freedesktop/DBus", interface: name, member: "ReloadConfig"))
    await connection.close()
  }

  /// Kills the daemon, like a crash.
  func crash() {
    guard let daemon else { return }
    kill(daemon.processIdentifier, SIGKILL)
    self.daemon = nil
  }

  deinit {
    crash()
    try? FileManager.default.removeItem(at: folder)
  }
}
