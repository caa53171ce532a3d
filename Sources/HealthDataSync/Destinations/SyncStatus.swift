public import Foundation
public import HealthKit

/// How a destination is.
public struct SyncStatus: Hashable, Sendable {
  /// In one word.
  public enum State: String, Hashable, Sendable, CaseIterable {
    /// Everything is there.
    case current
    /// A program carries to it now.
    case carrying
    /// There is something to carry, and no program does.
    case waiting
    /// The last attempt failed, which may pass by itself.
    case failing
    /// The last attempt failed, or the destination rejected everything, and the user has to act.
    case blocked
  }

  /// Samples of a type that the destination never accepts.
  public struct Rejection: Hashable, Sendable {
    /// The identifier of the type.
    public let type: String
    public let samples: Int
    public let reason: String
  }

  public let name: String
  public let kind: String
  public let state: State
  /// Samples that went over since the destination was added or reset.
  public let sent: Int
  /// Deletions, likewise.
  public let deleted: Int
  /// Records that the destination does not take as they are.
  public let setAside: Int
  /// Samples and deletions that have not been carried yet.
  public let pending: Int
  /// When the destination last took something or was found to have everything.
  public let lastSuccess: Date?
  /// Why the last attempt failed, in one sentence with the remedy; nil if it did not.
  public let lastError: String?
  /// Since when all attempts have failed; nil if the last did not.
  public let since: Date?
  /// The types that go there; nil for all.
  public let types: Set<HKSampleType>?
  /// What the destination never accepts, in the order of types.
  public let rejections: [Rejection]
}

/// A record that a destination does not take as it is. It is tried again after a while, which grows with each
/// attempt (`SyncPolicy.firstPauseOfSetAside`), and once by each `Synchronizer.runOnce()`.
public struct SetAsideRecord: Hashable, Sendable {
  public let uuid: UUID
  /// The identifier of its type.
  public let type: String
  /// In the destination's words.
  public let reason: String
  public let since: Date
  /// How often it was tried.
  public let attempts: Int
}
