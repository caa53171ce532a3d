extension HeartRateMeasurement {
  /// A contradiction between the flags of a frame and its bytes. The valid fields are decoded nevertheless.
  public enum Anomaly: String, Hashable, Sendable, CaseIterable {
    /// The energy flag is set, but fewer than two bytes follow the heart rate.
    case truncatedEnergyExpended
    /// The RR flag is set, but no interval follows.
    case missingRRIntervals
    /// One byte follows the last complete field.
    case oddTrailingByte
    /// There are bytes that no flag announces.
    case unannouncedBytes
  }

  /// Decodes a frame.
  ///
  /// - Parameters:
  ///   - bytes: The value of the characteristic.
  ///   - report: Called once for each anomaly. The valid fields are decoded nevertheless.
  /// - Throws: ``GATTDecodingError`` if the flags or the heart rate are missing or incomplete.
  @inline(__always)
  public init(
    decoding bytes: RawSpan, report: (Anomaly) -> Void
  ) throws(GATTDecodingError) {
    guard let first = bytes.uint8(at: 0) else { throw GATTDecodingError(.empty, Self.uuid, bytes) }
    let flags = Flags(rawValue: first)
    var offset = 1
    guard let heartRate = Self.heartRate(in: bytes, at: &offset, flags) else {
      throw GATTDecodingError(.tooShort, Self.uuid, bytes)
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

  /// Decodes a frame and ignores its anomalies.
  /// - Throws: ``GATTDecodingError`` if the flags or the heart rate are missing or incomplete.
  public init(decoding bytes: RawSpan) throws(GATTDecodingError) {
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
