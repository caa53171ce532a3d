internal import CDBus

/// A libdbus message to send. Its contents are checked, because some mistakes would make libdbus abort the
/// process, and others would make the bus close the connection.
final class OutgoingMessage {
  static let noMemory = BusError(.noMemory, "no memory for a message")

  let raw: OpaquePointer

  /// - Throws: `BusError` with `.invalidMessage` for a message that violates the protocol, with `.noMemory`.
  init(_ call: MethodCall, wantsReply: Bool = true) throws(BusError) {
    try Self.require(
      call.destination.map(BusNames.isBus) ?? true, "invalid bus name: \(call.destination ?? "")")
    try Self.require(BusNames.isInterface(call.interface), "invalid interface name: \(call.interface)")
    try Self.require(BusNames.isMember(call.member), "invalid method name: \(call.member)")
    try BodyCheck.check(call.body)
    raw = try Self.made(
      dbus_message_new_method_call(call.destination, call.path.rawValue, call.interface, call.member))
    dbus_message_set_no_reply(raw, wantsReply ? 0 : 1)
    try append(call.body)
  }

  /// - Throws: As `init(_:wantsReply:)`.
  init(signal member: String, of interface: String, at path: ObjectPath, body: [DBusValue]) throws(BusError) {
    try Self.require(BusNames.isInterface(interface), "invalid interface name: \(interface)")
    try Self.require(BusNames.isMember(member), "invalid signal name: \(member)")
    try BodyCheck.check(body)
    raw = try Self.made(dbus_message_new_signal(path.rawValue, interface, member))
    try append(body)
  }

  /// - Throws: As `init(_:wantsReply:)`.
  init(returning body: [DBusValue], to caller: ReplyAddress) throws(BusError) {
    try BodyCheck.check(body)
    raw = try Self.made(dbus_message_new(DBUS_MESSAGE_TYPE_METHOD_RETURN))
    try address(to: caller)
    try append(body)
  }

  /// Creates an error reply. If the error name is not a valid D-Bus name, `.failed` is used.
  ///
  /// - Throws: As `init(_:wantsReply:)`.
  init(failure: BusError, to caller: ReplyAddress) throws(BusError) {
    let body: [DBusValue] = [.string(failure.message.replacing("\u{0}", with: "\u{FFFD}"))]
    try BodyCheck.check(body)
    raw = try Self.made(dbus_message_new(DBUS_MESSAGE_TYPE_ERROR))
    let name = failure.name.rawValue
    let isSet = dbus_message_set_error_name(
      raw, BusNames.isError(name) ? name : BusError.Name.failed.rawValue)
    guard isSet != 0 else { throw Self.noMemory }
    try address(to: caller)
    try append(body)
  }

  deinit { dbus_message_unref(raw) }

  private func address(to caller: ReplyAddress) throws(BusError) {
    guard dbus_message_set_reply_serial(raw, caller.serial) != 0,
      dbus_message_set_destination(raw, caller.sender) != 0
    else { throw Self.noMemory }
    dbus_message_set_no_reply(raw, 1)
  }

  private static func made(_ raw: OpaquePointer?) throws(BusError) -> OpaquePointer {
    guard let raw else { throw noMemory }
    return raw
  }

  private static func require(_ condition: Bool, _ message: String) throws(BusError) {
    guard condition else { throw BusError(.invalidMessage, message) }
  }

  // MARK: - Values

  private func append(_ body: [DBusValue]) throws(BusError) {
    var iterator = DBusMessageIter()
    dbus_message_iter_init_append(raw, &iterator)
    guard body.allSatisfy({ Self.append($0, to: &iterator) }) else { throw Self.noMemory }
  }

