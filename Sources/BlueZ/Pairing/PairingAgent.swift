import DBus

/// The pairing agent (org.bluez.Agent1). bluetoothd calls it when a pairing needs the user.
///
/// It answers for the device that the user is pairing, and rejects all other requests. It is registered with
/// the I/O capability `KeyboardDisplay`, so the monitor's capability determines the pairing method.
struct PairingAgent: Sendable {
  static let path: ObjectPath = "/org/hrgate/agent"
  static let capability = "KeyboardDisplay"

  let dialogue: AttendedDialogue

  func export(on connection: BusConnection) async throws(BusError) {
    try await connection.export(ExportedObject(interfaces: [interface]), at: Self.path)
  }

  private var interface: ExportedInterface {
    let device = ExportedArgument("device", "o")
    let passkey = ExportedArgument("passkey", "u")
    return ExportedInterface(
      name: BlueZInterface.agent,
      methods: [
        ExportedMethod(name: "Release") { _ throws(BusError) in [] },
        ExportedMethod(name: "Cancel") { _ throws(BusError) in [] },
        ExportedMethod(
          name: "RequestPinCode", arguments: [device], results: [ExportedArgument("pincode", "s")]
        ) {
          _ throws(BusError) in
          // PIN codes are used only on BR/EDR.
          throw Self.rejection
        },
        ExportedMethod(name: "DisplayPinCode", arguments: [device, ExportedArgument("pincode", "s")]) {
          _ throws(BusError) in throw Self.rejection
        },
        ExportedMethod(name: "RequestPasskey", arguments: [device], results: [passkey]) {
          call throws(BusError) in
          try check(call)
          guard let passkey = await dialogue.requestPasskey() else { throw Self.rejection }
          return [.uint32(passkey)]
        },
        ExportedMethod(
          name: "DisplayPasskey", arguments: [device, passkey, ExportedArgument("entered", "q")]
        ) { call throws(BusError) in
          try check(call)
          // bluetoothd repeats the call for each digit typed on the monitor. Show the passkey only once.
          if call.body[2].asInteger == 0 { await dialogue.show(passkey: Self.passkey(in: call)) }
          return []
        },
        ExportedMethod(name: "RequestConfirmation", arguments: [device, passkey]) { call throws(BusError) in
          try check(call)
          guard await dialogue.confirm(passkey: Self.passkey(in: call)) else { throw Self.rejection }
          return []
        },
        ExportedMethod(name: "RequestAuthorization", arguments: [device]) { call throws(BusError) in
          // Just Works pairing: the user has agreed by starting it.
          try check(call)
          return []
        },
        ExportedMethod(name: "AuthorizeService", arguments: [device, ExportedArgument("uuid", "s")]) {
          call throws(BusError) in
          try check(call)
          return []
        },
      ])
  }

  private func check(_ call: BusMessage) throws(BusError) {
    guard dialogue.isAbout(call.body.first?.asObjectPath) else { throw Self.rejection }
  }

  private static func passkey(in call: BusMessage) -> UInt32 {
    call.body[1].asInteger.flatMap { UInt32(exactly: $0) } ?? 0
  }

  private static let rejection = BusError("org.bluez.Error.Rejected", "")
}
