package import Foundation

/// A position in a change log, with a mark that identifies the store.
package struct ChangeLogCursor: Hashable, Sendable {
  package var position: Int64
  package var mark: String

  package init(position: Int64, mark: String) {
    self.position = position
    self.mark = mark
  }
}

/// The progress of the sync to a destination.
package struct SyncDestinationState: Sendable {
  /// The position of each type for which something was sent.
  package var cursors: [SyncCursorRecord]
  /// The number of times the destination was reset. After a reset, everything is sent again.
  package var resets: Int64
  /// The number of resets that the destination was notified about.
  package var reportedResets: Int64
  /// The last change log position at the last reset; 0 without a reset.
  package var resetAt: Int64
  package var marker: SyncMarkerRecord
}

/// A marker that is stored at the destination with each page of changes. If it disappears there, the
/// destination has lost data.
package struct SyncMarkerRecord: Hashable, Sendable {
  /// A random ID, which changes at each reset.
  package var id: UUID
  /// The number of the last page of changes that was sent; `nil` if the marker is not stored at the
  /// destination yet.
  package var sequence: Int64?

  package init(id: UUID, sequence: Int64?) {
    self.id = id
    self.sequence = sequence
  }
}

/// The progress of the sync of one type to a destination.
package struct SyncCursorRecord: Hashable, Sendable {
  package var type: String
  package var cursor: ChangeLogCursor
  /// The number of samples and of deletions that were sent.
  package var sent: Int
  package var deleted: Int
}

/// A record that a destination has rejected, in the dead-letter list.
package struct DeadLetterRecord: Hashable, Sendable {
  package var uuid: UUID
  package var type: String
  /// The error message of the destination.
  package var reason: String
  /// When the record was first rejected, in microseconds since 1970.
  package var since: Int64
  /// The number of attempts; 0 if the user has requested a retry.
  package var attempts: Int
  /// The time of the last attempt, in microseconds since 1970; 0 to retry at once.
  package var tried: Int64
}

/// A count of records of a type that a destination never accepts, because of one of its rules.
package struct SyncRejectionRecord: Hashable, Sendable {
  package var type: String
  package var reason: String
  /// The number of rejected samples; `nil` if the destination does not accept the type at all, so that no
  /// samples of it are sent.
  package var count: Int?
}

/// Determines when rejected records are sent again. `now` is the current time in microseconds since 1970; the
/// others are durations in microseconds.
package struct RetryTimes: Hashable, Sendable {
  package var now: Int64
  /// The delay after the first rejection of a record. It doubles with each further rejection, up to
  /// ``longest``.
  package var first: Int64
  /// The maximum delay.
  package var longest: Int64

  package init(now: Int64, first: Int64, longest: Int64) {
    self.now = now
    self.first = first
    self.longest = longest
  }
}

/// The result of sending records of one type to a destination.
package struct SentRecords: Sendable {
  package var type: String
  /// The number of samples and of deletions that were sent.
  package var sent: Int
  package var deleted: Int
  /// The UUIDs of the records that were accepted or will never be accepted. They are removed from the
  /// dead-letter list.
  package var settled: [UUID]
  package var refused: [(uuid: UUID, reason: String)]
  /// The number of records that the destination will never accept, by reason. Their UUIDs are in `settled`.
  package var rejected: [String: Int]
  /// The time at which the records were sent, in microseconds since 1970.
  package var time: Int64

  package init(
    type: String, sent: Int, deleted: Int, settled: [UUID], refused: [(uuid: UUID, reason: String)],
    rejected: [String: Int] = [:], time: Int64
  ) {
    self.type = type
    self.sent = sent
    self.deleted = deleted
    self.settled = settled
    self.refused = refused
    self.rejected = rejected
    self.time = time
  }
}

/// The progress of a type at a destination after records were sent.
package struct CursorStep: Hashable, Sendable {
  /// The position before the records were sent; `nil` if there was none. If the stored position differs from
  /// it, nothing is saved.
  package var from: ChangeLogCursor?
  package var to: ChangeLogCursor
  /// Whether `from` is from another store, so that everything is sent again and counted from 0.
  package var restarts: Bool
  /// The latest revision of ``ChangesInPlace`` when the records were read.
  package var revision: Int64

  package init(from: ChangeLogCursor?, to: ChangeLogCursor, restarts: Bool, revision: Int64) {
    self.from = from
    self.to = to
    self.restarts = restarts
    self.revision = revision
  }
}
