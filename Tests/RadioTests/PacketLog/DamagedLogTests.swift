import PacketLog
import Testing

@testable import TestSupport

/// Tests that reading damaged or random bytes ends, and delivers no more records than the bytes can contain.
struct DamagedLogTests {
  @Test(arguments: EveryContainerTests.containers)
  func `flipped bits cause no trap and no endless loop`(_ container: EveryContainerTests.Container) {
    var generator = SeededGenerator(seed: 42)
    for _ in 0..<1500 {
      var bytes = container.log
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        let index = Int.random(in: bytes.indices, using: &generator)
        bytes[index] ^= 1 << UInt8.random(in: 0...7, using: &generator)
      }
      read(bytes)
    }
  }

  @Test(arguments: EveryContainerTests.containers)
  func `replaced bytes cause no trap and no endless loop`(_ container: EveryContainerTests.Container) {
    var generator = SeededGenerator(seed: 43)
    let extremes: [UInt8] = [0x00, 0x01, 0x7F, 0x80, 0xFE, 0xFF]
    for index in container.log.indices {
      for value in extremes {
        var bytes = container.log
        bytes[index] = value
        if Bool.random(using: &generator) { bytes.removeLast(Int.random(in: 0...8, using: &generator)) }
        read(bytes)
      }
    }
  }

  @Test(arguments: [187, 192, 201, 251, 254, 256, 272] as [UInt32])
  func `any bytes in any link type are handled`(_ linkType: UInt32) {
    var generator = SeededGenerator(seed: UInt64(linkType))
    var log = pcapHeader(linkType: linkType)
    for _ in 0..<3000 {
      let count = Int.random(in: 0...40, using: &generator)
      // Small values make valid lengths and versions more likely.
      let bytes = (0..<count).map { _ in
        Bool.random(using: &generator)
          ? UInt8.random(in: 0...20, using: &generator) : .random(in: 0...255, using: &generator)
      }
      log += pcapRecord(0, 0, bytes, originalLength: count + Int.random(in: -5...5, using: &generator) & 0xFF)
    }
    let entries = RecordedLog(log).entries
    #expect(entries.count == 3000)
  }

  private func read(_ bytes: [UInt8]) {
    let log = RecordedLog(bytes)
    // Each record takes at least six bytes, and may have an additional entry that reports lost packets.
    #expect(log.entries.count <= bytes.count / 3)
    #expect(log.entries.reduce(0) { $0 + $1.bytes.count } <= bytes.count)
    if let damage = log.damage { #expect(damage.offset >= 0 && damage.offset <= Int64(bytes.count)) }
  }
}
