import AppleHealthExport
import HealthKit

/// What `hrgate import` prints. The names are a promise. The counts add up: records = stored + replaced +
/// outdated + present + rejected, but for a dry run, which knows nothing of the store.
struct ImportLine: Encodable {
  var file: String
  /// Samples that the export states.
  var records: Int
  /// By the identifier of their type, those that are sound.
  var read: [String: Int]
  var stored: Int
  /// Stored in place of an older version of the same object.
  var replaced: Int
  /// A newer version of the same object is stored.
  var outdated: Int
  /// Stored already, or stated twice.
  var present: Int
  /// Not stored for what is wrong with them, by the reason.
  var rejected: [String: Int]
  /// What was wrong with parts of what is stored, by the reason.
  var flawed: [String: Int]
  /// What this version does not store, by its name.
  var unread: [String: Int]
  /// Sources that appear to have been renamed on the phone since an earlier import.
  var renamed: [Renamed]
  /// What the store knows of the user since this import.
  var characteristics: [String]
  var failure: String?
  var stopped: Bool?
  var dryRun: Bool?

  struct Renamed: Encodable {
    var name: String
    var earlierName: String
    var earlierBundleIdentifier: String
    /// Samples that are stored for both.
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
    failure = outcome.obstacle?.description ?? outcome.failure?.localizedDescription
    stopped = outcome.isStopped ? true : nil
    dryRun = isDryRun ? true : nil
  }

  private static func counts(_ outcome: ImportOutcome, _ isWanted: (RecordFlaw) -> Bool) -> [String: Int] {
    let wanted = outcome.records.flaws.filter { isWanted($0.key) }
    return Dictionary(uniqueKeysWithValues: wanted.map { ($0.key.rawValue, $0.value) })
  }

  /// More than a person reads; the record has them all.
  private static let mostLines = 30

  /// A paragraph for a person.
  var text: String {
    var lines = ["\(file.plain): \(Counted.text(records, "sample"))"]
    if dryRun != true {
      lines.append("  \(stored) stored, \(present) stored before or stated twice" + replacements)
    }
    lines += Self.lines(read) { "  \($1) × \(TypeArgument.shortName(ofIdentifier: $0))" }
    lines += Self.lines(rejected) { "  not stored: \($1) × \($0)" }
    lines += Self.lines(flawed) { "  stored without a part: \($1) × \($0)" }
    lines += Self.lines(unread) { "  left out: \($1) × \($0.plain)" }
    if !characteristics.isEmpty {
      lines.append("  now known of you: \(characteristics.joined(separator: ", "))")
    }
    return lines.joined(separator: "\n")
  }

  private var replacements: String {
    (replaced > 0 ? ", \(replaced) in place of older versions" : "")
      + (outdated > 0 ? ", \(outdated) older than what is stored" : "")
  }

  private static func lines(_ counts: [String: Int], _ line: (String, Int) -> String) -> [String] {
    let sorted = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let rest = sorted.count - mostLines
    return sorted.prefix(mostLines).map { line($0.key, $0.value) }
      + (rest > 0 ? ["  and \(rest) more names; see --json"] : [])
  }

  /// What a person should know that is no datum.
  var notices: [String] {
    var notices: [String] = []
    if let failure {
      let isPartStored = dryRun != true && records > 0
      notices.append("\(file): \(failure.plain)\(isPartStored ? "; what was read before is stored" : "")")
    }
    for source in renamed {
      notices.append(
        "the source \(source.earlierName.plain) appears to be called \(source.name.plain) now: "
          + "\(Counted.text(source.samples, "sample")) of it are stored under both names. To keep the new ones alone: "
          + "hrgate delete --source \(source.earlierBundleIdentifier)")
    }
    if stopped == true { notices.append("\(file): stopped; what was read until then is stored") }
    return notices
  }
}
