import ArgumentParser
import DerivedSamples
import Foundation
import HealthDataSync
import HealthKit
import HeartRateVariability

/// Prints measures of heart-rate variability, window by window.
struct HRVCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hrv",
    abstract: "Print heart-rate variability, window by window.",
    discussion: """
      From the stored beats, of each source by itself. Artefacts are marked as Lipponen and Tarvainen do and left out; nothing is joined across
      them or across a gap. Windows begin at --from, else at multiples of their length since 1970, and every --every. --window all is one window
      over each uninterrupted stretch together; its powers are those of parts of five to ten minutes, averaged. What cannot be computed is refused by name. --explain says what each figure is.

      EXAMPLES
        hrgate hrv
        hrgate hrv --from 2026-11-21T06:00:00Z --to 2026-11-21T07:00:00Z --json
        hrgate hrv --window 2m --every 5s
        hrgate hrv --window 5m --method welch
        hrgate hrv --window all --source org.hrgate.monitor.F0:0D:BE:A7:07:01
        hrgate hrv --explain
      """)

  enum Method: String, ExpressibleByArgument, CaseIterable {
    case lomb
    case welch
  }

  @OptionGroup var selection: SelectionOptions
  @Option(help: ArgumentHelp("The length of a window, 10s to 1d, or all.", valueName: "span"))
  var window = HRVWindow.fiveMinutes
  @Option(help: ArgumentHelp("From one window to the next (default: its length).", valueName: "span"))
  var every: SpanArgument?
  @Option(help: "How powers are found: lomb (Lomb and Scargle, no resampling) or welch.")
  var method = Method.lomb
  @Flag(help: "Replace artefacts by interpolation, instead of leaving them out.")
  var correct = false
  @OptionGroup var store: StoreOptions
  @Flag(help: "Print one JSON object for each window.")
  var json = false
  @Flag(help: "Print what each figure is, and nothing else.")
  var explain = false

  func validate() throws {
    guard let every else { return }
    guard case .span(let span) = window else {
      throw ValidationError("--every needs a window with a length.")
    }
    guard every.seconds <= span.seconds, every.seconds * 1000 >= span.seconds else {
      throw ValidationError("--every is at most the window's length, and at least a thousandth of it.")
    }
  }

  func run() async throws {
    guard !explain else {
      for line in HRVDefinitions.lines { try StandardOutput.write(line) }
      return
    }
    let store = try await store.openForReading()
    let beats = try await StoredBeats.bySource(
      in: store, matching: selection.predicate(in: store, options: []))
    var isEmpty = true
    for (source, segments) in beats {
      let marked = Cleaning.usual.mark(segments)
      let recording = correct ? marked.corrected() : marked
      let lines = lines(of: recording, source)
      if lines.isEmpty { continue }
      isEmpty = false
      try write(lines, of: recording, source)
    }
    if isEmpty { StandardError.tell("there are no such beats") }
  }

  private func lines(of recording: MarkedRecording, _ source: HKSource) -> [HRVLine] {
    let analysis = VariabilityAnalysis(
      spectrumMethod: method == .lomb ? .lombScargle(LombScargle()) : .welch(Welch()))
    let from = selection.from?.date.timeIntervalSince1970
    let to = selection.to?.date.timeIntervalSince1970
    guard case .span(let span) = window else {
      guard let window = recording.extent(from: from, to: to) else { return [] }
      return [HRVLine(window, recording.pooled(in: window), of: recording, analysis, source)]
    }
    let plan = WindowPlan(
      duration: Double(span.seconds), every: every.map { Double($0.seconds) }, origin: from ?? 0)
    return plan.windows(of: recording)
      .filter { $0.start >= from ?? -.infinity && $0.end <= to ?? .infinity }
      .map { HRVLine($0, recording.nn(in: $0), of: recording, analysis, source) }
  }

  private func write(_ lines: [HRVLine], of recording: MarkedRecording, _ source: HKSource) throws {
    guard !json else {
      for line in lines { try StandardOutput.write(JSONLine.text(line)) }
      return
    }
    try StandardOutput.write("\(source.name.plain)  \(source.bundleIdentifier.plain)")
    for line in Tachogram.lines(of: recording, lines) + HRVTable.lines(lines) {
      try StandardOutput.write(line)
    }
  }
}
