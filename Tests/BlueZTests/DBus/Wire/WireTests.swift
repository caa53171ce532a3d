import CDBus
import Foundation
import Synchronization
import Testing

@testable import DBus
@testable import TestSupport

/// Against servers that say what a bus would not.
@Suite(.timeLimit(.minutes(30)))
struct WireTests {
  /// Why a connection ends over which this comes, behind the answer to Hello.
  private static func end(by octets: [UInt8]) async throws -> BusError? {
    let server = try ScriptedServer { client in
      var client = client
      guard client.serve(until: "Go") != nil else { return }
      client.write(octets)
      _ = client.serve(until: "")
    }
    let connection = try await BusConnection.open(server.address)
    try await connection.send(.bus("Go"))
    await connection.waitUntilClosed()
    let error = await connection.lossOfBus
    await connection.close()
    return error
  }

  @Test func `what is no message ends the connection, and is told`() async throws {
    let sound = try FrameTests.frame(FrameTests.change([1]), serial: 9)
    var twoSerials = sound
    twoSerials.replaceSubrange(8..<12, with: [0, 0, 0, 0])
    var foreign = sound
    foreign[3] = 2
    var long = sound
    long.replaceSubrange(4..<8, with: [0, 0, 0, 9])
    for (octets, why) in [
      (Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), "byte order"), (foreign, "version 2"),
      (long, "octets"),
      (twoSerials, "no message"),
    ] {
      let error = try await Self.end(by: octets)
      #expect(error?.name == .disconnected)
      #expect(error?.message.contains(why) == true, "\(why): \(error as Any)")
    }
  }

  @Test func `a message with descriptors, which were not agreed on, ends the connection`() async throws {
    let raw = try #require(dbus_message_new_signal("/", "a.b", "M"))
    defer { dbus_message_unref(raw) }
    var iterator = DBusMessageIter()
    dbus_message_iter_init_append(raw, &iterator)
    var descriptor = Int32(0)
    #expect(dbus_message_iter_append_basic(&iterator, CDBUS_TYPE_UNIX_FD, &descriptor) != 0)
    dbus_message_set_serial(raw, 1)
    var octets: UnsafeMutablePointer<CChar>?
    var count: Int32 = 0
    try #require(dbus_message_marshal(raw, &octets, &count) != 0)
    defer { dbus_free(octets) }
    let error = try await Self.end(by: Array(UnsafeRawBufferPointer(start: octets, count: Int(count))))
    #expect(error?.message.contains("no message") == true)
  }

  @Test func `whoever does not take us is told by what it said`() async throws {
    for (answer, name, why) in [
      ("REJECTED\r\n", BusError.Name.authenticationFailed, "this user"),
      ("220 mail.example ESMTP\r\n", .disconnected, "as a bus"),
    ] {
      let server = try ScriptedServer(answer: answer) { _ in }
      let error = await failure { () throws(BusError) in _ = try await BusConnection.open(server.address) }
      #expect(error?.name == name)
      #expect(error?.message.contains(why) == true)
    }
  }

  @Test func `a bus whose policy denies the connection refuses the user`() async throws {
    try #require(PrivateBus.isInstalled)
    let bus = try PrivateBus(policy: #"<deny user="*"/>"#)
    let error = await failure { () throws(BusError) in _ = try await BusConnection.open(bus.address) }
    #expect(error?.name == .authenticationFailed, "\(error as Any)")
    #expect(error?.message.contains("may not let in this user (number \(geteuid()))") == true)
  }

  // MARK: - Writing

  @Test func `after a write that failed, what the bus had said is still read`() async throws {
    let isDeaf = DispatchSemaphore(value: 0)
    let hasFailed = DispatchSemaphore(value: 0)
    let server = try ScriptedServer { client in
      var client = client
      guard client.serve(until: "Go") != nil else { return }
      shutdown(client.descriptor, Int32(SHUT_RD))
      isDeaf.signal()
      hasFailed.wait()
      for number in 1...3 {
        client.write(
          (try? FrameTests.frame(FrameTests.change([UInt8(number)]), serial: UInt32(number))) ?? [])
      }
    }
    let loop = EventLoop()
    let connection = try await BusConnection.open(server.address, on: loop)
    let signals = try await connection.signals(matching: [MatchRule(member: "PropertiesChanged")])
    try await connection.send(.bus("Go"))
    let error: Result<Reply, BusError> = await withCheckedContinuation { continuation in
      loop.thread.perform {
        isDeaf.wait()
        connection.assumeIsolated { connection in
          // The write fails in here.
          connection.request(.bus("GetId"), ticket: connection.nextTicket(), timeout: nil) {
            continuation.resume(returning: $0)
          }
        }
        hasFailed.signal()
      }
    }
    #expect(throws: BusError.self) { try error.get() }
    var numbers: [UInt8?] = []
    for await case .signal(let signal) in signals {
      numbers.append(signal.body[1].asProperties?["Value"]?.asBytes?.first)
    }
    #expect(numbers == [1, 2, 3])
    #expect(await connection.lossOfBus?.name == .disconnected)
    await connection.close()
  }

  @Test func `closing waits for a peer that says nothing any more, without looking again and again`()
    async throws
  {
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
    let peer = ends[1]
    defer { close(peer) }
    let loop = EventLoop()
    let looks: UInt64 = try await withCheckedThrowingContinuation { [ends] continuation in
      loop.thread.perform {
        continuation.resume(
          with: Result {
            let wire = Wire(BusSocket(descriptor: ends[0]), guid: nil, on: loop.thread)
            wire.start(readable: {}, writable: {})
            let answer = Array("OK 0\r\n".utf8)
            send(ends[1], answer, answer.count, 0)
            try wire.read { _, _ in }
            // More than a socket holds.
            _ = try wire.send(
              OutgoingMessage(
                signal: "M", of: "a.b", at: "/", body: [.bytes([UInt8](repeating: 0, count: 4 << 20))]))
            shutdown(ends[1], Int32(SHUT_WR))
            let before = wire.wakeUps
            wire.close(flushing: .milliseconds(300))
            return wire.wakeUps - before
          })
      }
    }
    #expect((1...8).contains(looks))
  }

  // MARK: - Long messages

  @Test func `a long message that nobody wants is passed over unread, and counted in its place`() async throws
  {
    let server = try ScriptedServer { client in
      var client = client
      guard client.serve(until: "Go") != nil else { return }
      let long = DBusValue.bytes([UInt8](repeating: 7, count: 3 << 20))
      func signal(_ member: String, _ body: [DBusValue]) -> Signal {
        Signal(
          sender: ":1.4", path: "/", interface: "a.b", member: member, body: body,
          arrival: Arrival(order: 0, boottimeNanoseconds: 0))
      }
      client.write((try? FrameTests.frame(signal("Wanted", [.byte(1)]), serial: 1)) ?? [])
      var unread = (try? FrameTests.frame(signal("Other", [long]), serial: 2)) ?? []
      // Its body says that it is longer than it is: whoever reads it finds no message.
      unread[unread.count - (3 << 20) - 4] ^= 1
      client.write(unread)
      client.reply([long], to: 4711)
      client.write((try? FrameTests.frame(signal("Wanted", [long]), serial: 3)) ?? [])
      client.write((try? FrameTests.frame(signal("Wanted", [.byte(2)]), serial: 4)) ?? [])
      _ = client.serve(until: "")
    }
    let connection = try await BusConnection.open(server.address)
    let signals = try await connection.signals(
      matching: [MatchRule(sender: "org.example.Name", member: "Wanted")])
    try await connection.send(.bus("Go"))
    var lengths: [Int] = []
    var arrivals: [Arrival] = []
    for await case .signal(let signal) in signals {
      lengths.append(signal.body.first?.asBytes?.count ?? 1)
      arrivals.append(signal.arrival)
      if lengths.count == 3 { break }
    }
    #expect(lengths == [1, 3 << 20, 1])
    let first = try #require(arrivals.first?.order)
    #expect(arrivals.map { $0.order - first } == [0, 3, 4])
    // They are in order, and nothing went to somebody else between.
    #expect(arrivals.map { $0.place?.dealings } == [0, 0, 0])
    await connection.close()
  }

  @Test func `a call that is longer than any that is taken is answered as that`() async throws {
    try #require(PrivateBus.isInstalled)
    try await withConnections { _, service, client in
      try await service.export(
        ExportedMethod(
          name: "Count", arguments: [ExportedArgument("", "ay")], results: [ExportedArgument("", "u")]
        ) { [.uint32(UInt32($0.body[0].asBytes?.count ?? 0))] })
      let error = await failure { () throws(BusError) in
        try await client.call(service, "Count", [.bytes([UInt8](repeating: 0, count: 2 << 20))])
      }
      #expect(error?.name == .limitsExceeded)
      let body = try await client.call(service, "Count", [.bytes([UInt8](repeating: 0, count: 1 << 19))]).body
      #expect(body == [.uint32(1 << 19)])
    }
  }

  @Test func `the server that the address names is the one that is meant`() async throws {
    let server = try ScriptedServer { client in
      var client = client
      _ = client.serve(until: "")
    }
    guard case .address(let text) = server.address else { return }
    let error = await failure { () throws(BusError) in
      _ = try await BusConnection.open(.address("\(text),guid=ffffffffffffffffffffffffffffffff"))
    }
    #expect(error?.message.contains("its address") == true)
  }

  @Test func `messages that come octet by octet are whole`() async throws {
    let server = try ScriptedServer { client in
      var client = client
      guard client.serve(until: "Go") != nil else { return }
      for number in 1...3 {
        let frame = try? FrameTests.frame(FrameTests.change([UInt8(number)]), serial: UInt32(number))
        for octet in frame ?? [] { client.write([octet]) }
      }
      _ = client.serve(until: "")
    }
    let connection = try await BusConnection.open(server.address)
    let signals = try await connection.signals(matching: [MatchRule(member: "PropertiesChanged")])
    try await connection.send(.bus("Go"))
    var numbers: [UInt8?] = []
    for await case .signal(let signal) in signals {
      numbers.append(signal.body[1].asProperties?["Value"]?.asBytes?.first)
      if numbers.count == 3 { break }
    }
    #expect(numbers == [1, 2, 3])
    await connection.close()
  }

  // MARK: - Octets that change again and again

  private struct Told: Equatable {
    var order: UInt64
    var octets: [UInt8]
    var place: UInt64?
    var isDirect = false
  }

  /// What is told of a subscription, events and calls of the listener alike.
  private static func told(
    _ signals: SignalSequence, until isEnough: @Sendable ([Told]) -> Bool
  ) async -> [Told] {
    let told = Mutex<[Told]>([])
    let listener = OctetsListener(interface: "org.bluez.GattCharacteristic1", property: "Value") {
      _, octets, arrival in
      let octets = octets.withUnsafeBytes { Array($0) }
      told.withLock {
        $0.append(
          Told(order: arrival.order, octets: octets, place: arrival.place?.dealings, isDirect: true))
      }
    }
    var iterator = signals.makeAsyncIterator()
    while !isEnough(told.withLock { $0 }), case .signal(let signal) = await iterator.next(listener: listener)
    {
      let octets = signal.body.dropFirst().first?.asProperties?["Value"]?.asBytes ?? []
      told.withLock {
        $0.append(Told(order: signal.arrival.order, octets: octets, place: signal.arrival.place?.dealings))
      }
    }
    return told.withLock { $0 }
  }

  private static let tick = Signal(
    sender: ":1.4", path: "/", interface: "a.b", member: "Tick", body: [],
    arrival: Arrival(order: 0, boottimeNanoseconds: 0))

  @Test func `octets and signals come in the order in which they were sent, however they are told`()
    async throws
  {
    let count = 3000
    let server = try ScriptedServer { client in
      var client = client
      guard client.serve(until: "Go") != nil else { return }
      var random = SeededGenerator(seed: 22)
      for number in 1...count {
        let octets = [UInt8(number >> 8), UInt8(number & 255)]
        let signal = number.isMultiple(of: 17) ? Self.tick : FrameTests.change(octets)
        client.write((try? FrameTests.frame(signal, serial: UInt32(number))) ?? [])
        // So that who listens waits now and then.
        if Int.random(in: 0..<10, using: &random) == 0 { usleep(200) }
      }
      client.write((try? FrameTests.frame(Self.tick, serial: UInt32(count + 2))) ?? [])
      _ = client.serve(until: "")
    }
    let connection = try await BusConnection.open(server.address)
    let signals = try await connection.signals(matching: [MatchRule(sender: "org.example.Name")])
    try await connection.send(.bus("Go"))
    let told = await Self.told(signals) { $0.count > count }
    #expect(told.map(\.order) == (told[0].order..<told[0].order + UInt64(count) + 1).map(\.self))
    for (index, one) in told.prefix(count).enumerated() where !(index + 1).isMultiple(of: 17) {
      #expect(one.octets == [UInt8((index + 1) >> 8), UInt8((index + 1) & 255)])
    }
    // The numbers of the messages say that one went to somebody else before the last.
    #expect(told.dropLast().allSatisfy { $0.place == 0 } && told.last?.place == 1)
    await connection.close()
  }

  @Test func `whoever waits is called for octets, and others get them as signals`() async throws {
    let server = try ScriptedServer { client in
      var client = client
      guard client.serve(until: "Go") != nil else { return }
      // The second is another property, for which nobody is called.
      for number in UInt32(1)... {
        let signal = FrameTests.change([UInt8(number & 255)], property: number == 2 ? "Other" : "Value")
        guard let frame = try? FrameTests.frame(signal, serial: number) else { return }
        let count = frame.withUnsafeBytes {
          send(client.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard count == frame.count else { return }
        usleep(500)
      }
    }
    let connection = try await BusConnection.open(server.address)
    let rules = [MatchRule(interface: "org.freedesktop.DBus.Properties")]
    let signals = try await connection.signals(matching: rules)
    let others = try await connection.signals(matching: rules)
    try await connection.send(.bus("Go"))
    async let told = Self.told(signals) { told in
      told.count { $0.isDirect } >= 50
    }
    var seen: [UInt8] = []
    for await case .signal(let signal) in others {
      let properties = signal.body[1].asProperties
      seen.append((properties?["Value"] ?? properties?["Other"])?.asBytes?.first ?? 0)
      if seen.count == 60 { break }
    }
    #expect(seen == (1...60).map { UInt8($0) })
    // It looks when an event comes; closing is one.
    #expect(await eventually { await connection.received > 300 })
    await connection.close()
    let all = await told
    #expect(all.filter(\.isDirect).count >= 50)
    #expect(!all[0].isDirect)
  }

  @Test func `who gets such octets is asked anew when a subscription or an owner changes`() async throws {
    try #require(PrivateBus.isInstalled)
    try await withConnections { _, service, client in
      let rule = MatchRule(sender: "org.example.Name", member: "PropertiesChanged")
      let first = try await client.signals(matching: [rule])
      try await service.requestName("org.example.Name")
      func emit(_ numbers: ClosedRange<UInt8>) async throws {
        for number in numbers {
          try await service.emitPropertiesChanged(
            path: "/a", interface: "a.b", changed: ["Value": .bytes([number])])
        }
      }
      try await emit(1...3)
      let second = try await client.signals(matching: [rule])
      // Whoever asks for all of them has the bus pass on what the others must not get.
      let all = try await client.signals(matching: [MatchRule(member: "PropertiesChanged")])
      try await emit(4...6)
      try await service.releaseName("org.example.Name")
      try await emit(7...9)
      try await service.requestName("org.example.Name")
      try await emit(10...12)
      func numbers(_ signals: SignalSequence) async -> [UInt8] {
        var numbers: [UInt8] = []
        for await case .signal(let signal) in signals {
          numbers += signal.body[1].asProperties?["Value"]?.asBytes ?? []
          if numbers.last == 12 { break }
        }
        return numbers
      }
      #expect(await numbers(first) == [1, 2, 3, 4, 5, 6, 10, 11, 12])
      #expect(await numbers(second) == [4, 5, 6, 10, 11, 12])
      #expect(await numbers(all) == Array(4...12))
    }
  }

  @Test func `a peer is answered at every path, objects or not`() async throws {
    try #require(PrivateBus.isInstalled)
    try await withConnections { _, service, client in
      func call(_ member: String, _ body: [DBusValue] = []) -> MethodCall {
        MethodCall(
          destination: service.uniqueName, path: "/nowhere", interface: "org.freedesktop.DBus.Peer",
          member: member, body: body)
      }
      let pong = try await client.call(call("Ping"))
      #expect(pong.body == [])
      // A machine may have no number.
      let number = try? await client.call(call("GetMachineId")).body.first?.asString
      let same = try? await client.call(
        .init(
          destination: "org.freedesktop.DBus", path: "/", interface: "org.freedesktop.DBus.Peer",
          member: "GetMachineId")
      ).body.first?.asString
      #expect(number == same)
      let unknown = await failure { () throws(BusError) in _ = try await client.call(call("Pong")) }
      #expect(unknown?.name == .unknownMethod)
      let wrong = await failure { () throws(BusError) in _ = try await client.call(call("Ping", [.byte(1)])) }
      #expect(wrong?.name == .invalidArguments)
    }
  }

  @Test func `the addresses are tried in turn, abstract ones too`() async throws {
    try #require(PrivateBus.isInstalled)
    let bus = try PrivateBus()
    guard case .address(let text) = bus.address else { return }
    let name = "hrgate-test-\(UUID().uuidString)"
    let both = BusAddress.address("unix:path=/nowhere/bus;unix:abstract=\(name);\(text)")
    let connection = try await BusConnection.open(both)
    #expect(connection.uniqueName.hasPrefix(":"))
    await connection.close()
    let abstract = await failure { () throws(BusError) in
      _ = try await BusConnection.open(.address("unix:abstract=\(name)"))
    }
    #expect(abstract?.name == .noServer)
    #expect(abstract?.message.contains("@\(name)") == true)
  }
}
