import DBus
import Foundation
import Synchronization
import Testing

@Suite(.enabled(if: PrivateBus.isInstalled, "dbus-daemon is not installed"), .timeLimit(.minutes(30)))
struct ReconnectionTests {
  private let quick = BackOff(first: .milliseconds(5), longest: .milliseconds(50))

  @Test func `the body runs again when the bus is back, and the caller is informed of both changes`()
    async throws
  {
    let bus = try PrivateBus()
    let (states, continuation) = AsyncStream.makeStream(of: BusPresence.self)
    let (address, backOff) = (bus.address, quick)
    let work = Task {
      let runs = Mutex(0)
      return try await withBusConnection(
        to: address, backOff: backOff, presence: { continuation.yield($0) },
        body: { connection in
          let run = runs.withLock {
            $0 += 1
            return $0
          }
          if run == 3 { return "third: \(connection.uniqueName)" }
          for await _ in try await connection.signals(matching: [MatchRule(member: "X")]) {}
          return "the stream ended"
        })
    }
    var observed = states.makeAsyncIterator()
    for _ in 1...2 {
      #expect(await Self.isPresent(&observed))
      bus.crash()
      guard case .away(let reason, _) = await observed.next() else {
        Issue.record("the loss is not reported")
        return
      }
      #expect(reason.name == .disconnected)
      try bus.start()
    }
    #expect(await Self.isPresent(&observed))
    #expect(try await work.value.hasPrefix("third: :1."))
  }

  /// Waits until the bus is present, after any number of failed attempts to connect.
  private static func isPresent(_ states: inout AsyncStream<BusPresence>.Iterator) async -> Bool {
    while let state = await states.next() {
      if case .present = state { return true }
    }
    return false
  }

  @Test func `an error of the body or its return value ends the retries`() async throws {
    let bus = try PrivateBus()
    let runs = Mutex(0)
    await #expect(throws: BusError(.failed, "mine")) {
      try await withBusConnection(to: bus.address, backOff: quick) { _ in
        runs.withLock { $0 += 1 }
        throw BusError(.failed, "mine")
      }
    }
    #expect(try await withBusConnection(to: bus.address) { $0.uniqueName }.hasPrefix(":1."))
    #expect(runs.withLock { $0 } == 1)
  }

  @Test func `canceling ends the wait for a bus`() async throws {
    let (states, continuation) = AsyncStream.makeStream(of: BusPresence.self)
    let work = Task {
      try await withBusConnection(
        to: .address("unix:path=/nowhere/at/all"),
        backOff: BackOff(first: .seconds(3600), longest: .seconds(3600)),
        presence: { continuation.yield($0) }, body: { _ in })
    }
    for await state in states {
      guard case .away(let reason, let delay) = state else { continue }
      #expect(reason.name == .fileNotFound)
      #expect(delay > .seconds(1000))
      break
    }
    work.cancel()
    await #expect(throws: CancellationError.self) { try await work.value }
  }

  @Test func `an invalid address is not retried`() async throws {
    await #expect(throws: BusError.self) {
      try await withBusConnection(to: .address("no address"), backOff: quick) { _ in }
    }
  }

  @Test func `delays grow to the maximum, jitter shortens them, and a reset starts from the beginning`() {
    var backOff = BackOff(first: .seconds(1), longest: .seconds(5), factor: 2, jitter: 0.5)
    #expect((0..<5).map { _ in backOff.delay(random: 0) } == [1, 2, 4, 5, 5].map { .seconds($0) })
    #expect(backOff.delay(random: 1) == .milliseconds(2500))
    backOff.reset()
    #expect(backOff.delay(random: 0.5) == .milliseconds(750))
  }
}
