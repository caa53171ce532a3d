import Testing

@testable import DBus
@testable import TestSupport

@Suite(.enabled(if: PrivateBus.isInstalled, "dbus-daemon is not installed"), .timeLimit(.minutes(30)))
struct SenderPositionTests {
  @Test func `positions show what the sender has sent to other clients in between`() async throws {
    try await withConnections { _, service, client in
      try await client.call(.bus("GetId"))
      try await service.requestName("org.example.Service")
      let signals = try await client.signals(
        matching: [MatchRule(sender: "org.example.Service", interface: "org.example.Test")])
      func tick(_ interface: String = "org.example.Test") async throws {
        try await service.emitSignal(path: "/test", interface: interface, member: "Tick")
      }
      for _ in 0..<3 { try await tick() }
      // The client receives neither this signal, which its rule does not match, nor the call to the bus. Both
      // use serials of the service.
      try await tick("org.example.Other")
      try await service.call(.bus("GetId"))
      for _ in 0..<2 { try await tick() }
      var places: [SenderPosition] = []
      for await case .signal(let signal) in signals {
        places.append(try #require(signal.arrival.senderPosition))
        if places.count == 5 { break }
      }
      #expect(places.map { $0.responses - places[0].responses } == [0, 0, 0, 2, 2])
      #expect(zip(places.dropFirst(), places).map { $0.comesRightAfter($1) } == [true, true, false, true])
    }
  }

  @Test func `a reply counts as a dealing, even if it is late, but the reply to a ping does not`()
    async throws
  {
    try await withConnections { _, service, client in
      let (gate, opened) = AsyncStream<Void>.makeStream()
      try await service.export(
        ExportedMethod(name: "Do") { _ in [] },
        ExportedMethod(name: "DoLate") { _ in
          for await _ in gate {}
          return []
        })
      try await service.requestName("org.example.Service")
      let signals = try await client.signals(
        matching: [MatchRule(sender: "org.example.Service", interface: "org.example.Test")])
      var iterator = signals.makeAsyncIterator()
      func tick() async throws -> SenderPosition {
        try await service.emitSignal(path: "/test", interface: "org.example.Test", member: "Tick")
        guard case .signal(let signal) = await iterator.next() else { throw CancellationError() }
        return try #require(signal.arrival.senderPosition)
      }
      let first = try await tick()
      try await client.call(
        MethodCall(
          destination: service.uniqueName, path: "/test", interface: "org.freedesktop.DBus.Peer",
          member: "Ping"))
      #expect(try await tick().responses == first.responses)
      try await client.call(service, "Do")
      #expect(try await tick().responses == first.responses + 1)
      let late = await failure { () throws(BusError) in
        try await client.call(service, "DoLate", timeout: .milliseconds(10))
      }
      #expect(late?.name == .timedOut)
      var last = try await tick()
      opened.finish()
      // The serials of the signals are consecutive until the late reply is sent between two signals, because
      // the reply also uses a serial.
      while case let next = try await tick() {
        defer { last = next }
        guard next.serial == last.serial + 1 else {
          #expect(next.responses == last.responses + 1)
          break
        }
        #expect(next.responses == last.responses)
      }
    }
  }

  @Test func `serials wrap around`() {
    let senderPosition = SenderPosition(serial: .max - 1, responses: 4)
    #expect(
      senderPosition.next(serial: .max, isResponse: false) == SenderPosition(serial: .max, responses: 4))
    #expect(senderPosition.next(serial: 2, isResponse: false).responses == 7)
  }
}
