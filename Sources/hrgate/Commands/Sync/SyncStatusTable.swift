/// Destination states as a table, each row followed by its errors.
enum SyncStatusTable {
  private static let header = [
    "NAME", "KIND", "STATE", "SENT", "DELETED", "DEAD LETTERS", "PENDING", "LAST SUCCESS",
  ]

  static func lines(_ statuses: [SyncStatusLine], columns: Int) -> [String] {
    let table = TextTable.lines([header] + statuses.map(row), right: [3, 4, 5, 6])
    return [table[0]]
      + zip(statuses, table.dropFirst()).flatMap { status, row in
        [row] + notes(on: status).flatMap { WrappedText.lines($0.plain, columns: columns, indent: 2) }
      }
  }

  private static func row(_ status: SyncStatusLine) -> [String] {
    [
      status.name, status.kind, status.state, "\(status.sent)", "\(status.deleted)", "\(status.setAside)",
      "\(status.pending)", status.lastSuccess ?? "never",
    ]
  }

  private static func notes(on status: SyncStatusLine) -> [String] {
    let failure = status.lastError.map { error in
      error + (status.failingSince.map { " (since \($0))" } ?? "")
    }
    return [failure, status.setAsideText, status.rejectedText].compactMap(\.self)
  }
}

extension SyncStatusLine {
  /// Count of samples that the destination never accepts, with each reason once; `nil` if there are none.
  var rejectedText: String? {
    guard let rejected else { return nil }
    let reasons = Dictionary(grouping: rejected, by: \.reason).sorted { $0.key < $1.key }
      .map { "\($0.key) (\($0.value.reduce(0) { $0 + $1.samples }))" }
    let count = rejected.reduce(0) { $0 + $1.samples }
    return
      "\(Counted.text(count, "sample is", "samples are")) not accepted and not sent: \(reasons.joined(separator: "; "))"
  }

  /// Count of rejected records, with each reason of the first ones once; `nil` if there are none.
  var setAsideText: String? {
    guard let records = setAsideRecords else { return nil }
    let reasons = Dictionary(grouping: records, by: \.reason)
      .sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
      .map { "\($0.key) (\($0.value.map(\.uuid).prefix(2).joined(separator: ", ")))" }
    return
      "\(Counted.text(setAside, "record is", "records are")) in the dead-letter list: \(reasons.joined(separator: "; "))"
  }
}
