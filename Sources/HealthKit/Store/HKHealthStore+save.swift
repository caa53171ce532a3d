import Foundation
import HealthStorage

extension HKHealthStore {
  /// Saves objects under this program's source, all of them or none. When it returns they survive a crash and a
  /// power failure.
  ///
  /// An object with a sync identifier replaces the stored one of the same source and type if its sync version is
  /// greater; if not, the stored one stays, which is no error.
  /// - Throws: `HKError`: errorInvalidArgument if an object with the same UUID is stored already,
  ///   errorDatabaseInaccessible if the file cannot be written (full disk, no permission).
  public func save(_ objects: [HKObject]) async throws {
    do {
      _ = try await saveReporting(objects)
    } catch let duplicates as DuplicateObjects {
      throw HKError(
        .errorInvalidArgument,
        reason: "\(duplicates.uuids.count) object(s) with a UUID that is stored already")
    }
  }

  public func save(_ object: HKObject) async throws {
    try await save([object])
  }

  /// As `save(_:)`; the handler runs on a background queue.
  public func save(
    _ objects: [HKObject], withCompletion completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    // A completion handler has no task to be a child of.
    Task {
      do {
        try await save(objects)
        completion(true, nil)
      } catch {
        completion(false, error)
      }
    }
  }

  public func save(
    _ object: HKObject, withCompletion completion: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    save([object], withCompletion: completion)
  }

  /// As `save(_:)`, and says what became of the objects.
  /// - Throws: `DuplicateObjects` with every UUID that is taken; otherwise as `save(_:)`.
  package func saveReporting(_ objects: [HKObject]) async throws -> SaveOutcome {
    var batch = RecordBatch(revision, capacity: objects.count)
    for object in objects { try batch.append(object) }
    return try await save(batch)
  }

  /// As `saveReporting(_:)` for the samples of several sources at once: all of them or none.
  package func saveReporting(_ groups: [(source: HKSource, samples: [HKSample])]) async throws -> SaveOutcome
  {
    var batch = RecordBatch(revision, capacity: groups.reduce(0) { $0 + $1.samples.count })
    for group in groups {
      batch.change(to: HKSourceRevision(source: group.source, version: nil))
      for sample in group.samples { try batch.append(sample) }
    }
    return try await save(batch, inOrderOfTime: true)
  }

  private func save(_ batch: RecordBatch, inOrderOfTime: Bool = false) async throws -> SaveOutcome {
    do {
      let outcome = try await admit(.save(batch.types)).save(batch.records, inOrderOfTime: inOrderOfTime)
      return SaveOutcome(stored: outcome.stored, replaced: outcome.replaced, ignored: outcome.ignored)
    } catch StorageFailure.duplicates(let uuids) {
      throw DuplicateObjects(uuids: uuids)
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      throw HKError(error)
    }
  }

  /// Which of these objects are stored, whoever saved them.
  package func storedUUIDs(among uuids: [UUID]) async throws -> Set<UUID> {
    do {
      return try await admit(.read([])).stored(among: uuids)
    } catch {
      throw HKError(error)
    }
  }
}
