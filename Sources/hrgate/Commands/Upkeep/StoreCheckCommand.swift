import ArgumentParser
import HealthDataSync
import HealthSystem

/// Checks a store for damage.
struct StoreCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check the database file with your health data for damage.",
    discussion: .paragraphs(
      """
      Checks the pages and indexes of the file, references between rows, compressed samples and metadata, cached statistics against the
      samples, and the order of the change log. For a damaged file it reports which parts of each table can be read. It writes nothing, and
      hrgate run may continue meanwhile. Exit status: 1 if the file is damaged; `hrgate store recover` saves the readable data.
      """))

  @OptionGroup var store: StoreOptions
  @Flag(help: "Print the result as one JSON object instead of text.")
  var json = false

  func run() throws {
    let report = try store.named { try StoreCare.check($0) }
    let line = StoreCheckLine(store: try store.file, report)
    try StandardOutput.write(json ? JSONLine.text(line) : line.text)
    if !report.findings.isEmpty { throw ExitCode.failure }
  }
}

/// Formats a byte count for the terminal.
enum ByteCount {
  static func text(_ bytes: Int64) -> String {
    let steps: [(Double, String)] = [(1e9, "GB"), (1e6, "MB"), (1e3, "kB")]
    for (size, unit) in steps where Double(bytes) >= size {
      return "\((Double(bytes) / size * 10).rounded() / 10) \(unit)"
    }
    return Counted.text(Int(bytes), "byte")
  }
}
