/// A small table to which all samples refer, and an index that contains a copy of its columns.
struct SmallTable {
  var name: String
  var index: String
  /// The number of columns of the index.
  var width: Int
  /// The columns that can be restored, each with an SQL expression in which ?1, ?2 … are the columns of the
  /// index.
  var columns: [(name: String, value: String)]

  /// All small tables. Each comes before the tables that refer to it.
  static let all = [
    SmallTable(
      name: "object_type", index: "sqlite_autoindex_object_type_1", width: 1, columns: [("identifier", "?1")]),
    SmallTable(name: "unit", index: "sqlite_autoindex_unit_1", width: 1, columns: [("symbol", "?1")]),
    // No index contains the name of a source, so restore a lost row with its bundle identifier as the name.
    SmallTable(
      name: "source", index: "sqlite_autoindex_source_1", width: 1,
      columns: [("bundle_identifier", "?1"), ("name", "?1")]),
    SmallTable(
      name: "source_revision", index: "source_revision_value", width: 4,
      columns: [
        ("source", "?1"), ("version", "nullif(?2, x'')"), ("product_type", "nullif(?3, x'')"),
        ("operating_system", "?4"),
      ]),
    SmallTable(
      name: "device", index: "device_value", width: DeviceRecord.columns.count,
      columns: DeviceRecord.columns.enumerated().map { ($1, "nullif(?\($0 + 1), x'')") }),
    SmallTable(
      name: "provenance", index: "provenance_value", width: 2,
      columns: [("source_revision", "?1"), ("device", "nullif(?2, 0)")]),
    SmallTable(
      name: "metadata", index: "sqlite_autoindex_metadata_1", width: 1, columns: [("encoded", "?1")]),
  ]
}
