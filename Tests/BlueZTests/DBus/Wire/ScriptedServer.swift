import CDBus
import Foundation
import Glibc

@testable import DBus

/// A server of the test's own for one client, which says what a bus would not. It does so on a thread, and
/// blocks there.
final class ScriptedServer: Sendable {
  let address: BusAddress
  private let folder: URL

  /// - Parameters:
  ///   - answer: its line for a client that says who it is.
  ///   - waiting: how many connections may wait to be taken up; the kernel has one more wait.
  ///   - mayAccept: takes up none before this is signalled.
  ///   - script: what it does with the first client that says something, once it has taken it; the connection
  ///     is closed then.
  init(
    answer: String = "OK 0123456789abcdef0123456789abcdef\r\n", waiting: Int32 = 8,
    mayAccept: DispatchSemaphore? = nil, script: @escaping @Sendable (Client) -> Void
  ) throws {
    folder = URL(filePath: "/tmp/wire-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    address = .address("unix:path=\(folder.path)/bus")
    let listening = try Self.listen(at: "\(folder.path)/bus", waiting)
    Thread.detachNewThread {
      mayAccept?.wait()
      var descriptor = accept(listening, nil, nil)
      var client = Client(descriptor: descriptor)
      while descriptor >= 0, client.readLine() == nil {
        close(descriptor)
        descriptor = accept(listening, nil, nil)
        client = Client(descriptor: descriptor)
      }
      close(listening)
      guard descriptor >= 0 else { return }
      defer { close(descriptor) }
      client.write(Array(answer.utf8))
      guard client.readLine() == "BEGIN" else { return }
      script(client)
    }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private static func listen(at path: String, _ waiting: Int32) throws -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var place = sockaddr_un()
    place.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &place.sun_path) { $0.copyBytes(from: Array(path.utf8) + [0]) }
    let isBound = withUnsafePointer(to: place) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    guard isBound, Glibc.listen(descriptor, waiting) == 0 else { throw POSIXError(.EIO) }
    return descriptor
  }

  /// The other end of a connection.
  struct Client {
    let descriptor: Int32
    private var input = FrameBuffer()

    init(descriptor: Int32) { self.descriptor = descriptor }

    func write(_ octets: [UInt8]) {
      var rest = octets[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        if count <= 0 { return }
        rest = rest.dropFirst(count)
      }
    }

    /// Without its end.
    mutating func readLine() -> String? {
      var line: [UInt8] = []
      while line.suffix(2) != [13, 10] {
        guard let octet = input.nextOctet() else {
          guard fill() else { return nil }
          continue
        }
        line.append(octet)
      }
      return String(decoding: line.dropLast(2).drop { $0 == 0 }, as: UTF8.self)
    }

    /// Answers calls as a bus does, up to the first of this name, which is left unanswered.
    ///
    /// - Returns: its serial; nil at the end of the connection.
    mutating func serve(until member: String) -> UInt32? {
      while true {
        while let range = try? input.nextFrame() {
          guard let call = FrameTests.read(Array(input.octets[range])) else { return nil }
          if call.member == member { return call.serial }
          let body: [DBusValue] =
            switch call.member {
            case "Hello", "GetNameOwner": [.string(":1.4")]
            case "GetId": [.string("0123456789abcdef0123456789abcdef")]
            default: []
            }
          reply(body, to: call.serial)
        }
        guard fill() else { return nil }
      }
    }

    func reply(_ body: [DBusValue], to serial: UInt32) {
      guard
        let message = try? OutgoingMessage(returning: body, to: ReplyAddress(sender: ":1.9", serial: serial))
      else { return }
      let octets = try? FrameTests.frame(message.encoded(serial: 4000), from: "org.freedesktop.DBus")
      if let octets { write(octets) }
    }

    private mutating func fill() -> Bool {
      input.fill { room in
        let count = recv(descriptor, room.baseAddress, room.count, 0)
        return (count > 0, filled: max(0, count))
      }
    }
  }
}
