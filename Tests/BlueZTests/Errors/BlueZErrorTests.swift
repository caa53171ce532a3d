import Testing

@testable import BlueZ

@Suite struct BlueZErrorTests {
  /// All error names and messages of bluetoothd, as it sends them, with their expected meanings.
  private static let table: [(String, String, BlueZError.Meaning)] = [
    ("NotReady", "Resource Not Ready", .adapterNotReady),
    ("InProgress", "Operation already in progress", .inProgress),
    ("InProgress", "In Progress", .inProgress),
    ("Failed", "Operation already in progress", .inProgress),
    ("Failed", "Device or resource busy", .inProgress),
    ("Failed", "le-connection-abort-by-local", .connectFailed),
    ("Failed", "le-connection-abort-by-remote", .connectFailed),
    ("Failed", "le-connection-refused", .connectFailed),
    ("Failed", "le-connection-timeout", .connectFailed),
    ("Failed", "le-connection-gatt-browsing", .connectFailed),
    ("Failed", "le-connection-concurrent-connection-limit", .connectionLimit),
    ("Failed", "le-connection-key-missing", .bondLost),
    ("Failed", "le-connection-adapter-not-powered", .adapterNotReady),
    ("Failed", "br-connection-canceled", .connectFailed),
    ("Failed", "Software caused connection abort", .connectFailed),
    ("Failed", "Connection refused", .connectFailed),
    ("Failed", "Connection timed out", .connectFailed),
    ("Failed", "Host is down", .connectFailed),
    ("Failed", "Transport endpoint is not connected", .notConnected),
    ("Failed", "No such device", .objectGone),
    ("Failed", "Operation failed with ATT error: 0x80", .attributeError(0x80)),
    ("Failed", "Operation failed with ATT error: 0x0e", .attributeError(0x0E)),
    ("Failed", "Operation failed with ATT error: 0x05", .pairingNeeded),
    ("Failed", "Operation failed with ATT error: 0x0f", .pairingNeeded),
    ("Failed", "Operation failed with ATT error: 0x", .other),
    ("Failed", "Operation failed with ATT error: 0x123", .other),
    ("Failed", "No discovery started", .other),
    ("Failed", "", .other),
    ("AlreadyConnected", "Already Connected", .alreadyDone),
    ("AlreadyExists", "Already Exists", .alreadyDone),
    ("NotConnected", "Not Connected", .notConnected),
    ("DoesNotExist", "Does Not Exist", .objectGone),
    ("NotPermitted", "Read not permitted", .notPermitted),
    ("NotPermitted", "Write not permitted", .notPermitted),
    ("NotPermitted", "Notify acquired", .takenByAnother),
    ("NotPermitted", "Not paired", .pairingNeeded),
    ("NotAuthorized", "Operation Not Authorized", .notPermitted),
    ("NotSupported", "Operation is not supported", .notSupported),
    ("NotAvailable", "Operation currently not available", .notSupported),
    ("InvalidArguments", "Invalid offset", .invalidArguments),
    ("InvalidValueLength", "Invalid Length", .invalidArguments),
    ("AuthenticationCanceled", "Authentication Canceled", .pairingRefused),
    ("AuthenticationRejected", "Authentication Rejected", .pairingRefused),
    ("AuthenticationFailed", "Authentication Failed", .pairingFailed),
    ("AuthenticationTimeout", "Authentication Timeout", .pairingTimedOut),
    ("ConnectionAttemptFailed", "Page Timeout", .connectFailed),
    ("SomethingNew", "whatever", .other),
  ]

  @Test(arguments: table)
  func `errors of bluetoothd have one meaning each`(
    row: (name: String, message: String, meaning: BlueZError.Meaning)
  ) {
    #expect(BlueZError(name: "org.bluez.Error." + row.name, message: row.message).meaning == row.meaning)
  }

  @Test(arguments: [
    ("UnknownObject", BlueZError.Meaning.objectGone), ("UnknownMethod", .objectGone),
    ("UnknownInterface", .objectGone), ("ServiceUnknown", .daemonAbsent), ("NameHasNoOwner", .daemonAbsent),
    ("NoReply", .noAnswer), ("AccessDenied", .notPermitted), ("InvalidArgs", .invalidArguments),
    ("LimitsExceeded", .other),
  ])
  func `so do errors of the bus`(row: (name: String, meaning: BlueZError.Meaning)) {
    #expect(BlueZError(name: "org.freedesktop.DBus.Error." + row.name, message: "").meaning == row.meaning)
  }

  @Test(arguments: [
    ("Disconnected", BlueZError.Meaning.daemonAbsent), ("TimedOut", .noAnswer), ("Cancelled", .noAnswer),
  ])
  func `and errors that this side detects`(row: (name: String, meaning: BlueZError.Meaning)) {
    #expect(BlueZError(name: "org.hrgate.DBus.Error." + row.name, message: "").meaning == row.meaning)
  }

  @Test func `a name with only the same beginning is not bluetoothd's`() {
    #expect(BlueZError(name: "org.bluez.ErrorInProgress", message: "").meaning == .other)
    #expect(BlueZError(name: "", message: "").meaning == .other)
  }
}
