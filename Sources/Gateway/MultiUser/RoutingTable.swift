import BlueZ
import Bluetooth

/// Decides which gateway gets which monitor's events, if several gateways share a central. Has no side
/// effects.
struct RoutingTable: Sendable {
  private struct Route {
    var client: Int?
    /// The number of requests to the central to stop following the monitor that it has not confirmed yet.
    var releases = 0
    /// The gateways that will take over the monitor, in order. Each time the central confirms that it stopped
    /// following the monitor, the next of them gets its events.
    var successors: [Int] = []

    mutating func release() {
      releases -= 1
      client = successors.isEmpty ? nil : successors.removeFirst()
    }

    mutating func add(_ next: Int) {
      if releases > 0 { successors.append(next) } else { client = next }
    }

    func leads(to number: Int) -> Bool { client == number || successors.contains(number) }
  }

  var central: (any FollowingCentral)?
  /// The error that kept the central from being created.
  var failure: (any Error)?
  var clients: [Int: RoutedClient] = [:]
  var lastClient = 0
  /// The gateway that should get each monitor's events, according to the stores. ``routes`` changes only when
  /// the central has confirmed the change.
  var holders: [BluetoothAddress: Int] = [:]
  /// ``holders`` as it was when the list of monitors was last sent to the central.
  var sentHolders: [BluetoothAddress: Int] = [:]
  /// The gateway that currently gets each monitor's events. When a monitor changes its gateway, this changes
  /// only after the central has confirmed that it no longer follows the monitor for the old one.
  private var routes: [BluetoothAddress: Route] = [:]
  var clock: ReceiptClock?
  var isUpdating = false
  var isChanged = false
  var isStopping = false
  var hasEnded = false

  /// Updates ``holders`` from the stores. If several stores contain a monitor, the one to which it was added
  /// last wins.
  mutating func assign() {
    var claims: [BluetoothAddress: (client: Int, enrolled: ReceiptTime)] = [:]
    for (number, client) in clients.sorted(by: { $0.key < $1.key }) {
      for monitor in client.monitors
      where claims[monitor.address].map({ $0.enrolled < monitor.enrolled }) ?? true {
        claims[monitor.address] = (number, monitor.enrolled)
      }
    }
    holders = claims.mapValues(\.client)
  }

  /// Returns the next list of monitors for the central; `nil` if its list is up to date.
  mutating func nextChange() -> (monitors: [EnrolledMonitor], moved: Set<BluetoothAddress>)? {
    guard isChanged else {
      isUpdating = false
      return nil
    }
    isChanged = false
    let (before, now) = (sentHolders, holders)
    sentHolders = now
    for address in before.keys where now[address] != before[address] { routes[address]?.releases += 1 }
    for (address, client) in now where before[address] != client {
      routes[address, default: Route()].add(client)
    }
    let moved = Set(before.keys.filter { now[$0] != nil && now[$0] != before[$0] })
    let monitors = clients.sorted { $0.key < $1.key }.flatMap { number, client in
      client.monitors.filter { holders[$0.address] == number }
    }
    return (monitors, moved)
  }

  mutating func deal(_ events: [CentralEvent]) {
    var batches: [Int: [CentralEvent]] = [:]
    for event in events {
      switch event.subject {
      case .all:
        for number in clients.keys { batches[number, default: []].append(event) }
      case .peripheral(.address(let address)):
        guard let client = routes[address]?.client else { continue }
        batches[client, default: []].append(event)
        guard case .released = event else { continue }
        routes[address]?.release()
        if routes[address]?.client == nil { routes[address] = nil }
        if let batch = batches.removeValue(forKey: client) { clients[client]?.give(batch) }
        dismiss(client)
      // Without an address, the connection cannot be assigned to a monitor.
      case .peripheral(.unidentified): continue
      }
    }
    for (number, batch) in batches { clients[number]?.give(batch) }
  }

  /// Ends the event stream of a gateway that has stopped, once no more events of its monitors can arrive.
  mutating func dismiss(_ client: Int) {
    guard let state = clients[client], state.isLeaving,
      !routes.values.contains(where: { $0.leads(to: client) })
    else { return }
    state.buffer.finish()
    clients[client] = nil
    assign()
  }
}

/// The state of one gateway that shares the central.
struct RoutedClient {
  private(set) var terms: FollowingTerms
  let buffer: EventBuffer
  var monitors: [EnrolledMonitor] = []
  var isLeaving = false
  private var queue: BoundedEventQueue
  private var times: ClientTimes

  init(
    _ terms: FollowingTerms, _ buffer: EventBuffer, timedBy clock: inout ReceiptClock?, at now: SystemClocks
  ) {
    self.terms = terms
    self.buffer = buffer
    queue = BoundedEventQueue(buffer, gathers: false)
    times = ClientTimes(of: terms.clock, by: &clock, at: now)
    if let setting = times.takeSetting() { _ = queue.yield([setting]) }
  }

  /// Replaces the terms when this client is handed to another gateway on the same store.
  mutating func `continue`(
    on terms: FollowingTerms, timedBy clock: inout ReceiptClock?, at now: SystemClocks
  ) {
    self.terms = terms
    times = ClientTimes(of: terms.clock, by: &clock, at: now)
    if let setting = times.takeSetting() { _ = queue.yield([setting]) }
  }

  mutating func give(_ events: [CentralEvent]) {
    // The central has already held back the events to emit several together, so deliver them at once.
    _ = queue.yield(events.map { times.timed($0) })
  }
}
