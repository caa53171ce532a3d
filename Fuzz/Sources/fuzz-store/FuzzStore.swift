import FuzzDriver

/// Decodes the input as what a store's columns hold; what decodes must encode to something that decodes to
/// the same.
@main
enum FuzzStore {
  static func main() { fuzz(test) }
}

private func test(_ bytes: [UInt8]) {
  if let values = MetadataCodec.decode(bytes) {
    // Encoding is deterministic, and NaN equals nothing, so octets are compared.
    let encoded = MetadataCodec.encode(values)
    precondition(MetadataCodec.decode(encoded).map(MetadataCodec.encode) == encoded)
  }
  if let beats = HeartbeatCodec.decode(bytes) {
    let again = HeartbeatCodec.decode(HeartbeatCodec.encode(beats)) ?? []
    precondition(again.count == beats.count)
    for (one, other) in zip(again, beats) {
      precondition(
        one.offset.bitPattern == other.offset.bitPattern && one.precededByGap == other.precededByGap)
    }
  }
  // As above: NaN equals nothing.
  if let quantities = QuantitySeriesCodec.decode(bytes, from: 1_700_000_000_000_000) {
    precondition(quantities.count <= bytes.count)
    let again = QuantitySeriesCodec.encode(quantities, from: 7)
    precondition(QuantitySeriesCodec.decode(again, from: 7) == quantities)
  }
  if let locations = LocationCodec.decode(bytes) {
    let again = LocationCodec.encode(locations)
    precondition(LocationCodec.decode(again).map(LocationCodec.encode) == again)
  }
  if let voltages = VoltageCodec.decode(bytes) {
    let again = VoltageCodec.encode(voltages)
    precondition(VoltageCodec.decode(again).map(VoltageCodec.encode) == again)
  }
}
