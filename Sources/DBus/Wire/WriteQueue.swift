/// What is to be written and was not taken by the kernel yet, in order.
struct WriteQueue {
  private var octets: [UInt8] = []
  private var written = 0
  /// More is not kept for what comes next.
  private static let usualRoom = 64 << 10

  var isEmpty: Bool { written == octets.count }

  /// How many octets there is room for.
  var room: Int { octets.capacity }

  mutating func append(_ more: some Sequence<UInt8>) { octets.append(contentsOf: more) }

  /// Offers what waits to `write` once.
  ///
  /// - Parameter write: returns what it came to, and how much was taken.
  mutating func drain<Outcome>(_ write: (UnsafeRawBufferPointer) -> (Outcome, taken: Int)) -> Outcome {
    let (outcome, taken) = octets.withUnsafeBytes { write(UnsafeRawBufferPointer(rebasing: $0[written...])) }
    written += taken
    if isEmpty {
      removeAll()
    } else if written >= Self.usualRoom, 2 * written >= octets.count {
      // Moving the rest costs no more than what was written since the last time.
      octets = Array(octets[written...])
      written = 0
    }
    return outcome
  }

  mutating func takeAll() -> [UInt8] {
    defer { removeAll() }
    return Array(octets[written...])
  }

  mutating func removeAll() {
    octets.removeAll(keepingCapacity: octets.capacity <= Self.usualRoom)
    written = 0
  }
}
