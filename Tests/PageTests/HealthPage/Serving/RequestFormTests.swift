import Foundation
import HealthKit
import Synchronization
import Testing

@testable import HealthPage
@testable import TestSupport

/// Tests requests that are not well-formed HTTP/1.1. The responses have a status and a sentence, without
/// names of the server's internals.
@Suite(.timeLimit(.minutes(30))) struct RequestFormTests {
  private static let chunk = "2\r\n{}\r\n0\r\n\r\n"

  /// Returns the head of a request to end a session. A well-formed request gets 400 or 404, because its body
  /// names no session.
  private static func head(_ client: PageClient) -> String {
    """
    POST /api/sessions/end HTTP/1.1\r\nHost: 127.0.0.1:\(client.port)\r\nCookie: \(client.cookie ?? "")\r
    Content-Type: application/json\r\nX-HRGate-CSRF: \(client.changeKey ?? "")\r\n
    """
  }

  @Test(arguments: [
    ("Transfer-Encoding: xchunked\r\n\r\n\(chunk)", 501),
    ("Transfer-Encoding: gzip, chunked\r\n\r\n\(chunk)", 501),
    ("Transfer-Encoding: identity\r\n\r\n{}", 501),
    ("Transfer-Encoding:\r\n\r\n{}", 501),
    ("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n\(chunk)", 400),
    ("Transfer-Encoding : chunked\r\n\r\n\(chunk)", 400),
    ("Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n\(chunk)", 400),
    ("Transfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n", 400),
    ("Transfer-Encoding: chunked\r\n\r\nxyz\r\n{}\r\n0\r\n\r\n", 400),
    ("Transfer-Encoding: chunked\r\n\r\n2\r\n{}}}\r\n0\r\n\r\n", 400),
    ("Transfer-Encoding: chunked\r\n\r\nffffffffffffffffffff\r\n{}\r\n0\r\n\r\n", 413),
    ("Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", 400),
    ("Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", 400),
    ("Content-Length: +2\r\n\r\n{}", 400),
    ("Content-Length: -2\r\n\r\n{}", 400),
    ("Content-Length: 2, 2\r\n\r\n{}", 400),
    ("Content-Length: 99999999999999999999999999\r\n\r\n{}", 413),
    ("A field without a colon\r\n\r\n", 400),
    ("Two words: 1\r\n\r\n", 400),
    (": no name\r\n\r\n", 400),
  ])
  func `a request with an ambiguous end is rejected, and ends its connection`(
    rest: String, status: Int
  ) async throws {
    let store = try PageStore()
    try await ServedPage.serve(store.page()) { page in
      let entered = try await page.entered()
      let answer = try await entered.raw(Data((Self.head(entered) + rest).utf8))
      #expect(answer.status == status)
      for word in ["HTTPParser", "NIO", "libmicrohttpd", "error 2"] {
        #expect(!answer.text.contains(word), "\(answer.text)")
      }
      #expect(try await entered.get("/api/session").status == 200)
    }
  }

  @Test func `a chunked body is joined`() async throws {
    let store = try PageStore()
    try await ServedPage.serve(store.page()) { page in
      let entered = try await page.entered()
      let head = Self.head(entered) + "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
      let whole = try await entered.raw(Data("\(head)5\r\n{\"all\r\n7;x=y\r\n\":true}\r\n0\r\n\r\n".utf8))
      #expect(whole.status == 200, "\(whole.text)")
      #expect(try await entered.get("/api/session").status == 401)
    }
  }

  @Test func `a chunked body has at most 64 kB, and one without an end is disconnected`() async throws {
    let store = try PageStore()
    try await ServedPage.serve(store.page()) { page in
      let entered = try await page.entered()
      let head = Self.head(entered) + "Transfer-Encoding: chunked\r\n\r\n"
      let chunk = "1000\r\n\(String(repeating: "x", count: 4096))\r\n"
      let large = try await entered.raw(
        Data("\(head)\(String(repeating: chunk, count: 20))0\r\n\r\n".utf8))
      #expect(large.status == 413)
      let endless = try LoopbackConnection(port: page.port)
      try endless.send(Data(head.utf8))
      let isCut = try await onOwnThread {
        for _ in 0..<10_000 {
          do { try endless.send(Data(chunk.utf8)) } catch { return true }
        }
        return false
      }
      #expect(isCut)
      #expect(try await entered.get("/api/session").status == 200)
    }
  }

  @Test func `a body with a too large Content-Length is rejected at once`() async throws {
    let store = try PageStore()
    try await ServedPage.serve(store.page()) { page in
      let entered = try await page.entered()
      let head = Self.head(entered) + "Content-Length: 1000000000\r\n\r\n"
      #expect(try await entered.raw(Data(head.utf8)).status == 413)
    }
  }

  /// Servers on other ports can set cookies that a browser also sends to this one.
  @Test(arguments: [5, 6, 7])
  func `a browser with too many cookies gets an error that says what to do`(count: Int) async throws {
    let store = try PageStore()
    try await ServedPage.serve(store.page()) { page in
      let planted = (0..<count).map { "x\($0)=\(String(repeating: "y", count: 3900))" }
      let cookies = ["Cookie": planted.joined(separator: "; ")]
      for target in ["/", "/open?code=\(page.code)", "/style.css"] {
        let answer = try await page.client.get(target, cookies)
        #expect(answer.status == 431 && answer.fields["connection"] == "close", "\(target)")
        #expect(answer.fields["content-type"] == "text/html; charset=utf-8", "\(target)")
        #expect(answer.text.contains("delete those of 127.0.0.1 and localhost"), "\(target)")
      }
      // The code was not used up, so the same address works when the cookies are deleted.
      let entered = try await page.entered()
      #expect(try await entered.get("/api/session").status == 200)
      // The page's script gets the same message.
      let all = ["Cookie": (planted + [entered.cookie ?? ""]).joined(separator: "; ")]
      let answer = try await entered.get("/api/session", all)
      let message = try answer.object()["message"] as? String
      #expect(answer.status == 431 && message?.contains("delete those of 127.0.0.1 and localhost") == true)
    }
  }

  @Test func `if another server replaces the cookie, the page says what to do, and that works`()
    async throws
  {
    let store = try PageStore()
    try await ServedPage.serve(store.page()) { page in
      let planted = ["Cookie": "hrgate-page-\(page.port)=planted"]
      let refused = try await page.client.get("/", planted)
      #expect(refused.status == 401 && refused.text.contains("Run hrgate page for a new address"))
      let opened = try await page.client.get("/open?code=\(page.code)", planted)
      let cookie = try #require(opened.fields["set-cookie"])
      // It replaces the planted cookie, because it has the same name and path.
      #expect(opened.status == 303 && cookie.hasPrefix("hrgate-page-\(page.port)="))
      #expect(cookie.contains("; Path=/;"))
      let own = ["Cookie": String(cookie.prefix { $0 != ";" })]
      #expect(try await page.client.get("/api/session", own).status == 200)
    }
  }

  @Test func `the number of parameters is only limited by the length of the address`() async throws {
    let store = try PageStore()
    try await ServedPage.serve(store.page()) { page in
      let entered = try await page.entered()
      let some = String(repeating: "a&", count: 8000)
      #expect(try await entered.get("/api/session?\(some)").status == 200)
      #expect([414, 431].contains(try await entered.get("/api/session?\(some)\(some)\(some)").status))
    }
  }

  @Test func `a HEAD request for a download returns no body`() async throws {
    let store = try PageStore()
    try await store.save([61, 62])
    let page = PageServer(
      StoreCache(store.system, file: store.file), monitors: .none, files: RequestLimit(1))
    try await ServedPage.serve(page) { page in
      let entered = try await page.entered()
      let route = "/api/export.csv?type=heartRate"
      for _ in 0..<3 {
        let head = try await entered.ask("HEAD", route, [:], nil)
        #expect(head.status == 200 && head.body.isEmpty)
      }
      #expect(try await entered.get(route).text.split(separator: "\n").count == 3)
    }
  }

  /// All requests arrive at once. The server answers them in this order.
  @Test func `pipelined requests are answered one after another`() async throws {
    let store = try PageStore()
    try await ServedPage.serve(store.page()) { page in
      let entered = try await page.entered()
      let fields = "Host: 127.0.0.1:\(page.port)\r\nCookie: \(entered.cookie ?? "")\r\n"
      let connection = try LoopbackConnection(port: page.port)
      let requests = (0..<50).map { "GET /none-\($0)- HTTP/1.1\r\n\(fields)\r\n" }.joined()
      try connection.send(Data("\(requests)GET / HTTP/1.1\r\n\(fields)Connection: close\r\n\r\n".utf8))
      let text = try await onOwnThread { String(decoding: try connection.receiveAll(), as: UTF8.self) }
      #expect(text.matches(of: /HTTP\/1\.1 404/).count == 50)
      #expect(text.matches(of: /HTTP\/1\.1 200/).count == 1)
    }
  }
}

