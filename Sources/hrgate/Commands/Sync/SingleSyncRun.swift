import Foundation
import Glibc
import HealthDataSync
import HealthKit

/// Carries what there is to some destinations at the same time, and shows how far it is.
struct SingleSyncRun: Sendable {
  struct Outcome: Sendable {
    var name: String
    /// What went over.
    var account: String
    /// Why not everything did.
    var failure: String?
  }

  let store: HKHealthStore
  let destinations: [SyncDestination]

  /// While another program carries, it is asked this often whether it is done.
  private static let pause = Duration.milliseconds(500)

  /// - Returns: how each of them ended, in their order; also after the task was cancelled.
  func perform() async -> [Outcome] {
    let lines = Latest(SyncProgressLines(destinations.map(\.name)))
    let table = LiveTable(isVisible: StandardError.isTerminal, to: STDERR_FILENO)
    table.show { size in lines.value.lines(columns: size.columns) }
    let outcomes = await withTaskGroup(of: Outcome.self) { group in
      for destination in destinations {
        group.addTask {
          await carry(to: destination) { progress in
            lines.update { $0.receive(destination.name, progress) }
            table.redraw()
          }
        }
      }
      return await group.reduce(into: [String: Outcome]()) { $0[$1.name] = $1 }
    }
    try? table.end()
    return destinations.compactMap { outcomes[$0.name] }
  }

  private func carry(
    to destination: SyncDestination, _ told: @escaping @Sendable (SyncProgress) -> Void
  ) async -> Outcome {
    let synchronizer = Synchronizer(destination.name, of: store, to: DestinationStore(destination))
    let progress = synchronizer.progress()
    async let last = {
      var last: SyncProgress?
      for await progress in progress {
        last = progress
        told(progress)
      }
      return last
    }()
    var failure: String?
    do {
      try await synchronizer.runOnce()
    } catch SyncDestinationError.running(_, let process) {
      return await Outcome(
        name: destination.name,
        account: "everything is there; \(process.map { "process \($0)" } ?? "another program") carried it",
        failure: waitForOther(destination.name))
    } catch {
      failure = Self.text(error)
    }
    let carried = await last.flatMap { $0.carried > 0 ? SyncProgressLines.account($0) : nil }
    return Outcome(
      name: destination.name, account: carried ?? "everything is there",
      failure: failure.map { reason in carried.map { "\(reason) (before that: \($0))" } ?? reason })
  }

  /// Another program carries to it: when it is done, so is this.
  /// - Returns: what is in its way.
  private func waitForOther(_ name: String) async -> String? {
    do {
      let destinations = try SyncDestinations(store)
      while true {
        guard let status = try await destinations.status().first(where: { $0.name == name }) else {
          throw SyncDestinationError.unknown(name)
        }
        if let error = status.lastError { return error }
        if status.pending == 0 { return nil }
        try await Task.sleep(for: Self.pause)
      }
    } catch {
      return Self.text(error)
    }
  }

  private static func text(_ error: any Error) -> String {
    switch error {
    case is CancellationError: "stopped; what was carried is there, and the next run goes on behind it"
    case let error as ExternalStoreError: error.description
    case let error as SyncDestinationError: error.description
    default: error.localizedDescription
    }
  }
}
