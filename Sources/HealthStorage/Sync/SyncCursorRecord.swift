package import Foundation

/// A place in a change log, with the mark that tells whose log it is.
package struct ChangeLogPlace: Hashable, Sendable {
  package var position: Int64
  package var mark: String

  package init(position: Int64, mark: String) {
    self.position = position
    self.mark = mark
  }
}

/// How far a destination has come.
package struct SyncStanding: Sendable {
  /// Of the types of which something went over.
  package var cursors: [SyncCursorRecord]
  /// How often it was reset.
  package var resets: Int64
  /// How many of these resets it knows of.
  package var resetsTold: Int64
  /// Where the change log ended when it was last reset; 0: it never was.
  package var resetAt: Int64
  package var marker: SyncMarkerRecord
}

/// What a destination stores with each page, so that a loss of its data is noticed.
package struct SyncMarkerRecord: Hashable, Sendable {
  /// Random; another one after each reset.
  package var id: UUID
  /// The number of the last page that was saved as sent; nil: the marker is not at the destination yet.
  package var sequence: Int64?

  package init(id: UUID, sequence: Int64?) {
    self.id = id
    self.sequence = sequence
  }
}

/// How far a destination has come with a type.
package struct SyncCursorRecord: Hashable, Sendable {
  package var type: String
  package var place: ChangeLogPlace
  /// How many samples and deletions went over.
  package var sent: Int
  package var deleted: Int
}

/// A record that a destination does not take.
package struct SyncRefusalRecord: Hashable, Sendable {
  package var uuid: UUID
  package var type: String
  /// In the destination's words.
  package var reason: String
  /// Microseconds since 1970.
  package var since: Int64
  /// 0: the user wants it tried anew.
  package var attempts: Int
  /// When it was last tried, by the clock of then; 0: it is to be tried at once.
  package var tried: Int64
}

/// What a destination never accepts of a type.
package struct SyncRejectionRecord: Hashable, Sendable {
  package var type: String
  package var reason: String
  /// How many samples came and were not accepted; nil: no sample of the type is sent.
  package var count: Int?
}

/// When records that are set aside are tried again. Times are microseconds, the first of them since 1970.
package struct RefusalTimes: Hashable, Sendable {
  package var now: Int64
  /// The pause after the first attempt. Each is twice as long as the one before it,
  package var first: Int64
  /// up to this.
  package var longest: Int64

  package init(now: Int64, first: Int64, longest: Int64) {
    self.now = now
    self.first = first
    self.longest = longest
  }
}

/// What became of records that were carried to a destination.
package struct CarriedRecords: Sendable {
  package var type: String
  /// How many samples and deletions went over.
  package var sent: Int
  package var deleted: Int
  /// Those that went over, by UUID: they are no longer set aside.
  package var settled: [UUID]
  package var refused: [(uuid: UUID, reason: String)]
  /// How many the destination never accepts, by the reason. They are settled.
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

/// Where the cursor of a type goes when records were carried.
package struct CursorStep: Hashable, Sendable {
  /// Where it has to be for that; nil: there is none.
  package var from: ChangeLogPlace?
  package var to: ChangeLogPlace
  /// The place it was at is in another log: all goes over once more, and is counted anew.
  package var startsAnew: Bool
  /// Of the changes in place that were known of when what lies between the two was read.
  package var revision: Int64

  package init(from: ChangeLogPlace?, to: ChangeLogPlace, startsAnew: Bool, revision: Int64) {
    self.from = from
    self.to = to
    self.startsAnew = startsAnew
    self.revision = revision
  }
}
