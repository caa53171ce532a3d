import HealthDataSync
import HealthKit

/// Another program that carries to a destination, for one that is to carry once: when that one is done, so is
/// this.
struct OtherProgram {
  struct Ending {
    /// Why not everything is there.
    var failure: String?
  }

  let store: HKHealthStore
  let name: String
  /// What it said before may be long over.
  private var isUrged = false

  /// It is asked this often whether it is done.
  private static let pause = Duration.milliseconds(500)

  init(store: HKHealthStore, name: String) {
    self.store = store
    self.name = name
  }

  static func account(_ process: Int32?) -> String {
    "everything is there; \(process.map { "process \($0)" } ?? "another program") carried it"
  }

  /// How it is done; where it failed some time ago, after another attempt, which it is to make at once.
  /// - Returns: nil after a while in which it was not. It may have been killed: then nobody carries.
  /// - Throws: `SyncDestinationError.unknown`; `HKError`; `CancellationError`.
  mutating func ending() async throws -> Ending? {
    let destinations = try SyncDestinations(store)
    guard let status = try await destinations.status().first(where: { $0.name == name }) else {
      throw SyncDestinationError.unknown(name)
    }
    if let failure = status.lastError {
      if isUrged { return Ending(failure: failure) }
      isUrged = true
      // As a run of one's own does: what is set aside is tried with the rest.
      try await destinations.resetSetAside(name)
    } else if status.pending == 0 {
      return Ending()
    }
    try await Task.sleep(for: Self.pause)
    return nil
  }
}
