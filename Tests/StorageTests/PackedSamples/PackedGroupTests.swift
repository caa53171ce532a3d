import Testing

@testable import PackedSamples
@testable import TestSupport

@Suite struct PackedGroupTests {
  private func read(_ count: Int, _ bytes: [UInt8]) -> [UInt64]? {
    var reader = ColumnReader(bytes[...])
    var isSound = false
    let numbers = [UInt64](unsafeUninitializedCapacity: count) { numbers, initialized in
      numbers.initialize(repeating: 0)
      isSound = PackedGroup.read(&reader, into: numbers)
      initialized = count
    }
    return isSound && reader.isAtEnd ? numbers : nil
  }

  @Test func `numbers of any width come back, at any place in their bytes`() {
    var generator = SeededGenerator(seed: 4)
    for width in 0...64 {
      for count in [1, 2, 7, 8, 9, 127, 128] {
        let numbers = (0..<count).map { _ in width == 0 ? 0 : generator.next() >> UInt64(64 - width) }
        var bytes: [UInt8] = []
        PackedGroup.append(numbers[...], to: &bytes)
        #expect(read(count, bytes) == numbers, "\(count) of \(width) bits")
        #expect(bytes.count <= 2 + (count * width + 7) / 8)
      }
    }
  }

  @Test func `a number that is larger than the others stands beside them`() {
    var generator = SeededGenerator(seed: 5)
    for place in [0, 64, 127] {
      for large in [1 << 20, 1 << 57, UInt64.max] {
        var numbers = (0..<128).map { _ in generator.next() & 7 }
        numbers[place] = large
        var bytes: [UInt8] = []
        PackedGroup.append(numbers[...], to: &bytes)
        #expect(read(128, bytes) == numbers)
        #expect(bytes.count <= 2 + 48 + 11)
      }
    }
  }
}
