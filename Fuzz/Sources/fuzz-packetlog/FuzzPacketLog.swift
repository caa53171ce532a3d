import Bluetooth
import FuzzDriver
import PacketLog

/// Reads the input as a packet log.
///
/// Each record must lie within the log, and there may be no more records than bytes. An Android bug report is
/// compressed and may contain a thousand times as many.
@main
enum FuzzPacketLog {
  static func main() { fuzz(test) }
}

private func test(_ bytes: [UInt8]) {
  guard var reader = try? PacketLogFile.open(bytes: bytes) else { return }
  let length = reader.format == .btsnooz ? 1100 * bytes.count : bytes.count
  var records = 0
  var sum: UInt8 = 0
  while (try? reader.readRecord { record, payload in
    precondition(
      payload.byteCount <= length && record.offset >= 0 && record.offset <= Int64(length))
    // Every byte passed to the closure must be readable.
    for offset in 0..<payload.byteCount { sum ^= payload.unsafeLoad(fromByteOffset: offset, as: UInt8.self) }
  }) == true {
    records += 1
    precondition(records <= 2 * length)
  }
}
