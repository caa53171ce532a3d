import Bluetooth
import Testing

@testable import PacketLog
@testable import TestSupport

/// Tests the compressed log in the text of an Android bug report.
struct BTSnoozReaderTests {
  @Test(arguments: [1, 2] as [UInt8])
  func `its packets are read, from the text and separately`(_ version: UInt8) throws {
    let packets = SamplePackets.allTypes
    let packed = btsnoozLog(packets, version: version)
    for bytes in [packed, bugReport(packed)] {
      let reader = try PacketLogFile.open(bytes: bytes)
      #expect(reader.format == .btsnooz)
      let log = RecordedLog(reader)
      #expect(log.damage == nil)
      #expect(log.packets == packets)
    }
  }

  @Test func `a packet with only its beginning is truncated`() {
    let packets = SamplePackets.allTypes
    let log = RecordedLog(btsnoozLog(packets, kept: 3))
    #expect(log.entries.map(\.record.isTruncated) == packets.map { $0.bytes.count > 3 })
    #expect(log.entries.map(\.bytes) == packets.map { Array($0.bytes.prefix(3)) })
  }

  @Test func `the marker is found at any position`() throws {
    let folder = try TemporaryFolder()
    let packets = SamplePackets.commandEventACL
    let report = bugReport(btsnoozLog(packets))
    // Lines whose ends are before, at and after the end of a block. Blocks have the size of the read buffer.
    for length in [0, ByteSource.capacity - 200, ByteSource.capacity - 150, 2 * ByteSource.capacity] {
      let line = [UInt8](repeating: UInt8(ascii: "x"), count: length)
      let path = try folder.file("report.txt", line + report)
      #expect(RecordedLog(try PacketLogFile.open(path: path)).packets == packets)
    }
  }

  @Test func `a text without a log is not a log`() {
    let text = "--- BEGIN:BTSNOOP_LOG_SUMMAR\nAQAAAA==\n--- BEGIN:BTSNOOP_LOG_SUMMARY"
    #expect(RecordedLog(Array(text.utf8)).damage == PacketLogError(.notAPacketLog, offset: 0))
  }

  @Test func `an incomplete log has no times, and is rejected with its name`() {
    let packets = SamplePackets.allTypes
    let packed = btsnoozLog(packets)
    for length in 0..<packed.count {
      let cut = RecordedLog(bugReport(Array(packed.prefix(length))))
      #expect(cut.entries.isEmpty)
      #expect(cut.damage?.code == .truncated)
    }
    // The data is compressed correctly, but ends within the last record.
    let header = btsnoozHeader(version: 1, last: 1_700_000_000_000_000)
    let record: [UInt8] = [4, 0, 0, 0, 0, 0, 0x20, 3, 12, 0]
    let damage = RecordedLog(header + zlibStored(record + record.dropLast())).damage
    #expect(damage == PacketLogError(.truncated, offset: Int64(record.count)))
    var wrong = packed
    wrong[wrong.count - 1] ^= 1
    #expect(
      RecordedLog(wrong).damage?.code
        == .malformed("the compressed records of the bug report cannot be unpacked"))
    #expect(RecordedLog(wrong).entries.isEmpty)
    #expect(RecordedLog(Array("--- BEGIN:BTSNOOP_LOG_SUMMARY\nA*B".utf8)).damage?.code.name == "malformed")
    let other = RecordedLog(bugReport([3] + packed.dropFirst()))
    #expect(other.damage?.code == .malformed("unknown btsnooz version"))
  }

  @Test func `more data than any phone keeps is rejected`() throws {
    // Zeros are compressed to a thousandth of their size, and each would be a record of length 0.
    let zeros = zlibStored([UInt8](repeating: 0, count: 17 << 20))
    #expect(throws: Inflation.InflationError.tooLong) { try Inflation.unpack(zeros[...], upTo: 16 << 20) }
    #expect(throws: Inflation.InflationError.tooLong) {
      try Inflation.unpack(zeros[...], upTo: (17 << 20) - 1)
    }
    #expect(try Inflation.unpack(zeros[...], upTo: 17 << 20).count == 17 << 20)
  }

  // MARK: - Unpacking

  private func unpacked(_ hexadecimal: String) throws(Inflation.InflationError) -> [UInt8] {
    let bytes = stride(from: 0, to: hexadecimal.count, by: 2).compactMap { offset -> UInt8? in
      let start = hexadecimal.index(hexadecimal.startIndex, offsetBy: offset)
      return UInt8(hexadecimal[start..<hexadecimal.index(start, offsetBy: 2)], radix: 16)
    }
    return try Inflation.unpack(bytes[...], upTo: 1 << 20)
  }

  /// Data from zlib's own compressor: `letters`, with dynamic codes.
  private static let letters = """
    78dae592cb0dc35008046b431cb871a2ff5a32b32fa922b264bf0f0cece2eadbaaeea9bade193677b5dbeeef6e389bbaddebf79de5be38ed25a2c8\
    3dbf840a9aedfb3d5913d52c0d673f44750d916725cea8d020850c7078540745ed26f1bc6b1124170f2c22f3aeb505f8c0618115e2c97ad37be401\
    df0d072ce169d8fd517b3cdbb6b88ad97340a7a82bf7144ccbf66c198b92097c1006fc9973714af5f6ad27a04fd1962e3f76b811c6d5d89b48eacd\
    a88fa516e1b1566a4c565f6117615aa0fd154b14a6054e0c85b5712075ed9052b6ef2451f5be5a710f48ff6246918e71324459a62a5a87d32bce44\
    9832324ae5cec38b6038d48f307275b69ca8b04e91fc37e33b26784766bd8981955611f6afbfe2073b270173
    """

  @Test func `fixed and dynamic codes are decompressed`() throws {
    let repeated = try unpacked("78dacb48cdc9c957c8402701680308b1")
    #expect(repeated == Array("hello hello hello hello".utf8))
    let fixed = try unpacked("78014b4c4402490027d80550")
    #expect(fixed == Array("aaaaaaaaaaaaab".utf8))
    let dynamic = try unpacked(Self.letters)
    let letters = Array("ACGTN".utf8)
    let expected = (0..<900).map { number -> UInt8 in
      let sum: Int = number * number * number + number * number / 7 + number / 3
      return letters[sum % 31 % 5]
    }
    #expect(dynamic == expected)
  }

  @Test func `damaged data gives an error`() {
    #expect(throws: Inflation.InflationError.truncated) { try unpacked("") }
    #expect(throws: Inflation.InflationError.truncated) { try unpacked("78da") }
    // A window beyond 32 KiB, a dictionary, another method, a wrong checksum, a block of an unknown type.
    for packed in [
      "881c4b4c4402490027d80550", "78bb4b4c4402490027d80550", "79184b4c4402490027d80550",
      "78014b4c4402490027d80551", "780107",
    ] {
      #expect(throws: Inflation.InflationError.malformed, "\(packed)") { try unpacked(packed) }
    }
  }

  @Test func `any change of compressed bytes is an error and not a trap`() throws {
    var generator = SeededGenerator(seed: 3)
    let packed = Array(Self.letters.utf8)
    for _ in 0..<4000 {
      var changed = packed
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let digits = Array("0123456789abcdef".utf8)
        changed[.random(in: 4..<packed.count, using: &generator)] =
          digits.randomElement(using: &generator) ?? 0x30
      }
      guard let bytes = try? unpacked(String(decoding: changed, as: UTF8.self)) else { continue }
      // The checksum detects each changed bit, unless the change encodes the same bytes differently.
      #expect(try bytes == unpacked(Self.letters))
    }
  }
}
