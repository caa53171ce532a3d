import Bluetooth
import Testing

@testable import BluetoothCentral

private let second: UInt64 = 1_000_000_000
private let epoch: Int64 = 1_800_000_000_000_000

private func wall(_ microseconds: Int64) -> ReceiptTime {
  ReceiptTime(microsecondsSince1970: epoch + microseconds)
}

/// A machine whose clocks are what the test says.
private struct Machine {
  var boottime: UInt64 = 100 * second
  /// Wall time less the time since the start, in microseconds.
  var error: Int64 = 0
  var clock = ReceiptClock(boottimeNanoseconds: 100 * second, wall: wall(0))

  /// What a clock without error would show, in microseconds since the start.
  var elapsed: Int64 { Int64((boottime - 100 * second) / 1000) }

  mutating func read(after nanoseconds: UInt64) -> ReceiptClock.Reading {
    boottime += nanoseconds
    return clock.receiptTime(
      boottimeNanoseconds: boottime, wallNow: wall(elapsed + error), boottimeNow: boottime)
  }
}

@Suite struct ReceiptClockTests {
  @Test func `time is the tie and what has passed since`() {
    var machine = Machine()
    #expect(machine.read(after: 1_500) == .init(time: wall(1), step: nil))
    #expect(machine.read(after: second) == .init(time: wall(1_000_001), step: nil))
    // Received a while before it is read.
    let late = machine.clock.receiptTime(
      boottimeNanoseconds: machine.boottime + second, wallNow: wall(3_000_001),
      boottimeNow: machine.boottime + 2 * second)
    #expect(late.time == wall(2_000_001))
  }

  @Test func `a night's suspend is no step`() {
    var machine = Machine()
    #expect(machine.read(after: 8 * 3600 * second) == .init(time: wall(8 * 3_600_000_000), step: nil))
  }

  @Test(arguments: [300_000, -300_000] as [Int64])
  func `a small difference is followed slowly, and wholly`(error: Int64) {
    var machine = Machine()
    machine.error = error
    // 500 parts in a million: 500 µs in a second, and in thousandths of it nothing is lost.
    var reading = machine.read(after: 0)
    for _ in 0..<1000 { reading = machine.read(after: second / 1000) }
    #expect(reading == .init(time: wall(1_000_000 + error.signum() * 500), step: nil))
    for _ in 0..<598 { reading = machine.read(after: second) }
    #expect(reading.time == wall(599_000_000 + error.signum() * 299_500))
    for _ in 0..<10 { reading = machine.read(after: second) }
    #expect(reading == .init(time: wall(609_000_000 + error), step: nil))
  }

  @Test func `a step forward is taken at once and told once`() {
    var machine = Machine()
    machine.error = 500_001
    #expect(machine.read(after: second) == .init(time: wall(1_500_001), step: .microseconds(500_001)))
    #expect(machine.read(after: second) == .init(time: wall(2_500_001), step: nil))
    // A machine that comes up in 1970 and learns the time.
    machine.error += 1_000_000_000_000_000
    #expect(machine.read(after: second).step == .microseconds(1_000_000_000_000_000))
    #expect(machine.read(after: second).time == wall(4_000_000 + machine.error))
  }

  @Test func `a step back is told once, and caught up with by running slow`() {
    var machine = Machine()
    machine.error = -60_000_000
    #expect(machine.read(after: second) == .init(time: wall(990_000), step: .microseconds(-60_000_000)))
    var latest = wall(990_000)
    for number in 2...6000 {
      let reading = machine.read(after: second)
      #expect(reading.step == nil)
      // Never back, and a second lasts 0.99 s at least.
      #expect(reading.time.microseconds(since: latest) == 990_000, "second \(number)")
      latest = reading.time
    }
    #expect(latest == wall(6_000_000_000 + machine.error))
    #expect(machine.read(after: second).time.microseconds(since: latest) == 1_000_000)
  }

