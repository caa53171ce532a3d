import Foundation
import HealthStorage
import Synchronization

/// The database of a store, opened at the first use: Apple's `HKHealthStore()` cannot fail, opening a file
/// can.
final class StoreEngine: Sendable {
  private enum State {
    case unopened(path: String)
    case open(SampleDatabase)
  }

  private let state: Mutex<State>
  /// Of all handles on this store.
  let session = RunningSession()
  let upkeep = SummaryUpkeep()

  init(path: String) {
    state = Mutex(.unopened(path: path))
  }

  init(_ database: SampleDatabase) {
    state = Mutex(.open(database))
  }

  /// - Throws: `StorageFailure`.
  init(_ location: HKHealthStore.Configuration.Location) throws {
    state = Mutex(
      .open(
        try {
          switch location {
          case .user: try SampleDatabase.open(at: Self.defaultPath, .ofHealthKit)
          case .file(let path): try SampleDatabase.open(at: path, .ofHealthKit)
          case .memory: try SampleDatabase.inMemory(.ofHealthKit)
          }
        }()))
  }

  /// `$XDG_DATA_HOME/hrgate/health.sqlite`, where `XDG_DATA_HOME` is `$HOME/.local/share` unless it is an
  /// absolute path.
  static var defaultPath: String {
    defaultPath(of: ProcessInfo.processInfo.environment, home: HomeFolder.path)
  }

  /// Where it is for a program with this environment, whose user has this home.
  static func defaultPath(of environment: [String: String], home: String) -> String {
    let given = environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    return (given ?? home + "/.local/share") + "/hrgate/health.sqlite"
  }

  /// - Throws: `StorageFailure`; the next use tries again.
  var database: SampleDatabase {
    get throws {
      try state.withLock { state in
        switch state {
        case .open(let database): return database
        case .unopened(let path):
          let database = try SampleDatabase.open(at: path, .ofHealthKit)
          state = .open(database)
          return database
        }
      }
    }
  }
}
