import Foundation
import Synchronization
import Testing

@testable import HealthPage

/// Who may come in, by what a request says of itself.
@Suite struct DoorTests {
  private let door = Door(port: 4711)

  private func word(_ visit: Visit) -> String? {
    do throws(PageFault) {
      try door.admit(visit)
      return nil
    } catch {
      return error.word
    }
  }

  @Test(arguments: ["127.0.0.1:4711", "localhost:4711", "LOCALHOST:4711", "[::1]:4711"])
  func `the names of this machine are admitted`(host: String) {
    #expect(word(Visit(host: host)) == nil)
  }

  @Test(arguments: [
    nil, "", "evil.example", "evil.example:4711", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:4711.evil.example",
    "localhost.evil.example:4711", "127.0.0.1:4711:4711", "user@127.0.0.1:4711", "127.1:4711",
    "[::ffff:127.0.0.1]:4711", "0.0.0.0:4711", "127.0.0.1:04711", " 127.0.0.1:4711",
  ])
  func `a name that somebody led to this machine is not`(host: String?) {
    #expect(word(Visit(host: host)) == "host")
  }

  @Test func `port 80 need not be said, as browsers do not`() throws {
    try Door(port: 80).admit(Visit(host: "localhost"))
    try Door(port: 80).admit(Visit(host: "localhost:80"))
  }

  @Test(arguments: [
    "http://evil.example", "null", "https://127.0.0.1:4711", "http://127.0.0.1:4712", "http://localhost:4711",
    "",
  ])
  func `another origin is refused, and so is another name of this one`(origin: String) {
    var visit = Visit(host: "127.0.0.1:4711")
    visit.origin = origin
    #expect(word(visit) == "forbidden")
    visit.origin = "http://127.0.0.1:4711"
    #expect(word(visit) == nil)
  }

  @Test(arguments: ["cross-site", "same-site", "", "whatever"])
  func `what a browser says another site began is refused`(site: String) {
    var visit = Visit(host: "127.0.0.1:4711")
    visit.fetchSite = site
    #expect(word(visit) == "forbidden")
    for own in ["same-origin", "none"] {
      visit.fetchSite = own
      #expect(word(visit) == nil)
    }
  }

  @Test(arguments: [
    nil, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonp", "",
  ])
  func `a change is JSON, which no form of another site can send`(type: String?) throws {
    let sessions = PageSessions { Date(timeIntervalSince1970: 0) }
    let session = try #require(sessions.session(ofKey: sessions.open()))
    var visit = Visit(method: .change)
    visit.changeKey = session.changeKey.text
    visit.mediaType = type
    #expect(throws: PageFault.mediaType) { try door.admitChange(visit, in: session) }
    for own in ["application/json", "application/json; charset=utf-8", "Application/JSON"] {
      visit.mediaType = own
      try door.admitChange(visit, in: session)
    }
  }

  @Test func `a change shows the key of its own session`() throws {
    let sessions = PageSessions { Date(timeIntervalSince1970: 0) }
    let session = try #require(sessions.session(ofKey: sessions.open()))
    let other = try #require(sessions.session(ofKey: sessions.open()))
    var visit = Visit(method: .change)
    visit.mediaType = "application/json"
    for key in [nil, "", "0", other.changeKey.text, String(session.changeKey.text.dropLast())] {
      visit.changeKey = key
      #expect(throws: PageFault.changeKey) { try door.admitChange(visit, in: session) }
    }
  }
}

@Suite struct OneTimeCodeTests {
  private let clock = StandingClock()
  private var codes: OneTimeCodes { OneTimeCodes { [clock] in clock.now } }

  @Test func `a code opens once`() {
    let codes = codes
    let code = codes.issue()
    #expect(code.count == 64)
    #expect(codes.redeem(code))
    #expect(!codes.redeem(code))
  }

  @Test func `a code opens for a minute`() {
    let codes = codes
    let (early, late) = (codes.issue(), codes.issue())
    clock.advance(seconds: 59)
    #expect(codes.redeem(early))
    clock.advance(seconds: 1)
    #expect(!codes.redeem(late))
  }

  @Test func `what was never issued opens nothing, and codes differ`() {
    let codes = codes
    let issued = (0..<8).map { _ in codes.issue() }
    #expect(Set(issued).count == 8)
    for guess in ["", "0", String(repeating: "0", count: 64), String(issued[0].dropLast())] {
      #expect(!codes.redeem(guess))
    }
    #expect(issued.allSatisfy(codes.redeem))
  }

  @Test func `many codes are not kept`() {
    let codes = codes
    let issued = (0..<17).map { _ in codes.issue() }
    #expect(!codes.redeem(issued[0]))
    #expect(codes.redeem(issued[16]))
  }
}

@Suite struct PageSessionTests {
  @Test func `a session ends with its key, and says so`() throws {
    let ended = Mutex<[String]>([])
    let sessions = PageSessions { Date(timeIntervalSince1970: 0) }
    sessions.whenEnded { id in ended.withLock { $0.append(id) } }
    let (first, second) = (sessions.open(), sessions.open())
    let id = try #require(sessions.session(ofKey: first)).id
    #expect(sessions.end(id) == 1)
    #expect(sessions.session(ofKey: first) == nil)
    #expect(sessions.session(ofKey: second) != nil)
    #expect(ended.withLock { $0 } == [id])
    #expect(sessions.end("nothing") == 0)
    #expect(sessions.end(nil) == 1)
    #expect(sessions.session(ofKey: second) == nil)
  }

  @Test func `a session that nobody uses for a day ends, and one that listens does not`() throws {
    let seconds = Mutex(0.0)
    let ended = Mutex<[String]>([])
    let sessions = PageSessions { Date(timeIntervalSince1970: seconds.withLock { $0 }) }
    sessions.whenEnded { id in ended.withLock { $0.append(id) } }
    let (idle, listening) = (sessions.open(), sessions.open())
    let ids = sessions.all.map(\.id)
    seconds.withLock { $0 = PageSessions.patience }
    #expect(sessions.all.map(\.id) == ids)
    sessions.use(ids[1])
    seconds.withLock { $0 += 1 }
    #expect(sessions.session(ofKey: idle) == nil)
    #expect(ended.withLock { $0 } == [ids[0]])
    #expect(sessions.session(ofKey: listening)?.id == ids[1])
    seconds.withLock { $0 += PageSessions.patience + 1 }
    #expect(sessions.all.isEmpty)
    #expect(ended.withLock { $0 } == ids)
  }

  @Test func `of too many, the one that was away longest ends`() {
    let seconds = Mutex(0.0)
    let sessions = PageSessions {
      Date(
        timeIntervalSince1970: seconds.withLock {
          $0 += 1; return $0
        })
    }
    let keys = (0..<PageSessions.most).map { _ in sessions.open() }
    // The first comes back, so the second was away longest.
    #expect(sessions.session(ofKey: keys[0]) != nil)
    let last = sessions.open()
    #expect(sessions.session(ofKey: keys[1]) == nil)
    #expect(sessions.session(ofKey: keys[0]) != nil && sessions.session(ofKey: last) != nil)
    #expect(sessions.all.count == PageSessions.most)
  }
}