/// Tests passing a body from the task that writes it to the thread that sends it.
@Suite struct ResponseBodyTests {
  private func take(_ body: ResponseBody, _ count: Int) -> (part: ResponseBody.Part, text: String) {
    var buffer = [UInt8](repeating: 0, count: count)
    let part = buffer.withUnsafeMutableBytes { body.read(into: $0) }
    guard case .bytes(let count) = part else { return (part, "") }
    return (part, String(decoding: buffer[..<count], as: UTF8.self))
  }

  @Test func `a writer waits until all bytes are read, and a reader is woken once`() async throws {
    let wakes = Mutex(0)
    let (signals, signal) = AsyncStream.makeStream(of: Void.self)
    let body = ResponseBody {
      wakes.withLock { $0 += 1 }
      signal.yield()
    }
    #expect(take(body, 3).part == .pending)
    let isWritten = Mutex(false)
    let writing = Task {
      try await body.write(Array("hello".utf8))
      isWritten.withLock { $0 = true }
      body.finish()
    }
    _ = await signals.first { _ in true }
    #expect(take(body, 3).text == "hel")
    #expect(!isWritten.withLock { $0 })
    #expect(take(body, 3).text == "lo")
    try await writing.value
    #expect(isWritten.withLock { $0 } && take(body, 3).part == .end)
    #expect(wakes.withLock { $0 } == 1)
  }

  @Test func `a writer gets an error after its client has disconnected`() async throws {
    let (signals, signal) = AsyncStream.makeStream(of: Void.self)
    let body = ResponseBody { signal.yield() }
    #expect(take(body, 3).part == .pending)
    let writing = Task { try await body.write([1, 2, 3]) }
    _ = await signals.first { _ in true }
    body.close()
    await #expect(throws: CancellationError.self) { try await writing.value }
    await #expect(throws: CancellationError.self) { try await body.write([4]) }
    #expect(take(body, 3).part == .failure)
  }

  @Test func `a failed body does not end as a complete one`() async throws {
    let body = ResponseBody {}
    body.fail()
    #expect(take(body, 3).part == .failure)
  }
}