  @Test func `a second step back while it catches up is told too, and one forward ends it`() {
    var machine = Machine()
    machine.error = -10_000_000
    #expect(machine.read(after: second).step == .microseconds(-10_000_000))
    machine.error = -13_000_000
    #expect(machine.read(after: second).step == .microseconds(-3_000_000))
    #expect(machine.read(after: second).step == nil)
    machine.error = 5_000_000
    let reading = machine.read(after: second)
    #expect(reading.time == wall(9_000_000))
    #expect(reading.step == .microseconds(5_030_000))
  }

  @Test func `whatever the clocks do, time does not go back and nothing traps`() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      let seed = random.next()
      var numbers = Numbers(state: seed)
      var clock = ReceiptClock(
        boottimeNanoseconds: numbers.boottime(), wall: ReceiptTime(microsecondsSince1970: numbers.wall()))
      var latest = ReceiptTime(microsecondsSince1970: .min)
      for _ in 0..<100 {
        let reading = clock.receiptTime(
          boottimeNanoseconds: numbers.boottime(),
          wallNow: ReceiptTime(microsecondsSince1970: numbers.wall()),
          boottimeNow: numbers.boottime())
        #expect(reading.time >= latest, "seed \(seed)")
        latest = reading.time
      }
    }
  }

  @Test func `a clock does not begin before the last time of the one before it, nor far in the future`() {
    let day: Int64 = 86_400_000_000
    let wall = ReceiptTime(microsecondsSince1970: 1_800_000_000_000_000)
    let last = ReceiptTime(microsecondsSince1970: wall.microsecondsSince1970 + 7_200_000_000)
    var clock = ReceiptClock(boottimeNanoseconds: 5_000_000_000, wall: wall, floor: last)
    let first = clock.receiptTime(
      boottimeNanoseconds: 5_000_000_000, wallNow: wall, boottimeNow: 5_000_000_000)
    #expect(first.time == last)
    #expect(first.step == nil)
    // It runs slow until wall time has caught up.
    let later = clock.receiptTime(
      boottimeNanoseconds: 105_000_000_000,
      wallNow: ReceiptTime(microsecondsSince1970: wall.microsecondsSince1970 + 100_000_000),
      boottimeNow: 105_000_000_000)
    #expect(later.time.microseconds(since: last) == 99_000_000)

    let wrong = ReceiptTime(microsecondsSince1970: wall.microsecondsSince1970 + day + 1)
    clock = ReceiptClock(boottimeNanoseconds: 0, wall: wall, floor: wrong)
    #expect(clock.receiptTime(boottimeNanoseconds: 0, wallNow: wall, boottimeNow: 0).time == wall)
  }

  @Test func `the machine's own clocks go on together`() {
    let first = SystemClocks.now()
    let second = SystemClocks.now()
    #expect(second.boottimeNanoseconds >= first.boottimeNanoseconds)
    #expect(first.wall.microsecondsSince1970 > 1_700_000_000_000_000)
    var clock = ReceiptClock(boottimeNanoseconds: first.boottimeNanoseconds, wall: first.wall)
    let reading = clock.receiptTime(
      boottimeNanoseconds: second.boottimeNanoseconds, wallNow: second.wall,
      boottimeNow: second.boottimeNanoseconds)
    #expect(reading.time >= first.wall)
  }

  @Test(
    arguments: [
      (0x08, GapCause.linkLoss), (0x22, .linkLoss), (0x3E, .linkLoss), (0x13, .closedByPeripheral),
      (0x14, .closedByPeripheral), (0x15, .closedByPeripheral), (0x16, .closedByHost), (0x05, .unknown),
      (0x00, .unknown),
    ] as [(UInt8, GapCause)])
  func `a controller's reason says why nothing arrives`(reason: UInt8, cause: GapCause) {
    #expect(GapCause(hciReason: reason) == cause)
  }
}

/// Clock readings of every size, most of them impossible.
private struct Numbers {
  var state: UInt64

  private mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ state >> 29
  }

  mutating func boottime() -> UInt64 { next() >> (next() % 64) }

  mutating func wall() -> Int64 { Int64(bitPattern: next()) >> Int64(next() % 64) }
}
