internal import CDBus

/// The header of a message that came, as libdbus read it. The body is read when somebody wants it.
struct IncomingMessage {
  let header: MessageHeader
  var arrival: Arrival
  private let raw: OpaquePointer

  var kind: MessageHeader.Kind { header.kind }
  var serial: UInt32 { header.serial }
  var sender: String? { header.sender }
  var path: ObjectPath? { header.path }
  var interface: String? { header.interface }
  var member: String? { header.member }

  /// - Parameter raw: lent for as long as the message is handed on; the value must not live longer.
  init?(lent raw: OpaquePointer, arrival: Arrival) {
    let kind: MessageHeader.Kind
    switch dbus_message_get_type(raw) {
    case DBUS_MESSAGE_TYPE_METHOD_CALL: kind = .methodCall(wantsReply: dbus_message_get_no_reply(raw) == 0)
    case DBUS_MESSAGE_TYPE_METHOD_RETURN: kind = .reply(to: dbus_message_get_reply_serial(raw))
    case DBUS_MESSAGE_TYPE_ERROR:
      kind = .failure(
        to: dbus_message_get_reply_serial(raw),
        name: dbus_message_get_error_name(raw).map { String(cString: $0) } ?? BusError.Name.failed.rawValue)
    case DBUS_MESSAGE_TYPE_SIGNAL: kind = .signal
    default: return nil
    }
    header = MessageHeader(
      kind: kind, serial: dbus_message_get_serial(raw),
      sender: dbus_message_get_sender(raw).map { String(cString: $0) },
      path: dbus_message_get_path(raw).map { ObjectPath(valid: String(cString: $0)) },
      interface: dbus_message_get_interface(raw).map { String(cString: $0) },
      member: dbus_message_get_member(raw).map { String(cString: $0) })
    self.arrival = arrival
    self.raw = raw
  }

  /// Of the body.
  var signature: Signature {
    Signature(valid: dbus_message_get_signature(raw).map { String(cString: $0) } ?? "")
  }

  func body() throws(BusError) -> [DBusValue] {
    try BodyReader.body(of: raw)
  }

  /// Has libdbus read a frame.
  ///
  /// - Parameter body: gets the message; nil is one of a kind that this version of the specification does
  ///   not have, and that is to be passed over.
  /// - Throws: `BusError` with `.disconnected` for what is no message.
  static func decode(
    _ frame: RawSpan, _ arrival: Arrival, _ body: (IncomingMessage?) -> Void
  ) throws(BusError) {
    var error = DBusError()
    dbus_error_init(&error)
    defer { dbus_error_free(&error) }
    let raw = frame.withUnsafeBytes { octets in
      dbus_message_demarshal(octets.baseAddress, Int32(octets.count), &error)
    }
    guard let raw else {
      let why = error.message.map { String(cString: $0) } ?? "no memory"
      throw BusError(.disconnected, "the bus sent what is no message: \(why)")
    }
    defer { dbus_message_unref(raw) }
    body(IncomingMessage(lent: raw, arrival: arrival))
  }
}
