import Foundation
import HealthKit

/// Metadata and descriptions of devices as JSON in UTF-8. Keys stand in order: equal contents are equal
/// bytes.
struct JSONWriter {
  private(set) var bytes: [UInt8] = []

  /// A quantity becomes `{"unit": …, "value": …}` in its own unit, a date a text as of ISO 8601 in UTC.
  static func metadata(_ metadata: [String: Any]) throws(RecordFlaw) -> [UInt8] {
    var writer = JSONWriter()
    try writer.object(metadata) { (writer, value) throws(RecordFlaw) in try writer.write(value) }
    return writer.bytes
  }

  /// Fields that are nil are left out.
  static func texts(_ fields: [String: String?]) throws(RecordFlaw) -> [UInt8] {
    var writer = JSONWriter()
    try writer.object(fields.compactMapValues { $0 }) { (writer, text) throws(RecordFlaw) in
      try writer.write(text)
    }
    return writer.bytes
  }

  private mutating func object<Value>(
    _ values: [String: Value], _ write: (inout JSONWriter, Value) throws(RecordFlaw) -> Void
  ) throws(RecordFlaw) {
    bytes.append(UInt8(ascii: "{"))
    for (index, entry) in values.sorted(by: { $0.key < $1.key }).enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      try self.write(entry.key)
      bytes.append(UInt8(ascii: ":"))
      try write(&self, entry.value)
    }
    bytes.append(UInt8(ascii: "}"))
  }

  private mutating func write(_ value: Any) throws(RecordFlaw) {
    switch value {
    case let text as String: try write(text)
    case let date as Date: try write(Self.text(date))
    case let quantity as HKQuantity:
      try object(["value": quantity.value as Any, "unit": quantity.unit.unitString]) {
        (writer, part) throws(RecordFlaw) in try writer.write(part)
      }
    case let number as NSNumber: bytes += Self.text(number).utf8
    // HealthKit has no other.
    default: bytes += "null".utf8
    }
  }

  private static func text(_ number: NSNumber) -> String {
    switch String(cString: number.objCType) {
    case "c": number.boolValue ? "true" : "false"
    case "d", "f": "\(number.doubleValue)"
    case "Q": "\(number.uint64Value)"
    default: "\(number.int64Value)"
    }
  }

  private static func text(_ date: Date) -> String {
    // To the microsecond, as a sample's own times.
    let time = Microseconds.clamped(date)
    let seconds = time >= 0 ? time / 1_000_000 : (time - 999_999) / 1_000_000
    let whole = Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
    let fraction = String(time - seconds * 1_000_000 + 1_000_000).dropFirst()
    return "\(whole.dropLast()).\(fraction)Z"
  }

  private mutating func write(_ text: String) throws(RecordFlaw) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case 0: throw .text
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case ..<0x20:
        bytes += "\\u00\(byte < 16 ? "0" : "1")".utf8
        bytes.append(Array("0123456789abcdef".utf8)[Int(byte & 15)])
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
