import Foundation
import Testing

@testable import PackedSamples
@testable import TestSupport

@Suite struct SampleBlockTests {
  @Test func `any sound block comes back to the bit`() throws {
    var random = RandomBlock(seed: 1)
    for round in 0..<(isLongRun ? 5000 : 100) {
      let block = random.next()
      let bytes = try block.encoded()
      let found = try SampleBlock(decoding: bytes)
      #expect(found.isIdentical(to: block), "round \(round)")
      // Encoding is deterministic, so that copies of a store have the same bytes.
      #expect(try found.encoded() == bytes, "round \(round)")
    }
  }

  @Test func `each column can be read without the others`() throws {
    var random = RandomBlock(seed: 2)
    let block = random.next()
    let packed = try PackedBlock(block.encoded())
    #expect(packed.count == block.count)
    #expect(try packed.identities() == block.identities)
    #expect(try packed.changes() == block.changes)
    #expect(try packed.values().map(\.bitPattern) == block.values.map(\.bitPattern))
    #expect(try packed.starts() == block.starts)
    #expect(try packed.durations(from: block.starts) ?? [0] == block.durations)
  }

  @Test func `heart rates at one hertz take less than three bytes a sample, all told`() throws {
    var year = HeartRateYear(seed: 1)
    var (samples, bytes) = (0, 0)
    for _ in 0..<(isLongRun ? 24 * 30 : 4) {
      let block = year.hour()
      samples += block.count
      bytes += try block.encoded().count
    }
    let each = Double(bytes) / Double(samples)
    #expect(each < 3, "\(each) bytes a sample")
  }

  @Test func `the order of twenty straps that store in turn takes less than half a byte a sample`() throws {
    var (alone, among) = (HeartRateYear(seed: 1), HeartRateYear(seed: 1))
    let (one, other) = (alone.hour(), among.hour(straps: 20))
    let more =
      Double(try other.encoded().count) / Double(other.count) - Double(try one.encoded().count)
      / Double(one.count)
    #expect(more < 0.5, "\(more) bytes a sample")
  }

  @Test func `a gap among steady times costs itself and no more`() throws {
    func size(gap: Int64) throws -> Int {
      var block = SampleBlock()
      for place in 0..<Int64(600) {
        block.append(
          start: place * 1_000_000 + place % 3 + (place > 300 ? gap : 0), duration: 0, value: 60,
          change: place + 1, identity: .derived(occurrence: 0))
      }
      return try block.encoded().count
    }
    #expect(try size(gap: 3_000_000_000) <= size(gap: 0) + 8)
  }

  @Test func `equal samples cost nothing, up to a full block`() throws {
    var block = SampleBlock()
    for place in 0..<SampleBlock.capacity {
      block.append(
        start: 5, duration: 0, value: 61, change: Int64(place) + 1, identity: .derived(occurrence: 0))
    }
    let bytes = try block.encoded()
    #expect(bytes.count < 64)
    #expect(try SampleBlock(decoding: bytes).isIdentical(to: block))
    block.append(start: 6, duration: 0, value: 61, change: 1, identity: .derived(occurrence: 0))
    #expect(throws: BlockError.count(4097)) { try block.encoded() }
  }

  @Test func `what is no row of samples is refused`() {
    func flaw(
      _ samples: [(start: Int64, duration: Int64, value: Double, change: Int64)]
    ) -> BlockError? {
      var block = SampleBlock()
      for sample in samples {
        block.append(
          start: sample.start, duration: sample.duration, value: sample.value, change: sample.change,
          identity: .derived(occurrence: 0))
      }
      do {
        _ = try block.encoded()
        return nil
      } catch {
        return error
      }
    }
    #expect(flaw([]) == .count(0))
    #expect(flaw([(2, 0, 1, 1), (1, 0, 1, 2)]) == .descendingStarts)
    #expect(flaw([(1, -1, 1, 1)]) == .end)
    #expect(flaw([(.max, 1, 1, 1)]) == .end)
    #expect(flaw([(1, 0, .nan, 1)]) == .notANumber)
    #expect(flaw([(1, 0, 1, 0)]) == .change)
    #expect(flaw([(1, 0, 1, 1), (1, 0, 1, 1)]) == nil)
  }

  @Test func `a block that an earlier version wrote is read, and written again as it was`() throws {
    let seed = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../../Fuzz/Seeds/block.bin")
    let bytes = Array(try Data(contentsOf: seed.standardizedFileURL))
    let block = try SampleBlock(decoding: bytes)
    #expect(block.count == 300)
    #expect(
      Array(block.starts[199...202])
        == [199_000_281, 200_000_200, 291_000_119, 292_000_038].map {
          1_700_000_000_000_000 + $0
        })
    #expect(Array(block.durations[49...51]) == [0, 250_000, 0])
    #expect(Array(block.values[0...3]) == [60, 63.7, 67.4, 62])
    #expect(Array(block.changes[0...3]) == [1, 5, 7, 11])
    #expect(
      Array(block.identities[0...3]) == [
        .derived(occurrence: 0), .derived(occurrence: 0), .hashed(high: 2, low: 2 << 50 | 77),
        .derived(occurrence: 3),
      ])
    #expect(block.identities[7] == .whole(high: 0x018B_CFE5_687B_7923, low: 7))
    #expect(try block.encoded() == bytes)
  }
}
