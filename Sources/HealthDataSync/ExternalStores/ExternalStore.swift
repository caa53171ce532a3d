public import Foundation
public import HealthKit

/// A destination for the changes of a health store: a database, a server, a broker, or a directory of files.
///
/// A synchronizer makes one call at a time. After an error, a crash or a reset, it sends the same records
/// again, so an external store must identify records by UUID. A record with `supersedes` replaces the record
/// with the same UUID.
public protocol ExternalStore: Sendable {
  /// Connects to the destination, checks permissions, and creates or migrates its tables or files. It is
  /// called before the first changes are sent and again after each error.
  ///
  /// - Throws: `ExternalStoreError`; `CancellationError`.
  func open() async throws

  /// Opens a destination that can store a ``DestinationMarker``, which reveals data loss. A store without
  /// markers implements only ``open()``.
  ///
  /// If the marker is expected but missing, this throws ``ExternalStoreError/lostData(_:)`` *before* creating
  /// anything. If the marker is not expected, the store durably writes it with sequence 0.
  ///
  /// - Parameter marker: The marker to check, or `nil` to open without one.
  /// - Returns: The sequence number stored with the marker at the destination, or `nil` if it does not store
  ///   markers.
  /// - Throws: `ExternalStoreError`; `CancellationError`.
  func open(expecting marker: DestinationMarker?) async throws -> Int64?

  /// Sends a page of changes, deletions first. On return, the page and its marker are stored durably, except
  /// for the returned records.
  ///
  /// - Returns: The records that the destination rejected. The caller adds them to the dead-letter list.
  /// - Throws: `ExternalStoreError`: it is unknown what was stored, so the page is sent again.
  ///   `CancellationError`.
  func upload(_ page: ChangePage) async throws -> [RejectedChange]

  /// Discards cached information about the content of the destination, because the user reset it. It is
  /// called after `open`, before any changes are sent. Everything is then sent again, each record with
  /// `supersedes`.
  ///
  /// - Throws: `ExternalStoreError`; `CancellationError`. After an error it is called again.
  func reset() async throws

  /// Releases the resources of `open`. Does nothing if the store is not open.
  func close() async

  /// Returns the reason why the store never accepts samples of a type, in a sentence for the user. Returns
  /// `nil` if it may accept them. Samples of a rejected type are counted but not sent. Called while the store
  /// is open.
  func reasonToReject(_ type: HKSampleType) -> String?

  /// Returns as soon as a retry is worthwhile, for example because the file with the secret changed. Called
  /// while the synchronizer waits after an error, and canceled when that wait ends.
  func untilWorthRetrying() async
}

extension ExternalStore {
  /// Opens the store without a marker.
  ///
  /// - Returns: `nil`.
  /// - Throws: The errors of ``open()``.
  public func open(expecting marker: DestinationMarker?) async throws -> Int64? {
    try await open()
    return nil
  }

  /// Does nothing, because by default a store has nothing cached.
  public func reset() async throws {}

  /// Returns `nil`: every type is accepted.
  public func reasonToReject(_ type: HKSampleType) -> String? { nil }

  /// Waits until the task is canceled, so that retries happen only after the delay.
  public func untilWorthRetrying() async {
    let (never, end) = AsyncStream.makeStream(of: Void.self)
    for await _ in never {}
    end.finish()
  }
}

/// Changes of samples of one type, in the order in which they were committed to the health store.
public struct ChangePage: Sendable {
  public let type: HKSampleType
  /// The deleted samples. The health store keeps only their UUIDs.
  public let deleted: [HKDeletedObject]
  /// The samples that are new or changed.
  public let added: [ExternalRecord]
  /// The marker that the destination stores with the page, or `nil` if the destination does not store
  /// markers.
  public let marker: DestinationMarker?

  public init(
    type: HKSampleType, deleted: [HKDeletedObject], added: [ExternalRecord], marker: DestinationMarker? = nil
  ) {
    self.type = type
    self.deleted = deleted
    self.added = added
    self.marker = marker
  }

  /// Whether the page contains no changes.
  public var isEmpty: Bool { deleted.isEmpty && added.isEmpty }
}

/// A record that an external store rejected, with the reason.
public struct RejectedChange: Hashable, Sendable {
  /// The UUID of the rejected sample or deletion.
  public let uuid: UUID
  /// A sentence for the user, without values of the sample.
  public let reason: String
  /// Whether retrying is useless, because a rule of the external store excludes the record. Such records are
  /// counted by reason and are not added to the dead-letter list.
  public let isPermanent: Bool

  public init(uuid: UUID, reason: String, isPermanent: Bool = false) {
    self.uuid = uuid
    self.reason = reason
    self.isPermanent = isPermanent
  }
}

/// The error of an attempt to send changes.
public struct ExternalStoreError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Whether a retry may succeed.
  public enum Outlook: Hashable, Sendable {
    /// A retry may succeed: the server was unreachable, slow or overloaded.
    case passing
    /// The server specified how long to wait (Retry-After).
    case passingAfter(Duration)
    /// The user must act first, for example on a password, a permission, a schema or a certificate. Retries
    /// continue at the longest interval, because the user may fix the problem at any time.
    case lasting
  }

  /// A sentence for the user with the error and what to do. It contains no secrets and no values of samples.
  public let description: String
  /// Whether a retry may succeed, and when.
  public let outlook: Outlook

  public init(_ description: String, outlook: Outlook) {
    self.description = description
    self.outlook = outlook
  }

  /// Returns the error for a destination with an invalid address.
  package static func address(_ sentence: String) -> ExternalStoreError {
    ExternalStoreError(sentence, outlook: .lasting)
  }
}

/// A number that a destination stores with each page of changes, used to detect data loss at the destination.
///
/// The health store records the number of the last page sent. If the marker at the destination is missing or
/// has a lower number, the destination lost data: a disk is not mounted, a schema was dropped, or an older
/// backup was restored. Without the check, only new changes would be sent and the loss would go unnoticed.
public struct DestinationMarker: Hashable, Sendable {
  /// A random ID. It changes when the destination is reset.
  public let id: UUID
  /// The number of the last page of changes: 0 before the first one, and `nil` if the destination does not
  /// have the marker yet.
  public let sequence: Int64?

  public init(id: UUID = UUID(), sequence: Int64? = nil) {
    self.id = id
    self.sequence = sequence
  }

  /// Whether the destination must have the marker.
  public var isExpected: Bool { sequence != nil }
}

extension ExternalStoreError {
  /// Returns the error for a destination that lost data.
  ///
  /// - Parameter detail: What is wrong at the destination, such as `/srv/lab is missing`.
  public static func lostData(_ detail: String) -> ExternalStoreError {
    ExternalStoreError(
      "the destination lost data (\(detail)): mount its disk, or run sync reset, which sends everything again",
      outlook: .lasting)
  }
}
