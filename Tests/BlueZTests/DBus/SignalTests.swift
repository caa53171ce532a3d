import Glibc
import Testing

@testable import DBus
@testable import TestSupport

@Suite(.enabled(if: PrivateBus.isInstalled, "dbus-daemon is not installed"), .timeLimit(.minutes(30)))
struct SignalTests {
  private let rule = MatchRule(interface: "org.example.Test", member: "Tick")

  private func tick(_ number: Int, by emitter: BusConnection, path: ObjectPath = "/test")
    async throws(BusError)
  {
    try await emitter.emitSignal(
      path: path, interface: "org.example.Test", member: "Tick", body: [.int32(Int32(number))])
  }

  /// Returns the numbers of the signals up to `last`.
  private func numbers(_ sequence: SignalSequence, until last: Int) async -> [Int] {
    var numbers: [Int] = []
    for await case .signal(let signal) in sequence {
      numbers.append(signal.body.first?.asInteger ?? -1)
      if numbers.last == last { break }
    }
    return numbers
  }

  @Test func `fifty thousand signals arrive in order without a loss`() async throws {
    try await withConnections { _, service, client in
      let signals = try await client.signals(matching: [rule])
      async let received = numbers(signals, until: 50_000)
      for number in 1...50_000 { try await tick(number, by: service) }
      #expect(await received == Array(1...50_000))
    }
  }

  @Test func `a signal that is emitted right after the subscription arrives`() async throws {
    try await withConnections { _, service, client in
      for number in 0..<100 {
        let signals = try await client.signals(matching: [rule, MatchRule(member: "Other")])
        try await tick(number, by: service)
        var iterator = signals.makeAsyncIterator()
        guard case .signal(let signal) = await iterator.next() else {
          Issue.record("no signal")
          return
        }
        #expect(signal.body == [.int32(Int32(number))])
        #expect(signal.sender == service.uniqueName)
      }
    }
  }

  @Test func `a subscription is not active before the bus has acknowledged it`() async throws {
    try await withConnections { bus, _, client in
      bus.signal(SIGSTOP)
      let rule = rule
      let subscribing = Task {
        await failure { () throws(BusError) in _ = try await client.signals(matching: [rule]) }
      }
      #expect(await eventually { await client.subscriptions.entries.count == 1 })
      subscribing.cancel()
      #expect(await subscribing.value?.name == .cancelled)
      #expect(await client.subscriptions.entries.isEmpty)
      bus.signal(SIGCONT)
    }
  }

  @Test func `signals that do not fit are counted in their place`() async throws {
    try await withConnections { _, service, client in
      let signals = try await client.signals(matching: [rule], capacity: 10)
      let fence = try await client.signals(matching: [MatchRule(member: "End")])
      for number in 1...100 { try await tick(number, by: service) }
      // A signal with another name, which only `fence` receives. Of two subscriptions to the same signal, it
      // is unknown which one gets it first.
      try await service.emitSignal(path: "/test", interface: "org.example.Test", member: "End")
      for await _ in fence { break }
      var iterator = signals.makeAsyncIterator()
      for number in 1...10 {
        guard case .signal(let signal) = await iterator.next() else {
          Issue.record("no signal \(number)")
          return
        }
        #expect(signal.body == [.int32(Int32(number))])
      }
      guard case .lost(let count) = await iterator.next() else {
        Issue.record("the loss is not reported")
        return
      }
      #expect(count == 90)
      try await tick(101, by: service)
      guard case .signal(let signal) = await iterator.next() else {
        Issue.record("nothing after the loss")
        return
      }
      #expect(signal.body == [.int32(101)])
    }
  }

