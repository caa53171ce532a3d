import Testing

@testable import Bluetooth

private let second: UInt64 = 1_000_000_000
private let epoch: Int64 = 1_800_000_000_000_000

private func wall(_ microseconds: Int64) -> ReceiptTime {
  ReceiptTime(microsecondsSince1970: epoch + microseconds)
}

/// A machine whose clocks are set by the test.
private struct Machine {
  var boottime: UInt64 = 100 * second
  /// Error of the wall clock, in microseconds.
  var error: Int64 = 0
  var clock = ReceiptClock(boottimeNanoseconds: 100 * second, wall: wall(0))

  /// Microseconds since the start, as a clock without error would show them.
  var elapsed: Int64 { Int64((boottime - 100 * second) / 1000) }

  mutating func read(after nanoseconds: UInt64) -> ReceiptClock.Reading {
    boottime += nanoseconds
    return clock.receiptTime(
      boottimeNanoseconds: boottime, wallNow: wall(elapsed + error), boottimeNow: boottime)
  }
}

@Suite struct ReceiptClockTests {
  @Test func `receipt time is the start time plus the elapsed time`() {
    var machine = Machine()
    #expect(machine.read(after: 1_500) == .init(time: wall(1), step: nil))
    #expect(machine.read(after: second) == .init(time: wall(1_000_001), step: nil))
    // Convert the receipt time of a frame that is read a second after it was received.
    let late = machine.clock.receiptTime(
      boottimeNanoseconds: machine.boottime + second, wallNow: wall(3_000_001),
      boottimeNow: machine.boottime + 2 * second)
    #expect(late.time == wall(2_000_001))
  }

  @Test func `suspending for a night is no step`() {
    var machine = Machine()
    #expect(machine.read(after: 8 * 3600 * second) == .init(time: wall(8 * 3_600_000_000), step: nil))
  }

  @Test(arguments: [300_000, -300_000] as [Int64])
  func `a small difference is corrected slowly and completely`(error: Int64) {
    var machine = Machine()
    machine.error = error
    // A difference of the clocks is corrected by 500 µs per second. Reading every millisecond must not lose
    // fractions.
    var reading = machine.read(after: 0)
    for _ in 0..<1000 { reading = machine.read(after: second / 1000) }
    #expect(reading == .init(time: wall(1_000_000 + error.signum() * 500), step: nil))
    for _ in 0..<598 { reading = machine.read(after: second) }
    #expect(reading.time == wall(599_000_000 + error.signum() * 299_500))
    for _ in 0..<10 { reading = machine.read(after: second) }
    #expect(reading == .init(time: wall(609_000_000 + error), step: nil))
  }

  @Test func `a step forward is applied at once and reported once`() {
    var machine = Machine()
    machine.error = 500_001
    #expect(machine.read(after: second) == .init(time: wall(1_500_001), step: .microseconds(500_001)))
    #expect(machine.read(after: second) == .init(time: wall(2_500_001), step: nil))
    // A machine without a clock chip starts in 1970 and gets the time later.
    machine.error += 1_000_000_000_000_000
    #expect(machine.read(after: second).step == .microseconds(1_000_000_000_000_000))
    #expect(machine.read(after: second).time == wall(4_000_000 + machine.error))
  }

  @Test func `a small step back is corrected by running slow`() {
    var machine = Machine()
    machine.error = -4_000_000
    #expect(machine.read(after: second) == .init(time: wall(990_000), step: nil))
    var latest = wall(990_000)
    for number in 2...400 {
      let reading = machine.read(after: second)
      #expect(reading.step == nil)
      // Receipt times never go back. While the clock runs slow, a second still advances them by 0.99 s.
      #expect(reading.time.microseconds(since: latest) == 990_000, "second \(number)")
      latest = reading.time
    }
    #expect(latest == wall(400_000_000 + machine.error))
    #expect(machine.read(after: second).time.microseconds(since: latest) == 1_000_000)
    // Once the step back is corrected, a new difference is corrected at the usual 500 µs per second.
    machine.error += 300_000
    #expect(machine.read(after: second).time.microseconds(since: latest) == 2_000_500)
  }

  @Test func `a step back by more than five seconds is applied at once and reported once`() {
    var machine = Machine()
    machine.error = -5_000_001
    let origin = machine.clock.origin
    #expect(machine.read(after: second) == .init(time: wall(-4_000_001), step: .microseconds(-5_000_001)))
    #expect(machine.clock.origin.microseconds(since: origin) == -5_000_001)
    #expect(machine.read(after: second) == .init(time: wall(-3_000_001), step: nil))
    let day: Int64 = 86_400_000_000
    machine.error += day
    #expect(machine.read(after: second).step == .microseconds(day))
    machine.error -= day
    #expect(machine.read(after: second) == .init(time: wall(-1_000_001), step: .microseconds(-day)))
  }

