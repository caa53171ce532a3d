import Bluetooth
import BluetoothCentral

/// The sessions of all straps, in the order in which they first appeared.
///
/// Sessions that have ended are let go when there are many, so that a day's log of a busy place, or a hostile one, does not fill the
/// memory with passers-by. What they counted is kept.
struct StrapSessions {
  /// How many sessions there are before those that have ended are let go.
  private static let capacity = 1024
  /// How many monitors that were let go are still told one by one.
  private static let maximumPast = 4096

  private(set) var all: [StrapSession] = []
  private(set) var past: [MonitorTally] = []
  private(set) var pastAnomalies: [String: Int] = [:]
  private var limit = capacity
  private var places: [PeripheralIdentity: Int] = [:]
  private var hints = PlaceHints()

  @inline(__always)
  mutating func update<Result>(
    _ peripheral: PeripheralIdentity, _ change: (inout StrapSession) -> Result
  ) -> Result {
    let hint = hints[peripheral.hint]
    if hint < all.count, all[hint].description.peripheral == peripheral { return change(&all[hint]) }
    let place = place(of: peripheral)
    hints[peripheral.hint] = place
    return change(&all[place])
  }

  mutating func updateAll(_ change: (inout StrapSession) -> Void) {
    for place in all.indices { change(&all[place]) }
  }

  /// Hands each session's ready drafts to `body` and forgets them.
  mutating func drain(_ body: ([SampleDraft], MonitorDescription) throws -> Void) rethrows {
    for place in all.indices where !all[place].ready.isEmpty {
      defer { all[place].removeReady() }
      try body(all[place].ready, all[place].description)
    }
    if all.count > limit { letGo() }
  }

  /// Lets go of sessions that have ended and hold nothing back.
  private mutating func letGo() {
    for session in all where session.hasEnded {
      pastAnomalies.merge(session.anomalies, uniquingKeysWith: +)
      if let tally = session.tally, past.count < Self.maximumPast { past.append(tally) }
    }
    all.removeAll(where: \.hasEnded)
    places = Dictionary(uniqueKeysWithValues: all.enumerated().map { ($1.description.peripheral, $0) })
    // Where few could go, the next look comes only when there are twice as many.
    limit = max(Self.capacity, 2 * all.count)
  }

  private mutating func place(of peripheral: PeripheralIdentity) -> Int {
    if let place = places[peripheral] { return place }
    let place = all.count
    all.append(StrapSession(peripheral))
    places[peripheral] = place
    return place
  }
}

extension PeripheralIdentity {
  @inline(__always)
  fileprivate var hint: UInt64 {
    switch self {
    case .address(let address): address.bits
    case .unidentified(let link): UInt64(link)
    }
  }
}
