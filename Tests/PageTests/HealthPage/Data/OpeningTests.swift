import Foundation
import HealthSystem
import Testing

@testable import HealthPage
@testable import TestSupport

/// Tests which part of the page a new window opens, and a store whose file disappears.
@Suite(.timeLimit(.minutes(30))) struct OpeningTests {
  private static func monitors(_ monitors: [MonitorReport.Monitor], isRunning: Bool = true) -> PageMonitors {
    PageMonitors(
      report: { _, _ in MonitorReport(.init(isRunning: isRunning, onBus: isRunning), monitors) },
      gaps: { _, _ in [] }, changes: { AsyncStream { _ in } })
  }

  private static func opens(_ store: PageStore, _ monitors: PageMonitors) async throws
    -> SessionResponse.Opening
  {
    try await ServedPage.serve(store.page(monitors: monitors)) { page in
      try await page.entered().get("/api/session").decoded(SessionResponse.self).opens
    }
  }

  @Test func `an empty store opens on welcome, a live strap on now, and anything else on the summary`()
    async throws
  {
    let store = try PageStore()
    #expect(try await Self.opens(store, .none) == .welcome)
    try await store.save([60])
    var strap = MonitorReport.Monitor("", state: nil, lastMeasurement: nil)
    #expect(try await Self.opens(store, .none) == .summary)
    strap.state = "away"
    strap.lastMeasurement = Date(timeIntervalSinceNow: -3600)
    #expect(try await Self.opens(store, Self.monitors([strap])) == .summary)
    strap.lastMeasurement = Date(timeIntervalSinceNow: -60)
    #expect(try await Self.opens(store, Self.monitors([strap])) == .now)
    strap.lastMeasurement = nil
    strap.state = "following"
    #expect(try await Self.opens(store, Self.monitors([strap])) == .now)
    // If no gateway is running, no monitor counts as live.
    #expect(try await Self.opens(store, Self.monitors([strap], isRunning: false)) == .summary)
  }

  @Test func `nothing is saved in a store whose file is gone, and the page says so`() async throws {
    let store = try PageStore()
    try await store.save([60])
    try await ServedPage.serve(store.page()) { [file = store.file] page in
      let client = try await page.entered()
      let sound = try await client.get("/api/damage")
      #expect(sound.fields["x-hrgate-damaged-blocks"] == "0" && !sound.text.contains("deleted"))
      let change = #"{"name":"bloodType","value":"aPositive"}"#
      #expect(try await client.post("/api/characteristics", change).status == 200)
      let aside = file + ".aside"
      try FileManager.default.moveItem(atPath: file, toPath: aside)
      let refused = try await client.post("/api/characteristics", change)
      #expect(refused.status == 503 && refused.text.contains("deleted or replaced"), "\(refused.text)")
      // The samples can still be read with a connection that is open. The missing file counts as damage. If all
      // connections are in use, another one cannot be opened.
      let read = try await client.get("/api/types")
      #expect(read.status == 503 || read.fields["x-hrgate-damaged-blocks"] == "1", "\(read.text)")
      #expect([200, 503].contains(read.status), "\(read.status) \(read.text)")
      #expect(try await client.get("/api/damage").decoded(DamageResponse.self).store?.contains(file) == true)
      // An empty file in the place of the store's file is not accepted either.
      try Data().write(to: URL(filePath: file))
      #expect(try await client.post("/api/characteristics", change).status == 503)
      // Ending a session does not need the store.
      #expect(try await client.post("/api/sessions/end", "{}").status != 503)
    }
  }

  @Test func `a file that is back in its place is the store again`() async throws {
    let store = try PageStore()
    try await ServedPage.serve(store.page()) { [file = store.file] page in
      let client = try await page.entered()
      let change = #"{"name":"bloodType","value":"aPositive"}"#
      try FileManager.default.moveItem(atPath: file, toPath: file + ".aside")
      #expect(try await client.post("/api/characteristics", change).status == 503)
      try FileManager.default.moveItem(atPath: file + ".aside", toPath: file)
      #expect(try await client.post("/api/characteristics", change).status == 200)
      #expect(try await client.get("/api/damage").decoded(DamageResponse.self).store == nil)
    }
  }

  @Test func `a browser keeps files below the address of this version, and nothing else`() async throws {
    let store = try PageStore()
    try await ServedPage.serve(store.page()) { page in
      let client = try await page.entered()
      let start = try await client.get("/")
      #expect(start.fields["cache-control"] == "no-store")
      let script = try #require(start.text.firstMatch(of: #/src="(\/v\/[0-9a-f]{16}\/)app\.js"/#)).output.1
      #expect(!start.text.contains(#/(src|href)="\/[^v]/#), "an address is not below the version's")
      let versioned = try await client.get("\(script)app.js")
      #expect(versioned.status == 200)
      #expect(versioned.fields["cache-control"] == "private, max-age=31536000, immutable")
      let plain = try await client.get("/app.js")
      #expect(plain.body == versioned.body && plain.fields["cache-control"] == "no-store")
      #expect(try await client.get("\(script)parts/data.js").status == 200)
      for path in ["/v/0000000000000000/app.js", "\(script)../app.js", "\(script)", "\(script)api/session"] {
        #expect(try await client.get(path).status == 404, "\(path)")
      }
      // Files below the address of this version need a session, too.
      #expect(try await page.client.get("\(script)app.js").status == 401)
    }
  }
}
