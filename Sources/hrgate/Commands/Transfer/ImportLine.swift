import AppleHealthExport
import HealthKit

/// The result of `hrgate import`. The field names are stable.
///
/// records = stored + replaced + outdated + present + rejected, except in a dry run, which does not read the
/// store.
struct ImportLine: Encodable {
  var file: String
  /// Number of samples in the export.
  var records: Int
  /// Number of valid samples by type identifier.
  var read: [String: Int]
  var stored: Int
  /// Samples that replaced an older version of the same object.
  var replaced: Int
  /// Samples that the store already has in a newer version.
  var outdated: Int
  /// Samples that were already stored, or that occur twice in the export.
  var present: Int
  /// Number of rejected samples by reason.
  var rejected: [String: Int]
  /// Number of samples stored without an invalid part, by reason.
  var flawed: [String: Int]
  /// Number of unsupported elements by name.
  var unread: [String: Int]
  /// Sources that appear to have been renamed on the phone since an earlier import.
  var renamed: [Renamed]
  /// Characteristics that this import set.
  var characteristics: [String]
  var failure: String?
  var stopped: Bool?
  var dryRun: Bool?

  struct Renamed: Encodable {
    var name: String
    var earlierName: String
    var earlierBundleIdentifier: String
    /// Number of samples stored under the earlier and under the new name.
    var samples: Int
  }

  init(file: String, _ outcome: ImportOutcome, taken: [StatedCharacteristic], isDryRun: Bool) {
    self.file = file
    records = outcome.records.records
    read = outcome.records.read
    stored = outcome.stored
    replaced = outcome.replacing
    outdated = outcome.outdated
    present = outcome.present
    rejected = Self.counts(outcome) { !$0.isPartial }
    flawed = Self.counts(outcome) { $0.isPartial }
    unread = outcome.records.unread
    renamed = outcome.renamed.map {
      Renamed(
        name: $0.name, earlierName: $0.earlierName, earlierBundleIdentifier: $0.earlierBundleIdentifier,
        samples: $0.samples)
    }
    characteristics = taken.map { TypeArgument.shortName(ofIdentifier: $0.type.rawValue) }
    failure = outcome.importError?.description ?? outcome.failure?.localizedDescription
    stopped = outcome.isStopped ? true : nil
    dryRun = isDryRun ? true : nil
  }

  private static func counts(_ outcome: ImportOutcome, _ isWanted: (RecordError) -> Bool) -> [String: Int] {
    let wanted = outcome.records.problems.filter { isWanted($0.key) }
    return Dictionary(uniqueKeysWithValues: wanted.map { ($0.key.rawValue, $0.value) })
  }

  /// Maximum number of lines per section of the text; the JSON record has all.
  private static let mostLines = 30

  /// The result as text.
  var text: String {
    var lines = ["\(file.plain): \(Counted.text(records, "sample"))"]
    if dryRun != true {
      lines.append("  \(stored) stored, \(present) stored before or duplicated" + replacements)
    }
    lines += Self.lines(read) { "  \($1) × \(TypeArgument.shortName(ofIdentifier: $0))" }
    lines += Self.lines(rejected) { "  not stored: \($1) × \($0)" }
    lines += Self.lines(flawed) { "  stored without an invalid part: \($1) × \($0)" }
    lines += Self.lines(unread) { "  left out: \($1) × \($0.plain)" }
    if !characteristics.isEmpty {
      lines.append("  characteristics set: \(characteristics.joined(separator: ", "))")
    }
    return lines.joined(separator: "\n")
  }

  private var replacements: String {
    (replaced > 0 ? ", \(replaced) replaced older versions" : "")
      + (outdated > 0 ? ", \(outdated) older than the stored version" : "")
  }

  private static func lines(_ counts: [String: Int], _ line: (String, Int) -> String) -> [String] {
    let sorted = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let rest = sorted.count - mostLines
    return sorted.prefix(mostLines).map { line($0.key, $0.value) }
      + (rest > 0 ? ["  and \(rest) more names; see --json"] : [])
  }

  /// Warnings and errors to print to standard error.
  var notices: [String] {
    var notices: [String] = []
    if let failure {
      let isPartStored = dryRun != true && records > 0
      notices.append("\(file): \(failure.plain)\(isPartStored ? "; samples read before are stored" : "")")
    }
    for source in renamed {
      notices.append(
        "the source \(source.earlierName.plain) seems to have been renamed to \(source.name.plain): "
          + "\(Counted.text(source.samples, "sample")) of it are stored under both names. To keep only the new ones: "
          + "hrgate delete --source \(source.earlierBundleIdentifier)")
    }
    if stopped == true { notices.append("\(file): stopped; samples read until then are stored") }
    return notices
  }
}
