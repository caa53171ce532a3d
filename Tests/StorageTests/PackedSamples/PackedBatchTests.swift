import Testing

@testable import PackedSamples
@testable import TestSupport

@Suite struct PackedBatchTests {
  private func parts(seed: UInt64) throws -> [PackedBatch.Part] {
    var blocks = RandomBlock(seed: seed)
    return try (0..<4 as Range<Int64>).map { place in
      PackedBatch.Part(
        type: place, unit: 1 << place * 20, provenance: Int64.max - place,
        metadata: place == 2 ? nil : place + 1, block: try blocks.next().encoded())
    }
  }

  @Test func `what was packed together reads as it was`() throws {
    for seed in 0..<20 as Range<UInt64> {
      let parts = try parts(seed: seed)
      #expect(try PackedBatch(PackedBatch.bytes(of: parts)).parts == parts)
    }
  }

  private func flaw(_ bytes: [UInt8]) -> BlockError? {
    do {
      _ = try PackedBatch(bytes)
      return nil
    } catch {
      return error
    }
  }

  @Test func `every changed bit is found, and what is cut or claims too much is damaged`() throws {
    let bytes = PackedBatch.bytes(of: try parts(seed: 7))
    for place in 1..<min(bytes.count, 400) {
      for bit in 0..<8 {
        var changed = bytes
        changed[place] ^= 1 << UInt8(bit)
        #expect(flaw(changed) == .checksum)
      }
    }
    let body = Array(bytes.dropLast(4))
    for length in 0..<min(body.count, 400) {
      #expect(flaw(PackedBlock.sealed(Array(body[..<length]))) != nil)
    }
    #expect(flaw(PackedBlock.sealed(body + [0])) == .lengths)
    #expect(flaw(PackedBlock.sealed([2] + body.dropFirst())) == .version(2))
    #expect(flaw(PackedBlock.sealed([1, 0, 0, 0, 0])) == .count(0))
    #expect(flaw(PackedBlock.sealed([1, 99, 1, 1, 1, 1, 0])) == .count(99))
    #expect(flaw([]) == .cut)
  }

  @Test func `hostile bytes never trap`() throws {
    var generator = SeededGenerator(seed: 4)
    let sound = Array(PackedBatch.bytes(of: try parts(seed: 3)).dropLast(4))
    for round in 0..<(isLongRun ? 100_000 : 2000) {
      var bytes = sound
      if round % 2 == 0 {
        for _ in 0..<3 {
          bytes[Int.random(in: 1..<40, using: &generator)] = .random(in: 0...255, using: &generator)
        }
      } else {
        let length = Int.random(in: 0...60, using: &generator)
        bytes = [1] + (0..<length).map { _ in .random(in: 0...255, using: &generator) }
      }
      guard let found = try? PackedBatch(PackedBlock.sealed(bytes)) else { continue }
      #expect(found.parts.reduce(0) { $0 + $1.block.count } <= bytes.count)
    }
  }
}
