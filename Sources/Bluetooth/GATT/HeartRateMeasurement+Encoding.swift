extension HeartRateMeasurement {
  /// The encoded frame. Decoding and re-encoding a frame results in the same bytes, unless it has anomalies
  /// or reserved bits.
  ///
  /// A notification has at most ATT_MTU − 3 bytes; see ``maximumRRCount(forMTU:)``.
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

  /// Returns the number of RR intervals that fit into one notification together with the other fields.
  public func maximumRRCount(forMTU mtu: Int) -> Int {
    let heartRateSize = needsUInt16 ? 2 : 1
    let energySize = energyExpended == nil ? 0 : 2
    return max(0, (mtu - 3 - 1 - heartRateSize - energySize) / 2)
  }

  private var needsUInt16: Bool { valueFormat == .uint16 || heartRate > UInt16(UInt8.max) }
}
