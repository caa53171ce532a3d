internal import Glibc

/// `org.freedesktop.DBus.Peer`, which every connection answers at once, whatever the path. D-Bus
/// specification, "org.freedesktop.DBus.Peer".
enum PeerMethods {
  /// Where the machine's number stands, the first that can be read (machine-id(5)).
  private static let files = ["/var/lib/dbus/machine-id", "/etc/machine-id"]

  /// - Throws: `BusError` with `.unknownMethod` or `.invalidArguments`, and `.failed` for a machine without a
  ///   number.
  static func answer(_ message: IncomingMessage) throws(BusError) -> [DBusValue] {
    let member = message.member ?? ""
    guard ["Ping", "GetMachineId"].contains(member) else {
      throw BusError(.unknownMethod, "\(StandardInterfaces.peer) has no method \(member)")
    }
    guard message.signature.rawValue.isEmpty else {
      throw BusError(.invalidArguments, "\(member) takes (), not (\(message.signature))")
    }
    return member == "Ping" ? [] : [.string(try machineID())]
  }

  private static func machineID() throws(BusError) -> String {
    for file in files {
      if let text = firstLine(of: file), text.count == 32, text.allSatisfy(\.isHexDigit) { return text }
    }
    throw BusError(
      .failed, "no number of the machine in \(files.joined(separator: " or ")): dbus-uuidgen makes it")
  }

  private static func firstLine(of file: String) -> String? {
    let descriptor = open(file, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var octets = [UInt8](repeating: 0, count: 64)
    let count = read(descriptor, &octets, octets.count)
    guard count > 0 else { return nil }
    return String(decoding: octets.prefix(count).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }
}
