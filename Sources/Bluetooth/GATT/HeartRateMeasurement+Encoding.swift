extension HeartRateMeasurement {
  /// The frame that decodes to this measurement; the exact inverse of decoding for every frame without
  /// anomaly and without reserved bits.
  ///
  /// A sender keeps the frame within ATT_MTU − 3 octets; see ``maximumRRCount(forMTU:)``.
  public var encoded: AttributeValue {
    var flags = sensorContact.flags
    var writer = ByteWriter(capacity: 5 + 2 * rrTicks.count)
    if needsUInt16 { flags.insert(.uint16Value) }
    if energyExpended != nil { flags.insert(.energyExpended) }
    if !rrTicks.isEmpty { flags.insert(.rrIntervals) }
    writer.append(flags.rawValue)
    if needsUInt16 {
      writer.appendLE(heartRate)
    } else {
      writer.append(UInt8(truncatingIfNeeded: heartRate))
    }
    if let energyExpended { writer.appendLE(energyExpended) }
    for tick in rrTicks { writer.appendLE(tick) }
    return AttributeValue(writer.bytes)
  }

  /// How many RR intervals fit one notification beside the other fields of this measurement.
  public func maximumRRCount(forMTU mtu: Int) -> Int {
    let heartRateSize = needsUInt16 ? 2 : 1
    let energySize = energyExpended == nil ? 0 : 2
    return max(0, (mtu - 3 - 1 - heartRateSize - energySize) / 2)
  }

  private var needsUInt16: Bool { valueFormat == .uint16 || heartRate > UInt16(UInt8.max) }
}
