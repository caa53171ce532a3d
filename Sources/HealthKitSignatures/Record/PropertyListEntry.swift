/// A key and a value of the property list that is signed. `SignedRecord.derEncoded` describes the ASN.1.
struct PropertyListEntry: Hashable, Sendable {
  enum Value: Hashable, Sendable {
    case text(String)
    case number(Int64)
    case date(UTCInstant)
  }

  var key: String
  var value: Value

  var derEncoded: [UInt8] {
    let value =
      switch value {
      case .text(let text): DER.element(DER.Tag.utf8String, text.utf8)
      case .number(let number): DER.integer(number)
      case .date(let instant): DER.element(DER.Tag.generalizedTime, instant.text.utf8)
      }
    return DER.element(DER.Tag.sequence, DER.element(DER.Tag.utf8String, key.utf8) + value)
  }
}

// MARK: - Reading

extension PropertyListEntry {
  /// Reads the entries of a property list.
  ///
  /// - Throws: `malformedContent`, also for encodings other than DER.
  static func list(derEncoded bytes: [UInt8]) throws(SignatureError) -> [PropertyListEntry] {
    var reader = DERReader.content(bytes[...])
    var entries: [PropertyListEntry] = []
    while let element = reader.next() { entries.append(try PropertyListEntry(element)) }
    // Encode the entries again and compare. This rejects a wrong tag, an unsorted set, unnecessary bytes in
    // lengths and numbers, and trailing bytes.
    guard DER.set(entries.map(\.derEncoded)) == bytes else {
      throw SignatureError(.malformedContent, "the content is not a property list in DER")
    }
    return entries
  }

  private typealias Element = (tag: UInt8, content: ArraySlice<UInt8>)

  private init(_ element: Element) throws(SignatureError) {
    var reader = DERReader(element.content)
    guard let key = reader.next(), let value = reader.next() else {
      throw SignatureError(.malformedContent, "an entry is not a key with a value")
    }
    self.init(key: try Self.text(key.content), value: try Self.value(value))
  }

  private static func value(_ element: Element) throws(SignatureError) -> Value {
    switch element.tag {
    case DER.Tag.utf8String: return .text(try text(element.content))
    case DER.Tag.integer:
      guard let number = integer(element.content) else {
        throw SignatureError(.malformedContent, "a number has more than 64 bits")
      }
      return .number(number)
    case DER.Tag.generalizedTime:
      guard let instant = UTCInstant(text: try text(element.content)) else {
        throw SignatureError(
          .malformedContent, "a date is not encoded in DER, is finer than a microsecond, or does not exist")
      }
      return .date(instant)
    default:
      throw SignatureError(.malformedContent, "a value is neither text, integer nor date")
    }
  }

  private static func text(_ bytes: ArraySlice<UInt8>) throws(SignatureError) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw SignatureError(.malformedContent, "a text is not UTF-8")
    }
    return text
  }

  private static func integer(_ bytes: ArraySlice<UInt8>) -> Int64? {
    guard let first = bytes.first, bytes.count <= 8 else { return nil }
    let sign: Int64 = first & 0x80 == 0 ? 0 : -1
    return bytes.reduce(sign) { $0 << 8 | Int64($1) }
  }
}
