import Foundation
import HealthKit

/// Starts applications for which there is something new.
struct ApplicationLauncher {
  /// - Parameter ended: called when an executable that was started ends.
  /// - Throws: `Failure` with the reason why the application cannot be started.
  func start(
    _ launch: BackgroundDelivery.Launch, ended: @escaping @Sendable () -> Void
  ) throws(Failure) {
    if let unit = launch.unit {
      try start(unit: unit)
    } else {
      try start(executable: launch.executable, ended: ended)
    }
  }

  private func start(unit: String) throws(Failure) {
    guard !unit.isEmpty, !unit.hasPrefix("-"), unit.utf8.allSatisfy({ Self.unitLetters.contains($0) }) else {
      throw Failure("\(unit.plain) is no name of a systemd unit")
    }
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["systemctl", "--user", "--no-block", "start", unit]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    try run(process)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure("systemctl --user start \(unit) ended with status \(process.terminationStatus)")
    }
  }

  private static let unitLetters = Set(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789:-_.\\@".utf8)

  private func start(executable: String, ended: @escaping @Sendable () -> Void) throws(Failure) {
    guard executable.hasPrefix("/") else { throw Failure("its executable is not known") }
    let process = Process()
    process.executableURL = URL(filePath: executable)
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.terminationHandler = { _ in ended() }
    try run(process)
  }

  private func run(_ process: Process) throws(Failure) {
    do {
      try process.run()
    } catch {
      throw Failure(error.localizedDescription)
    }
  }
}
