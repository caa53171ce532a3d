import Foundation
import HeartRateVariability

/// Measures the CPU time of heart-rate variability: `VariabilityBenchmark day FILE` or `VariabilityBenchmark
/// year`.
///
/// FILE receives the intervals of the day in milliseconds, one per line, for comparison with other programs.
@main
enum VariabilityBenchmark {
  static func main() throws {
    let arguments = CommandLine.arguments
    if arguments.count == 3, arguments[1] == "day",
      let segment = RRSegment(start: 1_700_000_100, ticks: MadeBeats.ticks(100_000))
    {
      let text = segment.intervals.map { "\($0)\n" }.joined()
      try Data(text.utf8).write(to: URL(filePath: arguments[2]))
      day(segment)
    } else if arguments.count == 2, arguments[1] == "year",
      let segment = RRSegment(start: 1_700_000_100, ticks: MadeBeats.ticks(100_000))
    {
      year(segment)
    } else {
      print("usage: VariabilityBenchmark day FILE | VariabilityBenchmark year")
      exit(2)
    }
  }

  /// Measures each algorithm on all five-minute windows of a day, and then all algorithms together.
  private static func day(_ segment: RRSegment) {
    var recording = Cleaning.usual.mark([])
    show("artefacts") { recording = Cleaning.usual.mark([segment]) }
    let windows = WindowPlan.fiveMinutes.windows(of: recording)
    let series = windows.map(recording.nn(in:))
    show("time domain") { for one in series { _ = try? one.timeDomain() } }
    show("Poincaré") { for one in series { _ = try? one.poincarePlot() } }
    show("Lomb-Scargle") { for one in series { _ = try? one.bandPowers() } }
    show("Welch") { for one in series { _ = try? one.bandPowers(welch: Welch()) } }
    show("α1, α2") { for one in series { _ = (try? one.alpha(), try? one.alpha(.long)) } }
    show("sample entropy") { for one in series { _ = try? one.sampleEntropy() } }
    show("α1 of two minutes, every five seconds") {
      for window in WindowPlan.twoMinutesSliding.windows(of: recording) {
        _ = try? recording.nn(in: window).alpha()
      }
    }
    show("SDANN, resting heart rate, zones, impulses and recovery") { fromDay(recording, segment) }
    show("everything, at once") {
      let recording = Cleaning.usual.mark([segment])
      for window in WindowPlan.fiveMinutes.windows(of: recording) {
        let series = recording.nn(in: window)
        _ = VariabilityAnalysis().measures(of: series)
        _ = try? series.bandPowers(welch: Welch())
      }
      for window in WindowPlan.twoMinutesSliding.windows(of: recording) {
        _ = try? recording.nn(in: window).alpha()
      }
      _ = recording.corrected()
      fromDay(recording, segment)
    }
  }

  /// Computes the measures of a whole day: those of the beats, and those of a series with one heart rate per
  /// second.
  private static func fromDay(_ recording: MarkedRecording, _ segment: RRSegment) {
    _ = try? recording.longTerm()
    let readings = (0..<86_400).compactMap { second in
      let interval = segment.intervals[second % segment.intervals.count]
      return HeartRateReading(time: segment.start + Double(second), beatsPerMinute: 60_000 / interval)
    }
    let series = HeartRateSeries(readings)
    guard let day = Window(start: segment.start, end: segment.start + 86_400),
      let zones = HeartRateZones(ofMaximum: 190),
      let impulse = TrainingImpulse(resting: 50, maximum: 190, weighting: .women)
    else { return }
    _ = try? series.restingHeartRate(in: day)
    _ = (series.time(in: zones, during: day), series.trainingImpulse(impulse, during: day))
    _ = (
      series.summatedZones(maximum: 190, during: day), try? series.recovery(afterExerciseEndingAt: day.end)
    )
  }

  /// The time domain of each five-minute window of a year, with and without artifact detection.
  ///
  /// The recording repeats the day 365 times, with a gap of some seconds after every 1,400 beats.
  private static func year(_ segment: RRSegment) {
    let pieces = stride(from: 0, to: segment.intervals.count, by: 1400).map { first in
      Array(segment.intervals[first..<min(first + 1400, segment.intervals.count)])
    }
    var segments: [RRSegment] = []
    for day in 0..<365 {
      var start = segment.start + Double(day) * 90_000
      for piece in pieces {
        if let part = RRSegment(start: start, intervals: piece) { segments.append(part) }
        start += piece.reduce(0, +) / 1000 + 7
      }
    }
    for (name, cleaning) in [("by range alone", Cleaning.limitsAlone), ("with artefacts", .usual)] {
      show("time domain, \(name), \(segments.count) segments") {
        let recording = cleaning.mark(segments)
        for window in WindowPlan.fiveMinutes.windows(of: recording) {
          _ = try? recording.nn(in: window).timeDomain()
        }
      }
    }
  }

  private static func show(_ name: String, _ work: () -> Void) {
    let start = clock()
    work()
    let seconds = Double(clock() - start) / Double(CLOCKS_PER_SEC)
    print("\(name)\t\((seconds * 10_000).rounded() / 10_000)")
  }
}