  @Test func `a clock set forward, then back to slightly less than before, continues where it was`() {
    var machine = Machine()
    machine.error = 86_400_000_000
    #expect(machine.read(after: second).time == wall(1_000_000 + machine.error))
    machine.error = -400_000
    let back = machine.read(after: second)
    #expect(back == .init(time: wall(2_000_000), step: .microseconds(-86_400_000_000)))
    #expect(machine.read(after: second).time == wall(2_990_000))
  }

  @Test func `small steps back that add up become a step, and a step forward ends them`() {
    var machine = Machine()
    machine.error = -4_000_000
    #expect(machine.read(after: second).step == nil)
    machine.error = -6_000_000
    #expect(machine.read(after: second) == .init(time: wall(-4_000_000), step: .microseconds(-5_990_000)))
    machine.error = -9_000_000
    #expect(machine.read(after: second).step == nil)
    machine.error = 5_000_000
    #expect(machine.read(after: second).time == wall(9_000_000))
  }

  @Test func `time goes back only with a step, and nothing traps, for any clock readings`() {
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
        #expect(reading.time >= latest || reading.step.map { $0 < .zero } == true, "seed \(seed)")
        latest = reading.time
      }
    }
  }

  @Test func `a clock starts slightly late rather than before the last time of the previous one`() {
    let wall = ReceiptTime(microsecondsSince1970: epoch)
    func first(_ boottime: UInt64, ahead: Int64) -> Int64 {
      let floor = ReceiptTime(microsecondsSince1970: epoch + ahead)
      var clock = ReceiptClock(boottimeNanoseconds: boottime, wall: wall, floor: floor)
      return clock.receiptTime(boottimeNanoseconds: boottime, wallNow: wall, boottimeNow: boottime).time
        .microsecondsSince1970 - epoch
    }
    #expect(first(3600 * second, ahead: 5_000_000) == 5_000_000)
    #expect(first(3600 * second, ahead: 5_000_001) == 0)
    let floor = ReceiptTime(microsecondsSince1970: epoch + 5_000_001)
    #expect(
      ReceiptClock(boottimeNanoseconds: 3600 * second, wall: wall, floor: floor).origin
        == ReceiptClock(boottimeNanoseconds: 3600 * second, wall: wall).origin)
    // The floor is the last receipt time of an earlier run. Just after boot the wall clock may be wrong, so a
    // floor up to a day ahead of it is used.
    #expect(first(5 * second, ahead: 86_400_000_000) == 86_400_000_000)
    #expect(first(5 * second, ahead: 86_400_000_001) == 0)
  }

  @Test func `a machine that has just started has ten minutes to learn the time`() {
    let floor = ReceiptTime(microsecondsSince1970: epoch + 7_200_000_000)
    var clock = ReceiptClock(boottimeNanoseconds: 5 * second, wall: wall(0), floor: floor)
    func read(at seconds: UInt64) -> ReceiptClock.Reading {
      clock.receiptTime(
        boottimeNanoseconds: seconds * second, wallNow: wall(Int64(seconds - 5) * 1_000_000),
        boottimeNow: seconds * second)
    }
    #expect(read(at: 105) == .init(time: wall(7_200_000_000 + 99_000_000), step: nil))
    let believed = read(at: 600)
    #expect(believed.time == wall(595_000_000))
    #expect(believed.step.map { $0 < .seconds(-7_000) } == true)
  }

  @Test func `a wall clock that was never set is ignored until it is set`() {
    let start = ReceiptTime(microsecondsSince1970: 5_000_000)
    let floor = wall(0)
    var clock = ReceiptClock(boottimeNanoseconds: 5 * second, wall: start, floor: floor)
    func read(at seconds: UInt64, set offset: Int64 = 0) -> ReceiptClock.Reading {
      clock.receiptTime(
        boottimeNanoseconds: seconds * second,
        wallNow: ReceiptTime(microsecondsSince1970: Int64(seconds) * 1_000_000 + offset),
        boottimeNow: seconds * second)
    }
    // The receipt clock runs slow by a hundred parts in a million, because the wall clock is too far behind
    // to be reached.
    let late = read(at: 3605)
    #expect(late.step == nil && late.time > wall(3_500_000_000) && late.time <= wall(3_600_000_000))
    // The wall clock is finally set. It then shows about an hour more than the receipt clock.
    let learnt = read(at: 3606, set: epoch + 3_600_000_000)
    #expect(learnt == .init(time: wall(7_206_000_000), step: learnt.step))
    #expect(learnt.step.map { $0 > .seconds(3500) } == true)
  }

  @Test func `the clocks of the machine agree`() {
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
  func `a disconnection reason of the controller gives the cause of the gap`(reason: UInt8, cause: GapCause) {
    #expect(GapCause(hciReason: reason) == cause)
  }
}

/// Random clock readings of every size, most of them impossible.
private struct Numbers {
  var state: UInt64

  private mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ state >> 29
  }

  mutating func boottime() -> UInt64 { next() >> (next() % 64) }

  mutating func wall() -> Int64 { Int64(bitPattern: next()) >> Int64(next() % 64) }
}
