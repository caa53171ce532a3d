/// Checks a message body before it is sent, because libdbus does not check its arguments. Some mistakes would
/// abort the process, and others would make the bus close the connection (D-Bus specification, "Message
/// Protocol" and "Type System").
enum BodyCheck {
  /// Maximum total nesting depth of arrays, structures, dictionary entries and variants.
  static let deepestNesting = 64
  static let largestArray = 64 << 20
  static let largestBody = 128 << 20 - (1 << 20)

  /// - Throws: `BusError` with `.invalidMessage`.
  static func check(_ body: [DBusValue]) throws(BusError) {
    var size = 0
    for value in body { size += try Self.size(of: value, depth: 0) }
    guard size <= largestBody else { throw BusError(.invalidMessage, "the body has more than 127 MiB") }
    guard Signature(body.bodySignature.rawValue) != nil else {
      throw BusError(.invalidMessage, "the body's signature is not valid: \(body.bodySignature)")
    }
  }

  /// Returns the maximum encoded size of a value in bytes, including padding. Checks the depth of nesting
  /// first.
  private static func size(of value: DBusValue, depth: Int) throws(BusError) -> Int {
    guard depth <= deepestNesting else {
      throw BusError(.invalidMessage, "a value is nested more than \(deepestNesting) levels deep")
    }
    switch value {
    case .string(let text):
      guard !text.utf8.contains(0) else { throw BusError(.invalidMessage, "a string contains U+0000") }
      return text.utf8.count + 8
    case .objectPath(let path): return path.rawValue.utf8.count + 8
    case .bytes(let bytes): return try arraySize(bytes.count)
    case .array(let element, let values):
      var size = 0
      for value in values {
        size += try Self.size(of: value, depth: depth + 1)
        try require(value, is: element)
      }
      try requireSingle(element)
      return try arraySize(size)
    case .dictionary(let key, let value, let entries):
      var size = 0
      for entry in entries {
        size += try Self.size(of: entry.key, depth: depth + 2) + 8
        size += try Self.size(of: entry.value, depth: depth + 2)
        try require(entry.key, is: key)
        try require(entry.value, is: value)
      }
      guard key.isBasicType else { throw BusError(.invalidMessage, "\(key) cannot be the type of a key") }
      try requireSingle(value)
      return try arraySize(size)
    case .structure(let members):
      guard !members.isEmpty else { throw BusError(.invalidMessage, "a structure has no members") }
      var size = 8
      for member in members { size += try Self.size(of: member, depth: depth + 1) }
      return size
    case .variant(let inner):
      let size = try Self.size(of: inner, depth: depth + 1)
      try requireSingle(inner.signature)
      return size + 264
    case .signature(let signature):
      guard Signature(signature.rawValue) != nil else {
        throw BusError(.invalidMessage, "invalid signature: \(signature)")
      }
      return 264
    case .byte, .boolean, .int16, .uint16, .int32, .uint32, .int64, .uint64, .double: return 16
    }
  }

  private static func arraySize(_ contents: Int) throws(BusError) -> Int {
    guard contents <= largestArray else { throw BusError(.invalidMessage, "an array has more than 64 MiB") }
    return contents + 16
  }

  private static func require(_ value: DBusValue, is signature: Signature) throws(BusError) {
    guard value.signature == signature else {
      throw BusError(
        .invalidMessage, "a value has the type \(value.signature) instead of the declared \(signature)")
    }
  }

  private static func requireSingle(_ signature: Signature) throws(BusError) {
    guard Signature(signature.rawValue)?.isSingleType == true else {
      throw BusError(.invalidMessage, "\(signature) is not a single complete type")
    }
  }
}
