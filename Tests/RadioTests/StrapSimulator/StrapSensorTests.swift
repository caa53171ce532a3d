import Bluetooth
import Testing

@testable import StrapSimulator

@Suite struct StrapSensorTests {
  private func strap(_ change: (inout StrapProfile) -> Void = { _ in }) -> StrapProfile {
    var profile = StrapProfile(
      name: "S", address: .init(bits: 1, kind: .publicDevice), model: "M", serialNumber: "1")
    profile.programme = .rest(75)
    change(&profile)
    return profile
  }

  private func frames(_ profile: StrapProfile, seed: UInt64 = 7, every period: Double = 1, count: Int = 60)
    -> [HeartRateMeasurement]
  {
    var sensor = StrapSensor(profile, seed: seed)
    return (1...count).map { sensor.frame(at: Double($0) * period) }
  }

  /// Returns the intervals between the ticks of a heart's beats.
  private func ticks(_ profile: StrapProfile, seed: UInt64 = 7, until time: Double) -> [UInt16] {
    var heart = Heart(
      programme: profile.programme, ectopicProbability: profile.ectopicProbability, seed: seed)
    var ticks: [Int64] = []
    while true {
      let beat = heart.nextBeat()
      if beat.time > time { break }
      ticks.append(Int64(beat.time * 1024))
    }
    return zip(ticks.dropFirst(), ticks).map { UInt16($0 - $1) }
  }

  @Test func `each beat of the heart is in a frame, once and in order`() {
    let profile = strap()
    #expect(frames(profile).flatMap(\.rrTicks) == ticks(profile, until: 60))
  }

  @Test func `intervals that do not fit into one frame are in the next`() {
    // The heart has ten beats in eight seconds, and nine intervals fit into a frame with the default MTU.
    let profile = strap()
    let frames = frames(profile, every: 8, count: 4)
    #expect(frames.map(\.rrTicks.count).max() == 9)
    let all = ticks(profile, until: 32)
    #expect(frames.flatMap(\.rrTicks) == Array(all.prefix(frames.reduce(0) { $0 + $1.rrTicks.count })))
    #expect(frames.allSatisfy { $0.encoded.count <= 20 })
  }

  @Test func `without contact there are no intervals, and none across the loss`() {
    let profile = strap { $0.contactLosses = .at([20..<25]) }
    let frames = frames(profile)
    for (index, frame) in frames.enumerated() {
      let time = Double(index + 1)
      #expect(frame.sensorContact == ((20..<25).contains(time) ? .notDetected : .detected))
      if frame.sensorContact == .notDetected { #expect(frame.rrTicks.isEmpty) }
    }
    #expect(frames.flatMap(\.rrTicks).allSatisfy { $0 < 1200 })
  }

  @Test func `a strap reports only what it supports`() {
    let profile = strap {
      $0.detectsContact = false
      $0.reportsRRIntervals = false
      $0.valueFormat = .uint16
      $0.contactLosses = .at([20..<25])
    }
    for frame in frames(profile) {
      #expect(frame.sensorContact == .notSupported)
      #expect(frame.rrTicks.isEmpty)
      #expect(frame.valueFormat == .uint16)
      #expect(frame.energyExpended == nil)
    }
  }

  @Test func `each tenth frame has an energy total, which never falls`() {
    let profile = strap {
      $0.energyEvery = 10
      $0.programme = .workout(resting: 60, peak: 150)
    }
    let frames = frames(profile, count: 600)
    #expect(
      frames.indices.filter { frames[$0].energyExpended != nil } == Array(stride(from: 9, to: 600, by: 10)))
    let totals = frames.compactMap(\.energyExpended)
    #expect(totals == totals.sorted())
    #expect((100...400).contains(totals.last ?? 0))
  }

  @Test func `the energy total stays at its maximum`() {
    let profile = strap {
      $0.energyEvery = 1
      $0.programme = .rest(180)
    }
    var sensor = StrapSensor(profile, seed: 1)
    _ = sensor.frame(at: 30)
    #expect(sensor.frame(at: 86_400).energyExpended == HeartRateMeasurement.saturatedEnergyExpended)
  }

  @Test func `the heart rate is that of the last beats`() {
    let frames = frames(strap())
    #expect(frames.dropFirst(10).allSatisfy { (66...86).contains($0.heartRate) })
  }
}
