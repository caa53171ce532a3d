/// A value in a message body. There is a case for each D-Bus type except file descriptors, which are not
/// supported.
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
  /// Must not contain U+0000, which D-Bus does not allow.
  case string(String)
  case objectPath(ObjectPath)
  case signature(Signature)
  /// A byte array (`ay`). A received byte array always has this case, never `array` of `byte`.
  case bytes([UInt8])
  /// An array and the type of its elements, which even an empty array has.
  case array(of: Signature, [DBusValue])
  case dictionary(key: Signature, value: Signature, [DBusValue: DBusValue])
  /// A structure with at least one member.
  case structure([DBusValue])
  indirect case variant(DBusValue)

  /// The D-Bus type of the value. For an invalid value, such as an empty structure, this is not a valid
  /// signature, and sending the value throws.
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

  /// Creates a dictionary from strings to variants (`a{sv}`), which D-Bus uses for properties and options.
  public static func properties(_ values: [String: DBusValue]) -> DBusValue {
    var entries: [DBusValue: DBusValue] = [:]
    for (name, value) in values { entries[.string(name)] = .variant(value) }
    return .dictionary(key: Signature(valid: "s"), value: Signature(valid: "v"), entries)
  }

  /// Creates an array of strings, `as`.
  public static func strings(_ texts: [String]) -> DBusValue {
    .array(of: Signature(valid: "s"), texts.map(DBusValue.string))
  }
}

extension Sequence<DBusValue> {
  /// The signature of a message body with these values.
  public var bodySignature: Signature {
    Signature(valid: map(\.signature.rawValue).joined())
  }
}

/// Accessors that return the value if it has the requested type; otherwise `nil`. A variant is unwrapped
/// first.
extension DBusValue {
  /// The value inside a variant, or inside several nested ones; the value itself if it is not a variant.
  public var unwrapped: DBusValue {
    var value = self
    while case .variant(let inner) = value { value = inner }
    return value
  }

  public var asString: String? {
    if case .string(let text) = unwrapped { text } else { nil }
  }

  public var asBool: Bool? {
    if case .boolean(let flag) = unwrapped { flag } else { nil }
  }

  /// The value of any integer type as an `Int`; `nil` for other types, and if the value does not fit.
  public var asInteger: Int? {
    switch unwrapped {
    case .byte(let number): Int(number)
    case .int16(let number): Int(number)
    case .uint16(let number): Int(number)
    case .int32(let number): Int(number)
    case .uint32(let number): Int(number)
    case .int64(let number): Int(exactly: number)
    case .uint64(let number): Int(exactly: number)
    default: nil
    }
  }

  public var asDouble: Double? {
    if case .double(let number) = unwrapped { number } else { nil }
  }

  public var asObjectPath: ObjectPath? {
    if case .objectPath(let path) = unwrapped { path } else { nil }
  }

  /// The bytes of a byte array (`ay`).
  public var asBytes: [UInt8]? {
    if case .bytes(let bytes) = unwrapped { bytes } else { nil }
  }

  /// The elements of an array, including a byte array (`ay`); `nil` for other types.
  public var asArray: [DBusValue]? {
    switch unwrapped {
    case .array(_, let elements): elements
    case .bytes(let bytes): bytes.map(DBusValue.byte)
    default: nil
    }
  }

  /// The strings of a string array (`as`); `nil` if an element is not a string.
  public var asStrings: [String]? {
    guard case .array(_, let elements) = unwrapped else { return nil }
    let texts = elements.compactMap(\.asString)
    return texts.count == elements.count ? texts : nil
  }

  public var asStructure: [DBusValue]? {
    if case .structure(let members) = unwrapped { members } else { nil }
  }

  public var asDictionary: [DBusValue: DBusValue]? {
    if case .dictionary(_, _, let entries) = unwrapped { entries } else { nil }
  }

  /// The entries of a dictionary from strings to variants (`a{sv}`), with unwrapped values; `nil` for other
  /// dictionaries.
  public var asProperties: [String: DBusValue]? {
    guard case .dictionary(let key, let value, let entries) = unwrapped,
      key.rawValue == "s", value.rawValue == "v"
    else { return nil }
    var properties: [String: DBusValue] = [:]
    for (name, entry) in entries {
      guard let name = name.asString else { return nil }
      properties[name] = entry.unwrapped
    }
    return properties
  }
}
