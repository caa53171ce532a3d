public import Foundation
import Synchronization

/// What a live builder collects from the store.
// @unchecked: open as Apple's class is, but its state is in a Mutex.
open class HKLiveWorkoutDataSource: NSObject, @unchecked Sendable {
  private struct State {
    var predicates: [HKQuantityType: PredicateTranslation?]
    var change: (@Sendable () -> Void)?
  }

  private let state: Mutex<State>

  /// - Parameters:
  ///   - healthStore: that of the builder counts.
  ///   - configuration: what is usual for its activity is collected: the heart rate, the active energy, and
  ///     distances and strokes; nil for nothing.
  public init(healthStore: HKHealthStore, workoutConfiguration configuration: HKWorkoutConfiguration?) {
    let types = configuration.map { Self.usual(for: $0.activityType) } ?? []
    state = Mutex(
      State(predicates: Dictionary(uniqueKeysWithValues: types.map { (HKQuantityType($0), nil) })))
  }

  public var typesToCollect: Set<HKQuantityType> { Set(predicates.keys) }

  /// Collects a type, or collects it with another predicate from now on.
  /// - Parameter predicate: nil for all samples of the type.
  public func enableCollection(for quantityType: HKQuantityType, predicate: NSPredicate?) {
    let translation = predicate.map(PredicateTranslation.init)
    change { $0.updateValue(translation, forKey: quantityType) }
  }

  public func disableCollection(for quantityType: HKQuantityType) {
    change { $0.removeValue(forKey: quantityType) }
  }

  var predicates: [HKQuantityType: PredicateTranslation?] { state.withLock { $0.predicates } }

  /// Who is to hear that the types are others.
  func onChange(_ body: (@Sendable () -> Void)?) {
    state.withLock { $0.change = body }
  }

  private func change(_ body: (inout [HKQuantityType: PredicateTranslation?]) -> Void) {
    let tell = state.withLock { state in
      body(&state.predicates)
      return state.change
    }
    tell?()
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
