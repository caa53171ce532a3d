import Bluetooth
import Testing

@testable import BlueZ
@testable import TestSupport

@Suite struct DuplicateFilterTests {
  private static func value(_ byte: Int, at milliseconds: Int) -> DuplicateFilter.Value {
    DuplicateFilter.Value(
      bytes: [0x10, UInt8(truncatingIfNeeded: byte), 0x20, 0x03],
      receipt: Receipt(
        boot: BootTime(nanoseconds: UInt64(1_000_000_000 + milliseconds * 1_000_000)),
        time: ReceiptTime(microsecondsSince1970: Int64(milliseconds * 1000))))
  }

  /// What the filter lets through of values signalled at these milliseconds, woken at each of its deadlines.
  private static func output(
    _ signalled: [(byte: Int, milliseconds: Int)], ending: Bool = true
  ) -> [DuplicateFilter.Value] {
    var filter = DuplicateFilter()
    return pass(signalled.map { value($0.byte, at: $0.milliseconds) }, &filter, ending: ending)
  }

  private static func pass(
    _ values: [DuplicateFilter.Value], _ filter: inout DuplicateFilter, ending: Bool = true
  ) -> [DuplicateFilter.Value] {
    var output: [DuplicateFilter.Value] = []
    for value in values {
      if let deadline = filter.deadline, deadline <= value.receipt.boot {
        output += filter.flush(at: deadline)
      }
      output += filter.receive(value)
    }
    return output + (ending ? filter.end() : [])
  }

