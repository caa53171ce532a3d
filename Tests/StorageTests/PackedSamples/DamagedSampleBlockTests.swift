import Testing

@testable import PackedSamples
@testable import TestSupport

@Suite struct DamagedSampleBlockTests {
  private func encoded(_ count: Int64) throws -> [UInt8] {
    var block = SampleBlock()
    for place in 0..<count {
      block.append(
        start: place * 1_000_000 + place * 7919 % 400, duration: place % 5,
        value: Double(60 + place * 7 % 11),
        change: place * 2 + 1,
        identity: place % 2 == 0 ? .derived(occurrence: 0) : .whole(high: UInt64(place), low: 9))
    }
    return try block.encoded()
  }

  private func flaw(_ bytes: [UInt8]) -> BlockError? {
    do {
      _ = try SampleBlock(decoding: bytes)
      return nil
    } catch {
      return error
    }
  }

  @Test func `every changed bit is found`() throws {
    let bytes = try encoded(20)
    for place in 1..<bytes.count {
      for bit in 0..<8 {
        var changed = bytes
        changed[place] ^= 1 << UInt8(bit)
        #expect(flaw(changed) == .checksum)
      }
    }
    #expect(flaw([9] + bytes.dropFirst()) == .version(9))
  }

  @Test func `cut and extended bytes are damaged, even with a checksum of their own`() throws {
    let bytes = try encoded(150)
    let body = Array(bytes.dropLast(4))
    for length in 0..<body.count { #expect(flaw(PackedBlock.sealed(Array(body[..<length]))) != nil) }
    #expect(flaw(PackedBlock.sealed(body + [0])) == .lengths)
    #expect(flaw([]) == .cut)
    #expect(flaw([1]) == .cut)
    #expect(flaw(bytes) == nil)
  }

  /// Returns an encoded segment with the given columns, valid or not.
  private func bytes(
    _ count: Int, starts: [UInt8] = [2, 2, 0], durations: [UInt8] = [], values: [UInt8] = [0, 2, 0, 0],
    changes: [UInt8] = [2, 2, 0], identities: [UInt8]? = nil
  ) -> [UInt8] {
    var all: [UInt8] = [0]
    LEB128.append(UInt64(count), to: &all)
    return PackedBlock.bytes(
      of: [starts, durations, values, changes, identities ?? all], count: count)
  }

  @Test func `damage names what is damaged`() {
    #expect(flaw(bytes(3)) == nil)
    #expect(flaw(bytes(0)) == .count(0))
    #expect(flaw(bytes(4097)) == .count(4097))
    #expect(flaw(bytes(3, starts: [2, 2, 2])) == .column(.starts))
    #expect(flaw(bytes(3, starts: [2, 2, 0, 0])) == .column(.starts))
    #expect(flaw(bytes(3, starts: [])) == .column(.starts))
    // Packed columns: a width of 65 bits, an exception at an invalid index, and one that exceeds 64 bits.
    #expect(flaw(bytes(3, starts: [2, 2, 1, 65, 0])) == .column(.starts))
    #expect(flaw(bytes(3, starts: [2, 2, 1, 0, 1, 2, 2])) == .column(.starts))
    #expect(
      flaw(bytes(3, starts: [2, 2, 1, 1, 1, 0, 1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1]))
        == .column(.starts))
    #expect(flaw(bytes(3, starts: [2, 1, 0])) == .descendingStarts)
    #expect(flaw(bytes(3, durations: [9, 0, 0])) == .end)
    #expect(flaw(bytes(3, durations: [2, 0, 3])) == .column(.durations))
    #expect(flaw(bytes(3, values: [11, 2, 0, 0])) == .column(.values))
    #expect(flaw(bytes(1, values: [255, 0, 0, 0, 0, 0, 0, 0xF8])) == .column(.values))
    #expect(flaw(bytes(1, values: [255, 0, 0, 0, 0, 0, 0, 0xF8, 0x7F])) == .notANumber)
    #expect(flaw(bytes(3, changes: [0, 2, 0])) == .change)
    #expect(flaw(bytes(3, identities: [0, 0, 0, 3])) == .column(.identities))
    #expect(flaw(bytes(3, identities: [0, 4])) == .column(.identities))
    #expect(flaw(bytes(3, identities: [4, 3])) == .column(.identities))
    #expect(flaw(bytes(1, identities: [1, 1, 0])) == .column(.identities))
    #expect(flaw(bytes(1, identities: [2, 1, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0])) == .column(.identities))
  }

  @Test func `hostile bytes never trap, and unpack to no more than a block`() throws {
    var generator = SeededGenerator(seed: 2)
    let sound = Array(try encoded(150).dropLast(4))
    for round in 0..<(isLongRun ? 100_000 : 2000) {
      var bytes = sound
      switch round % 3 {
      case 0:
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
      case 1: bytes[Int.random(in: 1..<16, using: &generator)] = .random(in: 0...255, using: &generator)
      default:
        bytes =
          [1]
          + (0..<Int.random(in: 0...60, using: &generator)).map { _ in .random(in: 0...255, using: &generator)
          }
      }
      guard let found = try? SampleBlock(decoding: PackedBlock.sealed(bytes)) else { continue }
      #expect(found.count <= SampleBlock.capacity)
      #expect(try SampleBlock(decoding: found.encoded()).isIdentical(to: found))
    }
  }
}
