import Foundation
import Glibc
import Synchronization

@testable import TestSupport

/// A broker with scripted responses, for behavior that mosquitto does not have.
final class ScriptedBroker: Sendable {
  struct Packet: Sendable {
    /// The packet type: the upper four bits of the first byte.
    var kind: UInt8
    var body: [UInt8]
    /// Size of the whole packet in bytes.
    var size: Int

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

    /// Returns a PUBACK with this reason code.
    func acknowledged(_ reason: UInt8 = 0) -> [UInt8] { [0x40, 3] + identifier + [reason] }
  }

  /// State that the broker shares with its thread. Only the thread closes a descriptor, and only with the
  /// lock held, so that a reused descriptor number is never written to.
  private final class Session: Sendable {
    struct State {
      var packets: [Packet] = []
      var listener: Int32
      var connection: Int32 = -1
    }

    let state: Mutex<State>

    init(listener: Int32) { state = Mutex(State(listener: listener)) }

    func send(_ bytes: [UInt8]) {
      state.withLock { state in
        guard !bytes.isEmpty, state.connection >= 0 else { return }
        _ = Glibc.send(state.connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
      }
    }

    /// Shuts down both sockets, which ends the thread.
    func end() {
      state.withLock { state in
        for descriptor in [state.listener, state.connection] where descriptor >= 0 {
          shutdown(descriptor, Int32(SHUT_RDWR))
        }
      }
    }

    func run(_ listener: Int32, _ answer: (Packet) -> [UInt8]?) {
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { break }
        state.withLock { $0.connection = connection }
        while let packet = ScriptedBroker.read(connection) {
          state.withLock { $0.packets.append(packet) }
          guard let bytes = answer(packet) else { break }
          send(bytes)
        }
        state.withLock { state in
          state.connection = -1
          close(connection)
        }
      }
      state.withLock { state in
        state.listener = -1
        close(listener)
      }
    }
  }

  static let accepted: [UInt8] = [0x20, 3, 0, 0, 0]

  let port: Int
  private let session: Session

  /// - Parameter answer: Returns the bytes to send back, or `nil` to close the connection. The broker serves
  ///   one connection at a time.
  init(_ answer: @escaping @Sendable (Packet) -> [UInt8]?) throws {
    let listener = try LoopbackSocket.listening()
    let session = Session(listener: listener)
    port = LoopbackSocket.port(of: listener)
    self.session = session
    Thread.detachNewThread { session.run(listener, answer) }
  }

  deinit { session.end() }

  func packets(_ kind: UInt8) -> [Packet] {
    session.state.withLock { $0.packets.filter { $0.kind == kind } }
  }

  func send(_ bytes: [UInt8]) { session.send(bytes) }

  private static func read(_ connection: Int32) -> Packet? {
    guard let first = bytes(1, connection)?.first else { return nil }
    var length = 0
    var header = 1
    for place in 0..<4 {
      guard let byte = bytes(1, connection)?.first else { return nil }
      header += 1
      length |= Int(byte & 127) << (7 * place)
      if byte < 128 { break }
    }
    return bytes(length, connection).map { Packet(kind: first >> 4, body: $0, size: header + length) }
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
