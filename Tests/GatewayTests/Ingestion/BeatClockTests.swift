import Bluetooth
import Testing

@testable import Ingestion

/// Frames of a strap: one per second, with the intervals that ended since the last one.
private struct Frames {
  var list: [(intervals: [UInt16], receipt: ReceiptTime)] = []

  /// - Parameters:
  ///   - intervals: In ticks, consecutive from `origin`.
  ///   - delay: Delivery delay of frame number n, in microseconds.
  init(_ intervals: [UInt16], origin: Int64 = 1_000_000_000_000_000, delay: (Int) -> Int64 = { _ in 0 }) {
    var queue = intervals[...]
    var elapsed = 0
    var frame = 0
    while !queue.isEmpty {
      frame += 1
      var taken: [UInt16] = []
      while let next = queue.first, (elapsed + Int(next)) * 1_000_000 / 1024 <= frame * 1_000_000 {
        elapsed += Int(next)
        taken.append(next)
        queue.removeFirst()
      }
      list.append(
        (taken, ReceiptTime(microsecondsSince1970: origin + Int64(frame) * 1_000_000 + delay(frame))))
    }
  }
}

private func segments(_ frames: Frames) -> [BeatSegment] {
  var clock = BeatClock()
  for frame in frames.list { clock.receive(frame.intervals, at: frame.receipt) }
  clock.interrupt()
  return clock.drainFinished()
}

private let minute = [UInt16](repeating: 900, count: 68)

@Suite struct BeatClockTests {
  @Test func `one uninterrupted run is one segment with every interval`() {
    let found = segments(Frames(minute))
    #expect(found.count == 1)
    #expect(found.first?.intervals == minute)
  }

  @Test func `offsets are exact multiples of a tick`() {
    let found = segments(Frames([692, 694, 660]))
    let ticks: [Double] = [0, 692, 1386, 2046]
    #expect(found.first?.offsets == ticks.map { $0 / 1024 })
  }

  @Test func `the start is the earliest that any frame allows`() throws {
    func start(_ delay: (Int) -> Int64) throws -> Int64 {
      try #require(segments(Frames(minute, delay: delay)).first).start.microsecondsSince1970
    }
    // The first interval begins at the origin. The newest beat of a frame is up to 900 ticks (880 ms) older
    // than the frame.
    let prompt = try start { _ in 0 }
    #expect((0..<880_000).contains(prompt - 1_000_000_000_000_000))
    #expect(try start { _ in 300_000 } == prompt + 300_000)
    #expect(try start { $0.isMultiple(of: 3) ? 0 : 300_000 } < prompt + 300_000)
  }

  @Test func `a single frame that is seconds late does not end a segment`() {
    // Bluetooth LE keeps the order of frames, so the frames after a late one are delayed too, and all arrive
    // at once.
    let found = segments(Frames(minute) { (30...32).contains($0) ? Int64(33 - $0) * 1_000_000 : 0 })
    #expect(found.count == 1)
  }

  @Test func `missing beats end the segment before the first frame that is late`() throws {
    var frames = Frames(minute)
    frames.list.removeSubrange(30..<34)
    let found = segments(frames)
    #expect(found.count == 2)
    let before = frames.list[..<30].flatMap(\.intervals)
    #expect(found.first?.intervals == before)
    #expect(found.flatMap(\.intervals) == frames.list.flatMap(\.intervals))
    let gap = try #require(found.last).start.microseconds(since: try #require(found.first).start)
    let spanned = Int64(before.reduce(0) { $0 + Int($1) }) * 15_625 / 16
    #expect(gap > spanned + 2_000_000)
  }

  @Test func `frames without intervals are no gap, because a slow heart skips frames`() {
    let slow = [UInt16](repeating: 2048, count: 30)
    #expect(segments(Frames(slow)).count == 1)
  }

  @Test func `beats that drift relative to the frames are no gap`() {
    // With intervals of 1010 ticks and frames every 1024 ticks, the age of the newest beat varies from 0 to 1
    // s.
    #expect(segments(Frames([UInt16](repeating: 1010, count: 280))).count == 1)
    #expect(segments(Frames([UInt16](repeating: 1040, count: 280))).count == 1)
  }

