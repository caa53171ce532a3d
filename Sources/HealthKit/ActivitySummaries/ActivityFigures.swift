import Foundation

/// The quantities and goals of an activity summary. Their units are valid, because the only way to change
/// them is `set`, which checks the unit.
struct ActivityFigures: Hashable {
  /// The quantities by measure. A goal that is not set is missing.
  private var quantities = Dictionary(
    uniqueKeysWithValues: Measure.allCases.filter { !$0.isOptional }.map { ($0, $0.nothing) })

  mutating func set(_ quantity: HKQuantity?, for measure: Measure) throws(HKValidationError) {
    try quantity?.check(measure.rawValue, in: measure.unit)
    guard quantity != nil || measure.isOptional else {
      throw HKValidationError(.invalidArgument, "\(measure.rawValue) must have a value")
    }
    quantities[measure] = quantity
  }

  /// Returns a quantity, or nil for a goal that is not set.
  subscript(measure: Measure) -> HKQuantity? { quantities[measure] }

  /// Returns a quantity, or zero for a goal that is not set.
  func quantity(_ measure: Measure) -> HKQuantity { quantities[measure] ?? measure.nothing }
}

extension ActivityFigures {
  /// A quantity or goal of a summary. The raw value is its name in archives and error messages.
  enum Measure: String, CaseIterable {
    case activeEnergyBurned, activeEnergyBurnedGoal
    case appleMoveTime, appleMoveTimeGoal
    case appleExerciseTime, exerciseTimeGoal
    case appleStandHours, standHoursGoal

    var unit: HKUnit {
      switch self {
      case .activeEnergyBurned, .activeEnergyBurnedGoal: .kilocalorie()
      case .appleMoveTime, .appleMoveTimeGoal, .appleExerciseTime, .exerciseTimeGoal: .minute()
      case .appleStandHours, .standHoursGoal: .count()
      }
    }

    var isOptional: Bool { self == .exerciseTimeGoal || self == .standHoursGoal }
    var nothing: HKQuantity { HKQuantity(unit: unit, doubleValue: 0) }
  }
}

// MARK: - Archiving

extension ActivityFigures {
  func encode(with coder: NSCoder) {
    for measure in Measure.allCases {
      coder.encode(self[measure], forKey: measure.rawValue)
    }
  }

  init?(coder: NSCoder) {
    self.init()
    for measure in Measure.allCases {
      let quantity = coder.object(HKQuantity.self, forKey: measure.rawValue)
      guard (try? set(quantity, for: measure)) != nil else { return nil }
    }
  }
}

/// The first and the last day that may match a predicate; nil if there is no limit.
struct ActivityBounds: Hashable, Sendable {
  var first: ActivityDay?
  var last: ActivityDay?

  /// Derives the bounds from a predicate. They may include days that do not match, so check each day against
  /// the predicate as well.
  init(_ tree: ConditionTree<ActivitySummaryCondition>?) {
    switch tree {
    case .one(let condition):
      (first, last) = (condition.first, condition.last)
    case .all(let parts):
      let bounds = parts.map { ActivityBounds($0) }
      (first, last) = (bounds.compactMap(\.first).max(), bounds.compactMap(\.last).min())
    case .any(let parts) where !parts.isEmpty:
      let bounds = parts.map { ActivityBounds($0) }
      let (firsts, lasts) = (bounds.compactMap(\.first), bounds.compactMap(\.last))
      (first, last) = (
        firsts.count == parts.count ? firsts.min() : nil, lasts.count == parts.count ? lasts.max() : nil
      )
    case .any, .not, nil:
      (first, last) = (nil, nil)
    }
  }
}
