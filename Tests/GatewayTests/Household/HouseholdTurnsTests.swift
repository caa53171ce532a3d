import Glibc
import Synchronization
import Testing

@testable import Gateway
@testable import TestSupport

/// A door that is open or shut, and counts who has come to it.
private final class Door: Sendable {
  private let state = Mutex((isOpen: true, comers: 0))

  var comers: Int { state.withLock(\.comers) }
  func set(open: Bool) { state.withLock { $0.isOpen = open } }

  func pass() async {
    state.withLock { $0.comers += 1 }
    while !state.withLock(\.isOpen) { try? await Task.sleep(for: .milliseconds(1)) }
  }
}

/// What was told, and how often there was work.
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

@Suite(.timeLimit(.minutes(30))) struct HouseholdTurnsTests {
  private let told = Told()
  private let turns: HouseholdTurns

  init() {
    turns = HouseholdTurns { [told] person, part, isHanging in
      told.news.withLock { $0.append(Told.News(person: person, part: part, isHanging: isHanging)) }
    }
  }

  private func join(_ person: String?, _ door: Door, hasMonitors: Bool = true) -> Int {
    turns.join(
      HouseholdTurns.Member(
        person: person, hasMonitors: { hasMonitors }, place: { GatewayTurns.Place(part: .store) }
      ) {
        await door.pass()
        return true
      })
  }

  private func begin() { turns.begin { [told] in told.worked.withLock { $0 += 1 } } }

  /// A round, and that so much work was counted since.
  private func round(countsTo count: Int) async -> Bool {
    begin()
    return await eventually { told.count >= count }
  }

  @Test func `whose turn hangs is told of once, and the others' turns go on and count`() async {
    let (stuck, sound) = (Door(), Door())
    _ = join("Anna", stuck)
    _ = join(nil, sound)
    stuck.set(open: false)
    #expect(await round(countsTo: 1))
    // One turn that takes a while is none that hangs.
    #expect(told.all == [])
    for count in 2...4 { #expect(await round(countsTo: count)) }
    #expect(told.all == [.init(person: "Anna", isHanging: true)])
    #expect(told.count == 4 && stuck.comers == 1 && sound.comers == 4)
    stuck.set(open: true)
    #expect(await eventually { told.count == 5 })
    #expect(told.all == [.init(person: "Anna", isHanging: true), .init(person: "Anna", isHanging: false)])
    #expect(await round(countsTo: 7) && stuck.comers == 2)
  }

  @Test func `where everybody who has monitors hangs, nothing counts as work`() async {
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
    // Hers alone: the owner's empty store was done each time.
    #expect(told.count == 1)
  }

  @Test func `where nobody has monitors, a turn is work, and one that nobody takes is none`() async {
    let door = Door()
    let number = join(nil, door, hasMonitors: false)
    #expect(await round(countsTo: 1))
    turns.leave(number)
    let isAsked = Mutex(false)
    _ = turns.join(
      HouseholdTurns.Member(person: nil, hasMonitors: { true }, place: { nil }) {
        isAsked.withLock { $0 = true }
        return false
      })
    begin()
    #expect(await eventually { isAsked.withLock(\.self) })
    #expect(told.count == 1)
  }

  @Test func `who leaves while they hang is told of no more`() async {
    let door = Door()
    door.set(open: false)
    let number = join("Anna", door)
    for _ in 0..<2 {
      begin()
      #expect(await eventually { door.comers == 1 })
    }
    turns.leave(number)
    let both = [Told.News(person: "Anna", isHanging: true), .init(person: "Anna", isHanging: false)]
    #expect(told.all == both)
    door.set(open: true)
    #expect(await eventually { told.count == 1 })
    #expect(told.all == both)
  }

  /// A gateway whose turn has two steps: its store's, and that of the bus.
  private func join(_ person: String?, _ store: Door, bus: Door) -> Int {
    let steps = GatewayTurns()
    steps.add(.store) { await store.pass() }
    steps.add(.bus) { await bus.pass() }
    return turns.join(
      HouseholdTurns.Member(
        person: person, hasMonitors: { true }, place: { steps.place }, take: { await steps.take() }))
  }

  @Test func `a bus that hangs is told as the bus, once for all, and no store is blamed`() async {
    let (bus, stores) = (Door(), [Door(), Door()])
    bus.set(open: false)
    _ = join("Anna", stores[0], bus: bus)
    _ = join(nil, stores[1], bus: bus)
    begin()
    #expect(await eventually { bus.comers == 2 })
    // They have come to it since the last round.
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

  @Test func `where one step has ended and the next hangs, the first is told of no more`() async {
    let (store, bus) = (Door(), Door())
    for door in [store, bus] { door.set(open: false) }
    _ = join("Anna", store, bus: bus)
    begin()
    #expect(await eventually { store.comers == 1 })
    begin()
    store.set(open: true)
    #expect(await eventually { bus.comers == 1 })
    begin()
    // What it has come to has had no round yet.
    var expected = [Told.News(person: "Anna", isHanging: true), .init(person: "Anna", isHanging: false)]
    #expect(told.all == expected)
    begin()
    expected.append(.init(person: nil, part: .bus, isHanging: true))
    #expect(told.all == expected)
    bus.set(open: true)
    #expect(await eventually { told.count == 1 })
  }

  @Test func `news come in the order of what happened, however long one takes to be heard`() async {
    let door = Door()
    door.set(open: false)
    let told = told
    let turns = HouseholdTurns { person, part, isHanging in
      if isHanging {
        // Time for the turn to end, and for news of that to overtake this.
        door.set(open: true)
        usleep(100_000)
      }
      told.news.withLock { $0.append(Told.News(person: person, part: part, isHanging: isHanging)) }
    }
    _ = turns.join(
      HouseholdTurns.Member(
        person: "Anna", hasMonitors: { true }, place: { GatewayTurns.Place(part: .store) }
      ) {
        await door.pass()
        return true
      })
    turns.begin {}
    #expect(await eventually { door.comers == 1 })
    turns.begin { told.worked.withLock { $0 += 1 } }
    #expect(await eventually { told.all.count == 2 })
    #expect(told.all.map(\.isHanging) == [true, false])
  }
}
