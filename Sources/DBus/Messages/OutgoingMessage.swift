/// A message on its way out. Everything in it has been checked.
struct OutgoingMessage {
  /// The number of a kind of message. D-Bus specification, "Message Format".
  private enum Kind: UInt8 {
    case methodCall = 1
    case methodReturn = 2
    case error = 3
    case signal = 4
  }

  private static let noReplyExpected: UInt8 = 1

  private let kind: Kind
  private var flags: UInt8 = 0
  /// By their numbers.
  private let fields: [(number: UInt8, value: DBusValue)]
  private let body: [UInt8]

  /// - Throws: `BusError` with `.invalidMessage` for what the protocol does not allow.
  init(_ call: MethodCall) throws(BusError) {
    try Self.require(call.destination.map(BusNames.isBus) ?? true, "no bus name: \(call.destination ?? "")")
    try Self.require(BusNames.isInterface(call.interface), "no interface name: \(call.interface)")
    try Self.require(BusNames.isMember(call.member), "no method name: \(call.member)")
    var fields: [(UInt8, DBusValue)] = [
      (MessageHeader.Field.path, .objectPath(call.path)),
      (MessageHeader.Field.interface, .string(call.interface)),
      (MessageHeader.Field.member, .string(call.member)),
    ]
    if let destination = call.destination {
      fields.append((MessageHeader.Field.destination, .string(destination)))
    }
    try self.init(.methodCall, fields, call.body)
  }

  /// - Throws: as above.
  init(signal member: String, of interface: String, at path: ObjectPath, body: [DBusValue]) throws(BusError) {
    try Self.require(BusNames.isInterface(interface), "no interface name: \(interface)")
    try Self.require(BusNames.isMember(member), "no signal name: \(member)")
    try self.init(
      .signal,
      [
        (MessageHeader.Field.path, .objectPath(path)),
        (MessageHeader.Field.interface, .string(interface)),
        (MessageHeader.Field.member, .string(member)),
      ], body)
  }

  /// - Throws: as above.
  init(returning body: [DBusValue], to caller: ReplyAddress) throws(BusError) {
    try self.init(.methodReturn, Self.fields(to: caller), body)
    wantsNoReply()
  }

  /// - Throws: as above.
  init(failure: BusError, to caller: ReplyAddress) throws(BusError) {
    // A handler may throw whatever error it met; a name that the wire does not carry becomes the general one.
    let isNamed = BusNames.isError(failure.name.rawValue)
    let name = isNamed ? failure.name.rawValue : BusError.Name.failed.rawValue
    try self.init(
      .error, Self.fields(to: caller) + [(MessageHeader.Field.errorName, .string(name))],
      [.string(failure.message.replacing("\u{0}", with: "\u{FFFD}"))])
    wantsNoReply()
  }

  private init(
    _ kind: Kind, _ fields: [(UInt8, DBusValue)], _ body: [DBusValue]
  ) throws(BusError) {
    try BodyCheck.check(body)
    self.kind = kind
    let signature: [(UInt8, DBusValue)] =
      body.isEmpty ? [] : [(MessageHeader.Field.signature, .signature(body.bodySignature))]
    self.fields = fields + signature
    var writer = BodyWriter()
    for value in body { writer.append(value) }
    self.body = writer.octets
  }

  private static func fields(to caller: ReplyAddress) -> [(UInt8, DBusValue)] {
    let serial: [(UInt8, DBusValue)] = [(MessageHeader.Field.replySerial, .uint32(caller.serial))]
    return serial + (caller.sender.map { [(MessageHeader.Field.destination, .string($0))] } ?? [])
  }

  /// The callee need not answer.
  mutating func wantsNoReply() { flags |= Self.noReplyExpected }

  /// The frame of the message.
  func encoded(serial: UInt32) -> [UInt8] {
    var writer = BodyWriter()
    for octet in [UInt8(ascii: "l"), kind.rawValue, flags, 1] { writer.append(octet) }
    writer.append(UInt32(body.count))
    writer.append(serial)
    writer.appendArray(alignedTo: 8) { writer in
      for field in fields {
        writer.align(to: 8)
        writer.append(field.number)
        writer.append(.variant(field.value))
      }
    }
    writer.align(to: 8)
    return writer.octets + body
  }

  private static func require(_ condition: Bool, _ message: String) throws(BusError) {
    guard condition else { throw BusError(.invalidMessage, message) }
  }
}

/// Where the reply to a call goes.
struct ReplyAddress: Sendable {
  var sender: String?
  var serial: UInt32
}
