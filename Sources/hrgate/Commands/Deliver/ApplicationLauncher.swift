import Foundation
import HealthSystem

/// Starts applications that have registered for background delivery of new samples.
struct ApplicationLauncher {
  let person: LaunchedPerson

  /// - Parameter ended: Called when a started executable ends. Not called for a systemd unit.
  /// - Throws: `CommandError` with the reason why the application cannot be started.
  func start(
    _ launch: BackgroundDelivery.Launch, ended: @escaping @Sendable () -> Void
  ) async throws(CommandError) {
    if let unit = launch.unit {
      try await start(unit: unit)
    } else {
      try start(executable: launch.executable, ended: ended)
    }
  }

  private func start(unit: String) async throws(CommandError) {
    guard !unit.isEmpty, !unit.hasPrefix("-"), unit.utf8.allSatisfy({ Self.unitLetters.contains($0) }) else {
      throw CommandError(
        "\(unit.plain) is not a valid name of a systemd unit; register a name such as recorder.service")
    }
    if person.dependsOnUnit {
      let shown = Pipe()
      let process = systemctl("show", "--property=Environment", "--value", unit)
      process.standardOutput = shown
      let status = try await status(of: process)
      guard status == 0 else {
        throw CommandError(
          "systemctl --user show \(unit) failed with status \(status); check the unit: systemctl --user "
            + "status \(unit)"
        )
      }
      let environment = (try? shown.fileHandleForReading.readToEnd()) ?? Data()
      if let refusal = person.refusal(of: unit, environment: String(decoding: environment, as: UTF8.self)) {
        throw CommandError(refusal)
      }
    }
    let status = try await status(of: systemctl("--no-block", "start", unit))
    guard status == 0 else {
      throw CommandError(
        "systemctl --user start \(unit) failed with status \(status); check the unit: systemctl --user "
          + "status \(unit)"
      )
    }
  }

  private func systemctl(_ arguments: String...) -> Process {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["systemctl", "--user"] + arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    return process
  }

  /// Timeout for a systemctl command. With `--no-block`, systemctl does not wait until the unit has started.
  private static let timeout = Duration.seconds(30)

  /// Runs a process until it ends. `waitUntilExit` would block one of the few threads of the concurrency
  /// pool.
  private func status(of process: Process) async throws(CommandError) -> Int32 {
    let (ends, end) = AsyncStream.makeStream(of: Int32.self)
    process.terminationHandler = {
      end.yield($0.terminationStatus)
      end.finish()
    }
    try run(process)
    let status = await withTaskGroup(of: Int32?.self) { group in
      group.addTask { await ends.first { _ in true } }
      group.addTask {
        try? await Task.sleep(for: Self.timeout)
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
    if let status { return status }
    // SIGKILL, because the child inherits that this program ignores SIGINT and SIGTERM.
    kill(process.processIdentifier, SIGKILL)
    throw CommandError(
      "systemctl --user did not answer within 30 seconds; check it with: systemctl --user status")
  }

  private static let unitLetters = Set(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789:-_.\\@".utf8)

  private func start(executable: String, ended: @escaping @Sendable () -> Void) throws(CommandError) {
    guard executable.hasPrefix("/") else {
      throw CommandError(
        "the registered executable of the application is not an absolute path; run the application once, "
          + "which registers it again"
      )
    }
    let process = Process()
    process.executableURL = URL(filePath: executable)
    process.environment = person.environment
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.terminationHandler = { _ in ended() }
    try run(process)
  }

  private func run(_ process: Process) throws(CommandError) {
    do {
      try process.run()
    } catch {
      throw CommandError(error.localizedDescription)
    }
  }
}
