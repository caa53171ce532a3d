/// A value of a message body. Each type of the specification has its case, but for file descriptors, which
/// our connections do not carry; nothing is converted on the way.
public enum DBusValue: Hashable, Sendable {
  case byte(UInt8)
  case boolean(Bool)
  case int16(Int16)
  case uint16(UInt16)
  case int32(Int32)
  case uint32(UInt32)
  case int64(Int64)
  case uint64(UInt64)
  case double(Double)
  /// Without U+0000, which the wire cannot carry.
  case string(String)
  case objectPath(ObjectPath)
  case signature(Signature)
  /// `ay`. What arrives is always this case, never `array` of `byte`.
  case bytes([UInt8])
  /// The type of the elements stands beside them, since an empty array has one too.
  case array(of: Signature, [DBusValue])
  case dictionary(key: Signature, value: Signature, [DBusValue: DBusValue])
  /// One member at least.
  case structure([DBusValue])
  indirect case variant(DBusValue)

  /// The type. For a value that breaks a rule (an empty structure, an array of `si`) it is not a valid one,
  /// and sending such a value throws.
  public var signature: Signature {
    switch self {
    case .byte: Signature(valid: "y")
    case .boolean: Signature(valid: "b")
    case .int16: Signature(valid: "n")
    case .uint16: Signature(valid: "q")
    case .int32: Signature(valid: "i")
    case .uint32: Signature(valid: "u")
    case .int64: Signature(valid: "x")
    case .uint64: Signature(valid: "t")
    case .double: Signature(valid: "d")
    case .string: Signature(valid: "s")
    case .objectPath: Signature(valid: "o")
    case .signature: Signature(valid: "g")
    case .bytes: Signature(valid: "ay")
    case .array(let element, _): Signature(valid: "a\(element)")
    case .dictionary(let key, let value, _): Signature(valid: "a{\(key)\(value)}")
    case .structure(let members): Signature(valid: "(\(members.map(\.signature.rawValue).joined()))")
    case .variant: Signature(valid: "v")
    }
  }

  /// A dictionary of named values, `a{sv}`: what D-Bus calls properties and options. Each value is wrapped in
  /// a variant here.
  public static func properties(_ values: [String: DBusValue]) -> DBusValue {
    var entries: [DBusValue: DBusValue] = [:]
    for (name, value) in values { entries[.string(name)] = .variant(value) }
    return .dictionary(key: Signature(valid: "s"), value: Signature(valid: "v"), entries)
  }

  /// An array of texts, `as`.
  public static func strings(_ texts: [String]) -> DBusValue {
    .array(of: Signature(valid: "s"), texts.map(DBusValue.string))
  }
}

extension Sequence<DBusValue> {
  /// The signature of the values as a message body.
  public var bodySignature: Signature {
    Signature(valid: map(\.signature.rawValue).joined())
  }
}
