internal import CDBus
internal import Glibc

/// A received libdbus message. libdbus has validated it: strings are UTF-8, paths are valid, nesting is at
/// most 64 levels. Header fields and body are converted to Swift values on demand.
final class IncomingMessage {
  private let raw: OpaquePointer

  /// - Parameter raw: The message. Its reference is released together with this object.
  init(owned raw: OpaquePointer) { self.raw = raw }

  deinit { dbus_message_unref(raw) }

  /// The type of the message, such as `DBUS_MESSAGE_TYPE_SIGNAL`.
  var kind: Int32 { dbus_message_get_type(raw) }
  var serial: UInt32 { dbus_message_get_serial(raw) }
  /// The serial number of the call to which this message replies; 0 if it is not a reply.
  var replySerial: UInt32 { dbus_message_get_reply_serial(raw) }
  var wantsReply: Bool { dbus_message_get_no_reply(raw) == 0 }

  private(set) lazy var sender = dbus_message_get_sender(raw).map { String(cString: $0) }
  private(set) lazy var path = dbus_message_get_path(raw).map { ObjectPath(valid: String(cString: $0)) }
  private(set) lazy var interface = dbus_message_get_interface(raw).map { String(cString: $0) }
  private(set) lazy var member = dbus_message_get_member(raw).map { String(cString: $0) }
  /// The error name; `nil` if the message is not an error reply.
  var errorName: String? { dbus_message_get_error_name(raw).map { String(cString: $0) } }
  /// The signature of the body.
  var signature: Signature {
    Signature(valid: dbus_message_get_signature(raw).map { String(cString: $0) } ?? "")
  }

  /// The first argument if it is a string; otherwise `nil`.
  var firstString: String? {
    var iterator = DBusMessageIter()
    guard dbus_message_iter_init(raw, &iterator) != 0,
      dbus_message_iter_get_arg_type(&iterator) == CDBUS_TYPE_STRING
    else { return nil }
    return Self.text(&iterator)
  }

  /// All arguments.
  ///
  /// - Throws: `BusError` with `.invalidMessage` for unsupported types: file descriptors, and types from
  ///   later versions of the protocol.
  func body() throws(BusError) -> [DBusValue] {
    var iterator = DBusMessageIter()
    guard dbus_message_iter_init(raw, &iterator) != 0 else { return [] }
    return try Self.values(&iterator)
  }

  /// Returns the new value of `property`, if this is a *PropertiesChanged* signal that contains only this
  /// property, with a value of type `ay`. Heart-rate notifications have this form, and reading only the bytes
  /// costs a fraction of ``body()``.
  ///
  /// - Returns: `nil` for any other message; use ``body()`` for these.
  func changedBytes(of interface: String, _ property: String) -> [UInt8]? {
    var arguments = DBusMessageIter()
    guard self.interface == StandardInterfaces.properties, dbus_message_has_signature(raw, "sa{sv}as") != 0,
      dbus_message_iter_init(raw, &arguments) != 0, Self.isText(interface, &arguments)
    else { return nil }
    dbus_message_iter_next(&arguments)
    var changed = Self.contents(&arguments)
    guard dbus_message_iter_get_arg_type(&changed) != CDBUS_TYPE_INVALID else { return nil }
    var entry = Self.contents(&changed)
    guard Self.isText(property, &entry), dbus_message_iter_has_next(&changed) == 0 else { return nil }
    dbus_message_iter_next(&entry)
    var value = Self.contents(&entry)
    guard dbus_message_iter_get_arg_type(&value) == CDBUS_TYPE_ARRAY,
      dbus_message_iter_get_element_type(&value) == CDBUS_TYPE_BYTE
    else { return nil }
    dbus_message_iter_next(&arguments)
    var invalidated = Self.contents(&arguments)
    guard dbus_message_iter_get_arg_type(&invalidated) == CDBUS_TYPE_INVALID else { return nil }
    var bytes = Self.contents(&value)
    return Self.bytes(&bytes)
  }

  /// Returns the message with its header fields and all arguments.
  ///
  /// - Parameter interface: The interface to return. A method call may omit its interface, so the caller
  ///   passes the one that it determined.
  /// - Throws: As ``body()``; `BusError` with `.invalidMessage` for a message without a path or a member.
  func converted(interface: String?, _ arrival: Arrival) throws(BusError) -> BusMessage {
    guard let path, let member, let interface else {
      throw BusError(.invalidMessage, "the message has no path, interface or member")
    }
    return BusMessage(
      sender: sender, path: path, interface: interface, member: member, body: try body(), arrival: arrival)
  }

  // MARK: - Values

  private static func contents(_ iterator: inout DBusMessageIter) -> DBusMessageIter {
    var contents = DBusMessageIter()
    dbus_message_iter_recurse(&iterator, &contents)
    return contents
  }

  /// Returns whether the iterator is at a string that equals `text`.
  private static func isText(_ text: String, _ iterator: inout DBusMessageIter) -> Bool {
    var pointer: UnsafePointer<CChar>?
    dbus_message_iter_get_basic(&iterator, &pointer)
    return pointer.map { strcmp($0, text) == 0 } ?? false
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
    case CDBUS_TYPE_OBJECT_PATH: return .objectPath(ObjectPath(valid: text(&iterator)))
    case CDBUS_TYPE_SIGNATURE: return .signature(Signature(valid: text(&iterator)))
    case CDBUS_TYPE_ARRAY: return try array(&iterator)
    case CDBUS_TYPE_STRUCT:
      var contents = contents(&iterator)
      return .structure(try values(&contents))
    case CDBUS_TYPE_VARIANT:
      var contents = contents(&iterator)
      return .variant(try value(&contents))
    default: throw BusError(.invalidMessage, "the message has a value of the unsupported type \(type)")
    }
  }

  private static func array(_ iterator: inout DBusMessageIter) throws(BusError) -> DBusValue {
    let elementType = dbus_message_iter_get_element_type(&iterator)
    var contents = contents(&iterator)
    // For byte and string arrays, the element type is already the whole signature, so do not read it again.
    if elementType == CDBUS_TYPE_BYTE { return .bytes(bytes(&contents)) }
    if elementType == CDBUS_TYPE_STRING { return .array(of: Signature(valid: "s"), try values(&contents)) }
    let element = try elementSignature(&iterator)
    guard elementType == CDBUS_TYPE_DICT_ENTRY else { return .array(of: element, try values(&contents)) }
    var entries: [DBusValue: DBusValue] = [:]
    while dbus_message_iter_get_arg_type(&contents) != CDBUS_TYPE_INVALID {
      var entry = Self.contents(&contents)
      let key = try value(&entry)
      dbus_message_iter_next(&entry)
      entries[key] = try value(&entry)
      dbus_message_iter_next(&contents)
    }
    if element.rawValue == "{sv}" {
      return .dictionary(key: Signature(valid: "s"), value: Signature(valid: "v"), entries)
    }
    // The signature of an entry is `{kv}`. The key type `k` is a single letter.
    let pair = element.rawValue.dropFirst().dropLast()
    return .dictionary(
      key: Signature(valid: String(pair.prefix(1))), value: Signature(valid: String(pair.dropFirst())),
      entries)
  }

  /// Returns the signature of an array's elements, which even an empty array has.
  private static func elementSignature(_ iterator: inout DBusMessageIter) throws(BusError) -> Signature {
    guard let text = dbus_message_iter_get_signature(&iterator) else { throw OutgoingMessage.noMemory }
    defer { dbus_free(text) }
    return Signature(valid: String(cString: text + 1))
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
}
