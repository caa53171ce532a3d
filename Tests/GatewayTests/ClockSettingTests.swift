import Bluetooth
import Foundation
import HealthKit
import HealthStorage
import HealthSystem
import Ingestion
import Synchronization
import Testing

@testable import Gateway
@testable import TestSupport

private let strap = BluetoothAddress(bits: 0xC0FF_EE00_0007, kind: .random)
private let peripheral = PeripheralIdentity.address(strap)
private let day = 86_400.0

private func time(_ seconds: Double) -> ReceiptTime {
  ReceiptTime(microsecondsSince1970: 1_800_000_000_000_000 + Int64((seconds * 1e6).rounded()))
}

/// Returns the clock setting of a machine that started 1,000 s before time zero and whose clock is ahead by
/// the given seconds.
private func setting(ahead: Double = 0, boot: String = "one") -> ClockSetting {
  ClockSetting(boot: boot, origin: time(ahead - 1000))
}

private func frames(_ seconds: ClosedRange<Int>, ahead: Double = 0) -> [CentralEvent] {
  seconds.map { frame($0, at: time(Double($0) + ahead)) }
}

/// Encodes the number of a frame in its heart rate. The heart rates repeat after 199 seconds.
private enum HeartRateNumber {
  static func rate(of second: Int) -> UInt16 { UInt16(40 + second % 199) }

  /// Returns the frame number that has this heart rate and is nearest to a time.
  static func number(of rate: Double, near seconds: Double) -> Int {
    let remainder = rate - 40
    return Int(remainder + max(0, ((seconds - remainder) / 199).rounded()) * 199)
  }
}

private func frame(_ second: Int, at time: ReceiptTime) -> CentralEvent {
  .notified(
    ValueNotification(
      peripheral: peripheral, characteristic: .heartRateMeasurement,
      value: HeartRateMeasurement(heartRate: HeartRateNumber.rate(of: second), rrTicks: [1024]).encoded,
      receiptTime: time))
}

/// A store on which the test runs gateways, and whose clock the test sets between and during the runs.
private struct World {
  let registry: MonitorRegistry

  /// - Parameter enrolled: Enrollment time of the monitor, or `nil` if it is not enrolled.
  init(enrolled: Double? = -100) async throws {
    registry = try MonitorRegistry(HKHealthStore.inMemory())
    guard let enrolled else { return }
    try await registry.enrol(
      EnrolledMonitor(address: strap, name: "Strap", isBonded: false, enrolled: time(enrolled)))
  }

  private struct Story: Central {
    let batches: [[CentralEvent]]
    let ends: Bool

    func events() -> AsyncThrowingStream<[CentralEvent], any Error> {
      AsyncThrowingStream { continuation in
        for batch in batches { continuation.yield(batch) }
        if ends { continuation.finish() }
      }
    }
  }

