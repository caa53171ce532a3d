import PackedSamples

/// A value in a metadata dictionary. Number types are distinguished: true, 1 and 1.0 are three different
/// values.
package enum MetadataValue: Hashable, Codable, Sendable {
  case string(String)
  case boolean(Bool)
  case integer(Int64)
  /// Used only for numbers above `Int64.max`, so that each number has a single representation.
  case unsigned(UInt64)
  case double(Double)
  /// Seconds since 2001-01-01 00:00 UTC, not rounded.
  case date(Double)
  case quantity(value: Double, unit: String)
}

/// Encodes metadata dictionaries. The bytes are: a version (1), then for each key, in ascending order of its
/// UTF-8 bytes, the key, a tag and a payload. A string is preceded by its length in LEB128; a number is eight
/// bytes, little-endian.
package enum MetadataCodec {
  private enum Tag {
    static let string: UInt8 = 0
    static let boolean: UInt8 = 1
    static let integer: UInt8 = 2
    static let unsigned: UInt8 = 3
    static let double: UInt8 = 4
    static let date: UInt8 = 5
    static let quantity: UInt8 = 6
  }

  package static func encode(_ values: [String: MetadataValue]) -> [UInt8] {
    var bytes: [UInt8] = [1]
    let entries = values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    for (key, value) in entries {
      append(key, to: &bytes)
      append(value, to: &bytes)
    }
    return bytes
  }

  private static func append(_ value: MetadataValue, to bytes: inout [UInt8]) {
    switch value {
    case .string(let text):
      bytes.append(Tag.string)
      append(text, to: &bytes)
    case .boolean(let flag):
      bytes += [Tag.boolean, flag ? 1 : 0]
    case .integer(let number):
      append(Tag.integer, UInt64(bitPattern: number), to: &bytes)
    case .unsigned(let number):
      append(Tag.unsigned, number, to: &bytes)
    case .double(let number):
      append(Tag.double, number.bitPattern, to: &bytes)
    case .date(let seconds):
      append(Tag.date, seconds.bitPattern, to: &bytes)
    case .quantity(let value, let unit):
      append(Tag.quantity, value.bitPattern, to: &bytes)
      append(unit, to: &bytes)
    }
  }

  private static func append(_ text: String, to bytes: inout [UInt8]) {
    LEB128.append(UInt64(text.utf8.count), to: &bytes)
    bytes += text.utf8
  }

  private static func append(_ tag: UInt8, _ word: UInt64, to bytes: inout [UInt8]) {
    bytes.append(tag)
    LittleEndian.append(word, to: &bytes)
  }

  /// - Returns: `nil` for bytes that `encode` never returns. Invalid bytes do not cause a crash.
  package static func decode(_ bytes: [UInt8]) -> [String: MetadataValue]? {
    guard bytes.first == 1 else { return nil }
    var values: [String: MetadataValue] = [:]
    var position = 1
    while position < bytes.count {
      guard let key = text(bytes, &position), let value = value(bytes, &position),
        values.updateValue(value, forKey: key) == nil
      else { return nil }
    }
    return values
  }

  private static func value(_ bytes: [UInt8], _ position: inout Int) -> MetadataValue? {
    guard position < bytes.count else { return nil }
    let tag = bytes[position]
    position += 1
    switch tag {
    case Tag.string:
      return text(bytes, &position).map(MetadataValue.string)
    case Tag.boolean:
      guard position < bytes.count, bytes[position] <= 1 else { return nil }
      position += 1
      return .boolean(bytes[position - 1] == 1)
    default:
      guard let word = LittleEndian.read(bytes, at: &position) else { return nil }
      return number(tag, word, bytes, &position)
    }
  }

  private static func number(
    _ tag: UInt8, _ word: UInt64, _ bytes: [UInt8], _ position: inout Int
  ) -> MetadataValue? {
    switch tag {
    case Tag.integer: .integer(Int64(bitPattern: word))
    case Tag.unsigned: .unsigned(word)
    case Tag.double: .double(Double(bitPattern: word))
    case Tag.date: .date(Double(bitPattern: word))
    case Tag.quantity: text(bytes, &position).map { .quantity(value: Double(bitPattern: word), unit: $0) }
    default: nil
    }
  }

  private static func text(_ bytes: [UInt8], _ position: inout Int) -> String? {
    guard let length = LEB128.read(bytes, at: &position), length <= UInt64(bytes.count - position) else {
      return nil
    }
    defer { position += Int(length) }
    return String(validating: bytes[position..<position + Int(length)], as: UTF8.self)
  }
}
