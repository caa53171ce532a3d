import CDBus
import Foundation
import Glibc

@testable import DBus

/// A server for one client that sends data which no bus would send. It runs on a blocking thread.
final class ScriptedServer: Sendable {
  let address: BusAddress
  let path: String
  private let folder: URL

  /// - Parameters:
  ///   - answer: The reply to the client's authentication.
  ///   - waiting: The backlog of the socket; the kernel adds one.
  ///   - mayAccept: Accepts no client before this is signaled.
  ///   - script: Runs with the first client that authenticates. The connection is closed after it.
  init(
    answer: String = "OK 0123456789abcdef0123456789abcdef", waiting: Int32 = 8,
    mayAccept: DispatchSemaphore? = nil, script: @escaping @Sendable (inout Client) -> Void
  ) throws {
    folder = URL(filePath: "/tmp/bus-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    path = "\(folder.path)/bus"
    address = .address("unix:path=\(path)")
    let listening = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    guard Self.withAddress(path, { bind(listening, $0, $1) }) == 0, listen(listening, waiting) == 0 else {
      throw POSIXError(.EIO)
    }
    Thread.detachNewThread {
      mayAccept?.wait()
      while case let descriptor = accept(listening, nil, nil), descriptor >= 0 {
        var client = Client(descriptor: descriptor)
        defer { close(descriptor) }
        guard client.readLine() != nil else { continue }
        client.write(Array("\(answer)\r\n".utf8))
        // The client also asks whether it may pass file descriptors.
        while let line = client.readLine() {
          if line == "BEGIN" {
            script(&client)
            break
          }
          client.write(Array("ERROR\r\n".utf8))
        }
        break
      }
      close(listening)
    }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Opens as many sockets as fit into the backlog of the server.
  func fillBacklog() -> [Int32] {
    var waiting: [Int32] = []
    while true {
      let descriptor = socket(
        AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
      guard Self.withAddress(path, { connect(descriptor, $0, $1) }) == 0 else {
        close(descriptor)
        return waiting
      }
      waiting.append(descriptor)
    }
  }

  private static func withAddress<Result>(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    var place = sockaddr_un()
    place.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &place.sun_path) { $0.copyBytes(from: Array(path.utf8) + [0]) }
    return withUnsafePointer(to: place) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  /// The server's end of a connection.
  struct Client {
    let descriptor: Int32
    private var input: [UInt8] = []

    init(descriptor: Int32) { self.descriptor = descriptor }

    func write(_ bytes: [UInt8]) {
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        if count <= 0 { return }
        rest = rest.dropFirst(count)
      }
    }

    /// Returns a line without its terminator.
    mutating func readLine() -> String? {
      while true {
        if let end = input.firstIndex(of: UInt8(ascii: "\n")) {
          defer { input.removeSubrange(...end) }
          return String(decoding: input[..<(end - 1)].drop { $0 == 0 }, as: UTF8.self)
        }
        guard fill() else { return nil }
      }
    }

    /// Replies to calls like a bus, up to the first call of this name, which it leaves unanswered.
    ///
    /// - Returns: The serial of that call; nil at the end of the connection.
    @discardableResult
    mutating func serve(until member: String) -> UInt32? {
      while let message = nextMessage() {
        if message.member == member { return message.serial }
        let body: [DBusValue] =
          switch message.member {
          case "Hello", "GetNameOwner": [.string(":1.4")]
          case "GetId": [.string("0123456789abcdef0123456789abcdef")]
          default: []
          }
        reply(body, to: message.serial)
      }
      return nil
    }

    func reply(_ body: [DBusValue], to serial: UInt32) {
      let caller = ReplyAddress(sender: ":1.9", serial: serial)
      guard let message = try? OutgoingMessage(returning: body, to: caller) else { return }
      write(ScriptedServer.bytes(of: message, serial: 4000, sender: "org.freedesktop.DBus"))
    }

    /// Sends a signal with the sender `:1.4`.
    func emit(_ signal: BusMessage, serial: UInt32) {
      write(ScriptedServer.bytes(of: signal, serial: serial))
    }

    private mutating func nextMessage() -> IncomingMessage? {
      while true {
        let length = input.withUnsafeBytes {
          dbus_message_demarshal_bytes_needed(
            $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count))
        }
        guard length >= 0 else { return nil }
        if length > 0, length <= input.count {
          let message = input.withUnsafeBytes {
            dbus_message_demarshal($0.baseAddress?.assumingMemoryBound(to: CChar.self), length, nil)
          }
          input.removeFirst(Int(length))
          return message.map { IncomingMessage(owned: $0) }
        }
        guard fill() else { return nil }
      }
    }

    private mutating func fill() -> Bool {
      var room = [UInt8](repeating: 0, count: 4096)
      let count = recv(descriptor, &room, room.count, 0)
      guard count > 0 else { return false }
      input += room.prefix(count)
      return true
    }
  }

  // MARK: - Messages as bytes

  static func bytes(of message: OutgoingMessage, serial: UInt32, sender: String) -> [UInt8] {
    dbus_message_set_sender(message.raw, sender)
    dbus_message_set_serial(message.raw, serial)
    return bytes(of: message.raw)
  }

  static func bytes(of raw: OpaquePointer) -> [UInt8] {
    var bytes: UnsafeMutablePointer<CChar>?
    var count: Int32 = 0
    guard dbus_message_marshal(raw, &bytes, &count) != 0 else { return [] }
    defer { dbus_free(bytes) }
    return Array(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
  }

  static func bytes(of signal: BusMessage, serial: UInt32) -> [UInt8] {
    guard
      let message = try? OutgoingMessage(
        signal: signal.member, of: signal.interface, at: signal.path, body: signal.body)
    else { return [] }
    return bytes(of: message, serial: serial, sender: ":1.4")
  }

  static func signal(_ member: String, _ body: [DBusValue] = []) -> BusMessage {
    BusMessage(
      sender: ":1.4", path: "/", interface: "a.b", member: member, body: body,
      arrival: Arrival(order: 0, boottimeNanoseconds: 0))
  }

  /// Returns a *PropertiesChanged* signal for a property of a characteristic.
  static func change(_ bytes: [UInt8], property: String = "Value") -> BusMessage {
    let interface = "org.bluez.GattCharacteristic1"
    return BusMessage(
      sender: ":1.4", path: "/org/bluez/hci0/dev_1/service0/char1",
      interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged",
      body: [.string(interface), .properties([property: .bytes(bytes)]), .strings([])],
      arrival: Arrival(order: 0, boottimeNanoseconds: 0))
  }
}
