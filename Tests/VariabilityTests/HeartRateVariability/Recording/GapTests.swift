import HeartRateVariability
import Testing

/// Tests measures of recordings with gaps: a window consists of its uninterrupted stretches, and no interval
/// is joined across a gap.
@Suite struct GapTests {
  /// Returns a recording that is cut at random beats and joined with pauses, and its pieces.
  private func cut(seed: UInt64) -> (pieces: [[Double]], recording: MarkedRecording) {
    var noise = Noise(seed: seed)
    let ticks = Hearts.ticks(400, seed: seed)
    var cuts = (0..<Int.random(in: 1...8, using: &noise)).map { _ in Int.random(in: 0...400, using: &noise) }
    cuts = ([0, 400] + cuts).sorted()
    var start = 1e9
    var pieces: [[Double]] = []
    var segments: [RRSegment?] = []
    for (from, to) in zip(cuts, cuts.dropFirst()) where from < to {
      let segment = RRSegment(start: start, ticks: ticks[from..<to])
      segments.append(segment)
      pieces.append(segment?.intervals ?? [])
      start += (segment?.intervals.reduce(0, +) ?? 0) / 1000 + Double.random(in: 0.5...100, using: &noise)
    }
    return (pieces, Hearts.recording(segments.shuffled(using: &noise), .limitsAlone))
  }

  @Test(arguments: 1...50 as ClosedRange<UInt64>)
  func `measures of random cuts match the pooled definition`(seed: UInt64) throws {
    let (pieces, recording) = cut(seed: seed)
    let pooled = recording.pooled()
    let all = pieces.flatMap(\.self)
    let steps = pieces.flatMap { zip($0.dropFirst(), $0).map { $0 - $1 } }
    let measures = try pooled.timeDomain(.none)
    #expect(pooled.intervals == all)
    #expect(measures.differenceCount == steps.count)
    let rmssd = (steps.reduce(0) { $0 + $1 * $1 } / Double(steps.count)).squareRoot()
    #expect(isClose(measures.rmssd, rmssd, within: 1e-12))
    #expect(measures.nn20 == steps.count { abs($0) > 20 })
    let mean = all.reduce(0, +) / Double(all.count)
    let variance = all.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(all.count - 1)
    #expect(isClose(measures.sdnn, variance.squareRoot(), within: 1e-12))
    #expect(isClose(pooled.coverage, 1, within: 1e-12))
  }

  @Test(arguments: 1...50 as ClosedRange<UInt64>)
  func `measures of a window with gaps equal those of the pieces that end in it`(seed: UInt64) throws {
    let (_, recording) = cut(seed: seed)
    for window in WindowPlan(duration: 120, every: 60).windows(of: recording) {
      let pieces = recording.segments.map { segment in
        zip(segment.intervals, segment.ends)
          .filter { segment.start + $1 > window.start && segment.start + $1 <= window.end }.map(\.0)
      }
      let all = pieces.flatMap(\.self)
      let steps = pieces.flatMap { zip($0.dropFirst(), $0).map { $0 - $1 } }
      let series = recording.nn(in: window)
      #expect(series.intervals == all && series.differenceCount == steps.count)
      #expect(series.runs.map { Array(series.intervals[$0]) } == pieces.filter { !$0.isEmpty })
      guard let measures = try? series.timeDomain(.none) else {
        #expect(all.count < 3 || steps.count < 2)
        continue
      }
      let mean = all.reduce(0, +) / Double(all.count)
      let variance = all.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(all.count - 1)
      #expect(isClose(measures.sdnn, variance.squareRoot(), within: 1e-12))
      let squares = steps.reduce(0) { $0 + $1 * $1 }
      #expect(isClose(measures.rmssd, (squares / Double(steps.count)).squareRoot(), within: 1e-12))
    }
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `fluctuations of random cuts equal those of windows inside the pieces`(seed: UInt64) {
    let (pieces, recording) = cut(seed: seed)
    let all = pieces.flatMap(\.self)
    let mean = all.reduce(0, +) / Double(all.count)
    let expected = (4...16).map { scale in
      var (squares, points) = (0.0, 0)
      for piece in pieces {
        var sum = 0.0
        let profile = piece.map { interval in
          sum += interval - mean
          return sum
        }
        for start in stride(from: 0, through: profile.count - scale, by: scale) {
          squares += PlainLine.squaredDistances(Array(profile[start..<start + scale]))
          points += scale
        }
      }
      return points > 0 ? (squares / Double(points)).squareRoot() : 0
    }
    #expect(areClose(recording.pooled().fluctuations(.short), expected))
  }

  @Test func `an artifact separates its neighbors like a gap`() throws {
    let recording = Hearts.recording([800, 900, 5000, 1000, 1000], .limitsAlone)
    let series = recording.pooled()
    #expect(series.intervals == [800, 900, 1000, 1000])
    #expect(series.runs == [0..<2, 2..<4])
    #expect(series.artefacts == 1 && series.measured == 5)
    #expect(try series.timeDomain(.none).rmssd == (10_000.0 / 2).squareRoot())
  }

  @Test func `no stretch for entropy and no segment for Welch spans a gap`() throws {
    let one = Hearts.ticks(300, seed: 8)
    let whole = Hearts.recording([RRSegment(start: 0, ticks: one + one)], .limitsAlone).pooled()
    let parted = Hearts.recording(
      [RRSegment(start: 0, ticks: one), RRSegment(start: 5000, ticks: one)], .limitsAlone
    ).pooled()
    #expect(whole.runs.count == 1 && parted.runs.count == 2)
    // All segments have the same intervals, so the average of their spectra equals that of one segment.
    let single = Hearts.recording([RRSegment(start: 0, ticks: one)], .limitsAlone).pooled()
    let welch = Welch(segmentLength: 256)
    let densities = try single.spectrum(welch: welch).densities
    #expect(try areClose(parted.spectrum(welch: welch).densities, densities, within: 1e-12))
    #expect(try whole.spectrum(welch: welch).densities != densities)
    // Each uninterrupted stretch occurs twice. There are four times as many equal pairs, plus the pairs of a
    // stretch with its own copy, so the entropy is lower.
    #expect(try parted.sampleEntropy() < single.sampleEntropy())
  }
}

/// Fits a line by the textbook formula of least squares.
enum PlainLine {
  static func squaredDistances(_ y: [Double]) -> Double {
    let n = Double(y.count)
    let x = y.indices.map(Double.init)
    let (meanX, meanY) = (x.reduce(0, +) / n, y.reduce(0, +) / n)
    var (products, squares) = (0.0, 0.0)
    for (x, y) in zip(x, y) {
      products += (x - meanX) * (y - meanY)
      squares += (x - meanX) * (x - meanX)
    }
    var sum = 0.0
    for (x, y) in zip(x, y) {
      let distance = y - meanY - products / squares * (x - meanX)
      sum += distance * distance
    }
    return sum
  }
}
