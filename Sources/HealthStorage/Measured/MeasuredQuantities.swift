package import Foundation
import PackedSamples

/// Quantities measured by a monitor, with one array per property, so that no object has to be created per
/// quantity.
package struct MeasuredQuantities: Sendable {
  package let kind: MeasuredKind
  /// The start times in microseconds since 1970.
  package private(set) var starts: [Int64] = []
  package private(set) var values: [Double] = []
  /// The durations in microseconds; empty if all are 0.
  private(set) var durations: [Int64] = []
  /// The UUIDs. Empty if all can be computed from time and value, because no two quantities with the same
  /// time have the same value.
  private(set) var identities: [PackedIdentity] = []
  /// The UUIDs with which an earlier version of hrgate may have stored quantities, by index.
  private(set) var earlier: [Int: UUID] = [:]
  /// Whether each quantity starts no earlier, and ends later, than the one before it. If so, no two of them
  /// are equal.
  private(set) var isAscending = true
  private var lastEnd = Int64.min

  package init(_ kind: MeasuredKind) { self.kind = kind }

  package var count: Int { starts.count }
  package var isEmpty: Bool { starts.isEmpty }

  /// Appends a heart rate.
  /// - Parameters:
  ///   - value: The heart rate in beats per minute.
  ///   - time: The time in microseconds since 1970.
  ///   - occurrence: The number of earlier heart rates of the monitor with the same value and time.
  ///   - earlier: The UUID with which an earlier version of hrgate may have stored it.
  package mutating func append(
    heartRate value: Double, at time: Int64, occurrence: UInt32, earlier: UUID? = nil
  ) {
    if let earlier { self.earlier[count] = earlier }
    if occurrence > 0 || !identities.isEmpty { append(.derived(occurrence: occurrence)) }
    append(value, from: time, to: time)
  }

  /// Appends a quantity whose UUID cannot be computed.
  /// - Parameters:
  ///   - start: The start in microseconds since 1970.
  ///   - end: The end in microseconds since 1970, not before `start`.
  package mutating func append(_ value: Double, from start: Int64, to end: Int64, uuid: UUID) {
    let words = uuid.words
    append(PackedIdentity(high: words.high, low: words.low, end: end))
    append(value, from: start, to: end)
  }

  /// Removes all quantities.
  package mutating func removeAll() {
    starts.removeAll(keepingCapacity: true)
    values.removeAll(keepingCapacity: true)
    durations.removeAll()
    identities.removeAll()
    earlier.removeAll()
    isAscending = true
    lastEnd = .min
  }

  /// Returns the quantities at the given indexes.
  func selecting(_ indexes: [Int]) -> MeasuredQuantities {
    var selected = MeasuredQuantities(kind)
    for index in indexes {
      if !identities.isEmpty { selected.append(identities[index]) }
      if let earlier = earlier[index] { selected.earlier[selected.count] = earlier }
      selected.append(values[index], from: starts[index], to: end(at: index))
    }
    return selected
  }

  private mutating func append(_ identity: PackedIdentity) {
    if identities.isEmpty {
      identities = Array(repeating: .derived(occurrence: 0), count: count)
    }
    identities.append(identity)
  }

  private mutating func append(_ value: Double, from start: Int64, to end: Int64) {
    if isAscending, end <= lastEnd || start < starts.last ?? .min { isAscending = false }
    lastEnd = max(lastEnd, end)
    if end > start || !durations.isEmpty {
      if durations.isEmpty { durations = Array(repeating: 0, count: count) }
      durations.append(end - start)
    }
    starts.append(start)
    values.append(value)
  }
}

// MARK: - Elements

extension MeasuredQuantities {
  func duration(at index: Int) -> Int64 { durations.isEmpty ? 0 : durations[index] }

  func end(at index: Int) -> Int64 { starts[index] + duration(at: index) }

  func identity(at index: Int) -> PackedIdentity {
    identities.isEmpty ? .derived(occurrence: 0) : identities[index]
  }

  /// Returns whether both may contain the same measurement, because they have the same type and monitor and
  /// their times overlap.
  func mayShare(with other: MeasuredQuantities) -> Bool {
    guard kind.type == other.kind.type, kind.monitor == other.kind.monitor, !isEmpty, !other.isEmpty else {
      return false
    }
    return MeasuredSpan(self).ends.overlaps(MeasuredSpan(other).ends)
  }

  /// Returns the UUID of the quantity at an index.
  ///
  /// - Parameter monitor: The ``MeasuredIdentity`` of the monitor.
  func uuid(at index: Int, _ monitor: inout MeasuredIdentity) -> UUID {
    let (identity, end) = (identity(at: index), end(at: index))
    if let words = identity.words(end: end) { return UUID(words: words) }
    var number: UInt32 = 0
    if case .derived(let occurrence) = identity { number = occurrence }
    return UUID(words: monitor.words(ofHeartRate: values[index], at: end, occurrence: number))
  }
}
