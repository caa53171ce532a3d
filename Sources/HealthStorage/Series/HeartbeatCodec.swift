import PackedSamples

/// Encodes heartbeats without loss.
///
/// In a series from a heart-rate strap, the offsets are multiples of 1/1024 s, and a beat takes about two
/// bytes. In other series, each offset is stored as a `Double`. The first byte is the format:
/// - 1, ticks: for each beat the LEB128 of (ticks since the previous beat) · 2, plus 1 if there is a gap
///   before it. Offsets must not decrease.
/// - 2, seconds: LEB128 of the count, each offset as IEEE 754 binary64 little-endian, then one bit per beat
///   that is 1 if there is a gap before it, least significant bit first.
package enum HeartbeatCodec {
  private static let ticksPerSecond: Double = 1024
  /// The largest number up to which a `Double` can represent every integer.
  private static let greatestTick: Double = 0x1p53

  package static func encode(_ beats: [Heartbeat]) -> [UInt8] {
    encodeTicks(beats) ?? encodeSeconds(beats)
  }

  /// Encodes a first beat at offset 0, and the beats that follow it after these intervals in ticks of 1/1024
  /// s.
  package static func encode(intervals: [UInt16]) -> [UInt8] {
    var bytes: [UInt8] = [1, 1]
    bytes.reserveCapacity(2 + 2 * intervals.count)
    for interval in intervals { LEB128.append(UInt64(interval) << 1, to: &bytes) }
    return bytes
  }

  /// - Returns: The beats; `nil` for bytes that `encode` never returns. Invalid bytes do not cause a crash,
  ///   and need no more memory than their own size.
  package static func decode(_ bytes: [UInt8]) -> [Heartbeat]? {
    switch bytes.first {
    case 1: decodeTicks(bytes)
    case 2: decodeSeconds(bytes)
    default: nil
    }
  }

  private static func encodeTicks(_ beats: [Heartbeat]) -> [UInt8]? {
    var bytes: [UInt8] = [1]
    bytes.reserveCapacity(1 + 2 * beats.count)
    var last: UInt64 = 0
    for beat in beats {
      let ticks = beat.offset * ticksPerSecond
      guard ticks >= 0, ticks <= greatestTick, ticks == ticks.rounded(), beat.offset.sign == .plus else {
        return nil
      }
      let tick = UInt64(ticks)
      guard tick >= last else { return nil }
      LEB128.append((tick - last) << 1 | (beat.precededByGap ? 1 : 0), to: &bytes)
      last = tick
    }
    return bytes
  }

  private static func decodeTicks(_ bytes: [UInt8]) -> [Heartbeat]? {
    var beats: [Heartbeat] = []
    var position = 1
    var tick: UInt64 = 0
    while position < bytes.count {
      guard let word = LEB128.read(bytes, at: &position) else { return nil }
      tick &+= word >> 1
      guard tick <= UInt64(greatestTick) else { return nil }
      beats.append(Heartbeat(offset: Double(tick) / ticksPerSecond, precededByGap: word & 1 == 1))
    }
    return beats
  }

  private static func encodeSeconds(_ beats: [Heartbeat]) -> [UInt8] {
    var bytes: [UInt8] = [2]
    bytes.reserveCapacity(12 + 9 * beats.count)
    LEB128.append(UInt64(beats.count), to: &bytes)
    for beat in beats { LittleEndian.append(beat.offset.bitPattern, to: &bytes) }
    var gaps = [UInt8](repeating: 0, count: (beats.count + 7) / 8)
    for (index, beat) in beats.enumerated() where beat.precededByGap {
      gaps[index / 8] |= 1 << UInt8(index % 8)
    }
    return bytes + gaps
  }

  private static func decodeSeconds(_ bytes: [UInt8]) -> [Heartbeat]? {
    var position = 1
    guard let declared = LEB128.read(bytes, at: &position), declared <= UInt64(bytes.count / 8) else {
      return nil
    }
    let count = Int(declared)
    let gaps = position + 8 * count
    guard bytes.count == gaps + (count + 7) / 8 else { return nil }
    return (0..<count).compactMap { index in
      LittleEndian.read(bytes, at: &position).map { pattern in
        Heartbeat(
          offset: Double(bitPattern: pattern),
          precededByGap: bytes[gaps + index / 8] >> UInt8(index % 8) & 1 == 1)
      }
    }
  }
}

/// One beat of a series.
package struct Heartbeat: Hashable, Sendable {
  /// The time of the beat in seconds since the start of the series.
  package var offset: Double
  /// Whether beats may be missing just before this one.
  package var precededByGap: Bool

  package init(offset: Double, precededByGap: Bool) {
    self.offset = offset
    self.precededByGap = precededByGap
  }
}