  @Test func `each subscription gets the signals that match its rules, once`() async throws {
    try await withConnections { _, service, client in
      let below = try await client.signals(matching: [
        MatchRule(pathNamespace: "/a/b"), MatchRule(path: "/a/b/c"),
      ])
      let named = try await client.signals(matching: [MatchRule(member: "Named", argument0: "it's")])
      let space = try await client.signals(matching: [MatchRule(member: "Named", argument0Namespace: "org.x")]
      )
      for path in ["/a", "/a/b", "/a/bc", "/a/b/c", "/end"] as [ObjectPath] {
        try await tick(1, by: service, path: path)
      }
      for text in ["it's", "its", "org.x", "org.xy", "org.x.y", "end"] {
        try await service.emitSignal(path: "/n", interface: "a.b", member: "Named", body: [.string(text)])
      }
      try await service.emitSignal(path: "/n", interface: "a.b", member: "Named", body: [.objectPath("/x")])
      try await service.emitSignal(path: "/a/b/end", interface: "a.b", member: "End")
      try await service.emitSignal(
        path: "/n", interface: "a.b", member: "Named", body: [.string("it's"), .byte(9)])
      try await service.emitSignal(
        path: "/n", interface: "a.b", member: "Named", body: [.string("org.x.end")])
      #expect(await collect(below) { $0.member == "End" }.map(\.path) == ["/a/b", "/a/b/c", "/a/b/end"])
      #expect(await collect(named) { $0.body.count == 2 }.count == 2)
      let texts = await collect(space) { $0.body.first == .string("org.x.end") }.compactMap {
        $0.body.first?.asString
      }
      #expect(texts == ["org.x", "org.x.y", "org.x.end"])
    }
  }

  private func collect(_ sequence: SignalSequence, until isLast: (BusMessage) -> Bool) async -> [BusMessage] {
    var signals: [BusMessage] = []
    for await case .signal(let signal) in sequence {
      signals.append(signal)
      if isLast(signal) { break }
    }
    return signals
  }

  @Test func `a rule with a name tracks the owner of the name`() async throws {
    try await withConnections { bus, first, client in
      let second = try await BusConnection.open(bus.address)
      let signals = try await client.signals(matching: [
        MatchRule(sender: "org.example.Name", interface: "org.example.Test", member: "Tick")
      ])
      // Because of this rule without a sender, the bus forwards all ticks. The subscription with a sender
      // must still get only those of its sender.
      let all = try await client.signals(matching: [rule])
      try await tick(1, by: first)
      try await first.requestName("org.example.Name")
      try await tick(2, by: first)
      try await tick(3, by: second)
      try await first.releaseName("org.example.Name")
      try await second.requestName("org.example.Name")
      try await tick(4, by: first)
      try await tick(5, by: second)
      #expect(await numbers(signals, until: 5) == [2, 5])
      #expect(Set(await numbers(all, until: 5)).contains(3))
      await second.close()
    }
  }

  @Test func `a subscription that ends removes its own rules only`()
    async throws
  {
    try await withConnections { _, service, client in
      let kept = try await client.signals(matching: [rule])
      var dropped: SignalSequence? = try await client.signals(matching: [rule])
      withExtendedLifetime(dropped) {}
      dropped = nil
      let cancelled = try await client.signals(matching: [rule])
      cancelled.cancel()
      var iterator = cancelled.makeAsyncIterator()
      #expect(await iterator.next() == nil)
      let other = try await client.signals(matching: [rule])
      let waiting = Task { await numbers(other, until: 7) }
      waiting.cancel()
      #expect(await waiting.value == [])
      #expect(await eventually { await client.subscriptions.entries.count == 1 })
      try await tick(7, by: service)
      #expect(await numbers(kept, until: 7) == [7])
      kept.cancel()
      #expect(await eventually { await client.subscriptions.entries.isEmpty })
      // The bus has removed the match rule as well: a signal that is emitted now does not arrive, but a
      // method call to this client does.
      let before = try await client.call(
        .init(
          destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
          interface: "org.freedesktop.DBus", member: "GetId")
      ).arrival.order
      try await tick(8, by: service)
      try await service.call(
        .init(
          destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
          interface: "org.freedesktop.DBus", member: "GetId"))
      let after = try await client.call(
        .init(
          destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
          interface: "org.freedesktop.DBus", member: "GetId")
      ).arrival.order
      #expect(after == before + 1)
    }
  }

  @Test func `a subscription that the bus rejects throws and leaves nothing behind`()
    async throws
  {
    try await withConnections { _, _, client in
      var kept: [SignalSequence] = []
      let rules = (0..<6000).map { MatchRule(member: "M\($0)") }
      let error = await failure { () throws(BusError) in
        kept.append(try await client.signals(matching: rules))
      }
      #expect(error?.name == .limitsExceeded)
      #expect(await client.subscriptions.entries.isEmpty)
      kept.append(try await client.signals(matching: [rule]))
    }
  }
}