  /// - Returns: `false` if there is not enough memory. The message is then incomplete.
  private static func append(_ value: DBusValue, to iterator: inout DBusMessageIter) -> Bool {
    switch value {
    case .byte(let number): basic(number, CDBUS_TYPE_BYTE, &iterator)
    case .boolean(let flag): basic(dbus_bool_t(flag ? 1 : 0), CDBUS_TYPE_BOOLEAN, &iterator)
    case .int16(let number): basic(number, CDBUS_TYPE_INT16, &iterator)
    case .uint16(let number): basic(number, CDBUS_TYPE_UINT16, &iterator)
    case .int32(let number): basic(number, CDBUS_TYPE_INT32, &iterator)
    case .uint32(let number): basic(number, CDBUS_TYPE_UINT32, &iterator)
    case .int64(let number): basic(number, CDBUS_TYPE_INT64, &iterator)
    case .uint64(let number): basic(number, CDBUS_TYPE_UINT64, &iterator)
    case .double(let number): basic(number, CDBUS_TYPE_DOUBLE, &iterator)
    case .string(let text): self.text(text, CDBUS_TYPE_STRING, &iterator)
    case .objectPath(let path): text(path.rawValue, CDBUS_TYPE_OBJECT_PATH, &iterator)
    case .signature(let signature): text(signature.rawValue, CDBUS_TYPE_SIGNATURE, &iterator)
    case .bytes(let bytes): self.bytes(bytes, &iterator)
    case .array(let element, let values):
      container(CDBUS_TYPE_ARRAY, element.rawValue, &iterator) { contents in
        values.allSatisfy { append($0, to: &contents) }
      }
    case .dictionary(let key, let value, let entries):
      container(CDBUS_TYPE_ARRAY, "{\(key)\(value)}", &iterator) { contents in
        entries.allSatisfy { entry in
          container(CDBUS_TYPE_DICT_ENTRY, nil, &contents) {
            append(entry.key, to: &$0) && append(entry.value, to: &$0)
          }
        }
      }
    case .structure(let members):
      container(CDBUS_TYPE_STRUCT, nil, &iterator) { contents in
        members.allSatisfy { append($0, to: &contents) }
      }
    case .variant(let inner):
      container(CDBUS_TYPE_VARIANT, inner.signature.rawValue, &iterator) { append(inner, to: &$0) }
    }
  }

  private static func basic<Value: BitwiseCopyable>(
    _ value: Value, _ type: Int32, _ iterator: inout DBusMessageIter
  ) -> Bool {
    withUnsafePointer(to: value) { dbus_message_iter_append_basic(&iterator, type, $0) != 0 }
  }

  private static func text(_ text: String, _ type: Int32, _ iterator: inout DBusMessageIter) -> Bool {
    text.withCString { pointer in
      withUnsafePointer(to: pointer) { dbus_message_iter_append_basic(&iterator, type, $0) != 0 }
    }
  }

  private static func bytes(_ bytes: [UInt8], _ iterator: inout DBusMessageIter) -> Bool {
    container(CDBUS_TYPE_ARRAY, "y", &iterator) { contents in
      bytes.withUnsafeBufferPointer { buffer in
        guard let start = buffer.baseAddress, !buffer.isEmpty else { return true }
        return withUnsafePointer(to: start) {
          dbus_message_iter_append_fixed_array(&contents, CDBUS_TYPE_BYTE, $0, Int32(buffer.count)) != 0
        }
      }
    }
  }

  /// Appends an array, structure, dictionary entry or variant. If `fill` fails, the container is abandoned,
  /// which frees libdbus's memory for it.
  private static func container(
    _ type: Int32, _ signature: String?, _ iterator: inout DBusMessageIter,
    fill: (inout DBusMessageIter) -> Bool
  ) -> Bool {
    var contents = DBusMessageIter()
    guard dbus_message_iter_open_container(&iterator, type, signature, &contents) != 0 else { return false }
    guard fill(&contents) else {
      dbus_message_iter_abandon_container(&iterator, &contents)
      return false
    }
    return dbus_message_iter_close_container(&iterator, &contents) != 0
  }
}

/// The caller to which a reply is sent.
struct ReplyAddress: Sendable {
  var sender: String?
  var serial: UInt32
}
