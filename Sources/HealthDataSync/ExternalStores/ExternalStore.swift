public import Foundation
public import HealthKit

/// Where the changes of a health store are sent: a database, a server, a broker, a folder of files.
///
/// A synchronizer makes one call at a time. What it sends comes again after a failure, after a crash and
/// after a reset: a store identifies a record by its UUID. A record that `supersedes` replaces what the store
/// holds under its UUID.
public protocol ExternalStore: Sendable {
  /// Connects, checks permissions, and creates or migrates what the store keeps.
  /// Called before the first page, and again after a failure.
  /// - Throws: `ExternalStoreError`; `CancellationError`.
  func open() async throws

  /// Opens a destination that holds a marker. A store that can hold one implements this; for the others it
  /// calls ``open()``.
  ///
  /// If the marker is expected and missing, the store throws ``ExternalStoreError/lostData(_:)`` *before* it
  /// creates anything. If it is not expected, the store writes it, durably, with the sequence 0.
  /// - Parameter marker: nil to open without one.
  /// - Returns: the sequence that the destination has under the marker's id; nil if it holds no markers.
  /// - Throws: `ExternalStoreError`; `CancellationError`.
  func open(expecting marker: DestinationMarker?) async throws -> Int64?

  /// Sends a page of changes, deletions first. When it returns, the page and its marker are durable at the
  /// destination, except for what was refused.
  /// - Returns: the records that the store will never accept as they are. They are set aside.
  /// - Throws: `ExternalStoreError`: the outcome of the page is unknown, and it comes again;
  ///   `CancellationError`.
  func carry(_ page: ChangePage) async throws -> [Refusal]

  /// Forgets what this store remembers of the destination. Called between `open` and the first page after the
  /// user has reset the destination: everything comes once more, each record with `supersedes`.
  /// - Throws: `ExternalStoreError`; `CancellationError`. It is called again then.
  func reset() async throws

  /// Releases what `open` acquired. Does nothing if nothing is open.
  func close() async

  /// Returns why the store never accepts a sample of a type, in a sentence for the user; nil if it may.
  /// Samples of such a type are counted, and not sent. Called while the store is open.
  func reasonToReject(_ type: HKSampleType) -> String?

  /// Returns when it is worth another attempt although the pause after a failure is not over: a secret was
  /// changed, for example. Cancelled when the pause ends.
  func untilWorthRetrying() async
}

extension ExternalStore {
  public func open(expecting marker: DestinationMarker?) async throws -> Int64? {
    try await open()
    return nil
  }

  /// Does nothing, which is right for a store that remembers nothing.
  public func reset() async throws {}

  /// Returns nil: every type is accepted.
  public func reasonToReject(_ type: HKSampleType) -> String? { nil }

  /// Waits until it is cancelled.
  public func untilWorthRetrying() async {
    let (never, end) = AsyncStream.makeStream(of: Void.self)
    for await _ in never {}
    end.finish()
  }
}

/// Changes of one type, in the order of the store's change log.
public struct ChangePage: Sendable {
  public let type: HKSampleType
  public let deleted: [HKDeletedObject]
  public let added: [ExternalRecord]
  /// What the destination stores with the page; nil if it holds no markers.
  public let marker: DestinationMarker?

  public init(
    type: HKSampleType, deleted: [HKDeletedObject], added: [ExternalRecord], marker: DestinationMarker? = nil
  ) {
    self.type = type
    self.deleted = deleted
    self.added = added
    self.marker = marker
  }

  public var isEmpty: Bool { deleted.isEmpty && added.isEmpty }
}

/// A record that a store does not accept, and why.
public struct Refusal: Hashable, Sendable {
  public let uuid: UUID
  /// A sentence for the user, without values of the sample.
  public let reason: String
  /// Whether no attempt can ever succeed, by a rule of this store: such records are counted by their reason,
  /// and not set aside.
  public let isPermanent: Bool

  public init(uuid: UUID, reason: String, isPermanent: Bool = false) {
    self.uuid = uuid
    self.reason = reason
    self.isPermanent = isPermanent
  }
}
