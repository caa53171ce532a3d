import CDBus
import Foundation
import Testing

@testable import DBus
@testable import TestSupport

@Suite struct FrameTests {
  /// A frame as the bus would send it.
  static func frame(_ signal: Signal, serial: UInt32) throws -> [UInt8] {
    let message = try OutgoingMessage(
      signal: signal.member, of: signal.interface, at: signal.path, body: signal.body)
    if let sender = signal.sender { dbus_message_set_sender(message.raw, sender) }
    return try message.encoded(serial: serial)
  }

  static func change(
    _ octets: [UInt8], path: ObjectPath = "/org/bluez/hci0/dev_1/service0/char1",
    interface: String = "org.bluez.GattCharacteristic1", property: String = "Value"
  ) -> Signal {
    Signal(
      sender: ":1.4", path: path, interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged",
      body: [.string(interface), .properties([property: .bytes(octets)]), .strings([])],
      arrival: Arrival(order: 0, boottimeNanoseconds: 0))
  }

  /// What libdbus reads.
  struct Read {
    let serial: UInt32
    let sender: String?
    let path: ObjectPath?
    let member: String?
    let body: [DBusValue]
  }

  /// - Returns: nil where it finds no message.
  static func read(_ frame: [UInt8]) -> Read? {
    var read: Read?
    do throws(BusError) {
      try IncomingMessage.decode(frame.span.bytes, Arrival(order: 0, boottimeNanoseconds: 0)) { message in
        read = message.map {
          Read(
            serial: $0.serial, sender: $0.sender, path: $0.path, member: $0.member,
            body: (try? $0.body()) ?? [])
        }
      }
    } catch {
      return nil
    }
    return read
  }

  // MARK: - Cutting

  @Test func `frames are cut in the same way however they come`() throws {
    var random = SeededGenerator(seed: 19)
    var values = RandomValue(generator: SeededGenerator(seed: 20))
    for _ in 0..<50 {
      let frames = try (1...20).map { number in
        try Self.frame(
          Signal(
            sender: ":1.4", path: "/a", interface: "a.b", member: "M", body: values.body(),
            arrival: Arrival(order: 0, boottimeNanoseconds: 0)), serial: UInt32(number))
      }
      var rest = frames.flatMap(\.self)[...]
      var buffer = FrameBuffer()
      var cut: [[UInt8]] = []
      while !rest.isEmpty {
        let piece = rest.prefix(Int.random(in: 1...2000, using: &random))
        let count = buffer.fill { room in
          let count = min(piece.count, room.count)
          room.copyBytes(from: piece.prefix(count))
          return (count, filled: count)
        }
        #expect(count > 0)
        rest = rest.dropFirst(count)
        while let range = try buffer.nextFrame() { cut.append(Array(buffer.octets[range])) }
      }
      #expect(cut == frames)
      #expect(buffer.isEmpty)
    }
  }

  @Test func `a frame of megabytes is made room for as it comes, and the room is given back`() throws {
    var buffer = FrameBuffer()
    func fill(_ octets: ArraySlice<UInt8>) -> Int {
      buffer.fill { room in
        room.copyBytes(from: octets.prefix(room.count))
        return (min(octets.count, room.count), filled: min(octets.count, room.count))
      }
    }
    // It claims to have a body of 100 MB.
    let claim: [UInt8] = Self.head(body: [0, 0, 0, 6])
    var rest = (claim + [UInt8](repeating: 0, count: 99_984))[...]
    while !rest.isEmpty { rest = rest.dropFirst(fill(rest)) }
    let none = try buffer.nextFrame()
    #expect(none == nil)
    #expect(buffer.octets.count < 300_000)
    buffer = FrameBuffer()
    let whole = try Self.frame(Self.change([UInt8](repeating: 7, count: 3_000_000)), serial: 1)
    rest = whole[...]
    while !rest.isEmpty { rest = rest.dropFirst(fill(rest)) }
    let next = try buffer.nextFrame()
    let range = try #require(next)
    #expect(Array(buffer.octets[range]) == whole)
    _ = fill([1])
    #expect(buffer.octets.count < 100_000)
  }

  /// Order, type, flags, version, body, serial, fields.
  private static func head(
    order: UInt8 = UInt8(ascii: "l"), version: UInt8 = 1, body: [UInt8] = [0, 0, 0, 0],
    fields: [UInt8] = [0, 0, 0, 0]
  ) -> [UInt8] {
    [order, 4, 0, version] + body + [1, 0, 0, 0] + fields
  }

  @Test func `a length is read in its byte order, and bounded`() throws {
    #expect(try FrameBuffer.length(of: Self.head(body: [5, 1, 0, 0], fields: [9, 0, 0, 0])[...]) == 293)
    let other = Self.head(order: UInt8(ascii: "B"), body: [0, 0, 1, 5], fields: [0, 0, 0, 9])
    #expect(try FrameBuffer.length(of: other[...]) == 293)
    #expect(try FrameBuffer.length(of: Self.head(body: [0xf0, 0xff, 0xff, 7])[...]) == 128 << 20)
    for wrong in [
      Self.head(order: 0), Self.head(version: 2), Self.head(body: [0xf1, 0xff, 0xff, 7]),
      Self.head(fields: [1, 0, 0, 4]), Self.head(body: [255, 255, 255, 255], fields: [255, 255, 255, 255]),
    ] {
      #expect { try FrameBuffer.length(of: wrong[...]) } throws: { ($0 as? BusError)?.name == .disconnected }
    }
  }

