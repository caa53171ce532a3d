import AppleHealthExport
import ArgumentParser
import Foundation
import HealthDataSync
import HealthKit
import HealthSystem
import HeartRateVariability

/// Exports samples to a file.
struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract:
      "Write stored samples to a file for other programs: CSV, JSON lines, Apple Health XML or RR intervals.",
    discussion: .paragraphs(
      """
      csv is the output of `samples --csv`, with a header; ndjson is the output of `samples --json`, one object per line. Both are ordered by
      time. apple-health-xml is the format of the iPhone's Health app; `hrgate import` restores the same samples from it, with the same UUIDs.
      Data that Apple's format cannot express is stored in metadata entries named org.hrgate.sample, which other programs ignore. Sample types
      that it cannot express are not exported; the command lists them at the end.

      rr writes the RR intervals of one source in the format of the program given with --for (default: kubios, which keeps everything
      including gaps, and which `hrgate hrv FILE` can read). kubios: time and interval in seconds, all as measured, because Kubios detects
      artifacts itself. neurokit2: RRI and RRI_Time, without artifacts; times continue across gaps. elite-hrv: whole milliseconds as
      measured. pyhrv: milliseconds, artifacts interpolated. The formats of elite-hrv and pyhrv cannot express gaps: such a file has only the
      longest period without a gap.

      Only the file's owner can read it. It gets its name when it is complete.

      EXAMPLES
        hrgate export --format apple-health-xml -o export.xml
        hrgate export --format csv --type heartRate --from 2026-11-01 -o november.csv
        hrgate export --format rr -o beats.txt
        hrgate export --format rr --for neurokit2 --from 2026-11-21 -o day.csv
        hrgate export --format ndjson -o - | gzip > samples.ndjson.gz
      """))

  enum Format: String, CaseIterable, ExpressibleByArgument {
    case csv
    case ndjson
    case appleHealthXML = "apple-health-xml"
    case rr
  }

  @Option(help: "Format of the file: csv, ndjson, apple-health-xml, or rr for RR intervals.")
  var format: Format
  @Option(
    name: .customLong("for"),
    help: ArgumentHelp(
      "With --format rr: the program that will read the file: kubios, elite-hrv, neurokit2 or pyhrv (default: kubios).",
      valueName: "program"))
  var tool: RRTool?
  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp("The file to write, such as export.xml; - is standard output.", valueName: "file"),
    completion: .file())
  var output: String
  @OptionGroup var selection: SelectionOptions
  @Option(
    help:
      "Export only samples of this type, such as heartRate, activeEnergyBurned or heartbeatSeries (default: all types).",
    transform: TypeArgument.read)
  var type: TypeArgument?
  @OptionGroup var store: StoreOptions

  func validate() throws {
    if tool != nil, format != .rr { throw ValidationError("--for requires --format rr.") }
    if format == .rr, type != nil { throw ValidationError("--type and --format rr cannot be used together.") }
  }

  func run() async throws {
    try store.named { try StoreCare.refuseWriting(output, overStore: $0) }
    let store = try await store.openForReading()
    switch format {
    case .rr:
      // Kubios by default: its format keeps every interval unmodified, and hrgate reads it back exactly.
      try await exportIntervals(for: tool ?? .kubios, from: store)
    case .csv:
      try await exportSamples(from: store) { predicates, file, progress in
        try file.write(SampleLine.csvHeading + "\n")
        try await lines(predicates, store, file, progress) { try $0.csv() }
        return [:]
      }
    case .ndjson:
      try await exportSamples(from: store) { predicates, file, progress in
        try await lines(predicates, store, file, progress) { try JSONLine.text($0) }
        return [:]
      }
    case .appleHealthXML:
      try await exportSamples(from: store) { try await appleHealth($0, store, $1, $2) }
    }
  }

  private func exportIntervals(for tool: RRTool, from store: HKHealthStore) async throws {
    let file = try OutputFile(output)
    let notices = try await writeIntervals(for: tool, from: store, to: file)
    try file.finish()
    for notice in notices { StandardError.print(notice) }
  }

  /// Exports the selected samples, with a progress bar.
  ///
  /// - Parameter write: Writes the samples and returns the number left out, by short type name.
  private func exportSamples(
    from store: HKHealthStore,
    _ write: ([HKSamplePredicate<HKSample>], OutputFile, SampleProgress) async throws -> [String: Int]
  ) async throws {
    let predicate = try await selection.predicate(in: store)
    let counts = try await SystemStore(store).sampleCounts().reduce(into: [String: Int]()) {
      $0.merge($1.counts, uniquingKeysWith: +)
    }
    let types = TypeArgument.all.filter { known in
      type.map { known == $0.type } ?? (counts[known.identifier] != nil)
    }
    let predicates = types.map { HKSamplePredicate<HKSample>.sample(type: $0, predicate: predicate) }
    // If only some samples are selected, count them for the progress bar.
    let wanted = predicate == nil ? counts : try await store.counts(predicates)
    let file = try OutputFile(output)
    let progress = SampleProgress(output, of: types.reduce(0) { $0 + (wanted[$1.identifier] ?? 0) })
    let leftOut = try await write(predicates, file, progress)
    try file.finish()
    progress.end()
    for (type, count) in leftOut.sorted(by: <) {
      StandardError.print("left out because the format cannot express them: \(count) × \(type)")
    }
  }

  private func lines(
    _ predicates: [HKSamplePredicate<HKSample>], _ store: HKHealthStore, _ file: OutputFile,
    _ progress: SampleProgress, _ text: @escaping @Sendable (SampleLine) throws -> String
  ) async throws {
    guard !predicates.isEmpty else { return }
    try await store.reduceSamples(into: (), predicates) { _, sample in
      try file.write(text(SampleLine(sample)) + "\n")
      progress.advance()
    }
  }

  /// Writes an Apple Health export, type by type, as the Health app does.
  ///
  /// - Returns: The number of samples that the format cannot express, by short type name.
  private func appleHealth(
    _ predicates: [HKSamplePredicate<HKSample>], _ store: HKHealthStore, _ file: OutputFile,
    _ progress: SampleProgress
  ) async throws -> [String: Int] {
    var writer = AppleHealthWriter { try file.write($0) }
    try writer.begin(at: .now, StatedCharacteristic.all(in: store))
    var leftOut: [String: Int] = [:]
    for predicate in predicates {
      (writer, leftOut) = try await store.reduceSamples(into: (writer, leftOut), [predicate]) {
        state, sample in
        if try !state.0.write(sample) { state.1[TypeArgument.shortName(sample.sampleType), default: 0] += 1 }
        progress.advance()
      }
    }
    try writer.end()
    return leftOut
  }
}
