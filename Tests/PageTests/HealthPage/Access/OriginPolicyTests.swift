import Foundation
import Synchronization
import Testing

@testable import HealthPage

/// Tests access checks by header fields.
@Suite struct OriginPolicyTests {
  private let originPolicy = OriginPolicy(port: 4711)

  private func word(_ requestHead: RequestHead) -> String? {
    do throws(PageError) {
      try originPolicy.admit(requestHead)
      return nil
    } catch {
      return error.word
    }
  }

  @Test(arguments: ["127.0.0.1:4711", "localhost:4711", "LOCALHOST:4711", "[::1]:4711"])
  func `the host names of loopback are accepted`(host: String) {
    #expect(word(RequestHead(host: host)) == nil)
  }

  @Test(arguments: [
    nil, "", "evil.example", "evil.example:4711", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:4711.evil.example",
    "localhost.evil.example:4711", "127.0.0.1:4711:4711", "user@127.0.0.1:4711", "127.1:4711",
    "[::ffff:127.0.0.1]:4711", "0.0.0.0:4711", "127.0.0.1:04711", " 127.0.0.1:4711",
  ])
  func `other host names are rejected (DNS rebinding)`(host: String?) {
    #expect(word(RequestHead(host: host)) == "host")
  }

  @Test func `port 80 may be omitted in Host, as browsers do`() throws {
    try OriginPolicy(port: 80).admit(RequestHead(host: "localhost"))
    try OriginPolicy(port: 80).admit(RequestHead(host: "localhost:80"))
  }

  @Test(arguments: [
    "http://evil.example", "null", "https://127.0.0.1:4711", "http://127.0.0.1:4712", "http://localhost:4711",
    "",
  ])
  func `another origin is rejected, and so is another name of this one`(origin: String) {
    var requestHead = RequestHead(host: "127.0.0.1:4711")
    requestHead.origin = origin
    #expect(word(requestHead) == "forbidden")
    requestHead.origin = "http://127.0.0.1:4711"
    #expect(word(requestHead) == nil)
  }

  @Test(arguments: ["cross-site", "same-site", "", "whatever"])
  func `a request from another site by Sec-Fetch-Site is rejected`(site: String) {
    var requestHead = RequestHead(host: "127.0.0.1:4711")
    requestHead.fetchSite = site
    #expect(word(requestHead) == "forbidden")
    for own in ["same-origin", "none"] {
      requestHead.fetchSite = own
      #expect(word(requestHead) == nil)
    }
  }

  @Test(arguments: [
    nil, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonp", "",
  ])
  func `a change must be JSON, which no form of another site can send`(type: String?) throws {
    let sessions = PageSessions { Date(timeIntervalSince1970: 0) }
    let session = try #require(sessions.session(ofKey: sessions.open()))
    var requestHead = RequestHead(method: .change)
    requestHead.changeKey = session.changeKey.text
    requestHead.mediaType = type
    #expect(throws: PageError.mediaType) { try originPolicy.admitChange(requestHead, in: session) }
    for own in ["application/json", "application/json; charset=utf-8", "Application/JSON"] {
      requestHead.mediaType = own
      try originPolicy.admitChange(requestHead, in: session)
    }
  }

  @Test func `a file is sent as one, which no form of another site can do either`() throws {
    let sessions = PageSessions { Date(timeIntervalSince1970: 0) }
    let session = try #require(sessions.session(ofKey: sessions.open()))
    var requestHead = RequestHead(method: .change)
    requestHead.isUpload = true
    requestHead.changeKey = session.changeKey.text
    requestHead.mediaType = "application/octet-stream"
    try originPolicy.admitChange(requestHead, in: session)
    for other in ["application/json", "multipart/form-data", "text/plain", nil] {
      requestHead.mediaType = other
      #expect(throws: PageError.mediaType) { try originPolicy.admitChange(requestHead, in: session) }
    }
    requestHead.mediaType = "application/octet-stream"
    requestHead.changeKey = "another"
    #expect(throws: PageError.changeKey) { try originPolicy.admitChange(requestHead, in: session) }
  }

