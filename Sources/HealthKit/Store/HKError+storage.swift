import HealthStorage

extension HKError {
  /// Creates Apple's error for an error of the storage engine. Other errors keep their description.
  init(_ error: any Error) {
    switch error {
    case let error as HKError:
      self = error
    case let failure as StorageError:
      self.init(Self.code(of: failure), reason: failure.description)
    case let fault as PersonError:
      self.init(.errorDatabaseInaccessible, reason: fault.description)
    default:
      self.init(.unknownError, reason: "\(error)")
    }
  }

  /// Whether the error is that of an encrypted store that is locked.
  package var isOfLockedStore: Bool {
    code == .errorDatabaseInaccessible && localizedDescription == StorageError.locked.description
  }

  /// Returns the result of a closure. Errors are translated to `HKError`, except `CancellationError`.
  package static func translating<Value>(_ work: () async throws -> Value) async throws -> Value {
    do {
      return try await work()
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      throw HKError(error)
    }
  }

  /// Returns the result of a closure. If the store is locked, waits until it is unlocked and calls the
  /// closure again. For queries that have returned a result and continue to observe the store.
  /// - Throws: The other errors of the closure; `CancellationError` if the task is canceled.
  static func waitingWhileLocked<Value>(_ work: () async throws -> Value) async throws -> Value {
    while true {
      do {
        return try await work()
      } catch let error as HKError where error.isOfLockedStore {
        try await Task.sleep(for: lockedInterval)
      }
    }
  }

  /// The time between two attempts to read a locked store. Unlocking a store changes only the user's keyring,
  /// so no commit follows that a query could wait for.
  private static let lockedInterval = Duration.seconds(1)

  /// Returns the result of a closure. Translates errors to `HKError`.
  package static func translating<Value>(_ work: () throws -> Value) throws(HKError) -> Value {
    do {
      return try work()
    } catch {
      throw HKError(error)
    }
  }

  private static func code(of failure: StorageError) -> Code {
    switch failure {
    case .duplicates, .notStored: .errorInvalidArgument
    case .notOwned, .denied: .errorAuthorizationDenied
    case .undecided: .errorAuthorizationNotDetermined
    case .sqlite, .file, .notAFile, .gatewayRuns, .destinationRuns, .newerSchema, .notASampleDatabase, .inUse,
      .isTheStore, .isAnotherStore, .isNoCopy, .logBeside, .isLink,
      .damaged, .unrecognisable, .readOnlyFileSystem, .fileReplaced, .earlierProgram, .locked,
      .wrongKey, .encryption:
      .errorDatabaseInaccessible
    case .damagedSeries, .damagedMetadata, .damagedBlock: .unknownError
    }
  }
}
