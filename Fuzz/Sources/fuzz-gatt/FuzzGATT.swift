import Bluetooth
import FuzzDriver

/// Decodes the input as the value of each supported characteristic. A measurement without anomalies must
/// encode to the same bytes.
@main
enum FuzzGATT {
  static func main() { fuzz(test) }
}

private func test(_ bytes: [UInt8]) {
  let value = AttributeValue(bytes)
  precondition(value.bytes == bytes)
  _ = try? BodySensorLocation(decoding: value)
  _ = try? HeartRateControlPoint(decoding: value)
  _ = try? BatteryLevel(decoding: value)
  _ = try? PnPID(decoding: value)
  _ = try? DeviceInformationString(decoding: value, of: .modelNumberString)
  measurement(bytes)
}

private func measurement(_ bytes: [UInt8]) {
  var isSound = true
  guard
    let measurement = try? HeartRateMeasurement(decoding: bytes.span.bytes, report: { _ in isSound = false }),
    isSound
  else { return }
  var canonical = bytes
  canonical[0] &= 0b1_1111
  if canonical[0] & 0b100 == 0 { canonical[0] &= ~0b10 }
  precondition(measurement.encoded.bytes == canonical)
}
