public import Foundation
public import HealthKit

/// A destination for the changes of a health store: a database, a server, a broker, or a directory of files.
///
/// A synchronizer makes one call at a time. It sends records again after an error, a crash or a reset, so a
/// store must identify them by UUID. A record with `supersedes` replaces the one that the store holds under
/// its UUID.
public protocol ExternalStore: Sendable {
  /// Connects, checks permissions, and creates or migrates the store. It is called before the first page and
  /// again after each error.
  ///
  /// - Throws: `ExternalStoreError`; `CancellationError`.
  func open() async throws

  /// Opens a destination that can hold a marker. Stores without markers implement only ``open()``.
  ///
  /// If the marker is expected but missing, the store throws ``ExternalStoreError/lostData(_:)`` *before* it
  /// creates anything. If the marker is not expected, the store writes it durably with sequence 0.
  ///
  /// - Parameter marker: The marker to check, or `nil` to open without one.
  /// - Returns: The sequence that the destination holds for the marker, or `nil` if it does not hold markers.
  /// - Throws: `ExternalStoreError`; `CancellationError`.
  func open(expecting marker: DestinationMarker?) async throws -> Int64?

  /// Sends a page of changes, deletions first. When it returns, the page and its marker are durable at the
  /// destination, except for the returned records.
  ///
  /// - Returns: The records that the store does not accept as they are. They go to the dead-letter list.
  /// - Throws: `ExternalStoreError`: the result of the page is unknown, and it is sent again;
  ///   `CancellationError`.
  func carry(_ page: ChangePage) async throws -> [Refusal]

  /// Discards what this store remembers about the destination, because the user reset it. It is called
  /// between `open` and the first page. Everything is then sent again, each record with `supersedes`.
  ///
  /// - Throws: `ExternalStoreError`; `CancellationError`. After an error it is called again.
  func reset() async throws

  /// Releases the resources of `open`. Does nothing if the store is not open.
  func close() async

  /// Returns the reason why the store never accepts samples of a type, in a sentence for the user. Returns
  /// `nil` if it may accept them. Samples of a rejected type are counted but not sent. It is called while the
  /// store is open.
  func reasonToReject(_ type: HKSampleType) -> String?

  /// Returns when a retry is worthwhile before the delay after an error has passed, for example because a
  /// secret changed. It is canceled when the delay ends.
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

  /// Does nothing. This is correct for a store that remembers nothing.
  public func reset() async throws {}

  /// Returns `nil`: every type is accepted.
  public func reasonToReject(_ type: HKSampleType) -> String? { nil }

  /// Waits until it is canceled.
  public func untilWorthRetrying() async {
    let (never, end) = AsyncStream.makeStream(of: Void.self)
    for await _ in never {}
    end.finish()
  }
}

/// Changes of one type, in the order of the store's change log.
public struct ChangePage: Sendable {
  public let type: HKSampleType
  /// The deleted samples, of which only the UUIDs are left.
  public let deleted: [HKDeletedObject]
  /// The new samples, and the changed ones.
  public let added: [ExternalRecord]
  /// The marker that the destination stores with the page, or `nil` if it does not hold markers.
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

/// A record that a store does not accept, with the reason.
public struct Refusal: Hashable, Sendable {
  /// The UUID of the rejected sample or deletion.
  public let uuid: UUID
  /// A sentence for the user, without values of the sample.
  public let reason: String
  /// Whether no attempt can succeed because of a rule of the store. Such records are counted by reason and do
  /// not go to the dead-letter list.
  public let isPermanent: Bool

  public init(uuid: UUID, reason: String, isPermanent: Bool = false) {
    self.uuid = uuid
    self.reason = reason
    self.isPermanent = isPermanent
  }
}

/// The error of an attempt to send changes.
public struct ExternalStoreError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Whether the error may be temporary.
  public enum Outlook: Hashable, Sendable {
    /// A retry may succeed: the server is unreachable, slow or overloaded.
    case passing
    /// The server named the time to wait (Retry-After).
    case passingAfter(Duration)
    /// The user must act first: on a password, a right, a schema or a certificate. Retries continue at the
    /// longest interval, because the problem may have been fixed.
    case lasting
  }

  /// One sentence for the user with advice, without secrets or values of samples.
  public let description: String
  /// Whether a retry may succeed.
  public let outlook: Outlook

  public init(_ description: String, outlook: Outlook) {
    self.description = description
    self.outlook = outlook
  }

  /// Returns the error for an invalid address.
  package static func address(_ sentence: String) -> ExternalStoreError {
    ExternalStoreError(sentence, outlook: .lasting)
  }
}

/// A number that a destination stores with each page, so that a loss of its data is detected.
///
/// The health store remembers the number of the last page. If a destination's marker is missing or has a
/// smaller number, it lost data: a disk is not mounted, a schema was dropped, or an older backup was
/// restored. Sending from the cursor on would leave a gap that no error reports.
public struct DestinationMarker: Hashable, Sendable {
  /// A random ID. It changes when the destination is reset.
  public let id: UUID
  /// The number of the last page: 0 before the first page, and `nil` if the destination does not have the
  /// marker yet.
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
  /// - Parameter detail: The missing object, such as `/srv/lab is missing`.
  public static func lostData(_ detail: String) -> ExternalStoreError {
    ExternalStoreError(
      "the destination lost data (\(detail)): mount its disk, or run sync reset, which sends everything again",
      outlook: .lasting)
  }
}
