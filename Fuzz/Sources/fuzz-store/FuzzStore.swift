import FuzzDriver
import HealthStorage

/// Decodes the input with each of the store's binary column codecs. Decoded values must survive encoding and
/// decoding.
@main
enum FuzzStore {
  static func main() { fuzz(test) }
}

private func test(_ bytes: [UInt8]) {
  if let values = MetadataCodec.decode(bytes) {
    // Compare the bytes, because NaN is not equal to itself. Encoding is deterministic.
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
  // Compare the bytes, because NaN is not equal to itself.
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
