import HealthStorage
import Synchronization

/// The database of a store, opened at the first use: Apple's `HKHealthStore()` cannot fail, opening a file
/// can.
final class StoreEngine: Sendable {
  private enum State {
    /// Of whom the program is for.
    case unopened(DataHome)
    case open(SampleDatabase)
  }

  private let state: Mutex<State>
  /// Of all handles on this store.
  let session = RunningSession()
  let upkeep = SummaryUpkeep()

  init(in home: DataHome) {
    state = Mutex(.unopened(home))
  }

  init(_ database: SampleDatabase) {
    state = Mutex(.open(database))
  }

  /// - Throws: `StorageFailure`; `PersonFault`.
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

  /// - Throws: `StorageFailure`, `PersonFault`; the next use tries again.
  var database: SampleDatabase {
    get throws {
      try state.withLock { state in
        switch state {
        case .open(let database): return database
        case .unopened(let home):
          let database = try SampleDatabase.open(at: home.store(), .ofHealthKit)
          state = .open(database)
          return database
        }
      }
    }
  }
}
