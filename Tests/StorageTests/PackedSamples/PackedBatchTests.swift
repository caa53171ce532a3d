import Testing

@testable import PackedSamples
@testable import TestSupport

/// Tests decoding the batches of the schemas 14 to 17.
@Suite struct PackedBatchTests {
  /// Encodes a batch as the schemas 14 to 17 did.
  private func bytes(of parts: [PackedBatch.Part]) -> [UInt8] {
    var bytes: [UInt8] = [1]
    LEB128.append(UInt64(parts.count), to: &bytes)
    for part in parts {
      for number in [part.type, part.unit, part.provenance, part.metadata ?? 0] {
        LEB128.append(UInt64(number), to: &bytes)
      }
      LEB128.append(UInt64(part.block.count), to: &bytes)
    }
    for part in parts { bytes += part.block }
    return PackedBlock.sealed(bytes)
  }

  private func parts(seed: UInt64) throws -> [PackedBatch.Part] {
    var blocks = RandomBlock(seed: seed)
    return try (0..<4 as Range<Int64>).map { place in
      PackedBatch.Part(
        type: place, unit: 1 << place * 20, provenance: Int64.max - place,
        metadata: place == 2 ? nil : place + 1, block: try blocks.next().encoded())
    }
  }

  @Test func `a batch decodes to its parts`() throws {
    for seed in 0..<20 as Range<UInt64> {
      let parts = try parts(seed: seed)
      #expect(try PackedBatch(bytes(of: parts)).parts == parts)
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

  @Test func `every changed bit, missing byte and wrong length is found`() throws {
    let bytes = self.bytes(of: try parts(seed: 7))
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
    let sound = Array(self.bytes(of: try parts(seed: 3)).dropLast(4))
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
