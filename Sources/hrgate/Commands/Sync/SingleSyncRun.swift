import Foundation
import Glibc
import HealthDataSync
import HealthKit

/// Sends all pending changes to several destinations concurrently and shows the progress.
struct SingleSyncRun: Sendable {
  struct Outcome: Sendable {
    var name: String
    /// Summary of what was sent.
    var account: String
    /// Why some changes were not sent; `nil` if everything was sent.
    var failure: String?
  }

  let store: HKHealthStore
  let destinations: [SyncDestination]

  /// Syncs each destination once.
  ///
  /// - Returns: One outcome per destination, in the same order, also after cancellation.
  func perform() async -> [Outcome] {
    let lines = Latest(SyncProgressLines(destinations.map(\.name)))
    let table = LiveTable(isVisible: StandardError.isTerminal, to: STDERR_FILENO)
    table.show { size in lines.value.lines(columns: size.columns) }
    let outcomes = await withTaskGroup(of: Outcome.self) { group in
      for destination in destinations {
        group.addTask {
          await upload(to: destination) { change in
            lines.update(change)
            table.redraw()
          }
        }
      }
      return await group.reduce(into: [String: Outcome]()) { $0[$1.name] = $1 }
    }
    try? table.end()
    return destinations.compactMap { outcomes[$0.name] }
  }

  private typealias Display = @Sendable ((inout SyncProgressLines) -> Void) -> Void

  private enum Attempt {
    case ended(Outcome)
    /// Another process syncs to the destination; its process ID, if known.
    case elsewhere(process: Int32?)
  }

  private func upload(to destination: SyncDestination, _ display: @escaping Display) async -> Outcome {
    var other: OtherProgram?
    while true {
      switch await attempt(destination, display) {
      case .ended(let outcome): return outcome
      case .elsewhere(let process):
        display { $0.receive(destination.name, elsewhere: process) }
        if let ending = await ending(of: &other, destination.name) {
          return Outcome(
            name: destination.name, account: OtherProgram.account(process), failure: ending.failure)
        }
      }
    }
  }

  /// Checks whether another process that syncs to the same destination has finished.
  /// - Returns: `nil` if it has not finished. It may have been killed.
  private func ending(of other: inout OtherProgram?, _ name: String) async -> OtherProgram.Ending? {
    do {
      var known = try other ?? OtherProgram(name, of: store)
      defer { other = known }
      return try await known.ending()
    } catch {
      return OtherProgram.Ending(failure: Self.text(error))
    }
  }

  private func attempt(_ destination: SyncDestination, _ display: @escaping Display) async -> Attempt {
    let synchronizer = Synchronizer(destination.name, of: store, to: DestinationStore(destination))
    let progress = synchronizer.progress()
    async let last = {
      var last: SyncProgress?
      for await progress in progress {
        last = progress
        display { $0.receive(destination.name, progress) }
      }
      return last
    }()
    var failure: String?
    do {
      try await synchronizer.runOnce()
    } catch SyncDestinationError.running(_, let process) {
      return .elsewhere(process: process)
    } catch {
      failure = Self.text(error)
    }
    let carried = await last.flatMap {
      $0.sent + $0.deleted + $0.setAside > 0 ? SyncProgressLines.account($0) : nil
    }
    return .ended(
      Outcome(
        name: destination.name, account: carried ?? "up to date",
        failure: failure.map { reason in carried.map { "\(reason) (before that: \($0))" } ?? reason }))
  }

  private static func text(_ error: any Error) -> String {
    switch error {
    case is CancellationError: "stopped; the next run continues after what was sent"
    case let error as ExternalStoreError: error.description
    case let error as SyncDestinationError: error.description
    default: error.localizedDescription
    }
  }
}
