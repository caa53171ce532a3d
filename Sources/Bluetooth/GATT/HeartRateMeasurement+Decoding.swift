extension HeartRateMeasurement {
  /// A way in which a frame deviates from what its flags promise, though part of it could be read.
  public enum Anomaly: String, Hashable, Sendable, CaseIterable {
    /// The energy flag is set and fewer than two octets follow the heart rate.
    case truncatedEnergyExpended
    /// The RR flag is set and no interval follows.
    case missingRRIntervals
    /// One octet is left after the last whole field.
    case oddTrailingByte
    /// Whole octets follow which no flag announces.
    case unannouncedBytes
  }

  /// Reads a frame.
  ///
  /// - Parameters:
  ///   - bytes: The value of the characteristic.
  ///   - report: Called once for each anomaly; what is sound is decoded all the same.
  /// - Throws: ``DecodingFailure`` with the octets where there is no heart rate to read: an empty value, or
  ///   one that ends before the heart rate does.
  @inline(__always)
  public init(
    decoding bytes: RawSpan, report: (Anomaly) -> Void
  ) throws(DecodingFailure) {
    guard let first = bytes.uint8(at: 0) else { throw DecodingFailure(.empty, Self.uuid, bytes) }
    let flags = Flags(rawValue: first)
    var offset = 1
    guard let heartRate = Self.heartRate(in: bytes, at: &offset, flags) else {
      throw DecodingFailure(.tooShort, Self.uuid, bytes)
    }
    self.heartRate = heartRate
    valueFormat = flags.contains(.uint16Value) ? .uint16 : .uint8
    sensorContact = SensorContact(flags)
    energyExpended = nil
    if flags.contains(.energyExpended) {
      guard let energy = bytes.uint16LE(at: offset) else {
        rrTicks = RRTicks()
        report(.truncatedEnergyExpended)
        return
      }
      energyExpended = energy
      offset += 2
    }
    let hasIntervals = flags.contains(.rrIntervals)
    let intervalBytes = hasIntervals ? (bytes.byteCount - offset) & ~1 : 0
    rrTicks = hasIntervals ? RRTicks(decoding: bytes, from: offset) : RRTicks()
    if hasIntervals, intervalBytes == 0 { report(.missingRRIntervals) }
    switch bytes.byteCount - offset - intervalBytes {
    case 0: break
    case 1: report(.oddTrailingByte)
    default: report(.unannouncedBytes)
    }
  }

  /// Reads a frame and does not ask for its anomalies.
  public init(decoding bytes: RawSpan) throws(DecodingFailure) {
    try self.init(decoding: bytes) { _ in }
  }

  private static func heartRate(in bytes: RawSpan, at offset: inout Int, _ flags: Flags) -> UInt16? {
    if flags.contains(.uint16Value) {
      defer { offset += 2 }
      return bytes.uint16LE(at: offset)
    }
    defer { offset += 1 }
    return bytes.uint8(at: offset).map(UInt16.init)
  }
}
