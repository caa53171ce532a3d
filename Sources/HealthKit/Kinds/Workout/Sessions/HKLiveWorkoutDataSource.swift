public import Foundation
import Synchronization

/// The types of samples that a live workout builder collects.
// @unchecked: the class is open, like Apple's. All state is in a Mutex.
open class HKLiveWorkoutDataSource: NSObject, @unchecked Sendable {
  private struct State {
    var predicates: [HKQuantityType: PredicateTranslation?]
    var change: (@Sendable () -> Void)?
  }

  private let state: Mutex<State>

  /// Creates a data source with the usual types of an activity.
  /// - Parameters:
  ///   - healthStore: Ignored; samples are read from the store of the builder.
  ///   - configuration: Selects the usual types for its activity: heart rate, active energy, distances and
  ///     strokes. Nil for no types.
  public init(healthStore: HKHealthStore, workoutConfiguration configuration: HKWorkoutConfiguration?) {
    let types = configuration.map { Self.usual(for: $0.activityType) } ?? []
    state = Mutex(
      State(predicates: Dictionary(uniqueKeysWithValues: types.map { (HKQuantityType($0), nil) })))
  }

  public var typesToCollect: Set<HKQuantityType> { Set(predicates.keys) }

  /// Enables the collection of a type, or changes its predicate.
  /// - Parameter predicate: Nil for all samples of the type.
  public func enableCollection(for quantityType: HKQuantityType, predicate: NSPredicate?) {
    let translation = predicate.map(PredicateTranslation.init)
    change { $0.updateValue(translation, forKey: quantityType) }
  }

  /// Disables the collection of a type.
  public func disableCollection(for quantityType: HKQuantityType) {
    change { $0.removeValue(forKey: quantityType) }
  }

  var predicates: [HKQuantityType: PredicateTranslation?] { state.withLock { $0.predicates } }

  /// Sets the closure to call when the types change.
  func onChange(_ body: (@Sendable () -> Void)?) {
    state.withLock { $0.change = body }
  }

  private func change(_ body: (inout [HKQuantityType: PredicateTranslation?]) -> Void) {
    let handler = state.withLock { state in
      body(&state.predicates)
      return state.change
    }
    // Call the closure without holding the lock, because it reads `predicates`, which takes the lock.
    handler?()
  }

  private static func usual(for activity: HKWorkoutActivityType) -> [HKQuantityTypeIdentifier] {
    let always: [HKQuantityTypeIdentifier] = [.heartRate, .activeEnergyBurned]
    return switch activity {
    case .walking, .running, .hiking: always + [.distanceWalkingRunning, .stepCount]
    case .cycling, .handCycling: always + [.distanceCycling]
    case .swimming: always + [.distanceSwimming, .swimmingStrokeCount]
    case .wheelchairWalkPace, .wheelchairRunPace: always + [.distanceWheelchair, .pushCount]
    case .rowing: always + [.distanceRowing]
    case .crossCountrySkiing: always + [.distanceCrossCountrySkiing]
    case .downhillSkiing, .snowboarding: always + [.distanceDownhillSnowSports]
    default: always
    }
  }
}
