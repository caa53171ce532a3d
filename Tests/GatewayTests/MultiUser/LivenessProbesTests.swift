import Glibc
import Synchronization
import Testing

@testable import Gateway
@testable import TestSupport

/// A door that is open or closed and counts the callers that reach it.
private final class Door: Sendable {
  private let state = Mutex((isOpen: true, comers: 0))

  var comers: Int { state.withLock(\.comers) }
  func set(open: Bool) { state.withLock { $0.isOpen = open } }

  func pass() async {
    state.withLock { $0.comers += 1 }
    while !state.withLock(\.isOpen) { try? await Task.sleep(for: .milliseconds(1)) }
  }
}

/// The reported changes, and how often the turns counted as work.
private final class Told: Sendable {
  struct News: Equatable {
    var person: String?
    var part = GatewayPart.store
    var isHanging: Bool
  }

  let news = Mutex<[News]>([])
  let worked = Mutex(0)

  var all: [News] { news.withLock(\.self) }
  var count: Int { worked.withLock(\.self) }
}

@Suite(.timeLimit(.minutes(30))) struct LivenessProbesTests {
  private let told = Told()
  private let probes: LivenessProbes

  init() {
    probes = LivenessProbes { [told] person, part, isHanging in
      told.news.withLock { $0.append(Told.News(person: person, part: part, isHanging: isHanging)) }
    }
  }

  private func join(_ person: String?, _ door: Door, hasMonitors: Bool = true) -> Int {
    probes.join(
      LivenessProbes.Member(
        person: person, hasMonitors: { hasMonitors }, place: { LivenessProbe.Place(part: .store) }
      ) {
        await door.pass()
        return true
      })
  }

  private func begin() { probes.begin { [told] in told.worked.withLock { $0 += 1 } } }

  /// Starts a round and waits until the given amount of work was counted in total.
  private func round(countsTo count: Int) async -> Bool {
    begin()
    return await eventually { told.count >= count }
  }

  @Test func `a member whose turn hangs is reported once, and the probes of the others continue and count`()
    async
  {
    let (stuck, sound) = (Door(), Door())
    _ = join("Anna", stuck)
    _ = join(nil, sound)
    stuck.set(open: false)
    #expect(await round(countsTo: 1))
    // A turn that takes one round longer does not count as hanging.
    #expect(told.all == [])
    for count in 2...4 { #expect(await round(countsTo: count)) }
    #expect(told.all == [.init(person: "Anna", isHanging: true)])
    #expect(told.count == 4 && stuck.comers == 1 && sound.comers == 4)
    stuck.set(open: true)
    #expect(await eventually { told.count == 5 })
    #expect(told.all == [.init(person: "Anna", isHanging: true), .init(person: "Anna", isHanging: false)])
    #expect(await round(countsTo: 7) && stuck.comers == 2)
  }

  @Test func `if every member with monitors hangs, nothing counts as work`() async {
    let (stuck, idle) = (Door(), Door())
    _ = join("Anna", stuck)
    _ = join(nil, idle, hasMonitors: false)
    stuck.set(open: false)
    for count in 1...4 {
      begin()
      #expect(await eventually { idle.comers >= count })
    }
    #expect(told.all == [.init(person: "Anna", isHanging: true)])
    stuck.set(open: true)
    #expect(await eventually { told.count > 0 })
    // Only her turn counts: the owner's store has no monitors.
    #expect(told.count == 1)
  }

  @Test func `if no member has monitors, a turn counts as work, but not one that no gateway takes`() async {
    let door = Door()
    let number = join(nil, door, hasMonitors: false)
    #expect(await round(countsTo: 1))
    probes.leave(number)
    let isAsked = Mutex(false)
    _ = probes.join(
      LivenessProbes.Member(person: nil, hasMonitors: { true }, place: { nil }) {
        isAsked.withLock { $0 = true }
        return false
      })
    begin()
    #expect(await eventually { isAsked.withLock(\.self) })
    #expect(told.count == 1)
  }

  @Test func `a member that leaves while it hangs is reported as no longer hanging`() async {
    let door = Door()
    door.set(open: false)
    let number = join("Anna", door)
    for _ in 0..<2 {
      begin()
      #expect(await eventually { door.comers == 1 })
    }
    probes.leave(number)
    let both = [Told.News(person: "Anna", isHanging: true), .init(person: "Anna", isHanging: false)]
    #expect(told.all == both)
    door.set(open: true)
    #expect(await eventually { told.count == 1 })
    #expect(told.all == both)
  }

  /// Adds a gateway whose turn has two steps: its store, then the bus.
  private func join(_ person: String?, _ store: Door, bus: Door) -> Int {
    let steps = LivenessProbe()
    steps.add(.store) { await store.pass() }
    steps.add(.bus) { await bus.pass() }
    return probes.join(
      LivenessProbes.Member(
        person: person, hasMonitors: { true }, place: { steps.place }, take: { await steps.take() }))
  }

  @Test func `a bus that hangs is reported once for all members, and no store is blamed`() async {
    let (bus, stores) = (Door(), [Door(), Door()])
    bus.set(open: false)
    _ = join("Anna", stores[0], bus: bus)
    _ = join(nil, stores[1], bus: bus)
    begin()
    #expect(await eventually { bus.comers == 2 })
    // The turns have reached the bus since the last round.
    begin()
    #expect(told.all == [])
    begin()
    begin()
    #expect(told.all == [.init(person: nil, part: .bus, isHanging: true)])
    bus.set(open: true)
    #expect(await eventually { told.count == 2 })
    #expect(
      told.all == [
        .init(person: nil, part: .bus, isHanging: true), .init(person: nil, part: .bus, isHanging: false),
      ])
  }

  @Test func `if one step has ended and the next hangs, the first is no longer reported`() async {
    let (store, bus) = (Door(), Door())
    for door in [store, bus] { door.set(open: false) }
    _ = join("Anna", store, bus: bus)
    begin()
    #expect(await eventually { store.comers == 1 })
    begin()
    store.set(open: true)
    #expect(await eventually { bus.comers == 1 })
    begin()
    // The new step has not been through a round yet.
    var expected = [Told.News(person: "Anna", isHanging: true), .init(person: "Anna", isHanging: false)]
    #expect(told.all == expected)
    begin()
    expected.append(.init(person: nil, part: .bus, isHanging: true))
    #expect(told.all == expected)
    bus.set(open: true)
    #expect(await eventually { told.count == 1 })
  }

  @Test func `changes are reported in order, however long one report takes`() async {
    let door = Door()
    door.set(open: false)
    let told = told
    let probes = LivenessProbes { person, part, isHanging in
      if isHanging {
        // Time for the turn to end, and for the report of its end to overtake this one.
        door.set(open: true)
        usleep(100_000)
      }
      told.news.withLock { $0.append(Told.News(person: person, part: part, isHanging: isHanging)) }
    }
    _ = probes.join(
      LivenessProbes.Member(
        person: "Anna", hasMonitors: { true }, place: { LivenessProbe.Place(part: .store) }
      ) {
        await door.pass()
        return true
      })
    probes.begin {}
    #expect(await eventually { door.comers == 1 })
    probes.begin { told.worked.withLock { $0 += 1 } }
    #expect(await eventually { told.all.count == 2 })
    #expect(told.all.map(\.isHanging) == [true, false])
  }
}
