import Foundation
import HealthStorage

extension HKHealthStore {
  /// Registers this program for background delivery of a type.
  /// - Throws: errorInvalidArgument if the type cannot be delivered or the executable is unknown.
  func startDelivery(of type: HKObjectType, _ frequency: HKUpdateFrequency) async throws {
    let application = try delivered
    guard let type = type as? HKSampleType, !(type is HKCorrelationType) else {
      throw HKError(.errorInvalidArgument, reason: "\(type) cannot be delivered in the background")
    }
    let executable = Self.thisExecutable
    guard executable != nil || application.backgroundUnit != nil else {
      throw HKError(.errorInvalidArgument, reason: "the path of this program's executable is unknown")
    }
    try await register(application, executable: executable ?? "", for: type, frequency)
  }

  /// The path of this program's executable. It is correct even if the file has been replaced since the
  /// program was started.
  private static var thisExecutable: String? {
    guard let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else {
      return nil
    }
    let mark = " (deleted)"
    return path.hasSuffix(mark) ? String(path.dropLast(mark.count)) : path
  }

  /// Registers a program for background delivery of a type.
  /// - Parameter executable: The absolute path of the executable. It is started if the program does not
  ///   specify a systemd unit.
  package func register(
    _ application: Application, executable: String, for type: HKSampleType,
    _ frequency: HKUpdateFrequency = .immediate
  ) async throws {
    try await HKError.translating {
      try await admit(.authorization).enableDelivery(
        of: type.identifier, frequency: type.clamped(frequency).rawValue,
        to: ApplicationRecord(bundleIdentifier: application.bundleIdentifier, name: application.name),
        LaunchRecord(unit: application.backgroundUnit, executable: executable))
    }
  }

  /// Ends background delivery for this program.
  /// - Parameter type: The type, or nil for all types.
  func endDelivery(of type: HKObjectType?) async throws {
    let application = try delivered
    try await HKError.translating {
      try await admit(.authorization).disableDelivery(
        of: type?.identifier, to: application.bundleIdentifier)
    }
  }

  /// This program's description, after checking that the program may use background delivery.
  private var delivered: Application {
    get throws(HKError) {
      guard let application = try authority.application else {
        throw HKError(.errorInvalidArgument, reason: "only an application can be started in the background")
      }
      guard application.entitlements.backgroundDelivery else {
        throw HKError(
          .errorAuthorizationDenied,
          reason: application.lacking("com.apple.developer.healthkit.background-delivery"))
      }
      return application
    }
  }
}

extension HKSampleType {
  /// Returns the frequency, limited to hourly for step counts as on Apple's systems, because steps are saved
  /// very often.
  fileprivate func clamped(_ frequency: HKUpdateFrequency) -> HKUpdateFrequency {
    identifier == HKQuantityTypeIdentifier.stepCount.rawValue && frequency == .immediate ? .hourly : frequency
  }
}

// MARK: - Running applications

extension HKHealthStore {
  /// Registers this process as running. A running program receives changes through its observer queries and
  /// is not started again.
  func registerAsRunning() async {
    guard case .application(let application, _) = authority, application.entitlements.backgroundDelivery,
      let process = RunningProcess.this, let database = try? admit(.authorization)
    else { return }
    let known = (try? await database.processes(of: application.bundleIdentifier)) ?? []
    guard !known.contains(process) else { return }
    // Ignore errors: a process that cannot write to the store cannot be registered.
    try? await database.enter(
      process, of: ApplicationRecord(bundleIdentifier: application.bundleIdentifier, name: application.name),
      gone: known.filter { !$0.isAlive })
  }

  /// Records that this program has processed all changes up to a change log position. Called by an observer's
  /// completion handler.
  func acknowledge(_ types: Set<HKSampleType>, upTo position: Int64) {
    guard case .application(let application, _) = authority, application.entitlements.backgroundDelivery,
      let database = try? admit(.authorization)
    else { return }
    // Write synchronously, because a program may exit after its last update. If writing fails, the changes
    // count as not acknowledged.
    try? database.acknowledgeDelivery(
      of: Set(types.map(\.identifier)), to: application.bundleIdentifier, upTo: position)
  }
}

extension RunningProcess {
  /// This process, or nil if the kernel does not report its start time.
  static var this: RunningProcess? {
    let process = ProcessInfo.processInfo.processIdentifier
    return started(process).map { RunningProcess(process: process, started: $0) }
  }

  /// Whether the process is still running. Compares start times, because the process ID may have been reused.
  package var isAlive: Bool { Self.started(process) == started }

  /// Returns the start time of a process in clock ticks since boot (field 22 of proc_pid_stat(5)).
  private static func started(_ process: Int32) -> String? {
    guard let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
      // Search for the last parenthesis: the second field is the command name, which may contain spaces and
      // parentheses.
      let end = stat.lastIndex(of: ")")
    else { return nil }
    let fields = stat[end...].split(separator: " ")
    // A zombie process has already exited.
    guard fields.count > 20, fields[1] != "Z" else { return nil }
    return String(fields[20])
  }
}
