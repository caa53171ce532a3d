import Bluetooth

/// The sessions of all straps, in the order of their first event.
///
/// If there are many, ended sessions are dropped, so that a recording with countless devices does not exhaust
/// memory. Their counts are kept.
struct StrapSessions {
  /// Number of sessions above which ended ones are dropped.
  private static let capacity = 1024
  /// Maximum number of dropped straps whose open gaps are remembered. For the rest, a later run ends the
  /// gaps.
  private static let maximumKnown = 16_384
  /// Maximum number of dropped straps with separate counts.
  private static let maximumPast = 4096

  private(set) var all: [StrapSession] = []
  private(set) var past: [MonitorTally] = []
  private(set) var pastAnomalies: [String: Int] = [:]
  private var limit = capacity
  private var places: [PeripheralIdentity: Int] = [:]
  private var hints = IndexHints()
  /// What the store knows about straps that have not had an event yet.
  private var known: [PeripheralIdentity: KnownStrap]

  init(known: [PeripheralIdentity: KnownStrap] = [:]) { self.known = known }

  /// Adds descriptions and gaps of more straps. Skips straps that have a session or are already known.
  mutating func know(_ straps: [PeripheralIdentity: KnownStrap]) {
    for (peripheral, strap) in straps where places[peripheral] == nil && known[peripheral]?.description == nil
    {
      known[peripheral] = strap
    }
  }

  /// Returns gaps to store that are known before the straps' first events, in no particular order.
  mutating func drainKnownGaps() -> [(PeripheralIdentity, [GapDraft])] {
    known.keys.compactMap { peripheral in
      let gaps = known[peripheral]?.gaps.drainChanges() ?? []
      return gaps.isEmpty ? nil : (peripheral, gaps)
    }
  }

  /// Continues the run that the store knows, for straps that have had no event yet.
  mutating func resumeKnown() {
    for peripheral in known.keys { known[peripheral]?.gaps.resume() }
  }

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

  /// Corrects all remembered times after a change of the wall clock.
  mutating func correct(_ corrected: (ReceiptTime) -> ReceiptTime) {
    for place in all.indices { all[place].correct(corrected) }
    for peripheral in known.keys { known[peripheral]?.gaps.correct(corrected) }
  }

  mutating func updateAll(_ change: (inout StrapSession) -> Void) {
    for place in all.indices { change(&all[place]) }
  }

  /// Passes each strap's ready sample drafts and gaps to `body`, and removes them.
  mutating func drain(_ body: ([SampleDraft], [GapDraft], MonitorDescription) throws -> Void) rethrows {
    for place in all.indices where !all[place].ready.isEmpty || all[place].hasReadyGaps {
      defer { all[place].removeReady() }
      let gaps = all[place].drainReadyGaps()
      try body(all[place].ready, gaps, all[place].description)
    }
    if all.count > limit { dropEnded() }
  }

  /// Returns the changes of each strap's status and description.
  mutating func drainUpdates() -> [(MonitorDescription, StrapUpdates)] {
    all.indices.compactMap { place in all[place].drainUpdates().map { (all[place].description, $0) } }
  }

  /// Returns the current heartbeat series that have changed since the last call.
  mutating func drainOpenSegments() -> [(MonitorDescription, BeatSegment)] {
    all.indices.compactMap { place in all[place].drainOpenSegment().map { (all[place].description, $0) } }
  }

  /// The descriptions of the straps that have reported one. Their number is limited.
  var descriptions: [MonitorDescription] {
    let described = all.lazy.map(\.description).filter { $0.revision > 0 }
    let earlier = known.values.lazy.compactMap(\.description)
    return Array((Array(described) + Array(earlier)).prefix(Self.maximumKnown))
  }

  /// Resets the counts.
  mutating func forgetCounts() {
    past = []
    pastAnomalies = [:]
    for place in all.indices { all[place].forgetCounts() }
  }

  /// Drops sessions whose connection has ended and whose data was moved to the writer.
  private mutating func dropEnded() {
    for session in all where session.hasEnded {
      pastAnomalies.merge(session.anomalies, uniquingKeysWith: +)
      if let tally = session.tally, past.count < Self.maximumPast { past.append(tally) }
      if session.gaps.isOpen || session.settings != MonitorSettings(), known.count < Self.maximumKnown {
        known[session.description.peripheral] = KnownStrap(
          gaps: session.gaps, settings: session.settings)
      }
    }
    all.removeAll(where: \.hasEnded)
    places = Dictionary(uniqueKeysWithValues: all.enumerated().map { ($1.description.peripheral, $0) })
    // If only a few could be dropped, do not try again until there are twice as many sessions.
    limit = max(Self.capacity, 2 * all.count)
  }

  private mutating func place(of peripheral: PeripheralIdentity) -> Int {
    if let place = places[peripheral] { return place }
    let place = all.count
    all.append(known.removeValue(forKey: peripheral)?.session(peripheral) ?? StrapSession(peripheral))
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
