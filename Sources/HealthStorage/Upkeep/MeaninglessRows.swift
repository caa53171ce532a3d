/// Rows of a table that contradict rows of other tables and therefore must be damaged. `StoreCheck` counts
/// them; a recovery deletes them.
struct MeaninglessRows {
  /// A description of the problem, for the user.
  var text: String
  var table: String
  /// The SQL condition that selects these rows, without WHERE.
  var condition: String
  /// Other tables that the condition reads.
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

  /// All contradictions, in the order in which a recovery handles them: first content (beats, locations,
  /// archives), then samples without content. Content that contradicts its sample's row is deleted. If two
  /// contents of a sample contradict each other, the one that queries return is kept.
  /// - Parameter haveBlocks: Whether the schema has the table `block`.
  static func all(haveBlocks: Bool) -> [MeaninglessRows] {
    [
      MeaninglessRows(
        "a quantity or category sample has beats", in: "heartbeat_series", with: ["sample"],
        "sample IN (SELECT id FROM sample WHERE value IS NOT NULL OR unit IS NOT NULL)"),
      MeaninglessRows(
        "a quantity or category sample has locations", in: "location_series", with: ["sample"],
        "sample IN (SELECT id FROM sample WHERE value IS NOT NULL OR unit IS NOT NULL)"),
      MeaninglessRows(
        "a quantity or category sample has an archive", in: "archived_sample", with: ["sample"],
        "sample IN (SELECT id FROM sample WHERE value IS NOT NULL OR unit IS NOT NULL)"),
      MeaninglessRows(
        "a sample that is not a quantity has quantities", in: "quantity_series", with: ["sample"],
        "sample IN (SELECT id FROM sample WHERE value IS NULL OR unit IS NULL)"),
      MeaninglessRows(
        "an archived sample has beats", in: "heartbeat_series", with: ["archived_sample"],
        "sample IN (SELECT sample FROM archived_sample)"),
      MeaninglessRows(
        "an archived sample or heartbeat series has locations", in: "location_series",
        with: ["archived_sample", "heartbeat_series"],
        """
        sample IN (SELECT sample FROM archived_sample) OR sample IN (SELECT sample FROM heartbeat_series)
        """),
      MeaninglessRows(
        "a sample without an archive has voltages", in: "voltage_series", with: ["archived_sample"],
        "sample NOT IN (SELECT sample FROM archived_sample)"),
      // Damage can make a row violate a CHECK constraint. SQLite's integrity check does not report all such
      // rows.
      MeaninglessRows("a sample ends before it begins", in: "sample", "end IS NOT NULL AND end <= start"),
      MeaninglessRows(
        "a quantity sample has no value", in: "sample", "unit IS NOT NULL AND value IS NULL"),
      MeaninglessRows(
        "a category value is not an integer", in: "sample",
        "unit IS NULL AND value IS NOT NULL AND value <> CAST(value AS INTEGER)"),
      MeaninglessRows(
        "a sample has no value, although others of its type have one", in: "sample", with: holders,
        "\(holdsNothing) AND type IN (\(typesThatHold)\(haveBlocks ? packedTypes : ""))"),
      MeaninglessRows(
        "a sync identifier has another type or source than its sample", in: "synced_object",
        with: ["sample", "provenance", "source_revision"],
        """
        EXISTS (
          SELECT 1 FROM sample JOIN provenance ON provenance.id = sample.provenance
          JOIN source_revision ON source_revision.id = provenance.source_revision
          WHERE sample.id = synced_object.sample
            AND (sample.type <> synced_object.type OR source_revision.source <> synced_object.source))
        """),
      MeaninglessRows(
        "an attachment has no sample, or a piece of it is missing", in: "attachment",
        with: ["attachment_piece"],
        """
        sample IS NULL OR size <> (
          SELECT ifnull(sum(length(bytes)), 0) FROM attachment_piece WHERE attachment = attachment.id)
        OR (SELECT count(*) FROM attachment_piece WHERE attachment = attachment.id)
          <> (SELECT ifnull(max(place) + 1, 0) FROM attachment_piece WHERE attachment = attachment.id)
        """),
    ]
  }

  // MARK: - Samples without content

  private static let holders = ["heartbeat_series", "location_series", "archived_sample", "membership"]

  /// An SQL condition on `sample` for samples without any content. A correlation whose samples were deleted
  /// is also empty, but not damaged. So a sample without content counts as damaged only if other samples of
  /// its type have content.
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
