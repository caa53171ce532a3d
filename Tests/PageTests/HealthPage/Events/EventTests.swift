import Foundation
import HealthKit
import HealthSystem
import Synchronization
import Testing

@testable import HealthPage
@testable import TestSupport

/// Tests server-sent events.
@Suite(.timeLimit(.minutes(30))) struct EventTests {
  /// A client that reads an event stream and keeps the received text.
  private final class Listener: Sendable {
    let connection: LoopbackConnection
    private let text = Mutex("")

    init(_ client: PageClient) throws {
      connection = try LoopbackConnection(port: client.port)
      try connection.send(
        Data(
          "GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:\(client.port)\r\nConnection: close\r\nCookie: \(client.cookie ?? "")\r\n\r\n"
            .utf8))
    }

    /// Reads until all of these parts were received.
    /// - Returns: `false` if the stream ends before.
    func hears(_ parts: String...) async throws -> Bool {
      try await onOwnThread { [self] in
        while !parts.allSatisfy({ part in text.withLock { $0.contains(part) } }) {
          let bytes = try connection.receive()
          if bytes.isEmpty { return false }
          text.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
        }
        return true
      }
    }

    /// Reads until this number of keep-alives was received.
    /// - Returns: `false` if the stream ends before.
    func hearsBreaths(_ count: Int) async throws -> Bool {
      try await onOwnThread { [self] in
        while text.withLock({ $0.matches(of: #/: \n\n/#).count }) < count {
          let bytes = try connection.receive()
          if bytes.isEmpty { return false }
          text.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
        }
        return true
      }
    }

    /// Reads until the stream ends.
    func hearsTheEnd() async throws {
      try await onOwnThread { [self] in
        while case let bytes = try connection.receive(), !bytes.isEmpty {
          text.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
        }
      }
    }

    func forget() { text.withLock { $0 = "" } }
    var heard: String { text.withLock { $0 } }
  }

  @Test func `a commit of another program is sent with the newest value`() async throws {
    let store = try PageStore()
    let other = try HKHealthStore(storeAt: store.file)
    try await ServedPage.serve(store.page()) { page in
      let listener = try Listener(await page.entered())
      #expect(
        try await listener.hears("text/event-stream", "event: hello", "event: latest", "event: monitors"))
      let now = Date()
      for rate in [61.0, 62] {
        listener.forget()
        try await other.acting(as: .strap).save(
          HKQuantitySample(
            type: HKQuantityType(.heartRate),
            quantity: HKQuantity(unit: HKUnit(from: "count/min"), doubleValue: rate), start: now + rate,
            end: now + rate))
        #expect(try await listener.hears("\"value\":\(Int(rate))", "event: commit"))
      }
    }
  }

  /// A query can make the store save statistics, but that commit must not cause an event.
  @Test func `a store without new samples causes one event, whatever is requested`() async throws {
    let store = try PageStore()
    try await store.save([61, 62, 63])
    try await ServedPage.serve(store.page()) { page in
      let client = try await page.entered()
      let listener = try Listener(client)
      #expect(try await listener.hears("event: latest", "event: commit", "event: pending"))
      listener.forget()
      for _ in 0..<3 {
        #expect(try await client.get("/api/statistics?type=heartRate").status == 200)
        listener.forget()
        #expect(try await listener.hearsBreaths(2))
        #expect(!listener.heard.contains("event: commit") && !listener.heard.contains("event: latest"))
      }
    }
  }

  private static let monitor = ShownReport.Monitor(address: "C0:FF:EE:00:00:01", enrolled: moment())

  @Test func `reports of a gateway are sent`() async throws {
    let store = try PageStore()
    let (ticks, tick) = AsyncStream.makeStream(of: Void.self)
    let rate = Mutex(70)
    let monitors = PageMonitors(
      report: { _, _ in
        var monitor = Self.monitor
        monitor.heartRate = rate.withLock { $0 }
        monitor.beats = .init(count: 2, time: moment(), rr: [812.5, 900])
        return MonitorReport(
          .init(isRunning: true, onBus: true), [.init(monitor, state: nil, lastMeasurement: nil)])
      }, gaps: { _, _ in [] }, changes: { ticks })
    try await ServedPage.serve(store.page(monitors: monitors)) { page in
      let client = try await page.entered()
      let listener = try Listener(client)
      let beats = #""beats":{"count":2,"rr":[812.5,900],"time":"2023-11-14T22:13:20.000000Z"}"#
      #expect(try await listener.hears("\"heartRate\":70", beats))
      rate.withLock { $0 = 71 }
      tick.yield()
      #expect(try await listener.hears("\"heartRate\":71"))
      let report = try await client.get("/api/monitors").decoded(ShownReport.self)
      #expect(report.monitors.first?.heartRate == 71 && report.gateway.onBus)
    }
  }

  @Test func `the end of a session ends its streams, and no others`() async throws {
    let store = try PageStore()
    let page = store.page()
    try await ServedPage.serve(page) { served in
      let client = try await served.entered()
      var other = served.client
      let code = page.address(on: served.port).split(separator: "=").last ?? ""
      let answer = try await other.get("/open?code=\(code)")
      other.cookie = answer.fields["set-cookie"].map { String($0.prefix { $0 != ";" }) }
      let (ending, staying) = (try Listener(client), try Listener(other))
      #expect(try await ending.hears("event: hello"))
      #expect(try await staying.hears("event: hello"))
      let id = try await client.get("/api/sessions").decoded(SessionList.self).sessions.first {
        $0.isThis == true
      }?.id
      #expect(try await client.post("/api/sessions/end", "{\"id\":\"\(id ?? "")\"}").status == 200)
      try await ending.hearsTheEnd()
      staying.forget()
      #expect(try await staying.hears(": \n"))
    }
  }

  @Test func `an event stream keeps its session in use`() async throws {
    let store = try PageStore()
    let folder = store.folder.path("run")
    let date = Mutex(moment())
    let page = PageServer(
      StoreCache(store.system, file: store.file), monitors: .none, rhythm: .quick,
      date: { date.withLock { $0 } })
    try await ServedPage.serve(page, socketsIn: folder) { page in
      let listener = try Listener(await page.entered())
      #expect(try await listener.hears("event: hello"))
      let later = moment(PageSessions.timeout)
      date.withLock { $0 = later }
      // The sessions are read over the socket of the page, which does not count as a use of a session.
      let control = PageControl(socketsIn: [folder])
      #expect(
        try await eventually {
          try await onOwnThread { control.sessions() }.value.map(\.lastUsed) == [later]
        })
      withExtendedLifetime(listener) {}
    }
  }

  @Test func `at most 50 streams are open, and one more is rejected until another one ends`()
    async throws
  {
    let store = try PageStore()
    try await ServedPage.serve(store.page(rhythm: .unhurried)) { page in
      let client = try await page.entered()
      var listeners = try (0..<50).map { _ in try Listener(client) }
      for listener in listeners { #expect(try await listener.hears("event: hello")) }
      let refused = try await client.get("/api/events")
      #expect(refused.status == 429 && refused.fields["retry-after"] == "1")
      // The limit does not apply to other requests.
      #expect(try await client.get("/api/session").status == 200)
      listeners.removeLast()
      #expect(
        try await eventually {
          let next = try Listener(client)
          return try await next.hears("event: hello")
        })
    }
  }

  @Test func `a reader that stops reading is disconnected, and blocks nothing until then`() async throws {
    let store = try PageStore()
    let large = Mutex(0)
    let (ticks, tick) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let monitors = PageMonitors(
      report: { _, _ in
        var monitor = Self.monitor
        // Each report is different and larger than the buffers of the connection.
        monitor.name = String(repeating: "x", count: 400_000) + "\(large.withLock { $0 += 1; return $0 })"
        tick.yield()
        return MonitorReport(
          .init(isRunning: true, onBus: true), [.init(monitor, state: nil, lastMeasurement: nil)])
      }, gaps: { _, _ in [] }, changes: { ticks })
    let streamLimit = StreamLimit(1)
    let stores = StoreCache(store.system, file: store.file)
    try await ServedPage.serve(
      PageServer(stores, monitors: monitors, rhythm: .quick, streamLimit: streamLimit, timeout: .seconds(1))
    ) { page in
      let client = try await page.entered()
      let idle = try Listener(client)
      #expect(try await idle.hears("event: hello"))
      // The first listener does not read anymore. It is disconnected after the timeout, so that another
      // stream can begin.
      #expect(
        try await eventually {
          let next = try Listener(client)
          return try await next.hears("event: hello")
        })
      withExtendedLifetime(idle) {}
    }
  }
}

@Suite struct LatestEventsTests {
  @Test func `the newest event of each kind is kept, in order of arrival`() async {
    let latestEvents = LatestEvents()
    for number in 0..<1000 {
      latestEvents.put(.init(kind: .latest, data: "\(number)"))
      latestEvents.put(.init(kind: .commit, data: "\(number)"))
    }
    latestEvents.put(.init(kind: .latest, data: "last"))
    #expect(
      await latestEvents.next() == [.init(kind: .commit, data: "999"), .init(kind: .latest, data: "last")])
    latestEvents.end()
    #expect(await latestEvents.next() == [])
  }

  @Test func `an event has its kind and one line of data, a keep-alive has neither`() {
    #expect(LatestEvents.Event(kind: .commit, data: "{}").text == "event: commit\ndata: {}\n\n")
    #expect(LatestEvents.Event(kind: .breath, data: "").text == ": \n\n")
  }
}
