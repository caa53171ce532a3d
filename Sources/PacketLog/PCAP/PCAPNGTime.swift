internal import Bluetooth

/// The unit and offset of an interface's timestamps, from the options `if_tsresol` and `if_tsoffset`.
struct PCAPNGTime {
  /// The negative exponent of the unit. The highest bit is set for powers of two, and clear for powers of
  /// ten.
  var resolution: UInt8 = 6
  /// Seconds to add to each timestamp.
  var offsetSeconds: Int64 = 0

  /// Converts a timestamp to whole microseconds, rounded down and clamped to 64 bits.
  func receiptTime(_ timestamp: UInt64) -> ReceiptTime {
    let count = microseconds(timestamp)
    let (offset, overflow) = offsetSeconds.multipliedReportingOverflow(by: 1_000_000)
    let (sum, sumOverflow) = count.addingReportingOverflow(offset)
    guard overflow || sumOverflow else { return ReceiptTime(microsecondsSince1970: sum) }
    return ReceiptTime(microsecondsSince1970: offsetSeconds < 0 ? .min : .max)
  }

  private func microseconds(_ timestamp: UInt64) -> Int64 {
    let exponent = Int(resolution & 0x7F)
    if resolution & 0x80 != 0 {
      return Int64(clamping: (UInt128(timestamp) * 1_000_000) >> exponent)
    }
    if exponent == 6 { return Int64(clamping: timestamp) }
    if exponent < 6 { return Int64(clamping: UInt128(timestamp) * UInt128(Self.powerOfTen(6 - exponent))) }
    // 10^19 is the largest power of ten within a 64-bit timestamp.
    return exponent > 25 ? 0 : Int64(clamping: timestamp / Self.powerOfTen(exponent - 6))
  }

  private static func powerOfTen(_ exponent: Int) -> UInt64 {
    var power: UInt64 = 1
    for _ in 0..<exponent { power &*= 10 }
    return power
  }
}
