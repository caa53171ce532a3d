import Foundation

/// The figures of an activity summary. Each fits its unit: `set` is the only way in.
struct ActivityFigures: Hashable {
  private(set) var activeEnergyBurned = HKQuantity(unit: .kilocalorie(), doubleValue: 0)
  private(set) var activeEnergyBurnedGoal = HKQuantity(unit: .kilocalorie(), doubleValue: 0)
  private(set) var appleMoveTime = HKQuantity(unit: .minute(), doubleValue: 0)
  private(set) var appleMoveTimeGoal = HKQuantity(unit: .minute(), doubleValue: 0)
  private(set) var appleExerciseTime = HKQuantity(unit: .minute(), doubleValue: 0)
  private(set) var appleStandHours = HKQuantity(unit: .count(), doubleValue: 0)
  private(set) var exerciseTimeGoal: HKQuantity?
  private(set) var standHoursGoal: HKQuantity?

  mutating func set(_ quantity: HKQuantity?, for measure: Measure) throws(HKValidationError) {
    try quantity?.check(measure.rawValue, in: measure.unit)
    switch (measure, quantity) {
    case (.exerciseTimeGoal, _): exerciseTimeGoal = quantity
    case (.standHoursGoal, _): standHoursGoal = quantity
    case (.activeEnergyBurned, let quantity?): activeEnergyBurned = quantity
    case (.activeEnergyBurnedGoal, let quantity?): activeEnergyBurnedGoal = quantity
    case (.appleMoveTime, let quantity?): appleMoveTime = quantity
    case (.appleMoveTimeGoal, let quantity?): appleMoveTimeGoal = quantity
    case (.appleExerciseTime, let quantity?): appleExerciseTime = quantity
    case (.appleStandHours, let quantity?): appleStandHours = quantity
    case (_, nil): throw HKValidationError(.invalidArgument, "\(measure.rawValue) must have a value")
    }
  }

  subscript(measure: Measure) -> HKQuantity? {
    switch measure {
    case .activeEnergyBurned: activeEnergyBurned
    case .activeEnergyBurnedGoal: activeEnergyBurnedGoal
    case .appleMoveTime: appleMoveTime
    case .appleMoveTimeGoal: appleMoveTimeGoal
    case .appleExerciseTime: appleExerciseTime
    case .appleStandHours: appleStandHours
    case .exerciseTimeGoal: exerciseTimeGoal
    case .standHoursGoal: standHoursGoal
    }
  }
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
