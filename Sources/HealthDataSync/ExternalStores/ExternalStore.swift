public import Foundation
public import HealthKit

/// Where the changes of a health store are carried: a database, a server, a broker, a folder of files.
///
/// A synchroniser calls one at a time. What it carries comes again after a failure, after a crash and after a
/// reset: a store takes the same record twice for the same, by its UUID. One that `supersedes` takes the
/// place of what the store holds under its UUID.
public protocol ExternalStore: Sendable {
  /// Makes ready what changes need there: connects, checks what it may do, makes or migrates what it keeps.
  /// Called before the first page, and again after a failure.
  /// - Throws: `ExternalStoreError`; `CancellationError`.
  func open() async throws

  /// Carries a page of changes over, deletions first. When it returns, all of the page is durably there but
  /// what it refused.
  /// - Returns: the records that the store will not take as they are, whenever they come. They are set aside.
  /// - Throws: `ExternalStoreError`: nothing is known of the page, which comes again; `CancellationError`.
  func carry(_ page: ChangePage) async throws -> [Refusal]

  /// Forgets what is known here of what is there. Called between `open` and the first page after the user has
  /// reset the destination: everything comes once more, each record with `supersedes`, and what the store
  /// had is not to be relied on.
  /// - Throws: `ExternalStoreError`; `CancellationError`. It is called again then.
  func reset() async throws

  /// Lets go of what `open` took. Does nothing where nothing is open.
  func close() async
}

extension ExternalStore {
  /// Does nothing, as is right for a store that knows nothing but what is there.
  public func reset() async throws {}
}

/// Some changes of one type, in the order of the store's change log.
public struct ChangePage: Sendable {
  public let type: HKSampleType
  public let deleted: [HKDeletedObject]
  public let added: [ExternalRecord]

  public init(type: HKSampleType, deleted: [HKDeletedObject], added: [ExternalRecord]) {
    self.type = type
    self.deleted = deleted
    self.added = added
  }

  public var isEmpty: Bool { deleted.isEmpty && added.isEmpty }
}

/// What a store will not take, and why.
public struct Refusal: Hashable, Sendable {
  public let uuid: UUID
  /// A sentence for the user, without values of the sample.
  public let reason: String

  public init(uuid: UUID, reason: String) {
    self.uuid = uuid
    self.reason = reason
  }
}
