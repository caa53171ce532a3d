public import Foundation

/// What a person did on one day, and what they meant to do. Equal if the day and all figures are.
///
/// Setting a quantity of the wrong unit traps where Apple's raises an exception; `setValidated` throws the
/// reason instead. A summary is mutable and belongs to one task at a time.
open class HKActivitySummary: NSObject, HKArchivable, NSCopying {
  /// What the move ring counts: `activeEnergyBurned` or `appleMoveTime`.
  public var activityMoveMode = HKActivityMoveMode.activeEnergy
  /// Whether the person paused their rings for the day.
  public var isPaused = false
  /// The day; nil in a summary that no store made.
  package var day: ActivityDay?

  private var figures = ActivityFigures()

  public override init() {}

  /// Era, year, month and day of the summary's day in a calendar, which is attached. Only the calendar in a
  /// summary that no store made.
  public func dateComponents(for calendar: Calendar) -> DateComponents {
    day?.dateComponents(in: calendar) ?? DateComponents(calendar: calendar)
  }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? HKActivitySummary else { return false }
    return other.figures == figures && other.activityMoveMode == activityMoveMode
      && other.isPaused == isPaused && other.day == day
  }

  /// Of the day, which does not change under a program's hands.
  open override var hash: Int { day.hashValue }

  /// - Throws: for a quantity of another unit.
  func setChecked(
    _ quantity: HKQuantity?, for measure: ActivityFigures.Measure
  ) throws(HKValidationError) {
    try figures.set(quantity, for: measure)
  }

  private func set(_ quantity: HKQuantity?, for measure: ActivityFigures.Measure) {
    requiring(try figures.set(quantity, for: measure))
  }

  // MARK: - NSCopying, NSSecureCoding

  public func copy(with zone: NSZone? = nil) -> Any {
    let copy = HKActivitySummary()
    copy.activityMoveMode = activityMoveMode
    copy.isPaused = isPaused
    copy.day = day
    copy.figures = figures
    return copy
  }

  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    figures.encode(with: coder)
    coder.encode(activityMoveMode.rawValue, forKey: ArchiveKey.activityMoveMode)
    coder.encode(isPaused, forKey: ArchiveKey.isPaused)
    day?.encode(with: coder)
  }

  public required init?(coder: NSCoder) {
    guard let figures = ActivityFigures(coder: coder),
      let mode = coder.value(HKActivityMoveMode.self, forKey: ArchiveKey.activityMoveMode)
    else { return nil }
    self.figures = figures
    activityMoveMode = mode
    isPaused = coder.flag(forKey: ArchiveKey.isPaused) ?? false
    day = ActivityDay(coder: coder)
  }

  private enum ArchiveKey {
    static let activityMoveMode = "activityMoveMode"
    static let isPaused = "paused"
  }
}

// MARK: - The figures

extension HKActivitySummary {
  /// An energy.
  public var activeEnergyBurned: HKQuantity {
    get { figures.quantity(.activeEnergyBurned) }
    set { set(newValue, for: .activeEnergyBurned) }
  }

  /// An energy.
  public var activeEnergyBurnedGoal: HKQuantity {
    get { figures.quantity(.activeEnergyBurnedGoal) }
    set { set(newValue, for: .activeEnergyBurnedGoal) }
  }

  /// A time.
  public var appleMoveTime: HKQuantity {
    get { figures.quantity(.appleMoveTime) }
    set { set(newValue, for: .appleMoveTime) }
  }

  /// A time.
  public var appleMoveTimeGoal: HKQuantity {
    get { figures.quantity(.appleMoveTimeGoal) }
    set { set(newValue, for: .appleMoveTimeGoal) }
  }

  /// A time.
  public var appleExerciseTime: HKQuantity {
    get { figures.quantity(.appleExerciseTime) }
    set { set(newValue, for: .appleExerciseTime) }
  }

  /// A time; nil if there is no goal.
  public var exerciseTimeGoal: HKQuantity? {
    get { figures[.exerciseTimeGoal] }
    set { set(newValue, for: .exerciseTimeGoal) }
  }

  /// `exerciseTimeGoal`, with no time for no goal.
  public var appleExerciseTimeGoal: HKQuantity {
    get { figures.quantity(.exerciseTimeGoal) }
    set { exerciseTimeGoal = newValue }
  }

  /// A count of hours.
  public var appleStandHours: HKQuantity {
    get { figures.quantity(.appleStandHours) }
    set { set(newValue, for: .appleStandHours) }
  }

  /// A count of hours; nil if there is no goal.
  public var standHoursGoal: HKQuantity? {
    get { figures[.standHoursGoal] }
    set { set(newValue, for: .standHoursGoal) }
  }

  /// `standHoursGoal`, with no hours for no goal.
  public var appleStandHoursGoal: HKQuantity {
    get { figures.quantity(.standHoursGoal) }
    set { standHoursGoal = newValue }
  }
}

extension HKActivitySummary {
  /// Sets a figure, or throws the reason why the quantity cannot be one: for values that come from outside.
  public func setValidated(
    _ quantity: HKQuantity, for property: ReferenceWritableKeyPath<HKActivitySummary, HKQuantity>
  ) throws(HKValidationError) {
    try quantity.check("the figure", in: self[keyPath: property].unit)
    self[keyPath: property] = quantity
  }
}