  /// - Parameters:
  ///   - uptime: Seconds since the machine started.
  ///   - isKilled: Whether the run is killed as soon as the clock setting is committed.
  ///   - isConnected: Whether the monitor is connected.
  /// - Returns: The clock errors that the run reported.
  @discardableResult
  func run(
    at seconds: Double, ahead: Double = 0, uptime: Double? = nil, boot: String = "one",
    isKilled: Bool = false, isConnected: Bool = true,
    _ batches: [[CentralEvent]]
  ) async throws -> [ClockError] {
    let clocks = SystemClocks(
      boottimeNanoseconds: UInt64((uptime ?? 1000 + seconds) * 1e9), wall: time(seconds + ahead))
    let monitors = try await registry.monitors()
    let (_, beginning) = try await registry.clock(at: clocks, boot: boot, for: monitors)
    let known = try await registry.known(monitors, killed: beginning.history.killedRun)
    var policy = LivePolicy()
    policy.commitInterval = isKilled ? .seconds(86_400) : .milliseconds(10)
    // The test's store accepts every batch, so the pipeline needs no time for a final attempt.
    policy.finalTimeout = .zero
    let end = batches.joined().compactMap(\.time).last ?? time(seconds + ahead)
    let pipeline = LivePipeline(registry, policy: policy) { end }
    let connected: [CentralEvent] = isConnected ? [.connected(peripheral, time(seconds + ahead))] : []
    let story = Story(batches: [connected] + batches, ends: !isKilled)
    guard isKilled else {
      let reported = Mutex<[ClockError]>([])
      let outcome = await pipeline.run(
        story, known: known, beginning: beginning,
        onCommit: { report in reported.withLock { $0 += report.clockErrors } })
      #expect(outcome.tally.isBalanced && outcome.loss == nil && outcome.failure == nil)
      return reported.withLock(\.self)
    }
    let running = Task { _ = await pipeline.run(story, known: known, beginning: beginning) }
    let begun = time(seconds + ahead).microsecondsSince1970
    #expect(
      try await eventually {
        let last = try await registry.store.database.clockSettings().last
        return last?.run == begun && last?.end == nil
      })
    running.cancel()
    await running.value
    return []
  }

  /// Replays a recording, which has its own times.
  func replay(_ batches: [[CentralEvent]]) async {
    var pipeline = IngestionPipeline(store: registry.store.healthStore)
    let (tally, failure) = await pipeline.run(Story(batches: batches, ends: true))
    #expect(failure == nil && tally.isBalanced)
  }

  /// Runs a gateway under the clock of a machine. Each second has a frame with the time that the clock gives
  /// it.
  ///
  /// - Parameters:
  ///   - begin: The true time at which the machine was restarted.
  ///   - wall: Returns the wall-clock time at a true time.
  func run(
    _ seconds: ClosedRange<Int>, startedAt begin: Double, boot: String, wall: (Double) -> ReceiptTime
  ) async throws {
    func boottime(_ second: Double) -> UInt64 { UInt64((second - begin) * 1e9) }
    let first = Double(seconds.lowerBound)
    let clocks = SystemClocks(boottimeNanoseconds: boottime(first), wall: wall(first))
    let monitors = try await registry.monitors()
    let (begun, beginning) = try await registry.clock(at: clocks, boot: boot, for: monitors)
    var clock = begun
    let known = try await registry.known(monitors, killed: beginning.history.killedRun)
    var events: [CentralEvent] = [.connected(peripheral, beginning.now)]
    for second in seconds {
      let now = boottime(Double(second))
      let reading = clock.receiptTime(
        boottimeNanoseconds: now, wallNow: wall(Double(second)), boottimeNow: now)
      if let step = reading.step {
        if step > .zero {
          events += [.gapBegan(peripheral, .clockStep, reading.time), .interrupted(reading.time)]
        }
        events.append(.clockSet(ClockSetting(boot: boot, origin: clock.origin), reading.time))
      }
      events.append(frame(second, at: reading.time))
    }
    var policy = LivePolicy()
    policy.commitInterval = .milliseconds(10)
    policy.finalTimeout = .zero
    let end = wall(Double(seconds.upperBound))
    let outcome = await LivePipeline(registry, policy: policy) { end }.run(
      Story(batches: [events], ends: true), known: known, beginning: beginning)
    #expect(outcome.tally.isBalanced && outcome.loss == nil && outcome.failure == nil)
  }

  /// Returns the stored knowledge about the clock with which a run that starts at the given time begins.
  func beginning(at seconds: Double, uptime: Double) async throws -> ClockBeginning {
    let clocks = SystemClocks(boottimeNanoseconds: UInt64(uptime * 1e9), wall: time(seconds))
    return try await registry.clock(at: clocks, boot: "one", for: try await registry.monitors()).1
  }

  /// Returns, in the order of true time, each sample's frame number, start and the seconds by which its time
  /// is marked as ahead.
  func samples() async throws -> [(number: Int, start: Double, ahead: Double)] {
    let all = try await HKSampleQueryDescriptor(
      predicates: [.quantitySample(type: HKQuantityType(.heartRate))], sortDescriptors: []
    ).result(for: registry.store.healthStore)
    return all.map { sample in
      let rate = sample.quantity.doubleValue(for: .count().unitDivided(by: .minute()))
      let ahead = (sample.metadata?["org.hrgate.clock-ahead"] as? NSNumber)?.doubleValue ?? 0
      let start = sample.startDate.timeIntervalSince1970 - time(0).seconds
      return (HeartRateNumber.number(of: rate, near: start - ahead), start, ahead)
    }.sorted { ($0.start - $0.ahead, $0.number) < ($1.start - $1.ahead, $1.number) }
  }

  func gaps() async throws -> [MonitorGap] { try await registry.gaps(of: strap) }
}

