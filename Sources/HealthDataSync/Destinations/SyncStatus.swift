public import Foundation
public import HealthKit

/// The status of a destination: what was sent, what is left, and the last error.
public struct SyncStatus: Hashable, Sendable {
  /// The status in one word.
  public enum State: String, Hashable, Sendable, CaseIterable {
    /// All changes were sent.
    case current
    /// A program is sending changes.
    case carrying
    /// There are unsent changes, but no program is sending them.
    case waiting
    /// The last attempt failed with an error that may be temporary.
    case failing
    /// The last attempt failed, or the destination rejected everything, and the user must act.
    case blocked
  }

  /// Samples of a type that the destination never accepts.
  public struct Rejection: Hashable, Sendable {
    /// The identifier of the type.
    public let type: String
    /// The number of samples.
    public let samples: Int
    /// Why the destination never accepts them, in a sentence.
    public let reason: String
  }

  public let name: String
  /// The kind of destination, as in ``SyncDestination/kind``.
  public let kind: String
  public let state: State
  /// The number of samples sent since the destination was added or reset.
  public let sent: Int
  /// The number of deletions sent since the destination was added or reset.
  public let deleted: Int
  /// The number of records in the dead-letter list.
  public let setAside: Int
  /// The number of samples and deletions not yet sent.
  public let pending: Int
  /// The time at which the destination last accepted a change or was found to be up to date.
  public let lastSuccess: Date?
  /// The error of the last attempt and what to do about it, in one sentence; `nil` if the attempt succeeded.
  public let lastError: String?
  /// The time since which all attempts have failed, or `nil` if the last one succeeded.
  public let since: Date?
  /// The selected types, or `nil` for all.
  public let types: Set<HKSampleType>?
  /// The types that the destination never accepts, sorted.
  public let rejections: [Rejection]
}

/// A record in the dead-letter list: one that the destination rejected.
///
/// It is retried after a delay that grows with each attempt (`SyncPolicy.firstPauseOfSetAside`), and once by
/// each `Synchronizer.runOnce()`.
public struct RejectedRecord: Hashable, Sendable {
  /// The UUID of the sample or deletion.
  public let uuid: UUID
  /// The identifier of the sample's type.
  public let type: String
  /// Why the destination rejected the record, in a sentence.
  public let reason: String
  /// When the destination first rejected it.
  public let since: Date
  /// The number of attempts.
  public let attempts: Int
}
