import Bluetooth
import Glibc
import Testing

@testable import PacketLog
@testable import PacketRecording

/// A local datagram socket that replaces the kernel's HCI monitor channel. The kernel adds timestamps and
/// counts drops as it does for the monitor channel.
final class LoopbackChannel {
  let channel: MonitorChannel
  private let sender: Int32

  init(queueLength: Int32 = 4 << 20) throws {
    let receiver = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
    sender = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    channel = MonitorChannel(descriptor: receiver, queueLength: queueLength)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
        bind(receiver, name, size) + getsockname(receiver, name, &size) + connect(sender, name, size)
      }
    }
    try #require(status == 0)
    while try !isStamping() { usleep(1000) }
  }

  /// Whether the kernel adds timestamps, which it does some time after the first socket has requested them.
  /// Until then datagrams have the time at which they are read, and the order around a loss is unknown.
  private func isStamping() throws -> Bool {
    try send(.notification(on: 0x40))
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: MonitorChannel.longestDatagram, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let (reading, before) = try channel.read(into: buffer)
      if case .message(let message) = reading { return message.time < before }
    }
  }

  deinit { close(sender) }

  func send(_ message: MonitorMessage) throws {
    var datagram = ByteWriter()
    datagram.appendLE(message.opcode)
    datagram.appendLE(message.controller)
    datagram.appendLE(UInt16(message.packet.count))
    datagram.append(message.packet)
    try send(datagram.bytes)
  }

  func send(_ datagram: [UInt8]) throws {
    try #require(Glibc.send(sender, datagram, datagram.count, 0) == datagram.count)
  }
}