  @Test func `a receipt time that steps back starts a new segment`() {
    var frames = Frames(minute)
    for index in 30..<frames.list.count { frames.list[index].receipt.microsecondsSince1970 -= 3_600_000_000 }
    #expect(segments(frames).count == 2)
  }

  @Test func `more heartbeat than time starts a new segment`() {
    var frames = Frames(minute)
    frames.list[30].intervals += [UInt16](repeating: 900, count: 8)
    let (found, surplus) = fitted(frames)
    #expect(found.count == 2)
    // No interval is dropped. One frame with too many intervals does not mean that the strap repeats its
    // intervals.
    #expect(surplus.dropped == 0 && surplus.stored == 0)
    #expect(found.flatMap(\.intervals).count == minute.count + 8)
    #expect(found.count { $0.exceedsTime } == 0)
  }

  private func fitted(
    _ frames: Frames, linkedAt link: ReceiptTime? = nil
  ) -> (segments: [BeatSegment], surplus: (dropped: Int, stored: Int)) {
    var clock = BeatClock()
    if let link { clock.beginLink(at: link) }
    for frame in frames.list { clock.receive(frame.intervals, at: frame.receipt) }
    clock.interrupt()
    return (clock.drainFinished(), clock.drainSurplus())
  }

  /// Each frame's intervals are longer than a second, and the strap sends one frame a second.
  @Test(
    arguments: [
      [1229], [931, 925], [700, 700, 700], [1060], [900, 900, 900], [900, 900, 900, 900, 900, 900],
    ] as [[UInt16]])
  func `segments of a strap that repeats intervals never exceed the elapsed time`(intervals: [UInt16]) throws
  {
    var frames = Frames([])
    let origin: Int64 = 1_000_000_000_000_000
    for second in 0..<600 {
      frames.list.append(
        (intervals, ReceiptTime(microsecondsSince1970: origin + Int64(second) * 1_000_000)))
    }
    let link = ReceiptTime(microsecondsSince1970: origin - 1_500_000)
    let (found, surplus) = fitted(frames, linkedAt: link)
    // Only the first segment may begin before the link, with intervals that the strap measured before it
    // connected.
    var end = link.microsecondsSince1970
    if let first = found.first, !first.exceedsTime { end = first.start.microsecondsSince1970 }
    for segment in found {
      #expect(segment.start.microsecondsSince1970 >= end)
      end = segment.start.microsecondsSince1970 + Int64((segment.offsets.last ?? 0) * 1e6)
    }
    #expect(end <= origin + 599_000_001)
    // Each interval is in a segment or was dropped, and at most a tenth is in segments that count as RR
    // intervals.
    #expect(found.flatMap(\.intervals).count + surplus.dropped == 600 * intervals.count)
    let used = found.filter { !$0.exceedsTime }.flatMap(\.intervals).count
    #expect(used <= 60 * intervals.count)
    #expect(surplus.stored + used + surplus.dropped == 600 * intervals.count)
  }

  /// The newest beat of a frame is up to one interval old: a second when the heart is slow, less later.
  @Test(arguments: Array(stride(from: 0, to: 1, by: 0.05)))
  func `a slow heart that becomes fast is no repetition`(delay: Double) {
    var frames = Frames([])
    var beat = delay
    var receipt = 0.99
    var count = 0
    var intervals: [UInt16] = []
    while receipt < 900 {
      while true {
        // The heart beats at 60 a minute for the first minute, and then accelerates to 140 within two
        // minutes.
        let interval = UInt16((1017 * 60 / (60 + 80 * min(max(receipt - 60, 0) / 120, 1))).rounded())
        guard beat + Double(interval) / 1024 <= receipt else { break }
        beat += Double(interval) / 1024
        intervals.append(interval)
      }
      frames.list.append(
        (intervals, ReceiptTime(microsecondsSince1970: 1_000_000_000_000_000 + Int64(receipt * 1e6))))
      count += intervals.count
      intervals = []
      receipt += 0.99
    }
    let (found, surplus) = fitted(frames)
    #expect(found.count { $0.exceedsTime } == 0)
    #expect(found.flatMap(\.intervals).count == count)
    #expect(surplus.dropped == 0 && surplus.stored == 0)
  }

