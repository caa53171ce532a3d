/// Rows of a table that cannot mean what they say beside the others: `StoreCheck` counts them, and a rescue
/// leaves them out.
struct MeaninglessRows {
  /// What is wrong with one of them, for a person.
  var text: String
  var table: String
  /// Which they are, without WHERE.
  var condition: String
  /// What the condition asks beside the table.
  var others: [String]

  private init(_ text: String, in table: String, with others: [String] = [], _ condition: String) {
    self.text = text
    self.table = table
    self.others = others
    self.condition = condition
  }

  var contradiction: RowContradiction {
    RowContradiction(text, among: [table] + others, "SELECT count(*) FROM \(table) WHERE \(condition)")
  }

  /// The order in which a rescue leaves them out: contents first, and then the samples that held no others.
  /// Where a content contradicts its sample's row, the row counts; of two contents that which a read gives.
  /// - Parameter haveBlocks: whether samples may be in blocks; false where the schema is older than they are.
  static func all(haveBlocks: Bool) -> [MeaninglessRows] {
    [
      MeaninglessRows(
        "a sample that is a number has beats", in: "heartbeat_series", with: ["sample"],
        "sample IN (SELECT id FROM sample WHERE value IS NOT NULL OR unit IS NOT NULL)"),
      MeaninglessRows(
        "a sample that is a number has places", in: "location_series", with: ["sample"],
        "sample IN (SELECT id FROM sample WHERE value IS NOT NULL OR unit IS NOT NULL)"),
      MeaninglessRows(
        "a sample that is a number has an archive", in: "archived_sample", with: ["sample"],
        "sample IN (SELECT id FROM sample WHERE value IS NOT NULL OR unit IS NOT NULL)"),
      MeaninglessRows(
        "a sample that is no quantity has quantities", in: "quantity_series", with: ["sample"],
        "sample IN (SELECT id FROM sample WHERE value IS NULL OR unit IS NULL)"),
      MeaninglessRows(
        "a sample that has an archive has beats", in: "heartbeat_series", with: ["archived_sample"],
        "sample IN (SELECT sample FROM archived_sample)"),
      MeaninglessRows(
        "a sample that has an archive or beats has places", in: "location_series",
        with: ["archived_sample", "heartbeat_series"],
        """
        sample IN (SELECT sample FROM archived_sample) OR sample IN (SELECT sample FROM heartbeat_series)
        """),
      MeaninglessRows(
        "a sample that has no archive has voltages", in: "voltage_series", with: ["archived_sample"],
        "sample NOT IN (SELECT sample FROM archived_sample)"),
      // SQLite's own check passes over rows that break a CHECK by a damaged octet.
      MeaninglessRows("a sample ends before it begins", in: "sample", "end IS NOT NULL AND end <= start"),
      MeaninglessRows(
        "a quantity is no number", in: "sample", "unit IS NOT NULL AND value IS NULL"),
      MeaninglessRows(
        "a category is no whole number", in: "sample",
        "unit IS NULL AND value IS NOT NULL AND value <> CAST(value AS INTEGER)"),
      MeaninglessRows(
        "a sample holds nothing, and others of its type do", in: "sample", with: holders,
        "\(holdsNothing) AND type IN (\(typesThatHold)\(haveBlocks ? packedTypes : ""))"),
      MeaninglessRows(
        "a sync identifier is of another type or source than its sample", in: "synced_object",
        with: ["sample", "provenance", "source_revision"],
        """
        EXISTS (
          SELECT 1 FROM sample JOIN provenance ON provenance.id = sample.provenance
          JOIN source_revision ON source_revision.id = provenance.source_revision
          WHERE sample.id = synced_object.sample
            AND (sample.type <> synced_object.type OR source_revision.source <> synced_object.source))
        """),
      MeaninglessRows(
        "a file belongs to no sample, or a piece of it is missing", in: "attachment",
        with: ["attachment_piece"],
        """
        sample IS NULL OR size <> (
          SELECT ifnull(sum(length(bytes)), 0) FROM attachment_piece WHERE attachment = attachment.id)
        OR (SELECT count(*) FROM attachment_piece WHERE attachment = attachment.id)
          <> (SELECT ifnull(max(place) + 1, 0) FROM attachment_piece WHERE attachment = attachment.id)
        """),
    ]
  }

  // MARK: - Samples that hold nothing

  private static let holders = ["heartbeat_series", "location_series", "archived_sample", "membership"]

  /// A correlation whose samples were deleted holds nothing and is sound: the others of its type tell.
  static let holdsNothing = """
    value IS NULL AND unit IS NULL
    AND id NOT IN (SELECT sample FROM heartbeat_series) AND id NOT IN (SELECT sample FROM location_series)
    AND id NOT IN (SELECT sample FROM archived_sample) AND id NOT IN (SELECT container FROM membership)
    """

  private static let typesThatHold = """
    SELECT type FROM sample WHERE value IS NOT NULL
    UNION SELECT type FROM sample WHERE id IN (SELECT sample FROM heartbeat_series)
    UNION SELECT type FROM sample WHERE id IN (SELECT sample FROM location_series)
    UNION SELECT type FROM sample WHERE id IN (SELECT sample FROM archived_sample)
    """

  private static let packedTypes = "\nUNION SELECT type FROM block"
}
