import Foundation
import HealthDataSync
import HealthKit

/// Encodes metadata and device descriptions as JSON in UTF-8. Keys are sorted, so that equal content has
/// equal bytes.
struct JSONWriter {
  private(set) var bytes: [UInt8] = []

  /// Encodes metadata. A quantity becomes `{"unit": …, "value": …}` in its own unit. A date becomes an ISO
  /// 8601 text in UTC.
  static func metadata(_ metadata: [String: Any]) throws(RecordError) -> [UInt8] {
    var writer = JSONWriter()
    try writer.object(metadata) { (writer, value) throws(RecordError) in try writer.write(value) }
    return writer.bytes
  }

  /// Encodes texts and omits fields that are `nil`.
  static func texts(_ fields: [String: String]) throws(RecordError) -> [UInt8] {
    var writer = JSONWriter()
    try writer.object(fields) { (writer, text) throws(RecordError) in
      try writer.write(text)
    }
    return writer.bytes
  }

  private mutating func object<Value>(
    _ values: [String: Value], _ write: (inout JSONWriter, Value) throws(RecordError) -> Void
  ) throws(RecordError) {
    bytes.append(UInt8(ascii: "{"))
    for (index, entry) in values.sorted(by: { $0.key < $1.key }).enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      try self.write(entry.key)
      bytes.append(UInt8(ascii: ":"))
      try write(&self, entry.value)
    }
    bytes.append(UInt8(ascii: "}"))
  }

  private mutating func write(_ value: Any) throws(RecordError) {
    switch MetadataValue(value) {
    case .text(let text): try write(text)
    case .boolean(let boolean): bytes += (boolean ? "true" : "false").utf8
    case .integer(let integer): bytes += "\(integer)".utf8
    case .natural(let natural): bytes += "\(natural)".utf8
    case .number(let number): bytes += "\(number)".utf8
    case .quantity(let quantity):
      try object(["value": quantity.value as Any, "unit": quantity.unit.unitString]) {
        (writer, part) throws(RecordError) in try writer.write(part)
      }
    // This cannot happen, because HealthKit allows no other types in metadata.
    case nil: bytes += "null".utf8
    }
  }

  private mutating func write(_ text: String) throws(RecordError) {
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
