import Foundation
import HealthDataSync
import HealthKit

/// Another program that carries to a destination, for one that is to carry once: when that one has done what
/// a run of one's own would have, so is this.
struct OtherProgram {
  struct Ending: Equatable {
    /// Why not everything is there.
    var failure: String?
  }

  /// What it was told to do anew.
  private struct Urge {
    /// Where it had failed before: when the destination was last reached. It is to be reached again.
    let lastSuccess: Date??
    /// What is set aside and was not tried since, and for how long that is so.
    var untried: Int
    var since: ContinuousClock.Instant
  }

  let destinations: SyncDestinations
  let name: String
  private let patience: Duration
  private var urge: Urge?

  /// It is asked this often whether it is done.
  private static let pause = Duration.milliseconds(500)

  /// - Parameter patience: after so long without another record that was tried, those that are left are not
  ///   waited for. Where the destination fails at some, the program lets all rest for a while.
  init(_ name: String, of store: HKHealthStore, patience: Duration = .seconds(120)) throws {
    destinations = try SyncDestinations(store)
    self.name = name
    self.patience = patience
  }

  static func account(_ process: Int32?) -> String {
    "everything is there; \(process.map { "process \($0)" } ?? "another program") carried it"
  }

  /// How it is done. First it is told to try again at once what it has failed at and what is set aside, as a
  /// run of one's own does.
  /// - Returns: nil after a while in which it was not done. It may have been killed: then nobody carries.
  /// - Throws: `SyncDestinationError.unknown`; `HKError`; `CancellationError`.
  mutating func ending() async throws -> Ending? {
    let now = try await destinations.outstanding(name)
    guard var urge else {
      urge = Urge(
        lastSuccess: now.failure == nil ? nil : .some(now.lastSuccess), untried: .max, since: .now)
      try await destinations.resetSetAside(name)
      return nil
    }
    if let failure = now.failure { return Ending(failure: failure) }
    if now.untried != urge.untried { (urge.untried, urge.since) = (now.untried, .now) }
    self.urge = urge
    let isReached = urge.lastSuccess.map { $0 != now.lastSuccess } ?? true
    if !now.hasChanges, isReached {
      if now.untried == 0 { return Ending() }
      if urge.since.duration(to: .now) > patience {
        return Ending(
          failure:
            "\(Counted.text(now.untried, "record is", "records are")) set aside and not tried now: the "
            + "program that carries tries again later")
      }
    }
    try await Task.sleep(for: Self.pause)
    return nil
  }
}
