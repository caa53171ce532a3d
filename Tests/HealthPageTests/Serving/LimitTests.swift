import Foundation
import Glibc
import HealthSystem
import Synchronization
import Testing

@testable import HealthPage
@testable import TestSupport

/// Where the page listens, and how much it takes.
@Suite(.timeLimit(.minutes(30))) struct LimitTests {
  @Test func `the page listens on loopback and nowhere else`() async throws {
    let store = try PageStore()
    try await ServedPage.serve(store.page()) { page in
      let digits = String(page.port, radix: 16, uppercase: true)
      let port = String(repeating: "0", count: 4 - digits.count) + digits
      var addresses: Set<String> = []
      for file in ["/proc/self/net/tcp", "/proc/self/net/tcp6"] {
        for line in (LoopbackPeers.table(file) ?? "").split(separator: "\n") {
          // The address and port of a socket, and its state: 0A listens.
          let fields = line.split(separator: " ")
          guard fields.count > 3, fields[3] == "0A", fields[1].hasSuffix(":\(port)") else { continue }
          addresses.insert(String(fields[1].dropLast(5)))
        }
      }
      let loopback: Set = ["0100007F", "00000000000000000000000001000000"]
      #expect(addresses.contains("0100007F") && addresses.isSubset(of: loopback), "\(addresses)")
    }
  }

  /// Each request is held until all are there: however slow the machine is, they are at the same time.
  @Test func `while sixty-four are answered, one more is told to come again`() async throws {
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

  @Test func `a head of many fields is refused`() async throws {
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

  @Test func `a change that was refused ends its connection: nobody waits for its rest`() async throws {
    let store = try PageStore()
    try await ServedPage.serve(store.page()) { page in
      let entered = try await page.entered()
      let staying = ["Connection": "keep-alive", "X-HRGate-CSRF": "0"]
      let answer = try await entered.post("/api/sessions/end", #"{"all":true}"#, staying)
      #expect(answer.status == 403 && answer.fields["connection"] == "close")
    }
  }

  @Test func `whoever goes on sending what was refused is not listened to`() async throws {
    let store = try PageStore()
    try await ServedPage.serve(store.page()) { page in
      let entered = try await page.entered()
      let connection = try LoopbackConnection(port: page.port)
      let host = "Host: 127.0.0.1:\(page.port)\r\nCookie: \(entered.cookie ?? "")\r\n"
      let kind = "Content-Type: application/json\r\nContent-Length: 1000000\r\nX-HRGate-CSRF: 0\r\n"
      try connection.send(Data("POST /api/sessions/end HTTP/1.1\r\n\(host)\(kind)\r\n".utf8))
      let answered = Answered()
      async let sent: Void = onOwnThread {
        // The connection is never idle, so that it ends for no other reason.
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

  @Test func `who looks whether an address is there does not use it up`() async throws {
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
