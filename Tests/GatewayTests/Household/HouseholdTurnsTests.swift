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
    turns = HouseholdTurns { [told] person, isHanging in
      told.news.withLock { $0.append(Told.News(person: person, isHanging: isHanging)) }
    }
  }

  private func join(_ person: String?, _ door: Door, hasMonitors: Bool = true) -> Int {
    turns.join(
      HouseholdTurns.Member(person: person, hasMonitors: { hasMonitors }) {
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
      HouseholdTurns.Member(person: nil, hasMonitors: { true }) {
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
}
