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
    let frame = message.encoded(serial: serial)
    return try signal.sender.map { try Self.frame(frame, from: $0) } ?? frame
  }

  /// The frame with its sender in it, as the bus puts it there: by libdbus, from and to octets.
  static func frame(_ frame: [UInt8], from sender: String) throws -> [UInt8] {
    let message = frame.withUnsafeBytes { octets in
      dbus_message_demarshal(
        octets.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(octets.count), nil)
    }
    let raw = try #require(message)
    defer { dbus_message_unref(raw) }
    dbus_message_set_sender(raw, sender)
    var octets: UnsafeMutablePointer<CChar>?
    var count: Int32 = 0
    try #require(dbus_message_marshal(raw, &octets, &count) != 0)
    defer { dbus_free(octets) }
    return Array(UnsafeRawBufferPointer(start: octets, count: Int(count)))
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

  @Test func `a long frame that nobody wants is asked about once, and takes no room`() throws {
    let long = try Self.frame(Self.change([UInt8](repeating: 7, count: 3_000_000)), serial: 1)
    let short = try Self.frame(Self.change([1]), serial: 2)
    for isWanted in [false, true] {
      var rest = (long + short)[...]
      var buffer = FrameBuffer()
      var cut: [[UInt8]] = []
      var asked: [Int] = []
      var room = 0
      while !rest.isEmpty {
        let count = buffer.fill { room in
          room.copyBytes(from: rest.prefix(room.count))
          return (min(rest.count, room.count), filled: min(rest.count, room.count))
        }
        rest = rest.dropFirst(count)
        func wants(_ head: RawSpan) -> Bool {
          asked.append(head.byteCount)
          return isWanted
        }
        while let range = try buffer.nextFrame(wants: { wants($0) }) {
          cut.append(Array(buffer.octets[range]))
        }
        room = max(room, buffer.octets.count)
      }
      #expect(cut == (isWanted ? [long, short] : [short]))
      #expect(asked.count == 1 && (100..<1000).contains(asked[0]))
      #expect((room < 100_000) == !isWanted)
    }
  }

  @Test func `a header of megabytes is not waited for`() throws {
    var head = Self.head(fields: [0, 0, 0, 3]) + [UInt8](repeating: 0, count: FrameBuffer.longestHead - 16)
    var buffer = FrameBuffer()
    var asked = 0
    while !head.isEmpty {
      let count = buffer.fill { room in
        room.copyBytes(from: head.prefix(room.count))
        return (min(head.count, room.count), filled: min(head.count, room.count))
      }
      head.removeFirst(count)
      #expect(asked == 0)
      let none = try buffer.nextFrame { _ in
        asked += 1
        return false
      }
      #expect(none == nil)
    }
    #expect(asked == 1)
  }

  // MARK: - Headers

  private static func header(_ frame: [UInt8]) -> MessageHeader? {
    var header: MessageHeader?
    try? IncomingMessage.decode(frame.span.bytes, Arrival(order: 0, boottimeNanoseconds: 0)) {
      header = $0?.header
    }
    return header
  }

  private static func parsed(_ frame: [UInt8]) -> MessageHeader? { MessageHeader(frame: frame.span.bytes) }

  @Test func `a header is read as libdbus reads it, and in any piece of it nothing but what is there`() throws
  {
    var values = RandomValue(generator: SeededGenerator(seed: 24))
    let caller = ReplyAddress(sender: ":1.5", serial: 77)
    for number in 1...(isLongRun ? 1000 : 40) {
      let call = MethodCall(
        destination: "a.b", path: ObjectPath("/a/\(number)") ?? .root, interface: "a.b", member: "M",
        body: values.body())
      var silent = try OutgoingMessage(call)
      silent.wantsNoReply()
      for message in [
        try OutgoingMessage(call), silent,
        try OutgoingMessage(signal: "S", of: "a.b", at: "/", body: values.body()),
        try OutgoingMessage(returning: values.body(), to: caller),
        try OutgoingMessage(failure: BusError(.failed, "no"), to: caller),
      ] {
        let sent = message.encoded(serial: UInt32(number))
        let frame = number.isMultiple(of: 2) ? try Self.frame(sent, from: ":1.\(number)") : sent
        let header = try #require(Self.header(frame))
        #expect(Self.parsed(frame) == header)
        for count in 0..<min(frame.count, 200) {
          let part = Self.parsed(Array(frame.prefix(count)))
          #expect(part == nil || part?.serial == header.serial)
          #expect(part?.sender == nil || part?.sender == header.sender)
        }
      }
    }
  }

  @Test func `a header in the other byte order is read too, up to a field that no message has`() {
    func field(_ code: UInt8, _ type: String, _ value: [UInt8]) -> [UInt8] {
      let field = [code, 1, Array(type.utf8)[0], 0] + value
      return field + [UInt8](repeating: 0, count: -field.count & 7)
    }
    let fields =
      field(7, "s", [0, 0, 0, 4] + Array(":1.9".utf8) + [0]) + field(8, "g", [2] + Array("ay".utf8) + [0])
      + field(5, "u", [0, 0, 1, 2])
    var frame: [UInt8] = [UInt8(ascii: "B"), 2, 0, 1, 0, 0, 0, 0, 0, 0, 3, 4, 0, 0, 0, UInt8(fields.count)]
    frame += fields
    let header = MessageHeader(kind: .reply(to: 258), serial: 772, sender: ":1.9")
    #expect(Self.parsed(frame) == header)
    let strange = Array(frame.prefix(16)) + field(200, "(", [0]) + fields
    #expect(Self.parsed(strange)?.sender == nil)
    frame[1] = 9
    #expect(Self.parsed(frame) == nil)
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

  /// A frame with so many octets, which libdbus would not write: the lengths of another are set anew.
  private static func change(ofLength count: Int) throws -> [UInt8] {
    let short = try frame(change([]), serial: 1)
    let bodyStart = short.count - Int(short[4])
    let start = short.count - 4
    func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }
    let dictionary = (bodyStart + 4 + "org.bluez.GattCharacteristic1".utf8.count + 1 + 3) & ~3
    var long = short
    long += [UInt8](repeating: 0, count: (count + 3) & ~3)
    long.replaceSubrange(4..<8, with: number(long.count - bodyStart))
    long.replaceSubrange(start - 4..<start, with: number(count))
    long.replaceSubrange(dictionary..<dictionary + 4, with: number(start + count - ((dictionary + 11) & ~7)))
    return long
  }

  @Test func `an array that is longer than any may be is not taken for a change that came before`() throws {
    let pattern = try #require(try Self.pattern(Self.change([1])))
    let small = try Self.change(ofLength: 100)
    #expect(Self.octets(small, by: pattern)?.count == 100)
    #expect(Self.read(small) != nil)
    let more = try Self.change(ofLength: 64 << 20)
    #expect(Self.octets(more, by: pattern) == nil)
    #expect(Self.read(more) == nil)
    let most = try Self.change(ofLength: 64 << 20 - 24)
    #expect((Self.octets(most, by: pattern) != nil) == (Self.read(most) != nil))
    #expect(Self.read(most) != nil)
  }

  @Test func `of more changes than are remembered the oldest is forgotten`() throws {
    var changes = RepeatedChanges()
    let frames = try (0...64).map { number in
      let signal = Self.change([1], path: ObjectPath("/char\(number)") ?? .root)
      return (signal, try Self.frame(signal, serial: 1))
    }
    for (signal, frame) in frames { changes.learn(frame.span.bytes, signal, []) }
    func found(_ frame: [UInt8]) -> ObjectPath? { changes.find(frame.span.bytes)?.0.change.path }
    let known = frames.map { found($0.1) == $0.0.path }
    #expect(known == [false] + [Bool](repeating: true, count: 64))
  }

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
      .appending(path: "../../../../Fuzz/Seeds/wire.dbus").standardizedFileURL
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
