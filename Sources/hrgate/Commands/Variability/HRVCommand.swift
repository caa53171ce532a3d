import ArgumentParser
import Foundation
import HealthDataSync
import HealthKit
import HealthSystem
import HeartRateVariability

/// Prints measures of heart-rate variability, window by window.
struct HRVCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hrv",
    abstract: "Print heart-rate variability, window by window.",
    discussion: .paragraphs(
      """
      From the stored beats, of each source by itself. Artefacts are marked as Lipponen and Tarvainen do and left out; nothing is joined across
      them or across a gap. Windows begin at --from, else at multiples of their length since 1970, and every --every; those of 1d are days where you are. --window all is one window
      over each uninterrupted stretch together; its powers are those of parts of five to ten minutes, averaged. What cannot be computed is refused by name. --explain says what each figure is.

      A file is read in place of a store: an interval a line, or a time and an interval, in milliseconds or seconds, as `hrgate export --format rr`
      writes them and other programs do. It does not say when it was recorded; --start does.

      EXAMPLES
        hrgate hrv
        hrgate hrv --from 2026-11-21T06:00:00Z --to 2026-11-21T07:00:00Z --json
        hrgate hrv --window 2m --every 5s
        hrgate hrv --window 5m --method welch
        hrgate hrv --window all --source org.hrgate.monitor.F0:0D:BE:A7:07:01
        hrgate hrv morning.txt --start 2026-11-21T06:00:00Z
        hrgate hrv --explain
      """))

  enum Method: String, ExpressibleByArgument, CaseIterable {
    case lomb
    case welch
  }

  @Argument(
    help: ArgumentHelp("A file of RR intervals, in place of a store; - is standard input."),
    completion: .file())
  var file: String?
  @Option(
    help: ArgumentHelp("When the file's first beat was (default: 1970-01-01T00:00:00Z).", valueName: "time"),
    transform: TimeArgument.read)
  var start: TimeArgument?
  @OptionGroup var selection: SelectionOptions
  @Option(
    help: ArgumentHelp("The length of a window, 10s to 1d, or all (default: 5m).", valueName: "span"),
    transform: HRVWindow.read)
  var window = HRVWindow.fiveMinutes
  @Option(
    help: ArgumentHelp("From one window to the next (default: its length).", valueName: "span"),
    transform: SpanArgument.read)
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
    if file == nil, start != nil { throw ValidationError("--start is of a file, and none is named.") }
    if file != nil, selection.source != nil || store.path != nil || store.person != nil {
      throw ValidationError("A file is read in place of a store: --source, --store and --person do not fit.")
    }
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
    var isEmpty = true
    for part in try await beats() {
      let marked = Cleaning.usual.mark(part.segments)
      let recording = correct ? marked.corrected() : marked
      let lines = lines(of: recording, part.source)
      if lines.isEmpty { continue }
      isEmpty = false
      try write(lines, of: recording, part.title)
    }
    if isEmpty { StandardError.tell("there are no such beats") }
  }

  /// Reads the beats.
  ///
  /// - Returns: For each source, its name in JSON, its title for the terminal, and its segments.
  private func beats() async throws -> [(source: String, title: String, segments: [RRSegment])] {
    if let file {
      let start = start?.date(in: selection.days.zone).timeIntervalSince1970 ?? 0
      return [(file, file.plain, try RRFile(file).segments(firstBeat: start))]
    }
    let store = try await store.openForReading()
    return try await StoredBeats.bySource(
      in: store, matching: selection.predicate(in: store, options: [])
    ).map { beats in
      let title = "\(beats.source.name.plain)  \(beats.source.bundleIdentifier.plain)"
      return (beats.source.bundleIdentifier, title, beats.segments)
    }
  }

  private func lines(of recording: MarkedRecording, _ source: String) -> [VariabilityView] {
    let analysis = VariabilityAnalysis(
      spectrumMethod: method == .lomb ? .lombScargle(LombScargle()) : .welch(Welch()))
    let from = selection.start?.timeIntervalSince1970
    let to = selection.end?.timeIntervalSince1970
    guard case .span(let span) = window else {
      guard let window = recording.extent(from: from, to: to) else { return [] }
      return [VariabilityView(window, recording.pooled(in: window), of: recording, analysis, source: source)]
    }
    return windows(of: recording, span, from)
      .filter { $0.start >= from ?? -.infinity && $0.end <= to ?? .infinity }
      .map { VariabilityView($0, recording.nn(in: $0), of: recording, analysis, source: source) }
  }

  /// Returns calendar days if a window is a day; otherwise windows at multiples of the step, starting at
  /// `--from`.
  private func windows(of recording: MarkedRecording, _ span: SpanArgument, _ from: Double?) -> [Window] {
    let calendar = Calendar.gregorian(in: selection.days.zone)
    let beginsAtMidnight = selection.start.map { calendar.startOfDay(for: $0) == $0 } ?? true
    guard span.seconds == 86_400, every == nil, beginsAtMidnight else {
      return WindowPlan(
        duration: Double(span.seconds), every: every.map { Double($0.seconds) }, origin: from ?? 0
      ).windows(of: recording)
    }
    // Each calendar day overlaps one or two windows of 24 hours.
    let starts = WindowPlan(duration: 86_400).windows(of: recording).flatMap { [$0.start, $0.end] }
    let days = Set(
      starts.compactMap { calendar.dateInterval(of: .day, for: Date(timeIntervalSince1970: $0)) })
    return days.sorted { $0.start < $1.start }.compactMap {
      Window(start: $0.start.timeIntervalSince1970, end: $0.end.timeIntervalSince1970)
    }.filter { recording.nn(in: $0).measured > 0 }
  }

  private func write(_ lines: [VariabilityView], of recording: MarkedRecording, _ title: String) throws {
    guard !json else {
      for line in lines { try StandardOutput.write(JSONLine.text(line)) }
      return
    }
    try StandardOutput.write(title)
    for line in Tachogram.lines(of: recording, lines) + HRVTable.lines(lines) {
      try StandardOutput.write(line)
    }
  }
}