  @Test(arguments: 0..<300 as Range<UInt64>)
  func `with one subscriber values further apart than copies are all kept in order`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var milliseconds = 0
    let signalled = (0..<200).map { _ -> (byte: Int, milliseconds: Int) in
      milliseconds += .random(in: 101...3000, using: &random)
      return (.random(in: 0...2, using: &random), milliseconds)
    }
    let expected = signalled.map { Self.value($0.byte, at: $0.milliseconds) }
    #expect(Self.output(signalled) == expected, "seed \(seed)")
    // Without anything held back: each at once.
    #expect(Self.output(signalled, ending: false) == expected, "seed \(seed)")
  }

  @Test(arguments: 0..<300 as Range<UInt64>)
  func `with one subscriber bursts are all kept in order, as long as two in a row are not alike`(seed: UInt64)
  {
    var random = SeededGenerator(seed: seed)
    var milliseconds = 0
    var before = 1
    var byte = 0
    var signalled: [(byte: Int, milliseconds: Int)] = []
    for _ in 0..<100 {
      var count = Int.random(in: 1...20, using: &random)
      if count == before, count > 1 { count += 1 }
      before = count
      // Another value than before, so that it is another run.
      byte = (byte + .random(in: 1...5, using: &random)) % 7
      for _ in 0..<count {
        milliseconds += .random(in: 0...3, using: &random)
        signalled.append((byte, milliseconds))
      }
      milliseconds += .random(in: 0...4000, using: &random)
    }
    #expect(
      Self.output(signalled) == signalled.map { Self.value($0.byte, at: $0.milliseconds) }, "seed \(seed)")
  }

  @Test func `twenty equal values at once are twenty notifications`() {
    let signalled = (0..<20).map { _ in (byte: 72, milliseconds: 5) } + [(byte: 73, milliseconds: 1000)]
    #expect(Self.output(signalled).count == 21)
  }

  @Test func `two bursts alike look like a further subscriber, and cost their copies, no more`() {
    // The same signals as from two subscribers: nothing that is signalled tells them apart.
    let bursts = [(72, 0), (72, 1), (73, 10), (73, 11), (74, 1000), (75, 2000), (75, 2001), (76, 3000)]
    let output = Self.output(bursts.map { (byte: $0.0, milliseconds: $0.1) })
    #expect(output.map { $0.bytes[1] } == [72, 73, 74, 75, 75, 76])
  }

  @Test(arguments: [2, 3, 4], 0..<100 as Range<UInt64>)
  func `with more subscribers throughout each notification comes once, in order`(copies: Int, seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var milliseconds = 0
    var signalled: [(byte: Int, milliseconds: Int)] = []
    var expected: [UInt8] = []
    for _ in 0..<100 {
      milliseconds += .random(in: 101...2500, using: &random)
      let byte = Int.random(in: 0...2, using: &random)
      expected.append(UInt8(byte))
      signalled += (0..<copies).map { (byte, milliseconds + $0 * .random(in: 0...1, using: &random)) }
    }
    #expect(Self.output(signalled).map { $0.bytes[1] } == expected, "seed \(seed)")
  }

  @Test(arguments: 0..<100 as Range<UInt64>)
  func `with two subscribers equal values in a burst are kept apart from their copies`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var filter = DuplicateFilter()
    let learning = [(1, 0), (1, 0), (2, 1000), (2, 1000), (3, 2000), (3, 2000)]
    var output = Self.pass(learning.map { Self.value($0.0, at: $0.1) }, &filter, ending: false)
    let count = Int.random(in: 1...9, using: &random)
    output += Self.pass((0..<count * 2).map { _ in Self.value(9, at: 3000) }, &filter)
    #expect(output.map { $0.bytes[1] } == [1, 2, 3] + Array(repeating: 9, count: count))
    #expect(filter.copies == 2 * count || filter.copies == 2)
  }

  @Test
  func
    `a second subscriber that comes midway is recognised without a value twice, and one that leaves costs none`()
  {
    let alone = (0..<10).map { (byte: $0, milliseconds: $0 * 1000) }
    let both = (10..<20).flatMap {
      [(byte: $0, milliseconds: $0 * 1000), (byte: $0, milliseconds: $0 * 1000 + 1)]
    }
    let after = (20..<30).map { (byte: $0, milliseconds: $0 * 1000) }
    #expect(Self.output(alone + both + after).map { Int($0.bytes[1]) } == Array(0..<30))
  }

  @Test func `a third subscriber may make two values come twice, and then none`() {
    func values(_ range: Range<Int>, _ copies: Int) -> [(byte: Int, milliseconds: Int)] {
      range.flatMap { byte in (0..<copies).map { _ in (byte: byte, milliseconds: byte * 1000) } }
    }
    let output = Self.output(values(0..<10, 2) + values(10..<20, 3) + values(20..<30, 2) + values(30..<40, 1))
    #expect(Set(output.map { Int($0.bytes[1]) }) == Set(0..<40))
    #expect(output.count <= 42)
    #expect(output.map { Int($0.bytes[1]) } == output.map { Int($0.bytes[1]) }.sorted())
  }

  @Test func `what is held is handed on when its time has come, and not before`() {
    var filter = DuplicateFilter()
    #expect(filter.deadline == nil)
    let values = [Self.value(1, at: 0), Self.value(1, at: 1)]
    #expect(values.flatMap { filter.receive($0) } == [values[0]])
    let deadline = BootTime(nanoseconds: 1_001_000_000) + DuplicateFilter.patience
    #expect(filter.deadline == deadline)
    #expect(filter.flush(at: BootTime(nanoseconds: deadline.nanoseconds - 1)).isEmpty)
    #expect(filter.flush(at: deadline) == [values[1]])
    #expect(filter.deadline == nil)
    #expect(filter.end().isEmpty)
  }

  @Test func `a value behind a held one waits for no longer than copies take`() {
    var filter = DuplicateFilter()
    let values = [Self.value(1, at: 0), Self.value(1, at: 1), Self.value(2, at: 1000)]
    #expect(values.flatMap { filter.receive($0) } == [values[0]])
    let deadline = BootTime(nanoseconds: 2_000_000_000) + DuplicateFilter.spread
    #expect(filter.deadline == deadline)
    #expect(filter.flush(at: deadline) == [values[1], values[2]])
  }

  @Test func `the end of the link hands on what is held`() {
    var filter = DuplicateFilter()
    let values = (0..<5).map { Self.value(1, at: $0) }
    #expect(values.flatMap { filter.receive($0) } + filter.end() == values)
    #expect(filter.deadline == nil)
  }

  @Test func `values without intervals are never dropped: two of them may well be alike`() {
    var filter = DuplicateFilter()
    var output: [DuplicateFilter.Value] = []
    let times: [Int] = (0..<50).flatMap { second -> [Int] in [second * 1000, second * 1000 + 2] }
    let signalled = times.map { milliseconds -> DuplicateFilter.Value in
      let boot = BootTime(nanoseconds: UInt64(milliseconds + 1) * 1_000_000)
      let time = ReceiptTime(microsecondsSince1970: Int64(milliseconds) * 1000)
      return DuplicateFilter.Value(bytes: [0, 72], receipt: Receipt(boot: boot, time: time))
    }
    for value in signalled { output += filter.receive(value) }
    #expect(output == signalled)
    // Where somebody else had subscribed before us they are copies.
    filter = DuplicateFilter()
    filter.knowsOfOthers = true
    output = signalled.flatMap { filter.receive($0) } + filter.end()
    #expect(output.count == 50)
    #expect(filter.takeDropped() == 50)
    #expect(filter.takeDropped() == 0)
  }

  @Test func `a strap that is stuck and floods is neither held back nor dropped`() {
    var filter = DuplicateFilter()
    var output = 0
    for index in 0..<10_000 {
      output += filter.receive(Self.value(72, at: index * 10)).count
      #expect(index + 1 - output <= 2 * DuplicateFilter.longestRun)
    }
    #expect(output + filter.end().count == 10_000)
  }
}
