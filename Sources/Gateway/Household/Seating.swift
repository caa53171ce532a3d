import BlueZ
import Bluetooth

/// Which gateway each monitor of a shared central is for: decides, and does nothing.
struct Seating: Sendable {
  private struct Route {
    var seat: Int?
    /// So often the central was told to let go of the monitor, and has not said yet that it has.
    var releases = 0
    /// Who gets it after each of these.
    var successors: [Int] = []

    mutating func release() {
      releases -= 1
      seat = successors.isEmpty ? nil : successors.removeFirst()
    }

    mutating func add(_ next: Int) {
      if releases > 0 { successors.append(next) } else { seat = next }
    }

    func leads(to number: Int) -> Bool { seat == number || successors.contains(number) }
  }

  var central: (any FollowingCentral)?
  /// What kept it from being made.
  var failure: (any Error)?
  var seats: [Int: TakenSeat] = [:]
  var lastSeat = 0
  /// Whose each monitor is to be, by what is enrolled.
  var holders: [BluetoothAddress: Int] = [:]
  /// Whose each monitor is, as the central was last told.
  var told: [BluetoothAddress: Int] = [:]
  /// Who gets what the central says of each monitor, until it says that it has released it.
  private var routes: [BluetoothAddress: Route] = [:]
  var clock: ReceiptClock?
  var isTelling = false
  var isChanged = false
  var isStopping = false
  var hasEnded = false

  /// Whose each monitor is to be.
  mutating func assign() {
    var claims: [BluetoothAddress: (seat: Int, enrolled: ReceiptTime)] = [:]
    for (number, seat) in seats.sorted(by: { $0.key < $1.key }) {
      for monitor in seat.monitors
      where claims[monitor.address].map({ $0.enrolled < monitor.enrolled }) ?? true {
        claims[monitor.address] = (number, monitor.enrolled)
      }
    }
    holders = claims.mapValues(\.seat)
  }

  /// What the central is to be told; `nil` where it is told all.
  mutating func nextChange() -> (monitors: [EnrolledMonitor], moved: Set<BluetoothAddress>)? {
    guard isChanged else {
      isTelling = false
      return nil
    }
    isChanged = false
    let (before, now) = (told, holders)
    told = now
    for address in before.keys where now[address] != before[address] { routes[address]?.releases += 1 }
    for (address, seat) in now where before[address] != seat { routes[address, default: Route()].add(seat) }
    let moved = Set(before.keys.filter { now[$0] != nil && now[$0] != before[$0] })
    let monitors = seats.sorted { $0.key < $1.key }.flatMap { number, seat in
      seat.monitors.filter { holders[$0.address] == number }
    }
    return (monitors, moved)
  }

  mutating func deal(_ events: [CentralEvent]) {
    var batches: [Int: [CentralEvent]] = [:]
    for event in events {
      switch event.subject {
      case .all:
        for number in seats.keys { batches[number, default: []].append(event) }
      case .peripheral(.address(let address)):
        guard let seat = routes[address]?.seat else { continue }
        batches[seat, default: []].append(event)
        guard case .released = event else { continue }
        routes[address]?.release()
        if routes[address]?.seat == nil { routes[address] = nil }
        if let batch = batches.removeValue(forKey: seat) { seats[seat]?.give(batch) }
        dismiss(seat)
      // A link of which no address is known is nobody's monitor.
      case .peripheral(.unidentified): continue
      }
    }
    for (number, batch) in batches { seats[number]?.give(batch) }
  }

  /// Ends the events of a seat that is left, once nothing of its monitors can come any more.
  mutating func dismiss(_ seat: Int) {
    guard let state = seats[seat], state.isLeaving, !routes.values.contains(where: { $0.leads(to: seat) })
    else { return }
    state.buffer.finish()
    seats[seat] = nil
    assign()
  }
}

/// What is known of one who takes part.
struct TakenSeat {
  let terms: FollowingTerms
  let buffer: EventBuffer
  var monitors: [EnrolledMonitor] = []
  var isLeaving = false
  private var outlet: EventOutlet
  private var times: SeatTimes

  init(
    _ terms: FollowingTerms, _ buffer: EventBuffer, timedBy clock: inout ReceiptClock?, at now: SystemClocks
  ) {
    self.terms = terms
    self.buffer = buffer
    outlet = EventOutlet(buffer, gathers: false)
    times = SeatTimes(of: terms.clock, by: &clock, at: now)
    if let setting = times.takeSetting() { _ = outlet.yield([setting]) }
  }

  mutating func give(_ events: [CentralEvent]) {
    // They were gathered by the central; what is handed on is committed at once.
    _ = outlet.yield(events.map { times.timed($0) })
  }
}
