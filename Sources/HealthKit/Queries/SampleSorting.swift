public import Foundation
import HealthStorage

/// The order given by sort descriptors. Samples that compare as equal are ordered by start.
struct SampleSorting: Sendable {
  private struct Step {
    let key: SampleSortKey
    let ascending: Bool
  }

  private let steps: [Step]

  /// Creates an order from sort descriptors.
  /// - Parameter types: The types of the samples to sort.
  /// - Throws: `HKError` errorInvalidArgument if samples of these types cannot be sorted by a descriptor.
  init(_ descriptors: [NSSortDescriptor], of types: Set<HKSampleType>) throws(HKError) {
    var steps: [Step] = []
    for descriptor in descriptors {
      steps.append(Step(key: try Self.key(of: descriptor, for: types), ascending: descriptor.ascending))
    }
    self.steps = steps
  }

  private static func key(
    of descriptor: NSSortDescriptor, for types: Set<HKSampleType>
  ) throws(HKError) -> SampleSortKey {
    switch SampleSortKey(descriptor.keyPath) {
    case .workout where types != [.workoutType()]:
      throw HKError(
        .errorInvalidArgument,
        reason: "only workouts can be sorted by duration, distance, energy, strokes and flights")
    case let key?:
      return key
    case nil:
      let name = descriptor.unknownKey.map { " by “\($0)”" } ?? " by the key path that was given"
      throw HKError(
        .errorInvalidArgument,
        reason: "samples cannot be sorted\(name), only by startDate and endDate, and workouts by the "
          + "HKWorkoutSortIdentifiers as well")
    }
  }

  /// The order in the store's form, or nil if the store cannot sort by one of the properties.
  var stored: [SampleOrder]? {
    var order: [SampleOrder] = []
    for step in steps {
      switch step.key {
      case .start: order.append(.start(ascending: step.ascending))
      case .end: order.append(.end(ascending: step.ascending))
      case .workout: return nil
      }
    }
    return order.isEmpty ? [.start(ascending: true)] : order
  }

  /// Returns the sorted samples.
  /// - Parameter samples: Samples ordered by start.
  func sorted(_ samples: [HKSample]) -> [HKSample] {
    // Swift's sort is stable, so samples that compare as equal keep their order by start.
    samples.sorted { first, second in
      for step in steps {
        switch step.key.compare(first, second) {
        case .orderedAscending: return step.ascending
        case .orderedDescending: return !step.ascending
        case .orderedSame: continue
        }
      }
      return false
    }
  }
}

extension SampleOrder {
  /// Returns the store's order for a descriptor on the start or end date; nil for any other.
  init?<Sample: HKSample>(_ descriptor: SortDescriptor<Sample>) {
    let ascending = descriptor.order == .forward
    switch descriptor.keyPath {
    case \Sample.startDate: self = .start(ascending: ascending)
    case \Sample.endDate: self = .end(ascending: ascending)
    default: return nil
    }
  }
}

extension NSSortDescriptor {
  /// Creates a descriptor that sorts samples by one of Apple's sort identifiers, such as
  /// `HKSampleSortIdentifierStartDate`, or by the name of the corresponding property.
  ///
  /// Foundation on Linux has no key-value coding and marks its own initializer with this signature as
  /// unavailable; importing HealthKit makes this one available. With any other key, a query fails with
  /// errorInvalidArgument, and comparing two objects traps.
  public convenience init(key: String?, ascending: Bool) {
    switch key.flatMap(SampleSortKey.init(name:)) {
    case .start: self.init(keyPath: \HKSample.startDate, ascending: ascending)
    case .end: self.init(keyPath: \HKSample.endDate, ascending: ascending)
    case .workout(.duration): self.init(keyPath: \HKWorkout.duration, ascending: ascending)
    case .workout(.distance): self.init(ofWorkouts: \.totalDistance, ascending)
    case .workout(.energyBurned): self.init(ofWorkouts: \.totalEnergyBurned, ascending)
    case .workout(.swimmingStrokeCount): self.init(ofWorkouts: \.totalSwimmingStrokeCount, ascending)
    case .workout(.flightsClimbed): self.init(ofWorkouts: \.totalFlightsClimbed, ascending)
    case nil:
      let name = key ?? ""
      self.init(keyPath: \NSObject[unknownSortKey: name], ascending: ascending) { _, _ in
        HKValidationError(
          .invalidArgument,
          "objects cannot be sorted by “\(name)”: Foundation on Linux has no key-value coding"
        )
        .raise()
      }
    }
  }

  private convenience init(ofWorkouts keyPath: KeyPath<HKWorkout, HKQuantity?>, _ ascending: Bool) {
    self.init(keyPath: keyPath, ascending: ascending) { first, second in
      switch (first as? HKQuantity, second as? HKQuantity) {
      case (let first?, let second?): first.compare(second)
      case (nil, nil): .orderedSame
      case (nil, _?): .orderedAscending
      case (_?, nil): .orderedDescending
      }
    }
  }

  /// The key passed to the initializer, if samples have no such property.
  var unknownKey: String? {
    (keyPath as? KeyPath<NSObject, UnknownSortKey>).map { NSObject()[keyPath: $0].name }
  }
}

/// Represents a key without a corresponding property. A sort descriptor stores only a key path, so the name
/// of the key is passed as the subscript argument in the key path.
struct UnknownSortKey {
  let name: String
}

extension NSObject {
  subscript(unknownSortKey name: String) -> UnknownSortKey { UnknownSortKey(name: name) }
}