extension CentralEvent {
  fileprivate var time: ReceiptTime? {
    switch self {
    case .notified(let notification): notification.receiptTime
    case .clockSet(_, let time), .gapBegan(_, _, let time), .interrupted(let time): time
    case .connected(_, let time), .disconnected(_, let time): time
    default: nil
    }
  }
}

extension ReceiptTime {
  fileprivate var seconds: Double { Double(microsecondsSince1970) / 1e6 }
}

@Suite(.timeLimit(.minutes(30))) struct ClockSettingTests {
  @Test
  func `a clock that is set back by a day: later samples have the true time, earlier ones are marked`()
    async throws
  {
    let world = try await World()
    let reported = try await world.run(
      at: 0, ahead: day,
      [
        frames(1...5, ahead: day),
        frames(6...10, ahead: day) + [.clockSet(setting(), time(11))] + frames(11...15),
        frames(16...20),
      ])
    let samples = try await world.samples()
    #expect(samples.map(\.number) == Array(1...20))
    #expect(samples.map(\.ahead) == (1...20).map { $0 <= 10 ? day : 0 })
    #expect(samples.map(\.start) == (1...20).map { Double($0) + ($0 <= 10 ? day : 0) })
    let error = ClockError(start: time(day), end: time(day + 11), ahead: .seconds(day))
    #expect(try await world.registry.clockErrors() == [error])
    // The clock error is reported once, together with the commit that stores it.
    #expect(reported == [error])
    #expect(try await world.gaps() == [MonitorGap(monitor: strap, start: time(20), cause: .gatewayStopped)])
    let monitor = try await world.registry.monitor(strap)
    #expect(monitor?.lastMeasurement == time(20) && monitor?.lastSeen == time(20))
  }

  @Test(arguments: [false, true])
  func `a clock set back between runs: the gap is as long as the boot clock says`(isKilled: Bool)
    async throws
  {
    let world = try await World()
    try await world.run(at: 0, ahead: day, [frames(1...10, ahead: day)])
    if isKilled { try await world.run(at: 20, ahead: day, isKilled: true, []) }
    try await world.run(at: 600, [frames(605...610)])
    #expect(
      try await world.gaps().first
        == MonitorGap(monitor: strap, start: time(10), end: time(605), cause: .gatewayStopped))
    #expect(try await world.samples().map(\.ahead) == Array(repeating: day, count: 10) + [0, 0, 0, 0, 0, 0])
    #expect(try await world.registry.clockErrors().map(\.ahead) == [.seconds(day)])
    #expect(try await world.registry.monitor(strap)?.lastMeasurement == time(610))
  }

  @Test func `a clock set forward and back: the skipped time is no gap, and later frames are in no gap`()
    async throws
  {
    let world = try await World()
    let forward: [CentralEvent] = [
      .gapBegan(peripheral, .clockStep, time(day + 6)), .interrupted(time(day + 6)),
      .clockSet(setting(ahead: day), time(day + 6)),
    ]
    let loss: [CentralEvent] = [.gapBegan(peripheral, .linkLoss, time(day + 12))]
    try await world.run(
      at: 0,
      [
        frames(1...5) + forward, frames(6...10, ahead: day) + loss, frames(20...25, ahead: day),
        [.clockSet(setting(), time(26))] + frames(26...30),
      ])
    #expect(
      try await world.gaps() == [
        MonitorGap(monitor: strap, start: time(10), end: time(20), cause: .linkLoss),
        MonitorGap(monitor: strap, start: time(30), cause: .gatewayStopped),
      ])
    let samples = try await world.samples()
    #expect(samples.map(\.number) == Array(1...10) + Array(20...30))
    #expect(samples.filter { $0.ahead == day }.map(\.number) == Array(6...10) + Array(20...25))
  }

  @Test func `a gap that is open when the clock is set back begins at its true time`() async throws {
    let world = try await World()
    let loss: [CentralEvent] = [
      .gapBegan(peripheral, .linkLoss, time(day + 8)), .disconnected(peripheral, time(day + 8)),
    ]
    try await world.run(
      at: 0, ahead: day,
      [
        frames(1...5, ahead: day) + loss, [.clockSet(setting(), time(100))],
        [.connected(peripheral, time(150))] + frames(151...152),
      ])
    #expect(
      try await world.gaps().first
        == MonitorGap(monitor: strap, start: time(5), end: time(151), cause: .linkLoss))
  }

  @Test func `a clock set back by mistake and forward again: samples in between are marked`() async throws {
    let world = try await World()
    try await world.run(
      at: 0,
      [
        frames(1...5), [.clockSet(setting(ahead: -day), time(6 - day))] + frames(6...10, ahead: -day),
        [.clockSet(setting(), time(11))] + frames(11...15),
      ])
    let samples = try await world.samples()
    #expect(samples.map(\.number) == Array(1...15))
    #expect(samples.filter { $0.ahead != 0 }.map(\.number) == Array(6...10))
    #expect(samples.allSatisfy { $0.start - $0.ahead == Double($0.number) })
    #expect(try await world.registry.clockErrors().map(\.ahead) == [.seconds(-day)])
    // If the clock is set to the wrong time once more, that time counts as right from now on.
    try await world.run(at: 20, ahead: -day, [frames(25...26, ahead: -day)])
    #expect(try await world.samples().filter { $0.ahead == 0 }.map(\.start) == Self.wrong)
  }

  private static let wrong = (Array(6...10) + [25, 26]).map { Double($0) - day }

  @Test(arguments: [100, 5000])
  func `a clock set back an hour and forward again: no gap contains a stored frame`(first: Int) async throws {
    let world = try await World(enrolled: 0)
    // Before the clock is set back, the gateway has run for less (100 s) or more (5,000 s) than an hour.
    let slow = first + 300
    try await world.run(1...(slow + 100), startedAt: -20_000, boot: "one") { second in
      (Double(first)..<Double(slow)).contains(second) ? time(second - 3600) : time(second)
    }
    let samples = try await world.samples()
    #expect(samples.count == slow + 100)
    #expect(samples.filter { $0.ahead != 0 }.count == 300)
    #expect(samples.filter { $0.ahead != 0 }.allSatisfy { $0.ahead == -3600 })
    #expect(samples.enumerated().allSatisfy { abs($1.start - $1.ahead - Double($0 + 1)) < 0.1 })
    for gap in try await world.gaps() {
      let start = gap.start.seconds - time(0).seconds
      let end = (gap.end?.seconds).map { $0 - time(0).seconds } ?? .infinity
      let inside = samples.filter { start + 0.1 < $0.start - $0.ahead && $0.start - $0.ahead < end - 0.1 }
      #expect(inside.isEmpty, "\(start) to \(end) \(gap.cause)")
      #expect(end == .infinity || end - start < 2)
    }
  }

  @Test func `a clock set forward and back twice: each period keeps its own mark, and gaps stay in order`()
    async throws
  {
    let world = try await World()
    func forward(_ ahead: Double, at seconds: Double) -> [CentralEvent] {
      [
        .gapBegan(peripheral, .clockStep, time(ahead + seconds)), .interrupted(time(ahead + seconds)),
        .clockSet(setting(ahead: ahead), time(ahead + seconds)),
      ]
    }
    // The frames 6 to 15 have times 60 s ahead. These overlap the second 71, in which the clock is set
    // forward again.
    try await world.run(
      at: 0,
      [
        frames(1...5) + forward(60, at: 6), frames(6...15, ahead: 60), [.clockSet(setting(), time(16))],
        frames(16...70) + forward(day, at: 71), frames(71...75, ahead: day),
      ])
    try await world.run(at: 80, [frames(85...90)])
    let samples = try await world.samples()
    #expect(samples.map(\.number) == Array(1...75) + Array(85...90))
    #expect(samples.filter { $0.ahead == 60 }.map(\.number) == Array(6...15))
    #expect(samples.filter { $0.ahead == day }.map(\.number) == Array(71...75))
    #expect(
      try await world.gaps() == [
        MonitorGap(monitor: strap, start: time(75), end: time(85), cause: .gatewayStopped),
        MonitorGap(monitor: strap, start: time(90), cause: .gatewayStopped),
      ])
  }

  @Test func `after a restart of the machine only a minimum is known for how far the clock was ahead`()
    async throws
  {
    let world = try await World()
    try await world.run(at: 0, ahead: day, [frames(1...10, ahead: day)])
    let reported = try await world.run(at: 600, uptime: 3600, boot: "two", [frames(605...610)])
    let error = ClockError(
      start: time(day), end: time(day + 10), ahead: .seconds(day + 10 - 600), isAtLeast: true)
    #expect(try await world.registry.clockErrors() == [error])
    #expect(reported == [error])
    #expect(try await world.samples().filter { $0.ahead > 0 }.count == 10)
    // A machine that was just restarted may itself have an old time, so no clock error is recorded.
    let young = try await World()
    try await young.run(at: 0, [frames(1...10)])
    try await young.run(at: 5, ahead: -3600, uptime: 30, boot: "two", [])
    #expect(try await young.registry.clockErrors().isEmpty)
  }

  @Test(arguments: [false, true], [3600, day, 30 * day])
  func `a clock set back before a restart: samples keep their true order, and no time is in the future`(
    isKilled: Bool, ahead: Double
  ) async throws {
    let world = try await World()
    try await world.run(at: 0, ahead: ahead, [frames(1...10, ahead: ahead)])
    if isKilled { try await world.run(at: 12, ahead: ahead, isKilled: true, []) }
    // This run covers the first ten minutes of the machine, in which its clock may still have an old time,
    // and the time after them.
    try await world.run(60...700, startedAt: 30, boot: "two") { time($0) }
    let samples = try await world.samples()
    #expect(samples.map(\.number) == Array(1...10) + Array(60...700))
    #expect(samples.prefix(10).allSatisfy { $0.ahead > 0 })
    // The corrected times are inexact because it is unknown how long the machine was off.
    #expect(zip(samples, samples.dropFirst()).allSatisfy { $0.start - $0.ahead <= $1.start - $1.ahead })
    #expect(samples.suffix(70).allSatisfy { $0.ahead == 0 && $0.start == Double($0.number) })
    #expect(samples.dropFirst(10).allSatisfy { abs($0.start - $0.ahead - Double($0.number)) < 10 })
    #expect(try await !world.registry.clockErrors().isEmpty)
    let monitor = try await world.registry.monitor(strap)
    #expect(monitor?.lastMeasurement == time(700) && monitor?.lastSeen == time(700))
    #expect(try await world.gaps().allSatisfy { $0.start <= time(700) && ($0.end ?? $0.start) <= time(700) })
  }

  @Test func `samples of a monitor that was forgotten before the clock is set back are marked too`()
    async throws
  {
    let world = try await World()
    try await world.run(at: 0, ahead: day, [frames(1...10, ahead: day)])
    try await world.registry.forget(strap)
    try await world.run(at: 3600, uptime: 1000, boot: "two", [])
    #expect(try await world.samples().allSatisfy { $0.ahead > 0 })
    #expect(try await world.registry.clockErrors().count == 1)
  }

  @Test func `a machine that starts in 1970 marks nothing and continues from the last time`() async throws {
    let world = try await World()
    try await world.run(at: 0, [frames(1...10)])
    try await world.run(60...700, startedAt: 30, boot: "two") {
      $0 < 650 ? ReceiptTime(microsecondsSince1970: Int64($0 * 1e6)) : time($0)
    }
    let samples = try await world.samples()
    #expect(samples.map(\.number) == Array(1...10) + Array(60...700))
    #expect(samples.allSatisfy { $0.ahead == 0 && $0.start >= 1 })
    #expect(try await world.registry.clockErrors().isEmpty)
    #expect(samples.suffix(51).allSatisfy { $0.start == Double($0.number) })
  }

  @Test func `a mark is removed when it turns out that time did not go back`()
    async throws
  {
    let world = try await World()
    try await world.run(at: 0, [frames(1...10)])
    // After the restart the clock shows the build time of the system, and is set to the right time 20 s
    // later.
    try await world.run(60...100, startedAt: 30, boot: "two") { $0 < 80 ? time($0 - 40 * day) : time($0) }
    #expect(try await world.samples().allSatisfy { $0.ahead == 0 })
    #expect(try await world.registry.clockErrors().isEmpty)
  }

  @Test func `frames of a new monitor that a killed run did not store are in a gap`() async throws {
    let world = try await World()
    try await world.run(at: 0, isKilled: true, [frames(1...9)])
    #expect(try await world.samples().isEmpty)
    #expect(try await world.gaps().isEmpty)
    try await world.run(at: 20, [frames(25...30)])
    #expect(
      try await world.gaps().first
        == MonitorGap(monitor: strap, start: time(0), end: time(25), cause: .gatewayStopped))
    // A run that ended normally leaves no gap if it received no frames.
    let quiet = try await World()
    try await quiet.run(at: 0, [[.disconnected(peripheral, time(1))]])
    #expect(try await quiet.registry.store.database.clockSettings().last?.end != nil)
  }

  @Test(arguments: [true, false])
  func `frames of a new monitor in a killed run are in a gap, even if the next run does not hear it`(
    isKilledToo: Bool
  ) async throws {
    let world = try await World()
    try await world.run(at: 0, isKilled: true, [frames(1...9)])
    try await world.run(at: 10, isKilled: isKilledToo, isConnected: false, [])
    #expect(
      try await world.gaps()
        == [MonitorGap(monitor: strap, start: time(0), end: nil, cause: .gatewayStopped)])
    // The machine may also have been restarted before the next run.
    try await world.run(at: 20, uptime: 2, boot: "two", isKilled: true, isConnected: false, [])
    try await world.run(at: 30, uptime: 12, boot: "two", [frames(35...40)])
    #expect(
      try await world.gaps().first
        == MonitorGap(monitor: strap, start: time(0), end: time(35), cause: .gatewayStopped))
  }

  @Test func `a monitor enrolled during a killed run has a gap from its enrollment on`()
    async throws
  {
    let world = try await World(enrolled: 5)
    try await world.run(at: 0, isKilled: true, [frames(6...9)])
    try await world.run(at: 20, [frames(25...30)])
    #expect(
      try await world.gaps().first
        == MonitorGap(monitor: strap, start: time(5), end: time(25), cause: .gatewayStopped))
  }

  @Test func `a time of a clock that was ahead holds nothing back, even shortly after the machine started`()
    async throws
  {
    let world = try await World()
    try await world.run(at: 0, ahead: 3600, uptime: 100, [frames(1...10, ahead: 3600)])
    #expect(try await world.beginning(at: 60, uptime: 160).now == time(60))
  }

  @Test func `a clock set back to slightly less than before: receipt time continues where it was`()
    async throws
  {
    let world = try await World()
    let forward: [CentralEvent] = [
      .interrupted(time(day + 6)), .clockSet(setting(ahead: day), time(day + 6)),
    ]
    try await world.run(at: 0, [frames(1...5) + forward, frames(6...10, ahead: day)])
    #expect(try await world.beginning(at: 98, uptime: 1100).now == time(100))
    #expect(try await world.beginning(at: 94, uptime: 1100).now == time(94))
  }

  @Test
  func `a gap in which the clock is set forward, and that ends before it is set back, ends at its true time`()
    async throws
  {
    let world = try await World()
    let loss: [CentralEvent] = [.gapBegan(peripheral, .linkLoss, time(5))]
    let forward: [CentralEvent] = [
      .interrupted(time(day + 6)), .clockSet(setting(ahead: day), time(day + 6)),
    ]
    try await world.run(
      at: 0,
      [
        frames(1...5) + loss, forward, frames(20...25, ahead: day),
        [.clockSet(setting(), time(26))] + frames(26...30),
      ])
    #expect(
      try await world.gaps().first
        == MonitorGap(monitor: strap, start: time(5), end: time(20), cause: .linkLoss))
  }

  @Test func `samples that wait for a description when the clock is set back are marked too`() async throws {
    let world = try await World(enrolled: nil)
    try await world.run(
      at: 0, ahead: day, [frames(1...5, ahead: day), [.clockSet(setting(), time(6))] + frames(6...9)])
    #expect(try await world.samples().map(\.ahead) == [day, day, day, day, day, 0, 0, 0, 0])
  }

  @Test func `clock changes in one batch are applied one by one`() async throws {
    let world = try await World()
    let forward: [CentralEvent] = [
      .interrupted(time(day + 6)), .clockSet(setting(ahead: day), time(day + 6)),
    ]
    try await world.run(
      at: 0,
      [
        frames(1...5) + forward + frames(6...10, ahead: day) + [.clockSet(setting(), time(11))]
          + frames(11...15)
      ])
    let samples = try await world.samples()
    #expect(samples.map(\.number) == Array(1...15))
    #expect(samples.map(\.ahead) == (1...15).map { (6...10).contains($0) ? day : 0 })
  }

  @Test func `samples of another clock setting keep their marks, whatever their times are`() async throws {
    // The samples of the first setting, 100 s ahead, have times in the period of the second setting.
    let world = try await World()
    try await world.run(
      at: 0, ahead: 100,
      [
        frames(1...10, ahead: 100), [.clockSet(setting(ahead: 60), time(71))] + frames(11...55, ahead: 60),
        [.clockSet(setting(), time(56))] + frames(56...60),
      ])
    #expect(
      try await world.samples().map(\.ahead) == (1...60).map { $0 <= 10 ? 100 : $0 <= 55 ? 60 : 0 })

    // The last setting counts as the right time, so the first one was only 30 s ahead. The samples after the
    // first correction stay unmarked.
    let other = try await World()
    func forward(_ ahead: Double, at seconds: Double) -> [CentralEvent] {
      [.interrupted(time(ahead + seconds)), .clockSet(setting(ahead: ahead), time(ahead + seconds))]
    }
    let reported = try await other.run(
      at: 0,
      [
        frames(1...5) + forward(60, at: 6), frames(6...15, ahead: 60), [.clockSet(setting(), time(16))],
        frames(16...80) + forward(30, at: 81), frames(81...85, ahead: 30),
      ])
    // Only the first step is reported as an error. The last step sets the clock forward.
    #expect(reported.map(\.ahead) == [.seconds(60)])
    let marked = try await other.samples().filter { $0.ahead != 0 }
    #expect(marked.map(\.number) == Array(6...15) && marked.allSatisfy { $0.ahead == 30 })
  }

  @Test func `a recording replayed while the clock is ahead keeps its own times`() async throws {
    let world = try await World()
    // The times of the recorded frames are between those of the measured frames.
    let recorded: [[CentralEvent]] = [
      frames(3603...3604) + [.gapBegan(peripheral, .linkLoss, time(3604))], frames(3614...3616),
    ]
    try await world.run(at: 0, ahead: 3600, [frames(11...12, ahead: 3600)])
    await world.replay(recorded)
    try await world.run(at: 15, ahead: 3600, [frames(20...22, ahead: 3600)])
    await world.replay([frames(3621...3621)])
    try await world.run(at: 600, [frames(605...606)])
    let samples = try await world.samples()
    #expect(samples.filter { $0.ahead == 3600 }.map(\.number) == [11, 12, 20, 21, 22])
    #expect(samples.filter { $0.ahead == 0 }.map(\.number) == [605, 606, 3603, 3604, 3614, 3615, 3616, 3621])
    let gaps = try await world.gaps()
    #expect(gaps.contains(MonitorGap(monitor: strap, start: time(3604), end: time(3614), cause: .linkLoss)))
    #expect(gaps.contains(MonitorGap(monitor: strap, start: time(12), end: time(20), cause: .gatewayStopped)))
  }

  @Test func `a clock setting of an earlier start of the machine is forgotten if it was not ahead`()
    async throws
  {
    let world = try await World()
    for (number, boot) in ["one", "two", "three"].enumerated() {
      let begin = Double(number) * 2000
      try await world.run(at: begin, uptime: 1000, boot: boot, [frames(Int(begin) + 1...Int(begin) + 3)])
    }
    #expect(try await world.registry.store.database.clockSettings().map(\.boot) == ["three"])
  }
}