  @Test func `a change needs the key of its own session`() throws {
    let sessions = PageSessions { Date(timeIntervalSince1970: 0) }
    let session = try #require(sessions.session(ofKey: sessions.open()))
    let other = try #require(sessions.session(ofKey: sessions.open()))
    var requestHead = RequestHead(method: .change)
    requestHead.mediaType = "application/json"
    for key in [nil, "", "0", other.changeKey.text, String(session.changeKey.text.dropLast())] {
      requestHead.changeKey = key
      #expect(throws: PageError.changeKey) { try originPolicy.admitChange(requestHead, in: session) }
    }
  }
}

@Suite struct OneTimeCodeTests {
  private let clock = StandingClock()
  private var codes: OneTimeCodes { OneTimeCodes { [clock] in clock.now } }

  @Test func `a code works once`() {
    let codes = codes
    let code = codes.issue()
    #expect(code.count == 64)
    #expect(codes.redeem(code))
    #expect(!codes.redeem(code))
  }

  @Test func `a code is valid for a minute`() {
    let codes = codes
    let (early, late) = (codes.issue(), codes.issue())
    clock.advance(seconds: 59)
    #expect(codes.redeem(early))
    clock.advance(seconds: 1)
    #expect(!codes.redeem(late))
  }

  @Test func `a code that was not issued is invalid, and codes differ`() {
    let codes = codes
    let issued = (0..<8).map { _ in codes.issue() }
    #expect(Set(issued).count == 8)
    for guess in ["", "0", String(repeating: "0", count: 64), String(issued[0].dropLast())] {
      #expect(!codes.redeem(guess))
    }
    #expect(issued.allSatisfy(codes.redeem))
  }

  @Test func `the number of codes is limited`() {
    let codes = codes
    let issued = (0..<17).map { _ in codes.issue() }
    #expect(!codes.redeem(issued[0]))
    #expect(codes.redeem(issued[16]))
  }
}

@Suite struct PageSessionTests {
  @Test func `an ended session's key is invalid, and its end is reported`() throws {
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

  @Test func `a session ends after a day without use, but not while it has an event stream`() throws {
    let seconds = Mutex(0.0)
    let ended = Mutex<[String]>([])
    let sessions = PageSessions { Date(timeIntervalSince1970: seconds.withLock { $0 }) }
    sessions.whenEnded { id in ended.withLock { $0.append(id) } }
    let (idle, listening) = (sessions.open(), sessions.open())
    let ids = sessions.all.map(\.id)
    seconds.withLock { $0 = PageSessions.timeout }
    #expect(sessions.all.map(\.id) == ids)
    sessions.use(ids[1])
    seconds.withLock { $0 += 1 }
    #expect(sessions.session(ofKey: idle) == nil)
    #expect(ended.withLock { $0 } == [ids[0]])
    #expect(sessions.session(ofKey: listening)?.id == ids[1])
    seconds.withLock { $0 += PageSessions.timeout + 1 }
    #expect(sessions.all.isEmpty)
    #expect(ended.withLock { $0 } == ids)
  }

  @Test func `the least recently used session ends when there are too many`() {
    let seconds = Mutex(0.0)
    let sessions = PageSessions {
      Date(
        timeIntervalSince1970: seconds.withLock {
          $0 += 1; return $0
        })
    }
    let keys = (0..<PageSessions.most).map { _ in sessions.open() }
    // The first session was just used, so the second one is the least recently used one.
    #expect(sessions.session(ofKey: keys[0]) != nil)
    let last = sessions.open()
    #expect(sessions.session(ofKey: keys[1]) == nil)
    #expect(sessions.session(ofKey: keys[0]) != nil && sessions.session(ofKey: last) != nil)
    #expect(sessions.all.count == PageSessions.most)
  }
}
