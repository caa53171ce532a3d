internal import CDBus

/// Reads the values of a message that libdbus has received, and with that has validated: texts are UTF-8,
/// nesting is at most 64 deep, paths are paths.
enum BodyReader {
  /// - Throws: `BusError` with `.invalidMessage` for a type that this version of the specification does not
  ///   have, and for descriptors, which the bus does not pass to us.
  static func body(of message: OpaquePointer) throws(BusError) -> [DBusValue] {
    var iterator = DBusMessageIter()
    guard dbus_message_iter_init(message, &iterator) != 0 else { return [] }
    return try values(&iterator)
  }

  private static func values(_ iterator: inout DBusMessageIter) throws(BusError) -> [DBusValue] {
    var values: [DBusValue] = []
    while dbus_message_iter_get_arg_type(&iterator) != CDBUS_TYPE_INVALID {
      values.append(try value(&iterator))
      dbus_message_iter_next(&iterator)
    }
    return values
  }

  private static func value(_ iterator: inout DBusMessageIter) throws(BusError) -> DBusValue {
    let type = dbus_message_iter_get_arg_type(&iterator)
    switch type {
    case CDBUS_TYPE_BYTE: return .byte(basic(&iterator, UInt8(0)))
    case CDBUS_TYPE_BOOLEAN: return .boolean(basic(&iterator, dbus_bool_t(0)) != 0)
    case CDBUS_TYPE_INT16: return .int16(basic(&iterator, 0))
    case CDBUS_TYPE_UINT16: return .uint16(basic(&iterator, 0))
    case CDBUS_TYPE_INT32: return .int32(basic(&iterator, 0))
    case CDBUS_TYPE_UINT32: return .uint32(basic(&iterator, 0))
    case CDBUS_TYPE_INT64: return .int64(basic(&iterator, 0))
    case CDBUS_TYPE_UINT64: return .uint64(basic(&iterator, 0))
    case CDBUS_TYPE_DOUBLE: return .double(basic(&iterator, 0))
    case CDBUS_TYPE_STRING: return .string(text(&iterator))
    case CDBUS_TYPE_OBJECT_PATH:
      return .objectPath(ObjectPath(valid: text(&iterator)))
    case CDBUS_TYPE_SIGNATURE:
      guard let signature = Signature(text(&iterator)) else { throw unreadable("a signature") }
      return .signature(signature)
    case CDBUS_TYPE_ARRAY: return try array(&iterator)
    case CDBUS_TYPE_STRUCT:
      var contents = DBusMessageIter()
      dbus_message_iter_recurse(&iterator, &contents)
      return .structure(try values(&contents))
    case CDBUS_TYPE_VARIANT:
      var contents = DBusMessageIter()
      dbus_message_iter_recurse(&iterator, &contents)
      return .variant(try value(&contents))
    default: throw unreadable("type \(type)")
    }
  }

  private static func array(_ iterator: inout DBusMessageIter) throws(BusError) -> DBusValue {
    let elementType = dbus_message_iter_get_element_type(&iterator)
    var contents = DBusMessageIter()
    dbus_message_iter_recurse(&iterator, &contents)
    if elementType == CDBUS_TYPE_BYTE { return .bytes(bytes(&contents)) }
    // These say by their type alone what they are, and need not be asked for their signature.
    if elementType == CDBUS_TYPE_STRING { return .array(of: Signature(valid: "s"), try values(&contents)) }
    let element = try elementSignature(&iterator)
    guard elementType == CDBUS_TYPE_DICT_ENTRY else { return .array(of: element, try values(&contents)) }
    var entries: [DBusValue: DBusValue] = [:]
    while dbus_message_iter_get_arg_type(&contents) != CDBUS_TYPE_INVALID {
      var entry = DBusMessageIter()
      dbus_message_iter_recurse(&contents, &entry)
      let key = try value(&entry)
      dbus_message_iter_next(&entry)
      entries[key] = try value(&entry)
      dbus_message_iter_next(&contents)
    }
    // Nearly all of them: properties.
    if element.rawValue == "{sv}" {
      return .dictionary(key: Signature(valid: "s"), value: Signature(valid: "v"), entries)
    }
    // The signature of an entry is `{kv}`, with a key of one letter.
    let pair = element.rawValue.dropFirst().dropLast()
    return .dictionary(
      key: Signature(valid: String(pair.prefix(1))), value: Signature(valid: String(pair.dropFirst())),
      entries)
  }

  /// What stands behind the `a`, which an empty array has as well.
  private static func elementSignature(_ iterator: inout DBusMessageIter) throws(BusError) -> Signature {
    guard let text = dbus_message_iter_get_signature(&iterator) else {
      throw BusError(.noMemory, "no memory for a signature")
    }
    defer { dbus_free(text) }
    return Signature(valid: String(String(cString: text).dropFirst()))
  }

  private static func basic<Value: BitwiseCopyable>(
    _ iterator: inout DBusMessageIter, _ empty: Value
  ) -> Value {
    var value = empty
    dbus_message_iter_get_basic(&iterator, &value)
    return value
  }

  private static func text(_ iterator: inout DBusMessageIter) -> String {
    var pointer: UnsafePointer<CChar>?
    dbus_message_iter_get_basic(&iterator, &pointer)
    return pointer.map { String(cString: $0) } ?? ""
  }

  private static func bytes(_ contents: inout DBusMessageIter) -> [UInt8] {
    var start: UnsafePointer<UInt8>?
    var count: Int32 = 0
    dbus_message_iter_get_fixed_array(&contents, &start, &count)
    return Array(UnsafeBufferPointer(start: start, count: Int(count)))
  }

  private static func unreadable(_ what: String) -> BusError {
    BusError(.invalidMessage, "what came has \(what) that cannot be read")
  }
}
