import Bluetooth
import BluetoothCentral

/// The sessions of all straps, in the order in which they first appeared.
///
/// Peripherals that came and went without measuring are forgotten when there are many, so that a day's log of a busy
/// place does not fill the memory with passers-by.
struct StrapSessions {
  /// How many sessions there are before the idle ones are forgotten.
  private static let capacity = 1024

  private(set) var all: [StrapSession] = []
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
    if all.count > Self.capacity { forgetIdle() }
  }

  /// Forgets peripherals that are gone and never measured, where there are many sessions.
  private mutating func forgetIdle() {
    all.removeAll { !$0.isConnected && $0.measurements == 0 }
    places = Dictionary(uniqueKeysWithValues: all.enumerated().map { ($1.description.peripheral, $0) })
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