  @Test func `a strap that repeated intervals for a while is trusted again`() {
    var frames = Frames((0..<1000).map { UInt16(880 + $0 % 40) })
    for index in 200..<240 { frames.list[index].intervals += frames.list[index].intervals }
    let (found, surplus) = fitted(frames)
    #expect(found.contains { $0.exceedsTime })
    #expect(found.last?.exceedsTime == false)
    #expect(found.flatMap(\.intervals).count + surplus.dropped == frames.list.flatMap(\.intervals).count)
  }

  @Test func `a crystal that is too fast ends segments and is no repetition`() {
    // The receipt times drift by 200 ppm. At this rate it takes hours until the tolerance of the beat clock
    // is used up.
    let intervals = [UInt16](repeating: 1000, count: 12_000)
    let (found, surplus) = fitted(Frames(intervals) { -Int64($0) * 200 })
    #expect(found.count { $0.exceedsTime } == 0)
    #expect(surplus.stored == 0 && surplus.dropped == 0)
    #expect(found.flatMap(\.intervals) == intervals)
  }

  @Test func `a long segment is split into parts that share their end beat`() throws {
    let long = (0..<1000).map { UInt16(880 + $0 % 40) }
    let found = segments(Frames(long) { Int64($0 * 7919 % 90_000) })
    #expect(found.count == 4)
    #expect(found.flatMap(\.intervals) == long)
    for (part, next) in zip(found, found.dropFirst()) {
      #expect(part.intervals.count >= BeatClock.maximumIntervals)
      let seconds = try #require(part.offsets.last)
      let end = part.start.microsecondsSince1970 + Int64(seconds * 1e6)
      #expect(abs(next.start.microsecondsSince1970 - end) < 20_000)
    }
  }

  @Test func `a slow crystal is tracked and is no gap`() {
    // The strap's clock is slow by 50 ppm, so the ticks fall behind by 180 ms in an hour.
    let hour = [UInt16](repeating: 1000, count: 3600)
    let found = segments(Frames(hour) { Int64($0) * 50 })
    #expect(found.flatMap(\.intervals) == hour)
    let expectedEnd = 1_000_000_000_000_000 + 3600 * 976_562 + 175_000
    let last = found.last.map { $0.start.microsecondsSince1970 + Int64(($0.offsets.last ?? 0) * 1e6) }
    #expect(abs((last ?? 0) - Int64(expectedEnd)) < 1_000_000)
  }

  @Test func `beats of a strap with a slow crystal stay continuous for half a day`() {
    // The strap's clock is slow by 45 ppm, so the ticks fall behind by two seconds in half a day. If the beat
    // clock did not track this, beats would seem to be missing.
    let intervals = [UInt16](repeating: 1000, count: 44_000)
    let found = segments(Frames(intervals) { Int64($0) * 45 })
    #expect(found.flatMap(\.intervals) == intervals)
    #expect(found.dropLast().allSatisfy { $0.intervals.count >= BeatClock.maximumIntervals })
    #expect(found.count == 147)
  }

  @Test(arguments: [-10, 0, 40] as [Int64])
  func `no beat is later than the receipt of its frame, and no part starts before the previous one ends`(
    drift: Int64
  ) {
    // The radio delay varies. Occasionally a frame arrives faster than all earlier ones.
    let intervals = (0..<4_000).map { UInt16(700 + $0 * 37 % 200) }
    let frames = Frames(intervals) { frame in
      let delay = Int64(frame * 7919 % 90_000) + (frame % 700 == 690 ? 0 : 40_000)
      return 200_000 + delay + Int64(frame) * drift
    }
    let found = segments(frames)
    #expect(found.flatMap(\.intervals) == intervals)
    let receipts = frames.list.flatMap { frame in frame.intervals.map { _ in frame.receipt } }
    var place = 0
    for segment in found {
      for offset in segment.offsets.dropFirst() {
        let late = receipts[place].microseconds(since: segment.start)
        #expect(offset * 1e6 <= Double(late), "interval \(place)")
        place += 1
      }
    }
    for (part, next) in zip(found, found.dropFirst()) {
      let length = (part.offsets.last ?? 0) * 1e6
      #expect(Double(next.start.microseconds(since: part.start)) >= length - 0.001)
    }
  }

