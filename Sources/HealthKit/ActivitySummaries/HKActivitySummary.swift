public import Foundation

/// A person's activity on one day, and their goals. Summaries are equal if their days, quantities and goals
/// are equal.
///
/// Setting a quantity with the wrong unit traps (Apple's class raises an exception); `setValidated` throws
/// instead. A summary is mutable, so use it in one task at a time.
open class HKActivitySummary: NSObject, HKArchivable, NSCopying {
  /// The measure of the Move ring: `activeEnergyBurned` or `appleMoveTime`.
  public var activityMoveMode = HKActivityMoveMode.activeEnergy
  /// Whether the person paused their activity rings on that day.
  public var isPaused = false
  /// The day; nil if the summary does not come from a store.
  package var day: ActivityDay?

  private var figures = ActivityFigures()

  public override init() {}

  /// Returns era, year, month and day in a calendar, with the calendar attached. If the summary does not come
  /// from a store, only the calendar is set.
  public func dateComponents(for calendar: Calendar) -> DateComponents {
    day?.dateComponents(in: calendar) ?? DateComponents(calendar: calendar)
  }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? HKActivitySummary else { return false }
    return other.figures == figures && other.activityMoveMode == activityMoveMode
      && other.isPaused == isPaused && other.day == day
  }

  /// Hash only the day, because a program can change the other properties while the summary is in a set.
  open override var hash: Int { day.hashValue }

  /// Sets a quantity or goal after checking its unit.
  /// - Throws: `HKValidationError` if the quantity has another unit.
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

// MARK: - Figures

extension HKActivitySummary {
  /// The active energy burned on the day.
  public var activeEnergyBurned: HKQuantity {
    get { figures.quantity(.activeEnergyBurned) }
    set { set(newValue, for: .activeEnergyBurned) }
  }

  /// The goal for the active energy.
  public var activeEnergyBurnedGoal: HKQuantity {
    get { figures.quantity(.activeEnergyBurnedGoal) }
    set { set(newValue, for: .activeEnergyBurnedGoal) }
  }

  /// The time in which the person moved, as Apple's Move ring counts it.
  public var appleMoveTime: HKQuantity {
    get { figures.quantity(.appleMoveTime) }
    set { set(newValue, for: .appleMoveTime) }
  }

  /// The goal for the move time.
  public var appleMoveTimeGoal: HKQuantity {
    get { figures.quantity(.appleMoveTimeGoal) }
    set { set(newValue, for: .appleMoveTimeGoal) }
  }

  /// The exercise time on the day.
  public var appleExerciseTime: HKQuantity {
    get { figures.quantity(.appleExerciseTime) }
    set { set(newValue, for: .appleExerciseTime) }
  }

  /// The goal for the exercise time; nil without a goal.
  public var exerciseTimeGoal: HKQuantity? {
    get { figures[.exerciseTimeGoal] }
    set { set(newValue, for: .exerciseTimeGoal) }
  }

  /// The goal for the exercise time; zero without a goal. See `exerciseTimeGoal`.
  public var appleExerciseTimeGoal: HKQuantity {
    get { figures.quantity(.exerciseTimeGoal) }
    set { exerciseTimeGoal = newValue }
  }

  /// The number of stand hours.
  public var appleStandHours: HKQuantity {
    get { figures.quantity(.appleStandHours) }
    set { set(newValue, for: .appleStandHours) }
  }

  /// The goal for the number of stand hours; nil without a goal.
  public var standHoursGoal: HKQuantity? {
    get { figures[.standHoursGoal] }
    set { set(newValue, for: .standHoursGoal) }
  }

  /// The goal for the number of stand hours; zero without a goal. See `standHoursGoal`.
  public var appleStandHoursGoal: HKQuantity {
    get { figures.quantity(.standHoursGoal) }
    set { standHoursGoal = newValue }
  }
}

extension HKActivitySummary {
  /// Sets a quantity or goal that comes from outside the program, such as from a file.
  /// - Throws: `HKValidationError` if the quantity has another unit.
  public func setValidated(
    _ quantity: HKQuantity, for property: ReferenceWritableKeyPath<HKActivitySummary, HKQuantity>
  ) throws(HKValidationError) {
    try quantity.check("the figure", in: self[keyPath: property].unit)
    self[keyPath: property] = quantity
  }
}

/// The type of activity summaries, which are not samples. Used to request authorization to read them.
// @unchecked: HKObjectType is open. All state is `let` and Sendable.
public final class HKActivitySummaryType: HKObjectType, @unchecked Sendable {}
