import CDBus
import Foundation
import Synchronization
import Testing

@testable import DBus
@testable import TestSupport

/// Tests servers that send what no bus would send, and buses that reject clients.
@Suite(.timeLimit(.minutes(30)))
struct ServerTests {
  /// Returns the error that ends a connection which receives these bytes after the reply to Hello.
  private static func end(by bytes: [UInt8]) async throws -> BusError? {
    let server = try ScriptedServer { client in
      guard client.serve(until: "Go") != nil else { return }
      client.write(bytes)
      client.serve(until: "")
    }
    let connection = try await BusConnection.open(server.address)
    try await connection.send(.bus("Go"))
    await connection.waitUntilClosed()
    let error = await connection.lossOfBus
    await connection.close()
    return error
  }

  @Test func `bytes that are not a message end the connection`() async throws {
    let sound = ScriptedServer.bytes(of: ScriptedServer.change([1]), serial: 9)
    var noSerial = sound
    noSerial.replaceSubrange(8..<12, with: [0, 0, 0, 0])
    var foreign = sound
    foreign[3] = 2
    var long = sound
    long.replaceSubrange(4..<8, with: [0, 0, 0, 9])
    for bytes in [Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), foreign, long, noSerial] {
      let error = try await Self.end(by: bytes)
      #expect(error?.name == .disconnected)
    }
  }

  @Test func `a message that claims a descriptor without one ends the connection`() async throws {
    let raw = try #require(dbus_message_new_signal("/", "a.b", "M"))
    defer { dbus_message_unref(raw) }
    var iterator = DBusMessageIter()
    dbus_message_iter_init_append(raw, &iterator)
    var descriptor = Int32(0)
    #expect(dbus_message_iter_append_basic(&iterator, CDBUS_TYPE_UNIX_FD, &descriptor) != 0)
    dbus_message_set_serial(raw, 1)
    let error = try await Self.end(by: ScriptedServer.bytes(of: raw))
    #expect(error?.name == .disconnected)
  }

  @Test func `a server that rejects the user is an error with that reason`() async throws {
    let server = try ScriptedServer(answer: "REJECTED") { _ in }
    let error = await failure { () throws(BusError) in _ = try await BusConnection.open(server.address) }
    #expect(error?.name == .authenticationFailed)
    #expect(error?.message.contains("does not accept this user (user ID \(geteuid()))") == true)
  }

  @Test func `a server that is not a bus is an error`() async throws {
    let server = try ScriptedServer(answer: "220 mail.example ESMTP") { _ in }
    let error = await failure { () throws(BusError) in _ = try await BusConnection.open(server.address) }
    #expect(error?.name == .authenticationFailed)
  }

  @Test func `a server with a different GUID than in the address is rejected`() async throws {
    let server = try ScriptedServer { $0.serve(until: "") }
    let error = await failure { () throws(BusError) in
      _ = try await BusConnection.open(
        .address("unix:path=\(server.path),guid=ffffffffffffffffffffffffffffffff"))
    }
    #expect(error?.name == .authenticationFailed)
  }

  @Test func `a bus whose policy denies the connection is an error about the user`() async throws {
    try #require(PrivateBus.isInstalled)
    let bus = try PrivateBus(policy: #"<deny user="*"/>"#)
    let error = await failure { () throws(BusError) in _ = try await BusConnection.open(bus.address) }
    #expect(error?.name == .authenticationFailed, "\(error as Any)")
    #expect(error?.message.contains("may reject this user (user ID \(geteuid()))") == true)
  }

  @Test func `after a failed write, what the bus had sent is still read`() async throws {
    let isDeaf = DispatchSemaphore(value: 0)
    let hasFailed = DispatchSemaphore(value: 0)
    let server = try ScriptedServer { client in
      guard client.serve(until: "Go") != nil else { return }
      shutdown(client.descriptor, Int32(SHUT_RD))
      isDeaf.signal()
      hasFailed.wait()
      for number in 1...3 { client.emit(ScriptedServer.change([UInt8(number)]), serial: UInt32(number)) }
    }
    let loop = EventLoop()
    let connection = try await BusConnection.open(server.address, on: loop)
    let signals = try await connection.signals(matching: [MatchRule(member: "PropertiesChanged")])
    try await connection.send(.bus("Go"))
    let error: Result<Reply, BusError> = await withCheckedContinuation { continuation in
      loop.thread.perform {
        isDeaf.wait()
        connection.assumeIsolated { connection in
          // The request cannot be written, so it fails at once.
          connection.request(.bus("GetId"), ticket: connection.nextTicket(), timeout: nil) {
            continuation.resume(returning: $0)
          }
        }
        hasFailed.signal()
      }
    }
    #expect(throws: BusError.self) { try error.get() }
    #expect(await Self.numbers(signals) == [1, 2, 3])
    #expect(await connection.lossOfBus?.name == .disconnected)
    await connection.close()
  }

  @Test func `messages that arrive byte by byte are assembled`() async throws {
    let server = try ScriptedServer { client in
      guard client.serve(until: "Go") != nil else { return }
      for number in 1...3 {
        let signal = ScriptedServer.change([UInt8(number)])
        for byte in ScriptedServer.bytes(of: signal, serial: UInt32(number)) { client.write([byte]) }
      }
    }
    let connection = try await BusConnection.open(server.address)
    let signals = try await connection.signals(matching: [MatchRule(member: "PropertiesChanged")])
    try await connection.send(.bus("Go"))
    #expect(await Self.numbers(signals) == [1, 2, 3])
    await connection.close()
  }

  private static func numbers(_ signals: SignalSequence) async -> [UInt8?] {
    var numbers: [UInt8?] = []
    for await case .signal(let signal) in signals {
      numbers.append(signal.body[1].asProperties?["Value"]?.asBytes?.first)
    }
    return numbers
  }

  @Test func `the order is kept around a long message, whether it matches a rule or not`() async throws {
    let server = try ScriptedServer { client in
      guard client.serve(until: "Go") != nil else { return }
      let long = DBusValue.bytes([UInt8](repeating: 7, count: 3 << 20))
      client.emit(ScriptedServer.signal("Wanted", [.byte(1)]), serial: 1)
      client.emit(ScriptedServer.signal("Other", [long]), serial: 2)
      client.emit(ScriptedServer.signal("Wanted", [long]), serial: 3)
      client.emit(ScriptedServer.signal("Wanted", [.byte(2)]), serial: 4)
      client.serve(until: "")
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
    #expect(arrivals.map { $0.order - first } == [0, 2, 3])
    #expect(arrivals.map { $0.senderPosition?.responses } == [0, 0, 0])
    await connection.close()
  }

  // MARK: - Handlers

  private struct Received: Equatable {
    var order: UInt64
    var bytes: [UInt8]
    var senderPosition: UInt64?
    var isHandled = false
  }

  private static func bytes(_ signal: BusMessage) -> [UInt8]? {
    signal.body.dropFirst().first?.asProperties?["Value"]?.asBytes
  }

  /// Returns what a subscription delivers: events, and calls of a handler for values.
  private static func received(
    _ signals: SignalSequence, until isEnough: @Sendable ([Received]) -> Bool
  ) async -> [Received] {
    let received = Mutex<[Received]>([])
    let handler = SignalSequence.BytesHandler(
      interface: "org.bluez.GattCharacteristic1", property: "Value"
    ) { _, bytes, arrival in
      received.withLock {
        $0.append(
          Received(
            order: arrival.order, bytes: bytes, senderPosition: arrival.senderPosition?.responses,
            isHandled: true))
      }
    }
    var iterator = signals.makeAsyncIterator()
    while !isEnough(received.withLock { $0 }),
      case .signal(let signal) = await iterator.next(handler: handler)
    {
      let senderPosition = signal.arrival.senderPosition?.responses
      received.withLock {
        $0.append(
          Received(order: signal.arrival.order, bytes: bytes(signal) ?? [], senderPosition: senderPosition))
      }
    }
    return received.withLock { $0 }
  }

  @Test func `signals arrive in the order in which they were sent, with and without a handler`() async throws
  {
    let count = 3000
    let server = try ScriptedServer { client in
      guard client.serve(until: "Go") != nil else { return }
      var random = SeededGenerator(seed: 22)
      for number in 1...count {
        let bytes = [UInt8(number >> 8), UInt8(number & 255)]
        let signal =
          number.isMultiple(of: 17) ? ScriptedServer.signal("Tick") : ScriptedServer.change(bytes)
        client.emit(signal, serial: UInt32(number))
        // Make the consumer slow from time to time.
        if Int.random(in: 0..<10, using: &random) == 0 { usleep(200) }
      }
      client.emit(ScriptedServer.signal("Tick"), serial: UInt32(count + 2))
      client.serve(until: "")
    }
    let connection = try await BusConnection.open(server.address)
    let signals = try await connection.signals(matching: [MatchRule(sender: "org.example.Name")])
    try await connection.send(.bus("Go"))
    let received = await Self.received(signals) { $0.count > count }
    #expect(received.map(\.order) == (received[0].order..<received[0].order + UInt64(count) + 1).map(\.self))
    for (index, one) in received.prefix(count).enumerated() where !(index + 1).isMultiple(of: 17) {
      #expect(one.bytes == [UInt8((index + 1) >> 8), UInt8((index + 1) & 255)])
    }
    // The serials show that the sender sent another client one message before the last signal, and none
    // earlier.
    #expect(received.dropLast().allSatisfy { $0.senderPosition == 0 } && received.last?.senderPosition == 1)
    #expect(received.contains { $0.isHandled })
    await connection.close()
  }

  @Test func `a handler gets its values, and other signals and subscriptions are not affected`() async throws
  {
    let server = try ScriptedServer { client in
      guard client.serve(until: "Go") != nil else { return }
      // The second signal is about another property, so the handler does not accept it.
      for number in UInt32(1)... {
        let signal = ScriptedServer.change([UInt8(number & 255)], property: number == 2 ? "Other" : "Value")
        let bytes = ScriptedServer.bytes(of: signal, serial: number)
        let count = bytes.withUnsafeBytes {
          send(client.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard count == bytes.count else { return }
        usleep(500)
      }
    }
    let connection = try await BusConnection.open(server.address)
    let rules = [MatchRule(interface: "org.freedesktop.DBus.Properties")]
    let signals = try await connection.signals(matching: rules)
    let others = try await connection.signals(matching: rules)
    try await connection.send(.bus("Go"))
    async let received = Self.received(signals) { received in
      received.count { $0.isHandled } >= 50
    }
    var seen: [UInt8] = []
    for await case .signal(let signal) in others {
      let properties = signal.body[1].asProperties
      seen.append((properties?["Value"] ?? properties?["Other"])?.asBytes?.first ?? 0)
      if seen.count == 60 { break }
    }
    #expect(seen == (1...60).map { UInt8($0) })
    // The consumer checks its condition only when an event arrives. Closing the connection is an event.
    #expect(await eventually { await connection.received > 300 })
    await connection.close()
    let all = await received
    #expect(all.filter(\.isHandled).count >= 50)
    #expect(all.contains { !$0.isHandled })
  }

  @Test func `signals go to the current subscriptions, by the current owners`() async throws {
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
      // Because of this rule the bus also sends signals that the subscriptions with other rules must not
      // receive.
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

  @Test func `Peer is implemented at every path, with and without an object`() async throws {
    try #require(PrivateBus.isInstalled)
    try await withConnections { _, service, client in
      func call(_ member: String, _ body: [DBusValue] = []) -> MethodCall {
        MethodCall(
          destination: service.uniqueName, path: "/nowhere", interface: "org.freedesktop.DBus.Peer",
          member: member, body: body)
      }
      let pong = try await client.call(call("Ping"))
      #expect(pong.body == [])
      // GetMachineId fails on a machine without a machine ID. Both calls must then fail.
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

  @Test func `addresses are tried in order, abstract ones too`() async throws {
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
  }
}
