import ArgumentParser
import HealthDataSync
import HealthSystem

/// Looks through a store.
struct StoreCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Read all of the store and say what is wrong with it.",
    discussion: .paragraphs(
      """
      The pages and indexes of the file, the references between rows, packed beats and metadata, kept figures against the samples, and the order
      of the change log. Nothing is written, and a gateway may run meanwhile. Exit status 1 where something is wrong; `hrgate store recover`
      saves what is sound.
      """))

  @OptionGroup var store: StoreOptions
  @Flag(help: "Print one JSON object.")
  var json = false

  func run() throws {
    let report = try store.named { try StoreCare.check($0) }
    let line = StoreCheckLine(store: try store.file, report)
    try StandardOutput.write(json ? JSONLine.text(line) : line.text)
    if !report.findings.isEmpty { throw ExitCode.failure }
  }
}

/// What `hrgate store check --json` prints. The names are a promise.
struct StoreCheckLine: Encodable {
  struct Finding: Encodable {
    var kind: String
    var text: String
    var count: Int
  }

  var store: String
  var sound: Bool
  var bytes: Int64?
  var samples: Int?
  /// Entries of the change log that tell of deletions.
  var deletions: Int?
  var findings: [Finding]

  init(store: String, _ report: StoreCare.Report) {
    self.store = store
    sound = report.findings.isEmpty
    bytes = report.size?.bytes
    samples = report.size?.samples
    deletions = report.size?.deletions
    findings = report.findings.map { Finding(kind: $0.kind, text: $0.text, count: $0.count) }
  }

  /// A paragraph for a person.
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
    lines.append(
      sound
        ? "  sound"
        : "  damaged: `hrgate store recover FILE` saves what is sound, `hrgate store restore FILE` puts a backup in its place"
    )
    return lines.joined(separator: "\n")
  }
}

/// A number of bytes for a person.
enum ByteCount {
  static func text(_ bytes: Int64) -> String {
    let steps: [(Double, String)] = [(1e9, "GB"), (1e6, "MB"), (1e3, "kB")]
    for (size, unit) in steps where Double(bytes) >= size {
      return "\((Double(bytes) / size * 10).rounded() / 10) \(unit)"
    }
    return Counted.text(Int(bytes), "byte")
  }
}
