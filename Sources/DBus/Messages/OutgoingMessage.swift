internal import CDBus

/// A message of libdbus on its way out, owned: unreferenced once, when this goes. Everything in it has been
/// checked.
final class OutgoingMessage {
  let raw: OpaquePointer

  /// - Throws: `BusError` with `.invalidMessage` for what the protocol does not allow, with `.noMemory`.
  init(_ call: MethodCall) throws(BusError) {
    try Self.require(call.destination.map(BusNames.isBus) ?? true, "no bus name: \(call.destination ?? "")")
    try Self.require(BusNames.isInterface(call.interface), "no interface name: \(call.interface)")
    try Self.require(BusNames.isMember(call.member), "no method name: \(call.member)")
    try BodyCheck.check(call.body)
    raw = try Self.made(
      dbus_message_new_method_call(call.destination, call.path.rawValue, call.interface, call.member))
    try fill(call.body)
  }

  init(signal member: String, of interface: String, at path: ObjectPath, body: [DBusValue]) throws(BusError) {
    try Self.require(BusNames.isInterface(interface), "no interface name: \(interface)")
    try Self.require(BusNames.isMember(member), "no signal name: \(member)")
    try BodyCheck.check(body)
    raw = try Self.made(dbus_message_new_signal(path.rawValue, interface, member))
    try fill(body)
  }

  init(returning body: [DBusValue], to caller: ReplyAddress) throws(BusError) {
    try BodyCheck.check(body)
    raw = try Self.made(dbus_message_new(DBUS_MESSAGE_TYPE_METHOD_RETURN))
    try address(to: caller)
    try fill(body)
  }

  init(failure: BusError, to caller: ReplyAddress) throws(BusError) {
    // A handler may throw whatever error it met; a name that the wire does not carry becomes the general one.
    let isNamed = BusNames.isError(failure.name.rawValue)
    let body: [DBusValue] = [.string(failure.message.replacing("\u{0}", with: "\u{FFFD}"))]
    try BodyCheck.check(body)
    raw = try Self.made(dbus_message_new(DBUS_MESSAGE_TYPE_ERROR))
    let name = isNamed ? failure.name.rawValue : BusError.Name.failed.rawValue
    try Self.require(dbus_message_set_error_name(raw, name) != 0, "", .noMemory)
    try address(to: caller)
    try fill(body)
  }

  deinit {
    dbus_message_unref(raw)
  }

  /// The frame of the message.
  ///
  /// - Throws: `BusError` with `.noMemory`.
  func encoded(serial: UInt32) throws(BusError) -> [UInt8] {
    dbus_message_set_serial(raw, serial)
    var octets: UnsafeMutablePointer<CChar>?
    var count: Int32 = 0
    let isEncoded = dbus_message_marshal(raw, &octets, &count) != 0
    guard isEncoded, let octets else { throw BusError(.noMemory, "no memory for a message") }
    defer { dbus_free(octets) }
    return Array(UnsafeRawBufferPointer(start: octets, count: Int(count)))
  }

  /// The callee need not answer.
  func wantsNoReply() {
    dbus_message_set_no_reply(raw, 1)
  }

  private func address(to caller: ReplyAddress) throws(BusError) {
    let isAddressed =
      dbus_message_set_reply_serial(raw, caller.serial) != 0
      && dbus_message_set_destination(raw, caller.sender) != 0
    dbus_message_set_no_reply(raw, 1)
    try Self.require(isAddressed, "no memory for a message", .noMemory)
  }

  private func fill(_ body: [DBusValue]) throws(BusError) {
    try Self.require(BodyWriter.append(body, to: raw), "no memory for a message", .noMemory)
  }

  private static func made(_ raw: OpaquePointer?) throws(BusError) -> OpaquePointer {
    guard let raw else { throw BusError(.noMemory, "no memory for a message") }
    return raw
  }

  private static func require(
    _ condition: Bool, _ message: String, _ name: BusError.Name = .invalidMessage
  ) throws(BusError) {
    guard condition else { throw BusError(name, message) }
  }
}

/// Where the reply to a call goes.
struct ReplyAddress: Sendable {
  var sender: String?
  var serial: UInt32
}
