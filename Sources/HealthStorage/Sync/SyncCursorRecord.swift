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
  /// 0: to be tried again at once.
  package var attempts: Int
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
  /// Microseconds since 1970.
  package var time: Int64

  package init(
    type: String, sent: Int, deleted: Int, settled: [UUID], refused: [(uuid: UUID, reason: String)],
    time: Int64
  ) {
    self.type = type
    self.sent = sent
    self.deleted = deleted
    self.settled = settled
    self.refused = refused
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

  package init(from: ChangeLogPlace?, to: ChangeLogPlace, startsAnew: Bool) {
    self.from = from
    self.to = to
    self.startsAnew = startsAnew
  }
}
