@testable import DBus
@testable import TestSupport
import Testing

@Suite(.enabled(if: PrivateBus.isInstalled, "dbus-daemon is not installed"), .timeLimit(.minutes(10)))
struct SenderPlaceTests {
  @Test func `places tell what the sender sent to others in between`() async throws {
    try await withConnections { _, service, client in
      try await client.call(.bus("GetId"))
      try await service.requestName("org.example.Service")
      let signals = try await client.signals(
        matching: [MatchRule(sender: "org.example.Service", interface: "org.example.Test")])
      func tick(_ interface: String = "org.example.Test") async throws {
        try await service.emitSignal(path: "/test", interface: interface, member: "Tick")
      }
      for _ in 0..<3 { try await tick() }
      // Nobody asked for this one, and the bus gets the next.
      try await tick("org.example.Other")
      try await service.call(.bus("GetId"))
      for _ in 0..<2 { try await tick() }
      var places: [SenderPlace] = []
      for await case .signal(let signal) in signals {
        places.append(try #require(signal.arrival.place))
        if places.count == 5 { break }
      }
      #expect(places.map { $0.unseen - places[0].unseen } == [0, 0, 0, 2, 2])
      #expect(zip(places.dropFirst(), places).map { $0.comesRightAfter($1) } == [true, true, false, true])
    }
  }

  @Test func `numbers begin anew after the last`() {
    let place = SenderPlace(serial: .max - 1, unseen: 4)
    #expect(place.next(serial: .max) == SenderPlace(serial: .max, unseen: 4))
    #expect(place.next(serial: 2).unseen == 7)
  }
}
