import Foundation
import HealthStorage

extension HKHealthStore {
  func startDelivery(of type: HKObjectType, _ frequency: HKUpdateFrequency) async throws {
    let application = try delivered
    guard let type = type as? HKSampleType, !(type is HKCorrelationType) else {
      throw HKError(.errorInvalidArgument, reason: "\(type) cannot be delivered in the background")
    }
    let executable = Self.thisExecutable
    guard executable != nil || application.backgroundUnit != nil else {
      throw HKError(.errorInvalidArgument, reason: "the system does not tell this program's executable")
    }
    try await register(application, executable: executable ?? "", for: type, frequency)
  }

  /// Where this program lies, or lay before it was replaced on disk.
  private static var thisExecutable: String? {
    guard let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else {
      return nil
    }
    let mark = " (deleted)"
    return path.hasSuffix(mark) ? String(path.dropLast(mark.count)) : path
  }

  /// - Parameter executable: an absolute path; used if the application names no systemd unit.
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

  /// - Parameter type: nil for all types.
  func endDelivery(of type: HKObjectType?) async throws {
    let application = try delivered
    try await HKError.translating {
      try await admit(.authorization).disableDelivery(
        of: type?.identifier, to: application.bundleIdentifier)
    }
  }

  /// The application that is to be started.
  private var delivered: Application {
    get throws(HKError) {
      guard let application = try authority.application else {
        throw HKError(.errorInvalidArgument, reason: "only an application is started in the background")
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
  /// Steps come too often for more than an hourly delivery, as Apple has it.
  fileprivate func clamped(_ frequency: HKUpdateFrequency) -> HKUpdateFrequency {
    identifier == HKQuantityTypeIdentifier.stepCount.rawValue && frequency == .immediate ? .hourly : frequency
  }
}

// MARK: - A running application

extension HKHealthStore {
  /// Records that this application runs: its own observers tell it what is new, and it is not started again.
  func registerAsRunning() async {
    guard case .application(let application, _) = authority, application.entitlements.backgroundDelivery,
      let process = RunningProcess.this, let database = try? admit(.authorization)
    else { return }
    let known = (try? await database.processes(of: application.bundleIdentifier)) ?? []
    guard !known.contains(process) else { return }
    // Whoever cannot write cannot be registered either.
    try? await database.enter(
      process, of: ApplicationRecord(bundleIdentifier: application.bundleIdentifier, name: application.name),
      gone: known.filter { !$0.isAlive })
  }

  /// What an observer's completion handler does: this application has dealt with what it was told.
  func acknowledge(_ types: Set<HKSampleType>, upTo position: Int64) {
    guard case .application(let application, _) = authority, application.entitlements.backgroundDelivery,
      let database = try? admit(.authorization)
    else { return }
    // At once: an application that has dealt with everything may end. What fails counts as a miss.
    try? database.acknowledgeDelivery(
      of: Set(types.map(\.identifier)), to: application.bundleIdentifier, upTo: position)
  }
}
