import Glibc
import Synchronization
import Testing

@testable import Gateway
@testable import TestSupport

/// A step of a health check that blocks callers while it is closed. Counts the callers that reach it.
private final class Gate: Sendable {
  private let state = Mutex((isOpen: true, comers: 0))

  var comers: Int { state.withLock(\.comers) }
  func set(open: Bool) { state.withLock { $0.isOpen = open } }

  func pass() async {
    state.withLock { $0.comers += 1 }
    while !state.withLock(\.isOpen) { try? await Task.sleep(for: .milliseconds(1)) }
  }
}

/// Records the reported changes, and how often a completed health check counted as work for the watchdog.
private final class Reports: Sendable {
  struct Change: Equatable {
    var person: String?
    var part = GatewayPart.store
    var isHanging: Bool
  }

  let changes = Mutex<[Change]>([])
  let worked = Mutex(0)

  var all: [Change] { changes.withLock(\.self) }
  var count: Int { worked.withLock(\.self) }
}

@Suite(.timeLimit(.minutes(30))) struct LivenessProbesTests {
  private let reports = Reports()
  private let probes: LivenessProbes

  init() {
    probes = LivenessProbes { [reports] person, part, isHanging in
      reports.changes.withLock { $0.append(Reports.Change(person: person, part: part, isHanging: isHanging)) }
    }
  }

  private func join(_ person: String?, _ gate: Gate, hasMonitors: Bool = true) -> Int {
    probes.join(
      LivenessProbes.Member(
        person: person, hasMonitors: { hasMonitors }, progress: { LivenessProbe.Progress(part: .store) }
      ) {
        await gate.pass()
        return true
      })
  }

  private func begin() { probes.begin { [reports] in reports.worked.withLock { $0 += 1 } } }

  /// Starts a round of health checks, and waits until checks have counted as work `count` times in total.
  private func round(countsTo count: Int) async -> Bool {
    begin()
    return await eventually { reports.count >= count }
  }

  @Test func `a member whose turn hangs is reported once, and the probes of the others continue and count`()
    async
  {
    let (stuck, sound) = (Gate(), Gate())
    _ = join("Anna", stuck)
    _ = join(nil, sound)
    stuck.set(open: false)
    #expect(await round(countsTo: 1))
    // A health check that is not completed within its first round does not count as hanging yet.
    #expect(reports.all == [])
    for count in 2...4 { #expect(await round(countsTo: count)) }
    #expect(reports.all == [.init(person: "Anna", isHanging: true)])
    #expect(reports.count == 4 && stuck.comers == 1 && sound.comers == 4)
    stuck.set(open: true)
    #expect(await eventually { reports.count == 5 })
    #expect(reports.all == [.init(person: "Anna", isHanging: true), .init(person: "Anna", isHanging: false)])
    #expect(await round(countsTo: 7) && stuck.comers == 2)
  }

  @Test func `if every member with monitors hangs, nothing counts as work`() async {
    let (stuck, idle) = (Gate(), Gate())
    _ = join("Anna", stuck)
    _ = join(nil, idle, hasMonitors: false)
    stuck.set(open: false)
    for count in 1...4 {
      begin()
      #expect(await eventually { idle.comers >= count })
    }
    #expect(reports.all == [.init(person: "Anna", isHanging: true)])
    stuck.set(open: true)
    #expect(await eventually { reports.count > 0 })
    // Only Anna's health check counts as work, because the owner's store has no monitors.
    #expect(reports.count == 1)
  }

  @Test func `if no member has monitors, a turn counts as work, but not one that no gateway takes`() async {
    let gate = Gate()
    let number = join(nil, gate, hasMonitors: false)
    #expect(await round(countsTo: 1))
    probes.leave(number)
    let isAsked = Mutex(false)
    _ = probes.join(
      LivenessProbes.Member(person: nil, hasMonitors: { true }, progress: { nil }) {
        isAsked.withLock { $0 = true }
        return false
      })
    begin()
    #expect(await eventually { isAsked.withLock(\.self) })
    #expect(reports.count == 1)
  }

  @Test func `a member that leaves while it hangs is reported as no longer hanging`() async {
    let gate = Gate()
    gate.set(open: false)
    let number = join("Anna", gate)
    for _ in 0..<2 {
      begin()
      #expect(await eventually { gate.comers == 1 })
    }
    probes.leave(number)
    let both = [Reports.Change(person: "Anna", isHanging: true), .init(person: "Anna", isHanging: false)]
    #expect(reports.all == both)
    gate.set(open: true)
    #expect(await eventually { reports.count == 1 })
    #expect(reports.all == both)
  }

  /// Adds a gateway whose health check has two steps: its store, then the bus.
  private func join(_ person: String?, _ store: Gate, bus: Gate) -> Int {
    let steps = LivenessProbe()
    steps.add(.store) { await store.pass() }
    steps.add(.bus) { await bus.pass() }
    return probes.join(
      LivenessProbes.Member(
        person: person, hasMonitors: { true }, progress: { steps.progress }, take: { await steps.take() }))
  }

  @Test func `a bus that hangs is reported once for all members, and no store is blamed`() async {
    let (bus, stores) = (Gate(), [Gate(), Gate()])
    bus.set(open: false)
    _ = join("Anna", stores[0], bus: bus)
    _ = join(nil, stores[1], bus: bus)
    begin()
    #expect(await eventually { bus.comers == 2 })
    // The health checks have reached the bus since the last round, so no step has lasted for a whole round
    // yet.
    begin()
    #expect(reports.all == [])
    begin()
    begin()
    #expect(reports.all == [.init(person: nil, part: .bus, isHanging: true)])
    bus.set(open: true)
    #expect(await eventually { reports.count == 2 })
    #expect(
      reports.all == [
        .init(person: nil, part: .bus, isHanging: true), .init(person: nil, part: .bus, isHanging: false),
      ])
  }

  @Test func `if one step has ended and the next hangs, the first is no longer reported`() async {
    let (store, bus) = (Gate(), Gate())
    for gate in [store, bus] { gate.set(open: false) }
    _ = join("Anna", store, bus: bus)
    begin()
    #expect(await eventually { store.comers == 1 })
    begin()
    store.set(open: true)
    #expect(await eventually { bus.comers == 1 })
    begin()
    // The health check reached the bus after the last round began, so the bus does not count as hanging yet.
    var expected = [Reports.Change(person: "Anna", isHanging: true), .init(person: "Anna", isHanging: false)]
    #expect(reports.all == expected)
    begin()
    expected.append(.init(person: nil, part: .bus, isHanging: true))
    #expect(reports.all == expected)
    bus.set(open: true)
    #expect(await eventually { reports.count == 1 })
  }

  @Test func `changes are reported in order, however long one report takes`() async {
    let gate = Gate()
    gate.set(open: false)
    let reports = reports
    let probes = LivenessProbes { person, part, isHanging in
      if isHanging {
        // Let the health check end while the report that it hangs is delayed. The report that it has ended
        // must not come first.
        gate.set(open: true)
        usleep(100_000)
      }
      reports.changes.withLock { $0.append(Reports.Change(person: person, part: part, isHanging: isHanging)) }
    }
    _ = probes.join(
      LivenessProbes.Member(
        person: "Anna", hasMonitors: { true }, progress: { LivenessProbe.Progress(part: .store) }
      ) {
        await gate.pass()
        return true
      })
    probes.begin {}
    #expect(await eventually { gate.comers == 1 })
    probes.begin { reports.worked.withLock { $0 += 1 } }
    #expect(await eventually { reports.all.count == 2 })
    #expect(reports.all.map(\.isHanging) == [true, false])
  }
}
