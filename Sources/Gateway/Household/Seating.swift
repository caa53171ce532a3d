import BlueZ
import Bluetooth

/// Routes each monitor of a shared central to one gateway. Makes the decisions without side effects.
struct Seating: Sendable {
  private struct Route {
    var seat: Int?
    /// The number of times the central was asked to release the monitor and has not confirmed yet.
    var releases = 0
    /// The gateways that get the monitor after each of these releases, in order.
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
  /// The error that kept the central from being created.
  var failure: (any Error)?
  var seats: [Int: TakenSeat] = [:]
  var lastSeat = 0
  /// The gateway that each monitor should belong to, by the enrollments.
  var holders: [BluetoothAddress: Int] = [:]
  /// The gateway of each monitor when the central last got its list.
  var told: [BluetoothAddress: Int] = [:]
  /// The gateway that gets the central's events of each monitor, until the central confirms its release.
  private var routes: [BluetoothAddress: Route] = [:]
  var clock: ReceiptClock?
  var isTelling = false
  var isChanged = false
  var isStopping = false
  var hasEnded = false

  /// Updates ``holders`` from the enrollments. The latest enrollment of a monitor wins.
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

  /// Returns the next list for the central; `nil` if it has the current one.
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
      // The address of the link is not known, so it belongs to no monitor.
      case .peripheral(.unidentified): continue
      }
    }
    for (number, batch) in batches { seats[number]?.give(batch) }
  }

  /// Ends the event stream of a gateway that is leaving, once no more events of its monitors can arrive.
  mutating func dismiss(_ seat: Int) {
    guard let state = seats[seat], state.isLeaving, !routes.values.contains(where: { $0.leads(to: seat) })
    else { return }
    state.buffer.finish()
    seats[seat] = nil
    assign()
  }
}

/// State of one gateway that shares the central.
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
    // The central has batched the events already, so forward them at once.
    _ = outlet.yield(events.map { times.timed($0) })
  }
}
