import Foundation

/// The figures of an activity summary. Each fits its unit: `set` is the only way in.
struct ActivityFigures: Hashable {
  /// Only a goal can be absent.
  private var quantities = Dictionary(
    uniqueKeysWithValues: Measure.allCases.filter { !$0.isOptional }.map { ($0, $0.nothing) })

  mutating func set(_ quantity: HKQuantity?, for measure: Measure) throws(HKValidationError) {
    try quantity?.check(measure.rawValue, in: measure.unit)
    guard quantity != nil || measure.isOptional else {
      throw HKValidationError(.invalidArgument, "\(measure.rawValue) must have a value")
    }
    quantities[measure] = quantity
  }

  /// nil for an absent goal.
  subscript(measure: Measure) -> HKQuantity? { quantities[measure] }

  /// Zero for an absent goal.
  func quantity(_ measure: Measure) -> HKQuantity { quantities[measure] ?? measure.nothing }
}

extension ActivityFigures {
  /// What is counted. The raw value is its name in archives and reasons.
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

// MARK: - Archives

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
