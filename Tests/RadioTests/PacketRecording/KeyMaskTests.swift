import Bluetooth
import Testing

@testable import PacketLog
@testable import PacketRecording

@Suite struct KeyMaskTests {
  private static let key: [UInt8] = Array(0xC0...0xCF)

  private func masked(_ messages: [MonitorMessage]) -> [[UInt8]] {
    var mask = KeyMask()
    return messages.map { message in
      var message = message
      mask.mask(&message)
      return message.packet
    }
  }

  private func command(_ opcode: UInt16, _ open: [UInt8], _ secret: [UInt8]) -> MonitorMessage {
    let length = UInt8(open.count + secret.count)
    return .command([UInt8(opcode & 0xFF), UInt8(opcode >> 8), length] + open + secret)
  }

  private func control(_ opcode: UInt16, _ number: UInt16, _ parameters: [UInt8]) -> MonitorMessage {
    MonitorMessage(
      opcode: opcode, controller: 0, time: ReceiptTime(microsecondsSince1970: 0),
      packet: [1, 0, 0, 0, UInt8(number & 0xFF), UInt8(number >> 8)] + parameters)
  }

  /// Commands that contain keys, each with the number of bytes before its keys.
  @Test(
    arguments: [
      (0x040B, 6), (0x040D, 6), (0x042E, 6), (0x0430, 6), (0x0445, 6), (0x0C11, 1), (0x2017, 0), (0x2019, 12),
      (0x201A, 2), (0x2027, 7), (0x2068, 15), (0x206B, 4),
    ] as [(UInt16, Int)])
  func `a command keeps its address and loses its key`(opcode: UInt16, open: Int) {
    let message = command(opcode, [UInt8](repeating: 7, count: open), Self.key)
    let rest = message.packet.prefix(3 + open) + [UInt8](repeating: 0, count: Self.key.count)
    #expect(masked([message]) == [Array(rest)])
  }

  @Test(
    arguments: [
      [0x15, 24, 1] + key,  // Return Link Keys
      [0x18, 23, 1, 2, 3, 4, 5, 6] + key + [4],  // Link Key Notification
      [0x3B, 22, 1, 2, 3, 4, 5, 6] + key,  // User Passkey Notification
      [0x3E, 18, 0x09, 0] + key,  // LE Generate DHKey Complete
    ] as [[UInt8]])
  func `events with keys lose them`(event: [UInt8]) {
    #expect(masked([.event(event)]).allSatisfy { Set($0).isDisjoint(with: Self.key) })
  }

  /// Read Local OOB Data, its extended form, LE Encrypt and LE Rand: the results of these commands contain
  /// keys.
  @Test(arguments: [0x0C57, 0x0C7D, 0x2017, 0x2018] as [UInt16])
  func `command results with keys lose them`(command: UInt16) {
    let status: [UInt8] = [0x0E, 20, 1, UInt8(command & 0xFF), UInt8(command >> 8), 0]
    #expect(masked([.event(status + Self.key)]) == [status + [UInt8](repeating: 0, count: Self.key.count)])
  }

  @Test func `other data is unchanged`() {
    let messages: [MonitorMessage] = [
      .connected(0x40, to: .strap), .notification(on: 0x40), .disconnected(0x40),
      .command(HCICommandPacket.leCreateConnection(to: .strap, interval: 24, supervisionTimeout: 42)),
      .event(HCIEventPacket.commandComplete(of: HCICommandPacket.reset)),
      // Pairing Request with the capabilities of both sides.
      .acl([0x40, 0x20, 11, 0, 7, 0, 6, 0, 1, 4, 0, 1, 16, 7, 7]),
    ]
    #expect(masked(messages) == messages.map(\.packet))
  }

  @Test(arguments: [0x04, 0x06, 0x08, 0x0A] as [UInt8])
  func `keys of a pairing are overwritten, in fragments of any size`(code: UInt8) {
    let frame: [UInt8] = [17, 0, 6, 0, code] + Self.key
    for length in 1...frame.count {
      let pieces = stride(from: 0, to: frame.count, by: length).map {
        Array(frame[$0..<min($0 + length, frame.count)])
      }
      let messages = pieces.enumerated().map { place, piece in
        MonitorMessage.acl([0x40, place == 0 ? 0x20 : 0x10, UInt8(piece.count), 0] + piece)
      }
      // Notifications of another link between the pairing messages are not changed.
      let packets = masked(messages.flatMap { [$0, .notification(on: 0x41)] })
      for (place, packet) in packets.enumerated() {
        if place % 2 == 1 {
          #expect(packet == MonitorMessage.notification(on: 0x41).packet)
        } else {
          #expect(Set(packet).isDisjoint(with: Self.key), "in pieces of \(length): \(packet)")
          #expect(packet.count == messages[place / 2].packet.count)
        }
      }
    }
  }

  @Test(
    arguments: [
      (MonitorOpcode.controlCommand, [0x0012, 0x0013, 0x0016, 0x001E, 0x0021, 0x002F, 0x0030, 0x0046]),
      (MonitorOpcode.controlEvent, [0x0009, 0x000A, 0x0017, 0x0018, 0x0019]),
    ] as [(UInt16, [UInt16])])
  func `management messages lose the keys that are loaded and created`(opcode: UInt16, numbers: [UInt16]) {
    for number in numbers {
      let packets = masked([control(opcode, number, Self.key)])
      #expect(packets.allSatisfy { Set($0).isDisjoint(with: Self.key) }, "\(number)")
    }
    let harmless = control(opcode, 0x0005, Self.key)
    #expect(masked([harmless]) == [harmless.packet])
  }

  @Test(arguments: [0x0020, 0x003B] as [UInt16])
  func `management replies with keys lose them`(command: UInt16) {
    let status: [UInt8] = [UInt8(command), 0, 0]
    let packets = masked([control(MonitorOpcode.controlEvent, 0x0001, status + Self.key)])
    #expect(packets.allSatisfy { Set($0).isDisjoint(with: Self.key) })
  }

  @Test func `the continuation of a frame with an unknown beginning may be a key`() {
    let beginning = MonitorMessage.acl([0x40, 0x20, 6, 0, 17, 0, 4, 0, 0x1B, 1])
    let rest = MonitorMessage.acl([0x40, 0x10, 16, 0] + Self.key)
    let hidden = Array(rest.packet.prefix(4)) + [UInt8](repeating: 0, count: Self.key.count)
    #expect(masked([rest]) == [hidden])
    #expect(masked([beginning, rest]) == [beginning.packet, rest.packet])
    var mask = KeyMask()
    for var message in [beginning, rest] { mask.mask(&message) }
    mask.loseMessages()
    var later = rest
    mask.mask(&later)
    #expect(later.packet == hidden)
  }

  @Test func `truncated packets are handled`() {
    let whole = command(0x2019, [UInt8](repeating: 7, count: 12), Self.key)
    for length in 0..<whole.packet.count { _ = masked([.command(Array(whole.packet.prefix(length)))]) }
    for length in 0..<10 {
      _ = masked([.event(Array([0x0E, 4, 1, 0x17, 0x20, 0, 1, 2, 3, 4].prefix(length)))])
    }
  }
}
