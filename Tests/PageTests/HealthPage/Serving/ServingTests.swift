import Foundation
import Glibc
import HealthSystem
import Synchronization
import Testing

@testable import HealthPage
@testable import TestSupport

/// Tests the access checks of a running page from outside. Each check has a test that fails without it.
@Suite(.timeLimit(.minutes(30))) struct ServingTests {
  @Test func `a code works once, sets an HttpOnly cookie, and leaves the address`() async throws {
    let store = try PageStore()
    try await ServedPage.serve(store.page()) { page in
      // A HEAD request, as a link preview sends it, does not use up the one-time code of the address.
      #expect(try await page.client.ask("HEAD", "/open?code=\(page.code)", [:], nil).status == 405)
      let answer = try await page.client.get("/open?code=\(page.code)")
      #expect(answer.status == 303 && answer.fields["location"] == "/")
      let cookie = try #require(answer.fields["set-cookie"])
      #expect(cookie.hasPrefix("hrgate-page-\(page.port)="))
      #expect(cookie.hasSuffix("; Path=/; HttpOnly; SameSite=Strict"))
      #expect(!cookie.contains(page.code))
      let again = try await page.client.get("/open?code=\(page.code)")
      #expect(again.status == 403 && again.fields["set-cookie"] == nil)
      #expect(again.text.contains("Run hrgate page"))
      for wrong in ["/open", "/open?code=", "/open?code=0", "/open?other=\(page.code)"] {
        #expect(try await page.client.get(wrong).status == 403)
      }
    }
  }

  @Test func `without a session there is no data, and a person reads why`() async throws {
    let store = try PageStore()
    try await ServedPage.serve(store.page()) { page in
      let answer = try await page.client.get("/")
      #expect(answer.status == 401 && answer.fields["content-type"]?.hasPrefix("text/html") == true)
      #expect(answer.text.contains("Run hrgate page"))
      // Without a session, only the style sheet of the error page is available.
      let look = try await page.client.get("/style.css")
      #expect(answer.text.contains("href=\"/style.css\"") && look.status == 200)
      #expect(look.fields["content-type"] == "text/css; charset=utf-8")
      for file in ["/app.js", "/icon.svg", "/index.html"] {
        #expect(try await page.client.get(file).status == 401, "\(file)")
      }
      var stranger = page.client
      for cookie in ["hrgate-page-\(page.port)=", "hrgate-page-\(page.port)=0", "other=1"] {
        stranger.cookie = cookie
        let answer = try await stranger.get("/api/session")
        #expect(answer.status == 401)
        #expect(try answer.object()["error"] as? String == "session")
      }
      let entered = try await page.entered()
      #expect(try await entered.get("/api/session").status == 200)
    }
  }

  @Test func `further cookies of the same name neither grant nor block access`() async throws {
    let store = try PageStore()
    try await ServedPage.serve(store.page()) { page in
      let own = try #require(try await page.entered().cookie)
      let name = "hrgate-page-\(page.port)"
      var client = page.client
      // The own cookie may come after others of its name: a browser sends cookies with a longer path first,
      // and servers on other ports may have set them.
      for (cookies, status) in [
        ("\(name)=planted; \(own)", 200), ("\(own); \(name)=planted", 200), ("\(name)=; \(name)", 401),
        (own.replacing(name, with: "hrgate-page-\(page.port - 1)"), 401),
        (own.replacing(name, with: "hrgate-page"), 401), (own.replacing(name, with: "x" + name), 401),
        ((0..<40).map { "\(name)=\($0)" }.joined(separator: "; ") + "; " + own, 401),
      ] {
        client.cookie = cookies
        #expect(try await client.get("/api/session").status == status, "\(cookies.prefix(60))")
      }
    }
  }

  @Test func `requests are answered on the page's own threads, two at a time`() async throws {
    let store = try PageStore()
    let queues = Mutex<Set<String>>([])
    let running = Mutex(0)
    let most = Mutex(0)
    /// Blocks its thread, like a read of the store.
    @Sendable func work() {
      queues.withLock { _ = $0.insert(OperationQueue.current?.name ?? "") }
      let count = running.withLock { count in
        count += 1
        return count
      }
      most.withLock { $0 = max($0, count) }
      usleep(20_000)
      running.withLock { $0 -= 1 }
    }
    let monitors = PageMonitors(
      report: { _, _ in
        work()
        await Task.yield()
        work()
        return MonitorReport(.init(isRunning: false, onBus: false), [])
      }, gaps: { _, _ in [] }, changes: { AsyncStream { _ in } })
    try await ServedPage.serve(store.page(monitors: monitors)) { page in
      let entered = try await page.entered()
      try await withThrowingTaskGroup(of: Int.self) { tasks in
        for _ in 0..<12 { tasks.addTask { try await entered.get("/api/monitors").status } }
        for try await status in tasks { #expect(status == 200) }
      }
    }
    #expect(queues.withLock { $0 } == [PageExecutor.name])
    #expect(most.withLock { $0 } <= 2)
  }

  @Test func `a foreign Host (DNS rebinding) is rejected before anything else`() async throws {
    let store = try PageStore()
    try await ServedPage.serve(store.page()) { page in
      let entered = try await page.entered()
      for host in ["evil.example", "evil.example:\(page.port)", "127.0.0.1", "127.0.0.1:1"] {
        for target in ["/", "/api/session", "/nothing", "/open?code=\(page.code)"] {
          let answer = try await entered.get(target, ["Host": host])
          #expect(answer.status == 421, "\(host) \(target)")
        }
      }
      let twice = "GET /api/session HTTP/1.1\r\nHost: 127.0.0.1:\(page.port)\r\nHost: evil.example\r\n"
      let answer = try await entered.raw(
        Data("\(twice)Cookie: \(entered.cookie ?? "")\r\nConnection: close\r\n\r\n".utf8))
      #expect(answer.status == 421 || answer.status == 400)
      for host in ["localhost:\(page.port)", "[::1]:\(page.port)"] {
        #expect(try await entered.get("/api/session", ["Host": host]).status == 200)
      }
    }
  }

  @Test func `a request from another site is rejected, even with the cookie`() async throws {
    let store = try PageStore()
    try await ServedPage.serve(store.page()) { page in
      let entered = try await page.entered()
      for fields in [
        ["Origin": "http://evil.example"], ["Origin": "null"], ["Sec-Fetch-Site": "cross-site"],
        ["Sec-Fetch-Site": "same-site"],
      ] {
        #expect(try await entered.get("/api/session", fields).status == 403, "\(fields)")
        #expect(
          try await entered.post("/api/sessions/end", #"{"all":true}"#, fields).status == 403, "\(fields)")
      }
      let own = ["Origin": "http://127.0.0.1:\(page.port)", "Sec-Fetch-Site": "same-origin"]
      #expect(try await entered.get("/api/session", own).status == 200)
      #expect(try await entered.post("/api/sessions/end", #"{"all":true}"#, own).status == 200)
    }
  }

  @Test func `a change must be a POST of JSON with the key of the session`() async throws {
    let store = try PageStore()
    try await ServedPage.serve(store.page()) { page in
      let entered = try await page.entered()
      let change = #"{"name":"biologicalSex","value":"female"}"#
      func value() async throws -> String? {
        let entries = try await entered.get("/api/characteristics").decoded(CharacteristicsResponse.self)
        return entries.characteristics.first { $0.name == "biologicalSex" }?.value
      }
      #expect(try await entered.post("/api/characteristics", change, ["X-HRGate-CSRF": "-"]).status == 403)
      #expect(try await entered.post("/api/characteristics", change, ["X-HRGate-CSRF": "0"]).status == 403)
      for type in ["text/plain", "application/x-www-form-urlencoded", "-"] {
        #expect(
          try await entered.post("/api/characteristics", change, ["Content-Type": type]).status == 415,
          "\(type)")
      }
      for method in ["PUT", "DELETE", "PATCH", "OPTIONS"] {
        #expect(
          try await entered.ask(method, "/api/characteristics", [:], Data(change.utf8)).status == 405,
          "\(method)")
      }
      #expect(try await entered.get("/api/sessions/end").status == 405)
      #expect(try await entered.post("/api/series", "{}").status == 405)
      #expect(try await value() == nil)
      #expect(try await entered.post("/api/characteristics", change).status == 200)
      #expect(try await value() == "female")
    }
  }

  @Test func `a change has at most 64 kB, and invalid JSON is rejected`() async throws {
    let store = try PageStore()
    try await ServedPage.serve(store.page()) { page in
      let entered = try await page.entered()
      let large = #"{"id":""# + String(repeating: "x", count: 70_000) + #""}"#
      #expect(try await entered.post("/api/sessions/end", large).status == 413)
      for body in ["", "x", "[]", #"{"id":1}"#, "{}", #"{"id":"a","all":true}"#] {
        #expect(try await entered.post("/api/sessions/end", body).status == 400, "\(body)")
      }
      #expect(try await entered.get("/api/session").status == 200)
    }
  }

  @Test func `every response has the security header fields`() async throws {
    let store = try PageStore()
    try await ServedPage.serve(store.page()) { page in
      let entered = try await page.entered()
      let answers = [
        try await page.client.get("/"), try await entered.get("/api/session"),
        try await entered.get("/nothing"),
        try await entered.get("/", ["Host": "evil.example"]), try await page.client.get("/open?code=0"),
      ]
      for answer in answers {
        #expect(
          answer.fields["content-security-policy"]
            == "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
            + "connect-src 'self'; manifest-src 'self'; frame-ancestors 'none'; base-uri 'none'; "
            + "form-action 'none'")
        #expect(answer.fields["cache-control"] == "no-store")
        #expect(answer.fields["x-content-type-options"] == "nosniff")
        #expect(answer.fields["referrer-policy"] == "no-referrer")
        #expect(answer.fields["cross-origin-opener-policy"] == "same-origin")
        #expect(answer.fields["cross-origin-resource-policy"] == "same-origin")
        #expect(answer.fields["x-frame-options"] == "DENY")
      }
    }
  }

  @Test func `no path leads outside of the page's files`() async throws {
    let store = try PageStore()
    try await ServedPage.serve(store.page()) { page in
      let entered = try await page.entered()
      for target in [
        "/../PageServer.swift", "/%2e%2e/PageServer.swift", "/charts/../../PageServer.swift",
        "/../Package.swift", "/%2e%2e/Package.swift", "/..%2fPackage.swift", "//etc/passwd", "/etc/passwd",
        "/./index.html", "/index.html/", "/INDEX.HTML", "/api", "/api/", "/api/session/", "/\\..\\x",
        "/index.html%00.png",
      ] {
        #expect(try await entered.get(target).status == 404, "\(target)")
      }
      for target in ["*", "index.html"] {
        #expect(try await entered.get(target).status == 400, "\(target)")
      }
      // Only the path of an absolute URI counts. The host is taken from the Host field.
      #expect(try await entered.get("http://evil.example/../Package.swift").status == 404)
      let elsewhere = ["Host": "evil.example"]
      #expect(try await entered.get("http://127.0.0.1:\(page.port)/", elsewhere).status == 421)
    }
  }

  @Test func `responses are not compressed, because they do not leave this machine`() async throws {
    let store = try PageStore()
    try await ServedPage.serve(store.page()) { page in
      let entered = try await page.entered()
      let plain = try await entered.get("/app.js")
      #expect(plain.text.contains("import"))
      for target in ["/app.js", "/api/session"] {
        let answer = try await entered.get(target, ["Accept-Encoding": "deflate, gzip, br"])
        #expect(answer.status == 200 && answer.fields["content-encoding"] == nil)
      }
      #expect(try await entered.get("/app.js", ["Accept-Encoding": "gzip"]).body == plain.body)
    }
  }

  @Test func `a head without an end, or one that is too long, ends the connection`() async throws {
    let store = try PageStore()
    try await ServedPage.serve(store.page()) { page in
      // One field of 20,000 bytes, and 40 fields of 1,000 bytes each, are too long for a head.
      for (count, length) in [(1, 20_000), (40, 1000)] {
        let field = "X: \(String(repeating: "x", count: length))\r\n"
        let fields = String(repeating: field, count: count)
        let answer = try await page.client.raw(
          Data("GET / HTTP/1.1\r\nHost: 127.0.0.1:\(page.port)\r\n\(fields)\r\n".utf8))
        #expect(answer.status == 400 || answer.status == 431, "\(count) of \(length)")
      }
      #expect(try await page.client.get("/").status == 401)
    }
  }

  @Test func `another user has no access, even with a valid code`() async throws {
    let store = try PageStore()
    let owner = Mutex(geteuid())
    let page = PageServer(
      StoreCache(store.system, file: store.file), monitors: .none, owner: { _, _ in owner.withLock { $0 } })
    try await ServedPage.serve(page) { page in
      let entered = try await page.entered()
      #expect(try await entered.get("/api/session").status == 200)
      owner.withLock { $0 += 1 }
      // The cookie is valid, but the server closes the connection of another user before it reads the
      // request.
      #expect(try await entered.get("/api/session").status == 0)
      #expect(try await page.client.get("/").status == 0)
    }
  }

  @Test(.enabled(if: geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")))
  func `another user has no access with a stolen cookie`() async throws {
    let store = try PageStore()
    try await ServedPage.serve(store.page()) { page in
      let entered = try await page.entered()
      let request =
        "GET /api/session HTTP/1.1\\r\\nHost: 127.0.0.1:\(page.port)\\r\\nCookie: \(entered.cookie ?? "")\\r\\nConnection: close\\r\\n\\r\\n"
      func ask(_ user: [String]) async throws -> String {
        try await onOwnThread {
          let asker = Process()
          asker.executableURL = URL(filePath: "/usr/bin/env")
          asker.arguments =
            user + [
              "bash", "-c",
              "exec 3<>/dev/tcp/127.0.0.1/\(page.port); printf '\(request)' >&3; cat <&3 2>/dev/null",
            ]
          asker.standardError = FileHandle.nullDevice
          return String(decoding: try asker.output(), as: UTF8.self)
        }
      }
      #expect(try await ask([]).hasPrefix("HTTP/1.1 200"))
      #expect(try await ask(["setpriv", "--reuid=65534", "--clear-groups"]) == "")
    }
  }

  @Test func `many requests are answered or rejected as busy, and then all is as before`() async throws {
    let store = try PageStore()
    try await ServedPage.serve(store.page()) { page in
      let entered = try await page.entered()
      let answers = try await withThrowingTaskGroup(of: Int.self) { tasks in
        for _ in 0..<300 { tasks.addTask { try await entered.get("/api/session").status } }
        return try await tasks.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
      }
      #expect(Set(answers.keys).isSubset(of: [200, 429]), "\(answers)")
      #expect(answers[200] ?? 0 > 0)
      #expect(try await entered.get("/api/session").status == 200)
    }
  }

  @Test func `the number of simultaneous requests is limited`() async throws {
    let limit = RequestLimit(2)
    _ = try await limit.within {
      _ = try await limit.within {
        await #expect(throws: PageError.busy) { try await limit.within {} }
      }
      try await limit.within {}
    }
  }

  @Test func `a port in use is reported with what to do`() async throws {
    let store = try PageStore()
    let other = try PageStore()
    let second = other.page()
    try await ServedPage.serve(store.page()) { page in
      let failure = await #expect(throws: PageServerError.self) {
        try await second.run(port: .exactly(page.port), socketsIn: nil) { _ in }
      }
      #expect(failure?.description.contains("--port") == true)
    }
  }

  @Test func `if the default port is in use, the page uses another one and reports it`() async throws {
    // Fails if another test or program uses the default port. The page must then use another one as well.
    let held = try? LoopbackListener(port: PageServer.usualPort)
    let store = try PageStore()
    let page = store.page()
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      let (openings, opened) = AsyncStream.makeStream(of: PageServer.Opening.self)
      tasks.addTask { try await page.run(port: .usual, socketsIn: nil) { opened.yield($0) } }
      let opening = try #require(await openings.first { _ in true })
      #expect(opening.port != PageServer.usualPort && opening.isElsewhere)
      #expect(try await PageClient(port: opening.port).get("/").status == 401)
      tasks.cancelAll()
    }
    withExtendedLifetime(held) {}
  }
}
