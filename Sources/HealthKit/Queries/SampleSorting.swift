import Foundation
import HealthStorage

/// The order that sort descriptors ask for. Samples that they leave equal come by their start.
struct SampleSorting: Sendable {
  private struct Step {
    let key: SampleSortKey
    let ascending: Bool
  }

  private let steps: [Step]

  /// - Parameter types: of the samples that are to be sorted.
  /// - Throws: errorInvalidArgument for a descriptor that samples of these types cannot be sorted by.
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

  /// The same, in the store's words; nil if the store does not know what the samples are sorted by.
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

  /// - Parameter samples: in the order of their starts.
  func sorted(_ samples: [HKSample]) -> [HKSample] {
    // The sort is stable.
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
  /// The store's own order for a descriptor on the start or end date; nil for any other.
  init?<Sample: HKSample>(_ descriptor: SortDescriptor<Sample>) {
    let ascending = descriptor.order == .forward
    switch descriptor.keyPath {
    case \Sample.startDate: self = .start(ascending: ascending)
    case \Sample.endDate: self = .end(ascending: ascending)
    default: return nil
    }
  }
}
