package import Foundation
import PackedSamples

/// Quantities of one kind that a monitor measured, one after another, as plain columns: no object is made of
/// any between the frame and the store.
package struct MeasuredQuantities: Sendable {
  package let kind: MeasuredKind
  /// Microseconds since 1970.
  package private(set) var starts: [Int64] = []
  package private(set) var values: [Double] = []
  /// Microseconds; empty where all are instants.
  private(set) var durations: [Int64] = []
  /// Empty where each is the first of its value at its time, from which its identity follows.
  private(set) var identities: [PackedIdentity] = []
  /// Of those that an earlier version may have stored under another UUID, which that is: by their places.
  private(set) var earlier: [Int: UUID] = [:]
  /// Each starts no earlier, and ends later, than the one before it: then no two are the same.
  private(set) var isAscending = true
  private var lastEnd = Int64.min

  package init(_ kind: MeasuredKind) { self.kind = kind }

  package var count: Int { starts.count }
  package var isEmpty: Bool { starts.isEmpty }

  /// A heart rate.
  /// - Parameters:
  ///   - value: beats per minute.
  ///   - time: microseconds since 1970.
  ///   - occurrence: so many of the monitor's had this value at this time before it.
  ///   - earlier: the UUID that an earlier version may have stored it under.
  package mutating func append(
    heartRate value: Double, at time: Int64, occurrence: UInt32, earlier: UUID? = nil
  ) {
    if let earlier { self.earlier[count] = earlier }
    if occurrence > 0 || !identities.isEmpty { append(.derived(occurrence: occurrence)) }
    append(value, from: time, to: time)
  }

  /// A quantity of which the identity is known.
  /// - Parameters:
  ///   - start: microseconds since 1970.
  ///   - end: not before `start`.
  package mutating func append(_ value: Double, from start: Int64, to end: Int64, uuid: UUID) {
    let words = uuid.words
    append(PackedIdentity(high: words.high, low: words.low, end: end))
    append(value, from: start, to: end)
  }

  /// What was handed on is forgotten.
  package mutating func removeAll() {
    starts.removeAll(keepingCapacity: true)
    values.removeAll(keepingCapacity: true)
    durations.removeAll()
    identities.removeAll()
    earlier.removeAll()
    isAscending = true
    lastEnd = .min
  }

  /// Some of them.
  func selecting(_ places: [Int]) -> MeasuredQuantities {
    var selected = MeasuredQuantities(kind)
    for place in places {
      if !identities.isEmpty { selected.append(identities[place]) }
      if let earlier = earlier[place] { selected.earlier[selected.count] = earlier }
      selected.append(values[place], from: starts[place], to: end(at: place))
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

// MARK: - One of them

extension MeasuredQuantities {
  func duration(at place: Int) -> Int64 { durations.isEmpty ? 0 : durations[place] }

  func end(at place: Int) -> Int64 { starts[place] + duration(at: place) }

  func identity(at place: Int) -> PackedIdentity {
    identities.isEmpty ? .derived(occurrence: 0) : identities[place]
  }

  /// Whether a measurement may be among both.
  func mayShare(with other: MeasuredQuantities) -> Bool {
    guard kind.type == other.kind.type, kind.monitor == other.kind.monitor, !isEmpty, !other.isEmpty else {
      return false
    }
    return MeasuredSpan(self).ends.overlaps(MeasuredSpan(other).ends)
  }

  /// - Parameter monitor: that of the kind.
  func uuid(at place: Int, _ monitor: inout MeasuredIdentity) -> UUID {
    let (identity, end) = (identity(at: place), end(at: place))
    if let words = identity.words(end: end) { return UUID(words: words) }
    var number: UInt32 = 0
    if case .derived(let occurrence) = identity { number = occurrence }
    return UUID(words: monitor.words(ofHeartRate: values[place], at: end, occurrence: number))
  }
}