  // MARK: - What comes again and again

  private static func pattern(_ signal: Signal) throws -> RepeatedChange? {
    let frame = try Self.frame(signal, serial: 1)
    return RepeatedChange(frame: frame.span.bytes, signal)
  }

  /// The octets of what came before; nil where it is something else.
  private static func octets(_ frame: [UInt8], by pattern: RepeatedChange) -> [UInt8]? {
    pattern.value(in: frame.span.bytes).map { Array(frame[$0]) }
  }

  private static func serial(_ frame: [UInt8]) -> UInt32 { RepeatedChange.serial(of: frame.span.bytes) }

  @Test func `a change that came before is read by comparing, whatever its octets and their number`() throws {
    for count in 0...9 {
      let first = Self.change([UInt8](repeating: 1, count: count))
      let pattern = try #require(try Self.pattern(first))
      #expect(pattern.path == first.path && pattern.sender == ":1.4" && pattern.property == "Value")
      for other in [0, 1, 2, 3, 4, 5, 19, 300] {
        let octets = (0..<other).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let frame = try Self.frame(Self.change(octets), serial: 77)
        #expect(Self.octets(frame, by: pattern) == octets)
        #expect(Self.serial(frame) == 77)
      }
    }
  }

  @Test func `what is another signal, or says more, is not taken for it`() throws {
    let pattern = try #require(try Self.pattern(Self.change([1, 2])))
    var others = [
      Self.change([1, 2], path: "/org/bluez/hci0/dev_1/service0/char2"),
      Self.change([1, 2], interface: "org.bluez.GattCharacteristic2"),
      Self.change([1, 2], property: "Valve"),
    ]
    var more = Self.change([1, 2])
    more.body[1] = .properties(["Value": .bytes([1, 2]), "Notifying": .boolean(true)])
    others.append(more)
    more = Self.change([1, 2])
    more.body[2] = .strings(["Value"])
    others.append(more)
    more = Self.change([1, 2])
    more.body[1] = .properties(["Value": .array(of: "b", [.boolean(true)])])
    others.append(more)
    more = Self.change([1, 2])
    more.sender = ":1.5"
    others.append(more)
    for other in others {
      let frame = try Self.frame(other, serial: 1)
      #expect(Self.octets(frame, by: pattern) == nil, "\(other)")
    }
    for unlike in others.dropFirst(3).prefix(3) { #expect(try Self.pattern(unlike) == nil, "\(unlike)") }
  }

  @Test func `where a damaged frame is taken for one that came before, libdbus reads it in the same way`()
    throws
  {
    var random = SeededGenerator(seed: 21)
    let first = Self.change([22, 64, 1, 2, 3])
    let pattern = try #require(try Self.pattern(first))
    var taken = 0
    for _ in 0..<(isLongRun ? 2_000_000 : 20_000) {
      var frame = try Self.frame(first, serial: 1)
      for _ in 0..<Int.random(in: 1...2, using: &random) {
        let index = Int.random(in: frame.indices, using: &random)
        let damage = UInt8.random(in: 1...255, using: &random)
        frame[index] ^= Bool.random(using: &random) ? damage : 1 << (damage & 7)
      }
      if Int.random(in: 0...9, using: &random) == 0 {
        frame.removeLast(Int.random(in: 1...8, using: &random))
      }
      guard let octets = Self.octets(frame, by: pattern) else { continue }
      taken += 1
      let read = Self.read(frame)
      #expect(read?.body == Self.change(octets).body)
      #expect(read?.path == first.path && read?.sender == ":1.4")
      #expect(read?.serial == Self.serial(frame))
    }
    #expect(taken > 100)
  }

  @Test func `the fuzzer starts from frames that are read, and one that came before`() throws {
    let seed = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Fuzz/Seeds/wire.dbus").standardizedFileURL
    var rest = [UInt8](try Data(contentsOf: seed))[...]
    var frames: [[UInt8]] = []
    while rest.count >= FrameBuffer.fixedHeader {
      let length = try FrameBuffer.length(of: rest)
      frames.append(Array(rest.prefix(length)))
      rest = rest.dropFirst(length)
    }
    #expect(frames.count == 4 && rest.isEmpty)
    #expect(frames.allSatisfy { Self.read($0) != nil })
    let path: ObjectPath = "/org/bluez/hci0/dev_F0_0D_BE_A7_01_01/service000a/char000b"
    let frame = frames[0]
    let first = RepeatedChange(frame: frame.span.bytes, Self.change([16, 64, 0, 4], path: path))
    let pattern = try #require(first)
    #expect(Self.octets(frames[1], by: pattern) == [16, 66, 0, 4, 1, 4])
    #expect(Self.octets(frames[2], by: pattern) == nil)
    #expect(Self.octets(frames[3], by: pattern) == [0, 65])
  }
}
