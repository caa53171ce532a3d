import ArgumentParser
import HealthDataSync
import HealthSystem

/// Checks a store for damage.
struct StoreCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Read all of the store and say what is wrong with it.",
    discussion: .paragraphs(
      """
      The pages and indexes of the file, the references between rows, packed beats and metadata, kept figures against the samples, and the order
      of the change log. Of a file that is damaged it says what can be read of each table, and where nothing can. Nothing is written, and a gateway
      may run meanwhile. Exit status 1 where something is wrong; `hrgate store recover`
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
