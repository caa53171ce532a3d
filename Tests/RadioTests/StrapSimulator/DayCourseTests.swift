import Bluetooth
import Testing

@testable import StrapSimulator

/// Tests the hearts of wearers who sleep, work and train.
@Suite(.timeLimit(.minutes(30))) struct DayCourseTests {
  private static let hour = 3600.0

  private func heart(
    seed: UInt64 = 1, from hour: Double = 8, session: Bool = false, ectopic: Double = 0.002
  ) -> Heart {
    Heart(
      programme: .day(
        resting: 60, maximum: 184, startingAt: hour * Self.hour, beginsWithSession: session, seed: seed),
      ectopicProbability: ectopic, seed: seed)
  }

  private func beats(_ heart: Heart, hours: Double) -> [Heart.Beat] {
    var heart = heart
    var beats: [Heart.Beat] = []
    while beats.last?.time ?? 0 < hours * Self.hour { beats.append(heart.nextBeat()) }
    return beats
  }

  /// The mean rate between two times in hours.
  private func rate(_ beats: [Heart.Beat], _ span: Range<Double>) -> Double {
    let chosen = beats.filter { span.contains($0.time / Self.hour) }
    return 60 * Double(chosen.count) / chosen.reduce(0) { $0 + $1.interval }
  }

  /// The root mean square of successive differences in seconds, without premature beats.
  private func successiveDifference(_ beats: [Heart.Beat]) -> Double {
    let clean = zip(beats, beats.dropFirst()).filter { abs($0.interval - $1.interval) < 0.3 * $0.interval }
    let squares = clean.reduce(0) { sum, pair in
      let difference = pair.0.interval - pair.1.interval
      return sum + difference * difference
    }
    return (squares / Double(clean.count)).squareRoot()
  }

  @Test func `the same seed gives the same day, and another seed another day`() {
    let first = beats(heart(seed: 3), hours: 2)
    #expect(first == beats(heart(seed: 3), hours: 2))
    #expect(first != beats(heart(seed: 4), hours: 2))
  }

  @Test(arguments: [1, 2, 3] as [UInt64]) func `the heart rate falls at night`(_ seed: UInt64) {
    let beats = beats(heart(seed: seed, from: 10), hours: 24)
    // The simulation begins at 10 o'clock: the night is from 2 to 5 o'clock, and the day from 10 to 16
    // o'clock.
    let (night, day) = (rate(beats, 16..<19), rate(beats, 0..<6))
    #expect((48...62).contains(night))
    #expect(day > night + 8)
  }

  @Test func `no hour and no day is like another`() {
    let beats = beats(heart(seed: 5), hours: 50)
    let minutes = stride(from: 0, to: 50, by: 1.0 / 60).map { rate(beats, $0..<$0 + 1.0 / 60) }
    for distance in [10, 60, 24 * 60] {
      let differences = zip(minutes, minutes.dropFirst(distance)).map { abs($0 - $1) }
      let mean = differences.reduce(0, +) / Double(differences.count)
      #expect(mean > 2, "\(distance) minutes apart")
    }
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64]) func `a session begins soon, and ends exponentially`(
    _ seed: UInt64
  ) throws {
    let beats = beats(heart(seed: seed, session: true), hours: 1.2)
    #expect(rate(beats, 0..<0.015) < 80)
    let halfMinutes = stride(from: 0, to: 1.2, by: 1.0 / 120).map { rate(beats, $0..<$0 + 1.0 / 120) }
    let peak = try #require(halfMinutes.max())
    #expect((135...184).contains(peak))
    // The heart rate changes slowly: consecutive half minutes differ by less than 45 beats per minute.
    #expect(zip(halfMinutes, halfMinutes.dropFirst()).allSatisfy { abs($0 - $1) < 45 })
    #expect(rate(beats, 1.1..<1.2) < 0.7 * peak)
  }

  @Test func `breathing moves the intervals at rest, more at night, and hardly under effort`() throws {
    let beats = beats(heart(seed: 6, session: true, ectopic: 0), hours: 24)
    func part(_ isChosen: (Double) -> Bool) -> [Heart.Beat] { beats.filter { isChosen(60 / $0.interval) } }
    let effort = successiveDifference(part { $0 > 140 })
    let night = successiveDifference(beats.filter { (18..<20).contains($0.time / Self.hour) })
    let desk = successiveDifference(beats.filter { (4..<5).contains($0.time / Self.hour) })
    #expect(effort < 0.010)
    #expect((0.015...0.110).contains(desk))
    #expect(night > desk)
  }

  @Test func `premature beats are rare, and all intervals are those of a heart`() {
    let beats = beats(heart(seed: 7), hours: 24)
    let ectopic = Double(beats.count(where: \.isEctopic)) / Double(beats.count)
    #expect((0.001...0.003).contains(ectopic))
    #expect(beats.allSatisfy { ($0.isEctopic ? 0.2 : 0.3) < $0.interval && $0.interval < 2.4 })
  }

  @Test func `the heart rate in frames is that of their intervals`() {
    var strap = StrapProfile.sample(index: 0)
    strap.programme = .day(
      resting: 60, maximum: 184, startingAt: 0, beginsWithSession: true, seed: 8)
    strap.contactLosses = .never
    var sensor = StrapSensor(strap, seed: 8)
    var recent: [Double] = []
    for second in 1...3000 {
      let frame = sensor.frame(at: Double(second))
      recent = (recent + frame.rrTicks.map { Double($0) / 1024 }).suffix(6)
      guard recent.count == 6 else { continue }
      let mean = 60 * 6 / recent.reduce(0, +)
      #expect(abs(Double(frame.heartRate) - mean) <= 0.51)
    }
  }

  @Test func `the events of a strap are those of a central`() async throws {
    let strap = StrapProfile.sample(index: 0)
    let start = ReceiptTime(microsecondsSince1970: 1_800_000_000_000_000)
    var seeds = SplitMix64(seed: 1, stream: 0)
    var events = StrapEvents(strap, seed: seeds.next())
    var times: [ReceiptTime?] = []
    var links: Set<StrapEvents.Link> = []
    while let event = events.next(), event.offset < 1000 {
      links.insert(event.link)
      let time = ReceiptTime(
        microsecondsSince1970: start.microsecondsSince1970 + Int64((event.offset * 1e6).rounded()))
      times += event.centralEvents(at: time).map(\.time)
    }
    let central = SimulatedCentral(straps: [strap], duration: .seconds(1000), seed: 1, start: start)
    var expected: [ReceiptTime?] = []
    for try await batch in central.events() { expected += batch.map(\.time) }
    // At its end, the central also emits two events for the strap, which is switched off.
    #expect(times == expected.dropLast(2))
    #expect(links == [.advertising, .connected, .subscribed])
  }

  @Test func `sample addresses are recognized`() throws {
    #expect((0..<20).allSatisfy { StrapProfile.isSample(StrapProfile.sample(index: $0).address) })
    let real = try #require(BluetoothAddress("F0:0D:BE:A7:01:01", kind: .random))
    #expect(!StrapProfile.isSample(real))
  }
}
