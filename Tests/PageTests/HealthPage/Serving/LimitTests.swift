import Foundation
import Glibc
import HealthKit
import HealthSystem
import Synchronization
import Testing

@testable import HealthPage
@testable import TestSupport

/// Tests the addresses on which the page listens, and its limits.
@Suite(.timeLimit(.minutes(30))) struct LimitTests {
  @Test func `the page listens on loopback and nowhere else`() async throws {
    let store = try PageStore()
    try await ServedPage.serve(store.page()) { page in
      let digits = String(page.port, radix: 16, uppercase: true)
      let port = String(repeating: "0", count: 4 - digits.count) + digits
      var addresses: Set<String> = []
      for file in ["/proc/self/net/tcp", "/proc/self/net/tcp6"] {
        for line in try Self.table(file).split(separator: "\n") {
          // The fields are: number, local address, remote address, and state. 0A is a listening socket.
          let fields = line.split(separator: " ")
          guard fields.count > 3, fields[3] == "0A", fields[1].hasSuffix(":\(port)") else { continue }
          addresses.insert(String(fields[1].dropLast(5)))
        }
      }
      let loopback: Set = ["0100007F", "00000000000000000000000001000000"]
      #expect(addresses.contains("0100007F") && addresses.isSubset(of: loopback), "\(addresses)")
    }
  }

  /// Reads the kernel's table of sockets. Its file has no size, and each read returns only a part.
  private static func table(_ file: String) throws -> String {
    let handle = try FileHandle(forReadingFrom: URL(filePath: file))
    var whole = Data()
    while case let part = try handle.read(upToCount: 65_536) ?? Data(), !part.isEmpty { whole += part }
    return String(decoding: whole, as: UTF8.self)
  }

  /// All requests are held until 64 have arrived, so that they are simultaneous even on a slow machine.
  @Test func `while 64 requests are answered, one more is rejected as busy`() async throws {
    let store = try PageStore()
    let asking = Mutex(0)
    let isReleased = Mutex(false)
    let monitors = PageMonitors(
      report: { _, _ in
        asking.withLock { $0 += 1 }
        while !isReleased.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(5)) }
        return MonitorReport(.init(isRunning: false, onBus: false), [])
      }, gaps: { _, _ in [] }, changes: { AsyncStream { _ in } })
    try await ServedPage.serve(store.page(monitors: monitors)) { page in
      let client = try await page.entered()
      let request =
        "GET /api/monitors HTTP/1.1\r\nHost: 127.0.0.1:\(page.port)\r\nCookie: \(client.cookie ?? "")\r\n"
      let connections = try (0..<64).map { _ in
        let connection = try LoopbackConnection(port: page.port)
        try connection.send(Data("\(request)Connection: close\r\n\r\n".utf8))
        return connection
      }
      #expect(await eventually { asking.withLock { $0 } == 64 })
      let refused = try await client.get("/api/session")
      #expect(refused.status == 429 && refused.fields["retry-after"] == "1")
      isReleased.withLock { $0 = true }
      for connection in connections {
        let answer = try await onOwnThread { PageClient.Answer(try connection.receiveAll()) }
        #expect(answer.status == 200)
      }
      #expect(try await client.get("/api/session").status == 200)
    }
  }

  /// The response would take a day, so the request ends only because it is cancelled.
  @Test func `a request is cancelled when its client disconnects`() async throws {
    let store = try PageStore()
    let asked = Mutex(0)
    let abandoned = Mutex(0)
    let monitors = PageMonitors(
      report: { _, _ in
        asked.withLock { $0 += 1 }
        do {
          try await Task.sleep(for: .seconds(86_400))
        } catch {
          abandoned.withLock { $0 += 1 }
          throw error
        }
        return MonitorReport(.init(isRunning: false, onBus: false), [])
      }, gaps: { _, _ in [] }, changes: { AsyncStream { _ in } })
    try await ServedPage.serve(store.page(monitors: monitors)) { page in
      let client = try await page.entered()
      var connection = Optional(try LoopbackConnection(port: page.port))
      let head = "Host: 127.0.0.1:\(page.port)\r\nCookie: \(client.cookie ?? "")\r\n\r\n"
      // Sends two requests on one connection.
      try connection?.send(Data("GET /api/session HTTP/1.1\r\n\(head)".utf8))
      try connection?.send(Data("GET /api/monitors HTTP/1.1\r\n\(head)".utf8))
      #expect(await eventually { asked.withLock { $0 } == 1 })
      #expect(abandoned.withLock { $0 } == 0)
      withExtendedLifetime(connection) {}
      connection = nil
      #expect(await eventually { abandoned.withLock { $0 } == 1 })
    }
  }

  /// The kernel hands over up to 16 connections at a time, so the server may accept a few more than its
  /// limit.
  @Test func `connections beyond 256 wait until others are closed`() async throws {
    let store = try PageStore()
    let (most, atATime) = (HTTPServer.maximumConnections, 16)
    let admitted = Mutex(0)
    let page = PageServer(
      StoreCache(store.system, file: store.file), monitors: .none,
      owner: { _, _ in
        admitted.withLock { $0 += 1 }
        return geteuid()
      })
    #expect(most == 256)
    try await ServedPage.serve(page) { page in
      var connections = try (0..<most + 3 * atATime).map { _ in try LoopbackConnection(port: page.port) }
      #expect(await eventually { admitted.withLock { $0 } >= most })
      // The server answers the connections that it has accepted. When 64 have their response, it has also
      // accepted all others that its limit permits.
      let request = Data("GET / HTTP/1.1\r\nHost: 127.0.0.1:\(page.port)\r\n\r\n".utf8)
      for connection in connections.prefix(64) {
        try connection.send(request)
        #expect(try await onOwnThread { PageClient.Answer(try connection.receive()).status } == 401)
      }
      let taken = admitted.withLock { $0 }
      #expect((most..<most + atATime).contains(taken), "\(taken)")
      let waiting = try #require(connections.last)
      try waiting.send(request)
      connections.removeFirst(3 * atATime)
      #expect(try await onOwnThread { PageClient.Answer(try waiting.receive()).status } == 401)
      withExtendedLifetime(connections) {}
    }
  }

  @Test func `connections of another user take no place, however many there are`() async throws {
    let store = try PageStore()
    let refused = Mutex(0)
    let owner = Mutex(geteuid() + 1)
    let page = PageServer(
      StoreCache(store.system, file: store.file), monitors: .none,
      owner: { _, _ in
        refused.withLock { $0 += 1 }
        return owner.withLock { $0 }
      })
    try await ServedPage.serve(page) { page in
      let many = HTTPServer.maximumConnections + 44
      let held = try (0..<many).map { _ in try LoopbackConnection(port: page.port) }
      #expect(await eventually { refused.withLock { $0 } == many })
      owner.withLock { $0 = geteuid() }
      let own = try (0..<HTTPServer.maximumConnections).map { _ in try LoopbackConnection(port: page.port) }
      let last = try #require(own.last)
      try last.send(Data("GET / HTTP/1.1\r\nHost: 127.0.0.1:\(page.port)\r\n\r\n".utf8))
      #expect(try await onOwnThread { PageClient.Answer(try last.receive()).status } == 401)
      withExtendedLifetime((held, own)) {}
    }
  }

  @Test func `a silent connection is closed, also within a head, but not an event stream`()
    async throws
  {
    #expect(HTTPServer.timeout == .seconds(60))
    let store = try PageStore()
    let page = PageServer(
      StoreCache(store.system, file: store.file), monitors: .none, rhythm: .quick,
      timeout: .milliseconds(100))
    let folder = store.folder.path("run")
    try await ServedPage.serve(page, socketsIn: folder) { page in
      let entered = try await page.entered()
      let listening = try LoopbackConnection(port: page.port)
      let host = "Host: 127.0.0.1:\(page.port)\r\nCookie: \(entered.cookie ?? "")\r\n"
      try listening.send(Data("GET /api/events HTTP/1.1\r\n\(host)\r\n".utf8))
      let silent = try LoopbackConnection(port: page.port)
      #expect(try await onOwnThread { try silent.receiveAll() }.isEmpty)
      // This client sends field after field, so its head has no end.
      let slow = try LoopbackConnection(port: page.port)
      let isClosed = Answered()
      async let sent: Void = onOwnThread {
        try? slow.send(Data("GET / HTTP/1.1\r\n\(host)".utf8))
        while !isClosed.isSo.withLock({ $0 }) {
          try? slow.send(Data("X: 1\r\n".utf8))
          usleep(20_000)
        }
      }
      defer { isClosed.isSo.withLock { $0 = true } }
      _ = try await onOwnThread { try slow.receiveAll() }
      isClosed.isSo.withLock { $0 = true }
      try await sent
      // The timeout also applies to a connection that has got its response.
      let staying = try LoopbackConnection(port: page.port)
      try staying.send(Data("GET /api/session HTTP/1.1\r\n\(host)\r\n".utf8))
      #expect(try await onOwnThread { PageClient.Answer(try staying.receiveAll()).status } == 200)
      // The event stream, which has sent several keep-alives in this time, is still open.
      let breaths = try await onOwnThread {
        var text = ""
        while text.matches(of: #/: \n\n/#).count < 20 {
          let bytes = try listening.receive()
          if bytes.isEmpty { break }
          text += String(decoding: bytes, as: UTF8.self)
        }
        return text.matches(of: #/: \n\n/#).count
      }
      #expect(breaths >= 20)
    }
  }

  /// Saves 2,000 heart rates from a source with a long name. Their export has 8 MB, which is more than the
  /// kernel buffers for a reader.
  private func saveMany(in store: PageStore) async throws {
    let wordy = HKSource(name: String(repeating: "x", count: 4000), bundleIdentifier: "org.example.wordy")
    try await store.save((0..<2000).map { 60 + Double($0 % 90) }, as: wordy)
  }

  private static let route = "/api/export.csv?type=heartRate"

  /// Requests a file and reads only its beginning.
  private static func beginsToRead(_ client: PageClient) async throws -> LoopbackConnection {
    let host = "Host: 127.0.0.1:\(client.port)\r\nCookie: \(client.cookie ?? "")\r\n"
    return try await onOwnThread {
      let reader = try LoopbackConnection(port: client.port, room: 262_144)
      try reader.send(Data("GET \(route) HTTP/1.1\r\n\(host)\r\n".utf8))
      #expect(PageClient.Answer(try reader.receive()).status == 200)
      return reader
    }
  }

  @Test func `eight downloads run at a time, and another one when one is read or abandoned`()
    async throws
  {
    let store = try PageStore()
    try await saveMany(in: store)
    // A long timeout, so that no connection is closed on a slow machine.
    let page = PageServer(
      StoreCache(store.system, file: store.file), monitors: .none, timeout: .seconds(3600))
    try await ServedPage.serve(page) { page in
      let client = try await page.entered()
      var readers: [LoopbackConnection] = []
      for _ in 0..<8 { readers.append(try await Self.beginsToRead(client)) }
      let refused = try await client.get(Self.route)
      #expect(refused.status == 429 && refused.fields["retry-after"] == "1")
      #expect(try await client.get("/api/session").status == 200)
      readers.removeLast()
      #expect(try await eventually { try await client.get(Self.route).status == 200 })
      // The download is complete, although the client reads it late.
      let reader = readers.removeLast()
      let rest = try await onOwnThread { try reader.receive(until: "0\r\n\r\n") }
      // The sizes of the chunks are removed, because a chunk may end within a line.
      let lines = rest.replacing(#/\r\n[0-9A-Fa-f]+\r\n/#, with: "").split(separator: "\n")
      #expect(lines.count { $0.contains("org.example.wordy") } == 2000)
      withExtendedLifetime(readers) {}
    }
  }

  @Test func `a download of intervals counts toward the limit`() async throws {
    let store = try PageStore()
    try await saveMany(in: store)
    let beats = (0..<60).map { number in
      HKHeartbeatSeriesQueryDescriptor.Heartbeat(
        timeIntervalSinceStart: Double(number) * 0.8, precededByGap: false)
    }
    try await store.system.healthStore.acting(as: .strap).save(
      HKHeartbeatSeriesSample(uuid: UUID(), start: moment(), beats: beats, device: nil, metadata: nil))
    let page = PageServer(
      StoreCache(store.system, file: store.file), monitors: .none, files: RequestLimit(1),
      timeout: .seconds(3600))
    try await ServedPage.serve(page) { page in
      let client = try await page.entered()
      let intervals = "/api/export.rr?from=\(time(-1))&to=\(time(3600))"
      var reader: LoopbackConnection? = try await Self.beginsToRead(client)
      #expect(try await client.get(intervals).status == 429)
      withExtendedLifetime(reader) {}
      reader = nil
      #expect(
        try await eventually { try await client.get(intervals).text.split(separator: "\n").count > 50 })
      #expect(reader == nil)
    }
  }

  @Test func `a client that does not read a download is disconnected, and frees its slot`() async throws {
    let store = try PageStore()
    try await saveMany(in: store)
    let page = PageServer(
      StoreCache(store.system, file: store.file), monitors: .none, files: RequestLimit(1),
      timeout: .seconds(3))
    try await ServedPage.serve(page) { page in
      let client = try await page.entered()
      let reader = try await Self.beginsToRead(client)
      #expect(
        try await eventually {
          try await client.get(Self.route).text.split(separator: "\n").count == 2001
        })
      #expect(try await onOwnThread { try reader.receiveAll() }.count < 8_000_000)
    }
  }

  @Test func `a head with many fields is rejected`() async throws {
    let store = try PageStore()
    try await ServedPage.serve(store.page()) { page in
      func status(_ count: Int) async throws -> Int {
        let fields = (0..<count).map { "X-\($0): 1\r\n" }.joined()
        let head = "GET / HTTP/1.1\r\nHost: 127.0.0.1:\(page.port)\r\nConnection: close\r\n"
        return try await page.client.raw(Data("\(head)\(fields)\r\n".utf8)).status
      }
      #expect(try await status(50) == 401)
      let many = try await status(200)
      #expect(many == 400 || many == 431)
    }
  }

  @Test func `a rejected change ends its connection`() async throws {
    let store = try PageStore()
    try await ServedPage.serve(store.page()) { page in
      let entered = try await page.entered()
      let staying = ["Connection": "keep-alive", "X-HRGate-CSRF": "0"]
      let answer = try await entered.post("/api/sessions/end", #"{"all":true}"#, staying)
      #expect(answer.status == 403 && answer.fields["connection"] == "close")
    }
  }

  @Test func `a client that keeps sending a rejected body is disconnected`() async throws {
    let store = try PageStore()
    try await ServedPage.serve(store.page()) { page in
      let entered = try await page.entered()
      let connection = try LoopbackConnection(port: page.port)
      let host = "Host: 127.0.0.1:\(page.port)\r\nCookie: \(entered.cookie ?? "")\r\n"
      let kind = "Content-Type: application/json\r\nContent-Length: 1000000\r\nX-HRGate-CSRF: 0\r\n"
      try connection.send(Data("POST /api/sessions/end HTTP/1.1\r\n\(host)\(kind)\r\n".utf8))
      let answered = Answered()
      async let sent: Void = onOwnThread {
        // Keeps the connection busy, so that it does not end because of the idle timeout.
        while !answered.isSo.withLock({ $0 }) {
          try? connection.send(Data("x".utf8))
          usleep(20_000)
        }
      }
      defer { answered.isSo.withLock { $0 = true } }
      let answer = try await onOwnThread { PageClient.Answer(try connection.receiveAll()) }
      #expect(answer.status == 403 && answer.fields["connection"] == "close")
      answered.isSo.withLock { $0 = true }
      try await sent
    }
  }

  private final class Answered: Sendable {
    let isSo = Mutex(false)
  }

  @Test func `a HEAD request does not use up a one-time code`() async throws {
    let store = try PageStore()
    try await ServedPage.serve(store.page()) { page in
      for method in ["HEAD", "OPTIONS"] {
        let looked = try await page.client.ask(method, "/open?code=\(page.code)", [:], nil)
        #expect(looked.status == 405)
      }
      let opened = try await page.client.get("/open?code=\(page.code)")
      #expect(opened.status == 303)
    }
  }
}
