/// Why no PostgreSQL would take a record, whenever it came.
struct RecordFlaw: Error, Hashable {
  /// A sentence for the user, without values.
  let reason: String

  static let time = RecordFlaw(reason: "PostgreSQL has no times before 4713 BC")
  static let text = RecordFlaw(
    reason: "PostgreSQL has no texts with the character U+0000, which this one holds")
  static let offsets = RecordFlaw(reason: "a time in the series is not finite")

  static func encoding(_ name: String) -> RecordFlaw {
    RecordFlaw(
      reason:
        "the database's encoding \(name) lacks a character of its texts: use a database with ENCODING 'UTF8'")
  }

  /// What the table of origins says of the texts of a source, a device or the metadata.
  static func origin(_ error: ServerError) -> RecordFlaw {
    RecordFlaw(reason: "the database cannot hold its texts (error \(error.state))")
  }
}
