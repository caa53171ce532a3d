package import HealthKit

/// The input needed to add a sample of a type by hand.
package enum EntryForm: Sendable {
  case quantity(HKQuantityType)
  case category(HKCategoryType)
  /// The systolic and diastolic pressure, such as `121/79`.
  case bloodPressure
  case workout

  /// Returns nil for a type that cannot be added by hand.
  package init?(_ type: HKSampleType) {
    switch type {
    case let type as HKQuantityType where type.isShareable: self = .quantity(type)
    case let type as HKCategoryType where type.isShareable && !Self.detected.contains(type.identifier):
      self = .category(type)
    case HKCorrelationType(.bloodPressure): self = .bloodPressure
    case is HKWorkoutType: self = .workout
    default: return nil
    }
  }

  /// The types of events that only devices can detect. Programs can save them, but users cannot enter them.
  private static let detected: Set<String> = Set(
    [
      HKCategoryTypeIdentifier.appleWalkingSteadinessEvent, .audioExposureEvent, .irregularHeartRhythmEvent,
      .lowCardioFitnessEvent, .sleepApneaEvent,
    ].map(\.rawValue))

  /// The types that can be added by hand.
  package static let types: [HKSampleType] = HKSampleType.known.filter { EntryForm($0) != nil }

  /// Whether an entry needs a start and an end instead of a single time.
  package var needsDuration: Bool {
    switch self {
    case .workout: true
    case .category(let type):
      [HKCategoryTypeIdentifier.sleepAnalysis, .mindfulSession].contains { $0.rawValue == type.identifier }
    case .quantity(let type): type.isMinimumDurationRestricted
    case .bloodPressure: false
    }
  }

  /// The values that a user can choose by name, without duplicate raw values. Empty for a quantity, and for a
  /// category with a single value.
  package var choices: [(name: String, value: Int)] {
    switch self {
    case .quantity, .bloodPressure: return []
    case .category(let type):
      let names = Self.choices(of: type.enumeration)
      return names.count > 1 ? names : []
    case .workout: return Self.choices(of: Self.activities)
    }
  }

  private static func choices(of enumeration: String) -> [(name: String, value: Int)] {
    var seen: Set<Int> = []
    return EnumerationValues.names(of: enumeration).filter { seen.insert($0.value).inserted }
  }

  private static let activities = "HKWorkoutActivityType"

  /// Returns the raw value of a name, ignoring case. The prefix `asleep` of a sleep stage may be left out, as
  /// in `deep`.
  func value(named name: String) -> Int? {
    let enumeration =
      switch self {
      case .quantity, .bloodPressure: ""
      case .category(let type): type.enumeration
      case .workout: Self.activities
      }
    guard !name.isEmpty else { return nil }
    let wanted = name.lowercased()
    let names = EnumerationValues.names(of: enumeration)
    return
      (names.first { $0.name.lowercased() == wanted }
      ?? names.first { $0.name.lowercased() == "asleep" + wanted })?.value
  }
}
