package import Foundation

/// A position in a change log, with a mark that identifies the log.
package struct ChangeLogPlace: Hashable, Sendable {
  package var position: Int64
  package var mark: String

  package init(position: Int64, mark: String) {
    self.position = position
    self.mark = mark
  }
}

/// The sync progress of a destination.
package struct SyncStanding: Sendable {
  /// The cursors of the types of which something was sent.
  package var cursors: [SyncCursorRecord]
  /// The number of times the destination was reset.
  package var resets: Int64
  /// The number of resets that the destination has been notified of.
  package var resetsTold: Int64
  /// The end of the change log at the last reset; 0 if there was none.
  package var resetAt: Int64
  package var marker: SyncMarkerRecord
}

/// A marker that is stored at the destination with each page, to detect a loss of its data.
package struct SyncMarkerRecord: Hashable, Sendable {
  /// A random ID; changes at each reset.
  package var id: UUID
  /// The number of the last page that was saved as sent; nil if the marker is not yet stored at the
  /// destination.
  package var sequence: Int64?

  package init(id: UUID, sequence: Int64?) {
    self.id = id
    self.sequence = sequence
  }
}

/// The sync progress of a destination for one type.
package struct SyncCursorRecord: Hashable, Sendable {
  package var type: String
  package var place: ChangeLogPlace
  /// The numbers of samples and deletions sent.
  package var sent: Int
  package var deleted: Int
}

/// A record that a destination rejected (an entry of the dead-letter list).
package struct SyncRefusalRecord: Hashable, Sendable {
  package var uuid: UUID
  package var type: String
  /// The destination's error message.
  package var reason: String
  /// Microseconds since 1970.
  package var since: Int64
  /// 0 if the user requested a retry.
  package var attempts: Int
  /// The time of the last attempt; 0 to retry at once.
  package var tried: Int64
}

/// Records of a type that a destination never accepts.
package struct SyncRejectionRecord: Hashable, Sendable {
  package var type: String
  package var reason: String
  /// The number of samples rejected; nil if no samples of the type are sent at all.
  package var count: Int?
}

/// The schedule for retries of rejected records. Times are microseconds; `now` counts from 1970.
package struct RefusalTimes: Hashable, Sendable {
  package var now: Int64
  /// The pause after the first attempt. Each further pause is twice as long, up to ``longest``.
  package var first: Int64
  /// The maximum pause.
  package var longest: Int64

  package init(now: Int64, first: Int64, longest: Int64) {
    self.now = now
    self.first = first
    self.longest = longest
  }
}

/// The result of sending records to a destination.
package struct CarriedRecords: Sendable {
  package var type: String
  /// The numbers of samples and deletions sent.
  package var sent: Int
  package var deleted: Int
  /// UUIDs of the accepted records; they are removed from the dead-letter list.
  package var settled: [UUID]
  package var refused: [(uuid: UUID, reason: String)]
  /// The number of records that the destination never accepts, by reason. They are included in `settled`.
  package var rejected: [String: Int]
  /// Microseconds since 1970.
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

/// A move of a type's cursor after records were sent.
package struct CursorStep: Hashable, Sendable {
  /// The expected current position; nil if there must be no cursor.
  package var from: ChangeLogPlace?
  package var to: ChangeLogPlace
  /// The current position belongs to another change log: everything is sent again, and the counts restart.
  package var startsAnew: Bool
  /// The latest revision of ``ChangesInPlace`` when the records between `from` and `to` were read.
  package var revision: Int64

  package init(from: ChangeLogPlace?, to: ChangeLogPlace, startsAnew: Bool, revision: Int64) {
    self.from = from
    self.to = to
    self.startsAnew = startsAnew
    self.revision = revision
  }
}
