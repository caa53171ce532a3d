import Foundation
import HealthStorage
import Synchronization

/// The database of a store. It is opened on first use, because opening a file may fail and `HKHealthStore()`
/// cannot throw an error in Apple's API.
final class StoreEngine: Sendable {
  private enum State {
    /// The database has not been opened yet. The value is the data directory to use.
    case unopened(DataHome)
    case open(SampleDatabase)
  }

  private let state: Mutex<State>
  /// The workout session that is running on this store, shared by all of its handles.
  let session = RunningSession()
  let upkeep = SummaryUpkeep()

  init(in home: DataHome) {
    state = Mutex(.unopened(home))
  }

  init(_ database: SampleDatabase) {
    state = Mutex(.open(database))
  }

  /// Opens the store at a location.
  /// - Throws: `StorageError` or `PersonError`.
  init(_ location: HKHealthStore.Configuration.Location) throws {
    state = Mutex(
      .open(
        try {
          switch location {
          case .user: try SampleDatabase.open(at: DataHome.user.store(), .ofHealthKit)
          case .file(let path): try SampleDatabase.open(at: path, .ofHealthKit)
          case .memory: try SampleDatabase.inMemory(.ofHealthKit)
          }
        }()))
  }

  /// The database, which is opened on first use.
  /// - Throws: `StorageError` or `PersonError`. The next use tries again.
  var database: SampleDatabase {
    get throws {
      try state.withLock { state in
        switch state {
        case .open(let database): return database
        case .unopened(let home):
          // Open the file while holding the lock, so that two threads do not both open it.
          let database = try SampleDatabase.open(at: home.store(), .ofHealthKit)
          state = .open(database)
          return database
        }
      }
    }
  }
}

/// The user's home directory.
///
/// Uses `$HOME`, as the shell and the XDG Base Directory Specification do. Foundation's `NSHomeDirectory()`
/// reads only the user database.
package enum HomeFolder {
  package static var path: String {
    let given = ProcessInfo.processInfo.environment["HOME"]
    return given.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? NSHomeDirectory()
  }
}
