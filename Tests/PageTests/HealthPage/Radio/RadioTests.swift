import Foundation
import HealthSystem
import Synchronization
import Testing

@testable import HealthPage
@testable import TestSupport

/// Tests scanning, pairing and forgetting from the page, with a simulated radio.
@Suite(.timeLimit(.minutes(30))) struct RadioTests {
  /// A radio that records its actions. Each action waits until the test releases it.
  private final class Radio: Sendable {
    let asked = Mutex<[String]>([])
    let isReleased = Mutex(false)
    let ended = Mutex(0)
    /// Whether a cancelled action continues, like one that is still closing a link.
    let isStubborn = Mutex(false)

    /// Records the action, and waits until it is released or the task is cancelled.
    func wait(_ what: String) async throws {
      asked.withLock { $0.append(what) }
      defer { ended.withLock { $0 += 1 } }
      while !isReleased.withLock({ $0 }) {
        do {
          try await Task.sleep(for: .milliseconds(5))
        } catch  where isStubborn.withLock({ $0 }) {
          await Task.yield()
        }
      }
    }

    var page: PageRadio {
      PageRadio(
        hear: { [self] target, report in
          report([.near])
          try await wait("hear \(target.person ?? "-")")
        },
        enrol: { [self] target, wish, talk in
          talk.report("pairing …")
          asked.withLock { $0.append("enrol \(wish.monitor) \(wish.bonds) \(target.person ?? "-")") }
          guard let passkey = await talk.passkey() else { throw RadioError("Nothing was paired.") }
          guard await talk.isSame(passkey + 1) else { throw RadioError("They are not the same.") }
          talk.show(42)
          try await wait("shown")
          return KnownMonitor(address: wish.monitor, name: "<b>Strap</b>", person: nil)
        },
        forget: { [self] _, address, report in
          report("\(address) stays with another program.")
          try await wait("forget \(address)")
        })
    }
  }

  private func serve(
    _ radio: Radio, _ body: @escaping @Sendable (PageClient) async throws -> Void
  ) async throws {
    let store = try PageStore()
    let page = PageServer(
      StoreCache(store.system, file: store.file), monitors: .none, radio: radio.page, rhythm: .quick)
    try await ServedPage.serve(page) { try await body(try await $0.entered()) }
  }

  private func report(_ client: PageClient) async throws -> RadioReport {
    try await client.get("/api/radio").decoded(RadioReport.self)
  }

  /// Waits until the report meets a condition, and returns the report.
  private func report(
    _ client: PageClient, when isSo: @escaping @Sendable (RadioReport) -> Bool
  ) async throws -> RadioReport {
    #expect(try await eventually { isSo(try await report(client)) })
    return try await report(client)
  }

  @Test func `a scan reports monitors while it runs, and can be repeated`() async throws {
    let radio = Radio()
    try await serve(radio) { client async throws in
      #expect(try await report(client) == RadioReport())
      let begun = try await client.post("/api/radio/hear", "{}").decoded(RadioReport.self)
      #expect(begun.number == 1 && begun.kind == .hear && !begun.isOver)
      #expect(try await report(client) { $0.heard == [.near] }.isOver == false)
      #expect(try await client.post("/api/radio/hear", "{}").status == 200)
      // The second request has ended the first scan. Late reports of the first scan do not change the second
      // one.
      #expect(await eventually { radio.asked.withLock { $0 } == ["hear -", "hear -"] })
      #expect(radio.ended.withLock { $0 } == 1)
      radio.isReleased.withLock { $0 = true }
      let over = try await report(client) { $0.isOver }
      #expect(over.number == 2 && over.heard == [.near] && over.failure == nil)
    }
  }

  @Test func `a monitor is paired with the user's answers, one question after another`() async throws {
    let radio = Radio()
    try await serve(radio) { client async throws in
      #expect(try await client.post("/api/radio/hear", "{}").status == 200)
      let begun = try await client.post("/api/radio/enrol", #"{"monitor":"C0:FF:EE:00:00:07"}"#)
      #expect(try begun.decoded(RadioReport.self).monitor == "C0:FF:EE:00:00:07")
      let asked = try await report(client) { $0.question?.kind == .passkey }
      #expect(asked.kind == .enrol && asked.sentences == ["pairing …"] && asked.heard.isEmpty)
      let first = try #require(asked.question?.number)
      for wrong in [
        #"{"question":\#(first),"passkey":"12a456"}"#, #"{"question":\#(first),"passkey":"1234567"}"#,
        #"{"question":\#(first),"passkey":""}"#, #"{"passkey":"123456"}"#,
      ] { #expect(try await client.post("/api/radio/answer", wrong).status == 400, "\(wrong)") }
      let late = #"{"question":\#(first + 1),"passkey":"000041"}"#
      #expect(try await client.post("/api/radio/answer", late).status == 404)
      #expect(
        try await client.post("/api/radio/answer", #"{"question":\#(first),"passkey":"000041"}"#).status
          == 200)
      let compared = try await report(client) { $0.question?.kind == .compare }
      #expect(compared.question?.passkey == "000042")
      let second = try #require(compared.question?.number)
      #expect(
        try await client.post("/api/radio/answer", #"{"question":\#(second),"isSame":true}"#).status == 200)
      #expect(
        try await report(client) { $0.question?.kind == .show }.question?.passkey == "000042")
      radio.isReleased.withLock { $0 = true }
      let over = try await report(client) { $0.isOver }
      #expect(over.enrolled == KnownMonitor(address: "C0:FF:EE:00:00:07", name: "<b>Strap</b>", person: nil))
      #expect(over.failure == nil && over.question == nil)
      #expect(radio.asked.withLock { $0.contains("enrol C0:FF:EE:00:00:07 true -") })
    }
  }

  @Test func `without a passkey, or if the digits differ, the pairing fails with an error`()
    async throws
  {
    let radio = Radio()
    try await serve(radio) { client async throws in
      func question(_ kind: RadioReport.UserQuestion.Kind) async throws -> Int {
        try #require(try await report(client) { $0.question?.kind == kind }.question?.number)
      }
      let wish = #"{"monitor":"Strap","bonds":false}"#
      #expect(try await client.post("/api/radio/enrol", wish).status == 200)
      let first = try await question(.passkey)
      #expect(try await client.post("/api/radio/answer", #"{"question":\#(first)}"#).status == 200)
      #expect(try await report(client) { $0.isOver }.failure == "Nothing was paired.")
      #expect(radio.asked.withLock { $0 } == ["enrol Strap false -"])
      #expect(try await client.post("/api/radio/enrol", wish).status == 200)
      let second = try await question(.passkey)
      #expect(
        try await client.post("/api/radio/answer", #"{"question":\#(second),"passkey":"1"}"#).status == 200)
      let third = try await question(.compare)
      #expect(try await client.post("/api/radio/answer", #"{"question":\#(third)}"#).status == 200)
      #expect(try await report(client) { $0.isOver }.failure == "They are not the same.")
    }
  }

  @Test func `one action runs at a time, and a stopped action makes room for the next`() async throws {
    let radio = Radio()
    try await serve(radio) { client async throws in
      let address = #"{"monitor":"C0:FF:EE:00:00:07"}"#
      #expect(try await client.post("/api/monitors/forget", address).status == 200)
      #expect(await eventually { radio.asked.withLock { $0 } == ["forget C0:FF:EE:00:00:07"] })
      for route in ["radio/hear", "radio/enrol", "monitors/forget"] {
        #expect(try await client.post("/api/" + route, address).status == 409, "\(route)")
      }
      #expect(try await report(client).sentences == ["C0:FF:EE:00:00:07 stays with another program."])
      #expect(try await client.post("/api/radio/stop", "{}").status == 200)
      #expect(try await report(client).isOver)
      #expect(await eventually { radio.ended.withLock { $0 } == 1 })
      #expect(try await report(client).failure == nil)
      // After an action was stopped, its open question can no longer be answered.
      #expect(try await client.post("/api/radio/enrol", address).status == 200)
      let number = try #require(try await report(client) { $0.question != nil }.question?.number)
      #expect(try await client.post("/api/radio/stop", "{}").status == 200)
      #expect(
        try await client.post("/api/radio/answer", #"{"question":\#(number),"passkey":"1"}"#).status == 404)
      #expect(try await report(client).question == nil)
      #expect(try await client.post("/api/radio/hear", "{}").status == 200)
      #expect(try await report(client) { $0.heard == [.near] }.kind == .hear)
    }
  }

  @Test func `an action that is stopped before it starts does not start`() async throws {
    let radio = Radio()
    radio.isStubborn.withLock { $0 = true }
    try await serve(radio) { client in
      let address = #"{"monitor":"C0:FF:EE:00:00:07"}"#
      #expect(try await client.post("/api/monitors/forget", address).status == 200)
      #expect(await eventually { radio.asked.withLock { $0.count } == 1 })
      #expect(try await client.post("/api/radio/stop", "{}").status == 200)
      // The stopped action has not ended yet, so the next action waits for it.
      let next = try await client.post("/api/radio/enrol", address)
      #expect(next.status == 200)
      #expect(try await client.post("/api/radio/stop", "{}").status == 200)
      #expect(try await client.post("/api/radio/hear", "{}").status == 200)
      #expect(radio.asked.withLock { $0 } == ["forget C0:FF:EE:00:00:07"])
      radio.isStubborn.withLock { $0 = false }
      #expect(try await report(client) { $0.heard == [.near] }.kind == .hear)
      #expect(
        await eventually { radio.asked.withLock { $0 } == ["forget C0:FF:EE:00:00:07", "hear -"] })
    }
  }

  @Test func `an invalid name is rejected, and each change needs the session's key`() async throws {
    let radio = Radio()
    try await serve(radio) { client async throws in
      let long = String(repeating: "x", count: 249)
      for body in [#"{"monitor":""}"#, #"{"monitor":"\#(long)"}"#, "{}", "[]", #"{"monitor":1}"#] {
        #expect(try await client.post("/api/radio/enrol", body).status == 400, "\(body.prefix(40))")
        #expect(try await client.post("/api/monitors/forget", body).status == 400, "\(body.prefix(40))")
      }
      for route in ["radio/hear", "radio/enrol", "radio/answer", "radio/stop", "monitors/forget"] {
        #expect(try await client.post("/api/" + route, "{}", ["X-HRGate-CSRF": "0"]).status == 403)
        #expect(try await client.get("/api/" + route).status == 405)
      }
      #expect(try await client.post("/api/radio/hear?person=unknown", "{}").status == 404)
      #expect(radio.asked.withLock { $0.isEmpty })
    }
  }

  @Test func `the end of the page ends its action on the radio`() async throws {
    let radio = Radio()
    try await serve(radio) { client async throws in
      #expect(try await client.post("/api/radio/hear", "{}").status == 200)
      #expect(await eventually { radio.asked.withLock { $0.count } == 1 })
    }
    #expect(radio.ended.withLock { $0 } == 1)
  }
}

extension HeardMonitor {
  fileprivate static let near = HeardMonitor(
    address: "C0:FF:EE:00:00:07", name: "Near", rssi: -61, isEnrolled: false, isPaired: false,
    isPrivate: false)
}
