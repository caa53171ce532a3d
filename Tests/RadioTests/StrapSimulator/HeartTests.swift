import Testing

@testable import StrapSimulator

@Suite struct HeartTests {
  private func beats(_ heart: Heart, for duration: Double) -> [Heart.Beat] {
    var heart = heart
    var beats: [Heart.Beat] = []
    while beats.last?.time ?? 0 < duration { beats.append(heart.nextBeat()) }
    return beats
  }

  private func heartRate(_ beats: [Heart.Beat], in span: Range<Double>) -> Double {
    let chosen = beats.filter { span.contains($0.time) }
    return 60 * Double(chosen.count) / chosen.reduce(0) { $0 + $1.interval }
  }

  @Test func `the same seed gives the same beats, and another seed gives others`() {
    func first(_ seed: UInt64) -> [Heart.Beat] { beats(Heart(programme: .rest(60), seed: seed), for: 60) }
    #expect(first(1) == first(1))
    #expect(first(1) != first(2))
  }

  @Test func `the heart rate follows the program with inertia`() {
    let beats = beats(Heart(programme: .workout(resting: 60, peak: 150), seed: 3), for: 600)
    #expect((57...63).contains(heartRate(beats, in: 0..<110)))
    #expect((140...152).contains(heartRate(beats, in: 280..<390)))
    #expect((60...85).contains(heartRate(beats, in: 560..<600)))
    #expect(beats.allSatisfy { (0.25...1.6).contains($0.interval) })
  }

  @Test func `breathing modulates the intervals at rest, and hardly under effort`() {
    func spread(_ heartRate: Double) -> Double {
      let programme = HeartProgramme(
        restingHeartRate: 60, phases: [.init(duration: 3600, heartRate: heartRate)])
      // Use only the last beats, when the heart has reached the rate of the program.
      let intervals = beats(Heart(programme: programme, ectopicProbability: 0, seed: 4), for: 3600)
        .suffix(200).map(\.interval)
      let mean = intervals.reduce(0, +) / 200
      return (intervals.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 200).squareRoot() / mean
    }
    #expect(spread(60) > 0.02)
    #expect(spread(60) > 4 * spread(150))
  }

  @Test func `a premature beat is followed by a compensatory pause`() {
    let beats = beats(Heart(programme: .rest(60), ectopicProbability: 0.05, seed: 5), for: 600)
    let ectopic = beats.indices.dropLast().filter { beats[$0].isEctopic }
    #expect((10...60).contains(ectopic.count))
    for index in ectopic {
      #expect(beats[index].interval < 0.8)
      #expect(beats[index + 1].interval > 1.15)
      #expect(abs(beats[index].interval + beats[index + 1].interval - 2) < 0.3)
    }
  }

  @Test func `a program is repeated`() {
    let programme = HeartProgramme(
      restingHeartRate: 60, phases: [.init(duration: 10, heartRate: 100), .init(duration: 10, heartRate: 80)])
    #expect(programme.heartRate(at: 0) == 60)
    #expect(programme.heartRate(at: 5) == 80)
    #expect(programme.heartRate(at: 15) == 90)
    #expect(programme.heartRate(at: 20) == 80)
    #expect(programme.heartRate(at: 25) == 90)
    #expect(HeartProgramme(restingHeartRate: 50, phases: []).heartRate(at: 7) == 50)
  }
}
