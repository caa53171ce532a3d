import Foundation
import HealthStorage

/// The parameters of an anchored query.
struct AnchoredRequest: Sendable {
  let samples: ChangeRequest
  var anchor: HKQueryAnchor?
  let limit: Int?

  /// Creates the parameters of a query.
  /// - Parameter limit: The maximum number of changes; nil or `HKObjectQueryNoLimit` for all.
  init(_ samples: ChangeRequest, _ anchor: HKQueryAnchor?, _ limit: Int?) {
    self.samples = samples
    self.anchor = anchor
    self.limit = limit == HKObjectQueryNoLimit ? nil : limit
  }
}

/// The result of an anchored query.
struct AnchoredResult: Sendable {
  let added: [HKSample]
  let deleted: [HKDeletedObject]
  let anchor: HKQueryAnchor

  var isEmpty: Bool { added.isEmpty && deleted.isEmpty }
}

extension HKHealthStore {
  func changes(_ request: AnchoredRequest) async throws -> AnchoredResult {
    try await HKError.translating {
      let database = try admit(.read(request.samples.types))
      let changes = try await database.changes(
        request.samples.filters.map { ($0.type.identifier, $0.filter) },
        after: request.anchor?.position ?? 0, of: request.anchor?.store, limit: request.limit)
      var assembly = SampleAssembly()
      return AnchoredResult(
        added: try changes.added.map { try assembly.sample($0) },
        deleted: changes.deleted.map(HKDeletedObject.init),
        anchor: HKQueryAnchor(position: changes.position, store: changes.store))
    }
  }
}

extension HKDeletedObject {
  convenience init(_ record: DeletedRecord) {
    var values: [String: MetadataValue] = [:]
    if let identifier = record.syncIdentifier, let version = record.syncVersion {
      values[HKMetadataKeySyncIdentifier] = .string(identifier)
      values[HKMetadataKeySyncVersion] = .integer(version)
    }
    self.init(uuid: record.uuid, metadata: values.isEmpty ? nil : try? ObjectMetadata(checking: values))
  }
}

// MARK: - Updates

/// Runs an anchored query, and then waits for changes that are committed later.
struct AnchoredFollower: ResultObserver {
  private let store: HKHealthStore
  private var request: AnchoredRequest
  private var ticks: AsyncStream<Void>.Iterator
  private var isFirst = true
  /// Whether there may be more changes right away, because the limit truncated the last result.
  private var mayHaveMore = false

  /// Subscribes to changes. The first `next()` runs the query.
  /// - Throws: `HKError` errorAuthorizationDenied for a program without the entitlement;
  ///   errorDatabaseInaccessible.
  init(_ request: AnchoredRequest, in store: HKHealthStore) throws {
    self.store = store
    self.request = request
    ticks = try store.admit(.read(request.samples.types)).commits().makeAsyncIterator()
  }

  /// Returns the changes since the anchor on the first call, even if there are none. Later calls wait until
  /// there are changes since the last result.
  /// - Returns: Nil after the task is canceled.
  mutating func next() async throws -> AnchoredResult? {
    while !Task.isCancelled {
      if !isFirst, !mayHaveMore, await ticks.next() == nil { return nil }
      let (store, next) = (store, request)
      let result =
        isFirst
        ? try await store.changes(next)
        : try await HKError.waitingWhileLocked { try await store.changes(next) }
      request.anchor = result.anchor
      mayHaveMore = result.added.count + result.deleted.count == request.limit
      defer { isFirst = false }
      if isFirst || !result.isEmpty { return result }
    }
    return nil
  }
}
