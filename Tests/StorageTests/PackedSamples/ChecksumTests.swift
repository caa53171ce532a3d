import Testing

@testable import PackedSamples

@Suite struct ChecksumTests {
  /// The examples of RFC 3720, appendix B.4, and the check value of the catalog of CRCs.
  @Test(
    arguments: [
      (Array("123456789".utf8), 0xE306_9283), (Array(repeating: 0, count: 32), 0x8A91_36AA),
      (Array(repeating: 0xFF, count: 32), 0x62A8_AB43), (Array(0..<32), 0x46DD_794E),
      ((0..<32).reversed(), 0x113F_DB5C), ([], 0),
    ] as [([UInt8], UInt32)])
  func `checksums are those of the standard`(_ bytes: [UInt8], _ checksum: UInt32) {
    #expect(CRC32C.checksum(bytes[...]) == checksum)
  }
}
