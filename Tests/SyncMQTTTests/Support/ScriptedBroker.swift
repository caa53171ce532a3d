import Foundation
import Glibc
import Synchronization
@testable import TestSupport

/// A broker that answers each packet as the test says: for what mosquitto does not do on demand.
final class ScriptedBroker: Sendable {
  struct Packet: Sendable {
    /// The upper half of the first byte.
    var kind: UInt8
    var body: [UInt8]

    static let connect: UInt8 = 1
    static let publish: UInt8 = 3
    static let subscribe: UInt8 = 8
    static let ping: UInt8 = 12

    /// The packet identifier of a PUBLISH with QoS 1.
    var identifier: [UInt8] {
      let length = Int(body[0]) << 8 | Int(body[1])
      return Array(body[(2 + length)..<(4 + length)])
    }

    var topic: String { String(decoding: body[2..<(2 + Int(body[0]) << 8 + Int(body[1]))], as: UTF8.self) }

    /// A PUBACK with this reason.
    func acknowledged(_ reason: UInt8 = 0) -> [UInt8] { [0x40, 3] + identifier + [reason] }
  }

  private struct State {
    var packets: [Packet] = []
    var connection: Int32 = -1
  }

  static let accepted: [UInt8] = [0x20, 3, 0, 0, 0]

  let port: Int
  private let listener: Int32
  private let state = Mutex(State())
  private let answer: @Sendable (Packet) -> [UInt8]

  /// - Parameter answer: What is sent back; one connection at a time.
  init(_ answer: @escaping @Sendable (Packet) -> [UInt8]) throws {
    self.answer = answer
    listener = try LoopbackSocket.listening()
    port = LoopbackSocket.port(of: listener)
    let listener = listener
    Thread.detachNewThread { [weak self] in
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { return }
        self?.state.withLock { $0.connection = connection }
        while let packet = Self.read(connection) {
          guard let self else { break }
          self.state.withLock { $0.packets.append(packet) }
          self.send(self.answer(packet))
        }
        self?.state.withLock { $0.connection = -1 }
        close(connection)
      }
    }
  }

  deinit {
    state.withLock { if $0.connection >= 0 { shutdown($0.connection, Int32(SHUT_RDWR)) } }
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  func packets(_ kind: UInt8) -> [Packet] { state.withLock { $0.packets.filter { $0.kind == kind } } }

  func send(_ bytes: [UInt8]) {
    state.withLock { state in
      guard !bytes.isEmpty, state.connection >= 0 else { return }
      _ = Glibc.send(state.connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
  }

  private static func read(_ connection: Int32) -> Packet? {
    guard let first = bytes(1, connection)?.first else { return nil }
    var length = 0
    for place in 0..<4 {
      guard let byte = bytes(1, connection)?.first else { return nil }
      length |= Int(byte & 127) << (7 * place)
      if byte < 128 { break }
    }
    return bytes(length, connection).map { Packet(kind: first >> 4, body: $0) }
  }

  private static func bytes(_ count: Int, _ connection: Int32) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let more = bytes[filled...].withUnsafeMutableBytes { recv(connection, $0.baseAddress, $0.count, 0) }
      guard more > 0 else { return nil }
      filled += more
    }
    return bytes
  }
}
