import Foundation
import Testing

@testable import HealthDataSync
@testable import hrgate

@Suite struct SyncUpdateTests {
  private let destination = SyncDestination(
    name: "lab", address: "postgres://h/d", identity: ExternalIdentity(person: "Ada", gateway: "attic"))

  private func progress(_ state: SyncProgress.State) -> SyncProgress {
    var progress = SyncProgress()
    progress.state = state
    return progress
  }

  @Test func `only a changed state is reported, not each live update`() {
    let reporter = SyncReporter()
    let absent = ExternalStoreError("the server is absent", outlook: .passing)
    let denied = ExternalStoreError("the password is wrong", outlook: .lasting)
    let story: [SyncProgress.State] = [
      .opening, .carrying, .carrying, .idle, .carrying, .idle,
      .waiting(absent, pause: .seconds(1)), .opening, .waiting(absent, pause: .seconds(2)), .opening,
      .carrying, .idle, .waiting(denied, pause: .seconds(300)), .elsewhere(process: 7), .idle, .ended,
    ]
    let updates = story.compactMap { reporter.update(of: destination, progress($0)) }
    #expect(
      updates.map(\.state) == [
        .carrying, .current, .failing, .carrying, .current, .blocked, .elsewhere, .current, .stopped,
      ])
    #expect(updates.compactMap(\.error) == [absent.description, denied.description])
    #expect(updates.allSatisfy { $0.destination == "lab" && $0.kind == "postgresql" })
  }

  @Test func `a live state that cannot be published is news while the samples are there`() {
    let reporter = SyncReporter()
    let denied = ExternalStoreError("writing to homeassistant/# is not permitted", outlook: .lasting)
    let absent = ExternalStoreError("the server is absent", outlook: .passing)
    #expect(reporter.update(of: destination, live: denied) == nil, "nothing is known of the samples yet")
    let updates = [
      reporter.update(of: destination, progress(.idle)), reporter.update(of: destination, progress(.idle)),
      reporter.update(of: destination, progress(.waiting(absent, pause: .seconds(1)))),
      reporter.update(of: destination, progress(.idle)), reporter.update(of: destination, live: nil),
      reporter.update(of: destination, live: nil),
    ]
    #expect(updates.map { $0?.state } == [.blocked, nil, .failing, .blocked, .current, nil])
    #expect(
      updates.map { $0?.error } == [
        denied.description, nil, absent.description, denied.description, nil, nil,
      ])
  }

  @Test func `an unreadable list of destinations is reported once, and its recovery`() {
    let reporter = SyncReporter()
    let failure = ExternalStoreError("the health store cannot be used", outlook: .passing)
    #expect(reporter.update(ofAll: nil) == nil)
    let updates = [failure, failure, nil, nil].compactMap { reporter.update(ofAll: $0) }
    #expect(updates.map(\.state) == [.failing, .current] && updates.allSatisfy { $0.destination == "*" })
    #expect(updates.map(\.error) == [failure.description, nil])
    #expect(!SyncDestination.isName(SyncUpdate.anyDestination))
  }

  @Test func `another syncing process is shown until this one syncs`() {
    var lines = SyncProgressLines(["lab"])
    lines.receive("lab", elsewhere: 7)
    for state in [SyncProgress.State.opening, .ended] {
      lines.receive("lab", progress(state))
      #expect(lines.lines(columns: 80) == ["lab  sent by process 7"])
    }
    lines.receive("lab", progress(.idle))
    #expect(lines.lines(columns: 80) == ["lab  up to date"])
  }

  @Test func `a run is drawn with its share, its rate and the time left`() {
    var carrying = progress(.carrying)
    carrying.sent = 2500
    carrying.pending = 7500
    carrying.timeCarrying = .milliseconds(500)
    var lines = SyncProgressLines(["lab", "files", "home"])
    lines.receive("lab", carrying)
    lines.receive(
      "files", progress(.waiting(ExternalStoreError("full\u{1B}", outlook: .passing), pause: .seconds(9))))
    #expect(
      lines.lines(columns: 110) == [
        "lab    ███████░░░░░░░░░░░░░░░░░░░░░░░ 25%  2500 of 10000  5000/s  2 s left",
        "files  retry in 9 s: full\\u{1B}", "home   ",
      ])
    #expect(lines.lines(columns: 60)[0].columns <= 60)
    // If there is no space for the bar, only the figures are shown.
    #expect(lines.lines(columns: 30)[0] == "lab    2500 of 10000  5000/s  2 s left")
    var idle = progress(.idle)
    #expect(SyncProgressLines.account(idle) == "up to date")
    idle.sent = 1
    idle.deleted = 2
    #expect(SyncProgressLines.account(idle) == "1 sample and 2 deletions sent")
  }

  @Test(arguments: [Duration.zero, .nanoseconds(1), .microseconds(180), .milliseconds(99)])
  func `a time too short to measure gives no rate`(time: Duration) {
    var idle = progress(.idle)
    idle.sent = 1000
    idle.timeCarrying = time
    #expect(SyncProgressLines.account(idle) == "1000 samples sent")
    #expect(SyncProgressLines.rate(idle) == nil)
  }

  @Test func `rejected records do not count in the rate; if all are rejected, that is printed`() {
    var idle = progress(.idle)
    idle.setAside = 5000
    idle.rejected = 300
    idle.timeCarrying = .seconds(1)
    #expect(SyncProgressLines.rate(idle) == nil)
    #expect(SyncProgressLines.account(idle) == "the destination rejected everything")
    idle.sent = 20
    #expect(SyncProgressLines.account(idle) == "20 samples sent, 20/s")
  }

  @Test(arguments: [("lab", "LAB"), ("my-lab.2", "MY_LAB_2"), ("Lab_x", "LAB_X")])
  func `a secret's variable has the destination's name in capitals`(name: String, end: String) {
    #expect(DestinationSecret.variable(for: name) == "HRGATE_SYNC_SECRET_" + end)
  }
}