  @Test func `first frames that are all late do not become a separate segment`() throws {
    // The first eight frames arrive late because the host is busy with the new link. The tenth frame is on
    // time.
    let found = segments(Frames(minute) { $0 <= 8 ? 1_900_000 : $0 == 9 ? 950_000 : 0 })
    #expect(found.map(\.intervals) == [minute])
    let start = try #require(found.first).start.microsecondsSince1970
    #expect((0..<880_000).contains(start - 1_000_000_000_000_000))
  }

  /// A paused host delivers the queued frames at once.
  @Test(arguments: [20, 31, 45], [30, 60, 90, 120]) func `frames that were queued are no repetition`(
    first: Int, queued: Int
  ) {
    let two = [UInt16](repeating: 900, count: 4 * minute.count)
    let frames = Frames(two) {
      (first..<first + queued).contains($0) ? Int64(first + queued - $0) * 1_000_000 : 0
    }
    for link in [nil, ReceiptTime(microsecondsSince1970: 999_999_999_000_000)] {
      let (found, surplus) = fitted(frames, linkedAt: link)
      #expect(found.flatMap(\.intervals) == two)
      #expect(found.count { $0.exceedsTime } == 0)
      #expect(surplus.stored == 0 && surplus.dropped == 0)
    }
  }

  /// The clocks of the machine were paused with it, so the queued frames seem to arrive within no time.
  @Test(arguments: [20, 31, 45], [5, 30, 60, 90, 120])
  func `frames that were queued while the clock was paused are a separate segment`(
    first: Int, queued: Int
  ) throws {
    let all = [UInt16](repeating: 900, count: 5 * minute.count)
    let frames = Frames(all) {
      $0 < first ? 0 : Int64(max(first - $0, -queued)) * 1_000_000 + Int64(min($0 - first, queued)) * 8_000
    }
    var clock = BeatClock()
    for (number, frame) in frames.list.enumerated() {
      let isDelayed = (first..<first + queued).contains(number + 1)
      clock.receive(frame.intervals.span, at: frame.receipt, isDelayed: isDelayed)
    }
    clock.interrupt()
    let found = clock.drainFinished()
    #expect(found.flatMap(\.intervals) == all)
    #expect(found.count { $0.exceedsTime } == 0)
    let surplus = clock.drainSurplus()
    #expect(surplus.stored == 0 && surplus.dropped == 0)
    // One segment before the pause, one with the queued frames, and then parts of at most 300 intervals.
    #expect((3...4).contains(found.count), "\(found.map(\.intervals.count))")
    for (segment, next) in zip(found, found.dropFirst()) where segment.firstReceipt == next.firstReceipt {
      Issue.record("two segments begin with one frame")
    }
  }

  @Test func `no interval is joined across an interruption`() {
    var clock = BeatClock()
    clock.receive([800, 801], at: ReceiptTime(microsecondsSince1970: 10_000_000))
    clock.interrupt()
    clock.receive([802], at: ReceiptTime(microsecondsSince1970: 10_500_000))
    clock.interrupt()
    #expect(clock.drainFinished().map(\.intervals) == [[800, 801], [802]])
  }

  @Test func `frames without intervals make no segment`() {
    var clock = BeatClock()
    clock.receive([], at: ReceiptTime(microsecondsSince1970: 0))
    clock.interrupt()
    #expect(clock.drainFinished().isEmpty)
  }

  @Test func `random frames keep every interval once, or count it as dropped`() {
    var state: UInt64 = 7
    func next(_ bound: UInt64) -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state >> 33) % bound
    }
    for _ in 0..<200 {
      var clock = BeatClock()
      var fed: [UInt16] = []
      var time: Int64 = 0
      for _ in 0..<200 {
        time = max(0, time + Int64(next(4_000_000)) - 500_000)
        let intervals = (0..<next(4)).map { _ in UInt16(next(65_536)) }
        fed += intervals
        clock.receive(intervals, at: ReceiptTime(microsecondsSince1970: time))
        if next(50) == 0 { clock.interrupt() }
      }
      clock.interrupt()
      let kept = clock.drainFinished().flatMap(\.intervals)
      let surplus = clock.drainSurplus()
      #expect(kept.count + surplus.dropped == fed.count)
    }
  }
}

extension BeatClock {
  fileprivate mutating func receive(_ intervals: [UInt16], at receipt: ReceiptTime) {
    receive(intervals.span, at: receipt)
  }
}
