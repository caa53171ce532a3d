import HealthDataSync
import HealthSystem

/// The result of `hrgate store check --json`. The field names are stable.
struct StoreCheckLine: Encodable {
  struct Finding: Encodable {
    var kind: String
    var text: String
    var count: Int
  }

  /// The readable part of a table.
  struct Table: Encodable {
    /// An unreadable range of rows.
    struct Hole: Encodable {
      /// The first unreadable row ID.
      var first: Int64
      /// The next readable row ID; absent if no later row is readable.
      var next: Int64?
      /// Times of the last readable row before the range and the first one after it.
      var before: String?
      var after: String?

      init(_ hole: StoreCare.Report.Table.Hole) {
        first = hole.first
        next = hole.next
        before = hole.before.map(Timestamp.text(microsecondsSince1970:))
        after = hole.after.map(Timestamp.text(microsecondsSince1970:))
      }

      var text: String {
        let ids = "from \(first)" + (next.map { " to \($0 - 1)" } ?? " on")
        let times = [before.map { "after \($0)" }, after.map { "before \($0)" }].compactMap(\.self)
        return ids + (times.isEmpty ? "" : " (started \(times.joined(separator: ", ")))")
      }
    }

    var table: String
    var rows: Int
    var whole: Bool
    /// The unreadable ranges; absent if the table is intact or its rows have no IDs.
    var unreadable: [Hole]?
    /// Number of further unreadable ranges; absent if there are none.
    var furtherUnreadable: Int?

    init(_ table: StoreCare.Report.Table) {
      self.table = table.name
      rows = table.rows
      whole = table.isWhole
      unreadable = table.holes.isEmpty ? nil : table.holes.map(Hole.init)
      furtherUnreadable = table.furtherHoles > 0 ? table.furtherHoles : nil
    }
  }

  /// Maximum number of ranges to print per table.
  private static let mostHoles = 20

  var store: String
  var sound: Bool
  var bytes: Int64?
  var samples: Int?
  /// Number of deletions in the change log.
  var deletions: Int?
  var findings: [Finding]
  /// The tables of a damaged file; absent if its schema is unreadable.
  var tables: [Table]?

  init(store: String, _ report: StoreCare.Report) {
    self.store = store
    sound = report.findings.isEmpty
    bytes = report.size?.bytes
    samples = report.size?.samples
    deletions = report.size?.deletions
    findings = report.findings.map { Finding(kind: $0.kind, text: $0.text, count: $0.count) }
    tables = report.tables.isEmpty ? nil : report.tables.map(Table.init)
  }

  /// The result as text.
  var text: String {
    var lines: [String] = []
    if let samples, let deletions, let bytes {
      lines.append(
        "\(store.plain): \(Counted.text(samples, "sample")), \(Counted.text(deletions, "deletion")), \(ByteCount.text(bytes))"
      )
    } else {
      lines.append("\(store.plain): its samples cannot be counted")
    }
    lines += findings.map { "  \($0.count == 1 ? "" : "\($0.count) × ")\($0.text.plain)" }
    lines += readable
    lines.append(sound ? "  no damage found" : "  damaged: \(remedies.joined(separator: ", "))")
    return lines.joined(separator: "\n")
  }

  /// Whether the schema of the file is unreadable.
  private var isUnreadable: Bool { tables == nil && findings.contains { $0.kind == "file" } }

  private var remedies: [String] {
    let backup = "`hrgate store restore FILE` replaces it with a backup"
    return isUnreadable ? [backup] : ["`hrgate store recover FILE` saves the readable data", backup]
  }

  /// Lists the intact tables of a damaged file, and the unreadable ranges of the others.
  private var readable: [String] {
    guard let tables else {
      return isUnreadable ? ["  the list of tables cannot be read: no data can be recovered"] : []
    }
    let whole = tables.filter(\.whole)
    let filled = whole.filter { $0.rows > 0 }.map { "\($0.table.plain) (\(Counted.text($0.rows, "row")))" }
    var lines = filled.isEmpty ? [] : ["  completely readable: \(filled.joined(separator: ", "))"]
    let empty = whole.count - filled.count
    if empty > 0 { lines.append("  \(Counted.text(empty, "table is empty", "tables are empty"))") }
    for table in tables where !table.whole {
      lines.append(
        "  \(table.table.plain): \(Counted.text(table.rows, "row")) readable, others not")
      let holes = table.unreadable ?? []
      lines += holes.prefix(Self.mostHoles).map { "    unreadable: ids \($0.text)" }
      let others = max(0, holes.count - Self.mostHoles) + (table.furtherUnreadable ?? 0)
      if others > 0 {
        lines.append(
          "    unreadable: \(Counted.text(others, "other range")); see --json"
            + (table.furtherUnreadable.map { ", which lists all but \($0)" } ?? ""))
      }
    }
    return lines
  }
}
