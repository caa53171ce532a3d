package import Foundation
package import HealthKit

/// An error in a manual entry. The text contains no health values.
package struct EntryError: Error, CustomStringConvertible {
  package let description: String
  /// The name that was not recognized, with the valid names.
  package var unknown: (name: String, valid: [String])?
  /// The invalid part of the entry, or nil if the error concerns several parts.
  package var part: Part?

  /// A part of an entry. The raw value is the name of the form field.
  package enum Part: String, Sendable {
    case value, unit, start, end, energy, distance, reason
  }

  init(_ description: String, _ part: Part? = nil, unknown: (name: String, valid: [String])? = nil) {
    (self.description, self.part, self.unknown) = (description, part, unknown)
  }
}

/// A sample as the user describes it in `hrgate add` or on the page.
package struct ManualEntry: Sendable {
  package var type: HKSampleType
  /// The value, in a form that depends on the type: a number with or without its unit, two numbers with a
  /// slash for a blood pressure, or the name of a category value or workout activity. Nil for a category with
  /// a single value.
  package var value: String?
  /// The unit, or nil for the default unit.
  package var unit: String?
  package var start: Date
  /// The end, or nil for an ongoing sample.
  package var end: Date?
  /// The energy of a workout: a number with or without its unit.
  package var energy: String?
  /// The distance of a workout: a number with or without its unit.
  package var distance: String?
  /// Whether a menstrual flow sample is the first of its cycle.
  package var isCycleStart = false
  /// The reason for an insulin delivery: `basal` or `bolus`.
  package var reason: String?

  package init(type: HKSampleType, start: Date, end: Date?) {
    (self.type, self.start, self.end) = (type, start, end)
  }

  /// The source of samples that the user adds by hand.
  package static let source = HKSource(name: "Health", bundleIdentifier: "org.hrgate.health")

  /// Returns the sample for this entry.
  /// - Parameters:
  ///   - unit: Returns the default unit of a type.
  ///   - now: The current time. Times more than a minute later are rejected; the minute allows for clock
  ///     differences.
  /// - Throws: ``EntryError`` if the entry is not valid.
  package func sample(unit: (HKQuantityType) -> HKUnit, now: Date = .now) throws(EntryError) -> HKSample {
    guard let form = EntryForm(type) else { throw EntryError(Self.refusal(of: type)) }
    let end = try checkedEnd(form, now)
    try checkOptions(form)
    let metadata = try metadata()
    do {
      switch form {
      case .quantity(let type):
        return try HKQuantitySample.validated(
          type: type, quantity: try quantity(type, unit(type)), start: start, end: end, metadata: metadata)
      case .category(let type):
        return try HKCategorySample.validated(
          type: type, value: try choice(form), start: start, end: end, metadata: metadata)
      case .bloodPressure:
        return try HKCorrelation.validated(
          type: HKCorrelationType(.bloodPressure), start: start, end: end,
          objects: try pressures(unit, end, metadata), metadata: metadata)
      case .workout:
        guard let activity = HKWorkoutActivityType(rawValue: UInt(try choice(form))) else {
          throw EntryError("the activity is unknown")
        }
        return try HKWorkout.validated(
          activityType: activity, start: start, end: end,
          totalEnergyBurned: try total(energy, HKQuantityType(.activeEnergyBurned), .kilocalorie(), .energy),
          totalDistance: try total(
            distance, HKQuantityType(.distanceWalkingRunning), .meterUnit(with: .kilo), .distance),
          metadata: metadata)
      }
    } catch let error as EntryError {
      throw error
    } catch {
      throw EntryError((error as? HKValidationError)?.reason ?? "\(error)")
    }
  }

  private static func refusal(of type: HKSampleType) -> String {
    let name = TypeName.short(type)
    switch type {
    case HKCorrelationType(.food):
      return "food is added as single nutrients: dietaryEnergyConsumed, dietaryProtein, …"
    case is HKScoredAssessmentType, is HKStateOfMindType, is HKPrescriptionType, is HKMedicationDoseEventType,
      is HKDocumentType, is HKClinicalType:
      return "\(name) cannot be added by hand: it has more parts than one value"
    default:
      return "\(name) cannot be added by hand: only a device or the system records it"
    }
  }

  // MARK: - Time

  private func checkedEnd(_ form: EntryForm, _ now: Date) throws(EntryError) -> Date {
    let name = TypeName.short(type)
    let latest = now.addingTimeInterval(60)
    guard start <= latest else { throw EntryError("the time is in the future", .start) }
    guard let end else {
      guard type.isOpenEnded else { throw EntryError("\(name) needs an end", .end) }
      return .distantFuture
    }
    guard end >= start else { throw EntryError("the end is before the start", .end) }
    guard end <= latest else { throw EntryError("the end is in the future", .end) }
    guard !form.needsDuration || end > start else {
      throw EntryError("\(name) needs a start and an end", .end)
    }
    return end
  }

  // MARK: - Metadata

  private var isMenstrualFlow: Bool { type.identifier == HKCategoryTypeIdentifier.menstrualFlow.rawValue }
  private var isInsulin: Bool { type.identifier == HKQuantityTypeIdentifier.insulinDelivery.rawValue }

  private func metadata() throws(EntryError) -> [String: Any] {
    var metadata: [String: Any] = [HKMetadataKeyWasUserEntered: true]
    if isMenstrualFlow { metadata[HKMetadataKeyMenstrualCycleStart] = isCycleStart }
    if isInsulin {
      let reason: HKInsulinDeliveryReason? =
        switch self.reason {
        case "basal": .basal
        case "bolus": .bolus
        default: nil
        }
      guard let reason else { throw EntryError("insulinDelivery needs a reason: basal or bolus", .reason) }
      metadata[HKMetadataKeyInsulinDeliveryReason] = reason.rawValue
    }
    return metadata
  }

  /// Throws an error if an option is set that does not apply to the type of the entry.
  private func checkOptions(_ form: EntryForm) throws(EntryError) {
    let name = TypeName.short(type)
    if isCycleStart, !isMenstrualFlow { throw EntryError("\(name) has no cycle start") }
    if reason != nil, !isInsulin { throw EntryError("\(name) has no reason") }
    if case .workout = form {
    } else if energy != nil || distance != nil {
      throw EntryError("only a workout can have an energy and a distance")
    }
    switch form {
    case .category, .workout:
      if let unit { throw EntryError("\(name) has no unit: remove the argument \(unit)") }
    case .quantity, .bloodPressure: break
    }
  }

  // MARK: - Values

  private func quantity(
    _ type: HKQuantityType, _ standard: HKUnit
  ) throws(EntryError) -> HKQuantity {
    guard let value else { throw EntryError("\(TypeName.short(type)) needs a value", .value) }
    return try Self.quantity(value, unit, type, standard)
  }

  private func total(
    _ text: String?, _ type: HKQuantityType, _ standard: HKUnit, _ part: EntryError.Part
  ) throws(EntryError) -> HKQuantity? {
    guard let text else { return nil }
    do {
      return try Self.quantity(text, nil, type, standard)
    } catch {
      throw EntryError(error.description, part)
    }
  }

  private func choice(_ form: EntryForm) throws(EntryError) -> Int {
    let (name, choices) = (TypeName.short(type), form.choices)
    if choices.isEmpty {
      // The category's only value is 0.
      guard value == nil || form.value(named: value ?? "") == 0 else {
        throw EntryError("\(name) takes no value", .value)
      }
      return 0
    }
    guard let value else {
      throw EntryError("\(name) needs a value", .value, unknown: (name: "", valid: choices.map(\.name)))
    }
    guard let found = form.value(named: value) else {
      throw EntryError(
        "\(name) has no such value", .value, unknown: (name: value, valid: choices.map(\.name)))
    }
    return found
  }

  private func pressures(
    _ standard: (HKQuantityType) -> HKUnit, _ end: Date, _ metadata: [String: Any]
  ) throws -> Set<HKSample> {
    guard let value, let slash = value.firstIndex(of: "/") else {
      throw EntryError("a blood pressure is written as 121/79: systolic, slash, diastolic", .value)
    }
    let (systolic, diastolic) = (
      HKQuantityType(.bloodPressureSystolic), HKQuantityType(.bloodPressureDiastolic)
    )
    // A unit after the second number applies to both.
    let lower = String(value[value.index(after: slash)...])
    let lowerPart = try Self.parts(lower, unit)
    let quantities = [
      (systolic, try Self.quantity(String(value[..<slash]), lowerPart.unit, systolic, standard(systolic))),
      (diastolic, try Self.quantity(lower, unit, diastolic, standard(systolic))),
    ]
    guard quantities[0].1.compare(quantities[1].1) != .orderedAscending else {
      throw EntryError("the systolic pressure comes first, and must not be below the diastolic one", .value)
    }
    return Set(
      try quantities.map { type, quantity in
        try HKQuantitySample.validated(
          type: type, quantity: quantity, start: start, end: end, metadata: metadata)
      })
  }

  // MARK: - Numbers and units

  /// Splits a text into a number and a unit. The unit may be part of the text or given separately; it is nil
  /// if the user gave no unit.
  private static func parts(
    _ text: String, _ unit: String?
  ) throws(EntryError) -> (number: Double, unit: String?) {
    let text = text.trimmingCharacters(in: .whitespaces)
    guard let match = text.wholeMatch(of: #/([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)(.*)/#),
      let number = Double(match.1), number.isFinite
    else { throw EntryError("the value must be a decimal number, such as 73.2", .value) }
    let attached = match.2.trimmingCharacters(in: .whitespaces)
    guard !attached.hasPrefix(",") else {
      throw EntryError("write decimals with a point, such as 73.2", .value)
    }
    guard let unit, !unit.isEmpty else { return (number, attached.isEmpty ? nil : attached) }
    guard attached.isEmpty || attached == unit else {
      throw EntryError("the value already has a unit (\(attached)): give only one unit", .unit)
    }
    return (number, unit)
  }

  private static func quantity(
    _ text: String, _ unit: String?, _ type: HKQuantityType, _ standard: HKUnit
  ) throws(EntryError) -> HKQuantity {
    let (number, typed) = try parts(text, unit)
    let unit = try typed.map { name throws(EntryError) in try self.unit(name, of: type) } ?? standard
    // Users enter percentages from 0 to 100; HealthKit stores fractions.
    let quantity = HKQuantity(unit: unit, doubleValue: unit == .percent() ? number / 100 : number)
    let range = range(of: type)
    guard range.contains(quantity.doubleValue(for: type.canonicalUnit)) else {
      throw EntryError(
        "the value is out of range: \(TypeName.short(type)) is \(limits(range, of: type, in: unit))", .value)
    }
    return quantity
  }

  private static func unit(_ name: String, of type: HKQuantityType) throws(EntryError) -> HKUnit {
    for spelling in [name] + (otherSpellings[name] ?? []) {
      if let unit = type.unit(named: spelling) { return unit }
    }
    let choices = type.unitChoices.prefix(6).map(\.unitString).joined(separator: ", ")
    let isUnit = (try? HKUnit.validated(from: name)) != nil
    throw EntryError(
      isUnit
        ? "\(TypeName.short(type)) cannot be expressed in \(name): use \(choices)"
        : "there is no unit \(name): use \(choices)", .unit)
  }

  /// Spellings of units that users write, with HealthKit's unit strings. HealthKit does not know some of
  /// these spellings, and reads others as a different unit.
  private static let otherSpellings = [
    "bpm": ["count/min"], "/min": ["count/min"], "1/min": ["count/min"], "°C": ["degC"], "C": ["degC"],
    "°F": ["degF"], "F": ["degF"], "km/h": ["km/hr"], "mph": ["mi/hr"], "lbs": ["lb"], "h": ["hr"],
    "ml": ["mL"], "l": ["L"], "steps": ["count"], "mmol/L": ["mmol<180.15588000005408>/L"],
  ]

  /// Returns the accepted values of a type in its canonical unit. Values outside it are typing mistakes or in
  /// the wrong unit.
  private static func range(of type: HKQuantityType) -> ClosedRange<Double> {
    switch HKQuantityTypeIdentifier(rawValue: type.identifier) {
    case .bodyTemperature, .basalBodyTemperature: return 20...50
    case .waterTemperature: return -5...60
    case .bodyMass, .leanBodyMass: return 0.1...1000
    case .height: return 0.1...3
    case .bloodPressureSystolic, .bloodPressureDiastolic: return 1...500
    case .heartRate: return 1.0 / 60...10
    case .restingHeartRate, .heartRateRecoveryOneMinute: return 0...600
    case .workoutEffortScore, .estimatedWorkoutEffortScore: return 0...10
    default:
      return 0...(type.canonicalUnit == .percent() ? 1 : 1e12)
    }
  }

  static func limits(
    _ range: ClosedRange<Double>, of type: HKQuantityType, in unit: HKUnit
  ) -> String {
    func text(_ bound: Double) -> String {
      number(HKQuantity(unit: type.canonicalUnit, doubleValue: bound).doubleValue(for: unit), in: unit)
    }
    return "from \(text(range.lowerBound)) to \(text(range.upperBound)) \(unit.unitString)"
  }

  /// Returns a value as the user would enter it, with at most four significant digits.
  static func number(_ value: Double, in unit: HKUnit) -> String {
    (unit == .percent() ? value * 100 : value).formatted(
      .number.grouping(.never).precision(.significantDigits(1...4)).locale(Locale(identifier: "en")))
  }
}
