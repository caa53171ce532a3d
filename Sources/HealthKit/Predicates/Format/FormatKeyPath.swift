import Foundation
import HealthStorage

/// Translates comparisons with Apple's predicate key paths to predicates of this module.
enum FormatKeyPath {
  /// Returns the predicate for a comparison.
  /// - Throws: errorInvalidArgument if the key path is unknown or the comparison does not fit it.
  static func predicate(_ comparison: FormatComparison) throws(HKError) -> NSPredicate {
    if let filter = try objectFilter(comparison) { return FilterPredicate(filter) }
    if let filter = try sampleFilter(comparison) { return FilterPredicate(filter) }
    if let filter = try workoutFilter(comparison) { return FilterPredicate(filter) }
    if let filter = try recordFilter(comparison) { return FilterPredicate(filter) }
    if let predicate = try otherPredicate(comparison) { return predicate }
    throw .format(
      "predicates on “\(comparison.keyPath)” are not supported; use a predicate function of HKQuery")
  }

  /// Returns an integer, or nil if the value is not a number or has a fraction.
  private static func whole(_ value: Any) -> Int? {
    (value as? NSNumber).flatMap { Int(exactly: $0) }
  }

  /// Returns the raw value of an activity type, or nil if the value is not an unsigned integer.
  private static func activityType(_ value: Any) -> UInt? {
    (value as? NSNumber).flatMap { UInt(exactly: $0) }
  }

  // MARK: - Any object

  private static func objectFilter(_ comparison: FormatComparison) throws(HKError) -> SampleFilter? {
    switch comparison.keyPath {
    case HKPredicateKeyPathUUID:
      return .uuids(Set(try comparison.values({ $0 as? UUID }, "a UUID")))
    case HKPredicateKeyPathSource:
      let sources = try comparison.values({ $0 as? HKSource }, "an HKSource")
      return .sources(Set(sources.map(\.bundleIdentifier)))
    case HKPredicateKeyPathSourceRevision:
      let revisions = try comparison.values({ $0 as? HKSourceRevision }, "an HKSourceRevision")
      return (HKQuery.predicateForObjects(from: Set(revisions)) as? FilterPredicate)?.filter
    case HKPredicateKeyPathDevice:
      return .devices(Set(try comparison.values({ $0 as? HKDevice }, "an HKDevice").map(\.record)))
    case HKPredicateKeyPathCorrelation:
      return try containers(
        comparison, { $0 as? HKCorrelation }, "an HKCorrelation",
        types: Set(HKCorrelationTypeIdentifier.all.map(\.rawValue)))
    case HKPredicateKeyPathWorkout:
      return try containers(
        comparison, { $0 as? HKWorkout }, "an HKWorkout", types: [ObjectTypes.workout.identifier])
    default:
      return try partFilter(comparison)
    }
  }

  /// Returns a filter for samples that belong to a workout or correlation. `== nil` matches samples that do
  /// not belong to a container of these types.
  private static func containers(
    _ comparison: FormatComparison, _ convert: (Any) -> HKSample?, _ kind: String, types: Set<String>
  ) throws(HKError) -> SampleFilter {
    if comparison.isAboutPresence { return .not(.held(byTypes: types)) }
    return .joining(any: try comparison.values(convert, kind).map { .members(of: $0.uuid) })
  }

  /// Returns a filter on a field of the device or a metadata key.
  private static func partFilter(_ comparison: FormatComparison) throws(HKError) -> SampleFilter? {
    let names = comparison.keyPath.split(separator: ".", maxSplits: 1).map(String.init)
    guard names.count == 2 else { return nil }
    switch names[0] {
    case HKPredicateKeyPathMetadata:
      return try metadataFilter(names[1], comparison)
    case HKPredicateKeyPathDevice:
      let field: DeviceRecord.Field
      do {
        field = try DeviceRecord.Field(key: names[1])
      } catch {
        throw .format(error.reason)
      }
      if comparison.isAboutPresence { return .deviceField(field, []) }
      let texts = try comparison.values({ $0 as? String }, "a String")
      return texts.isEmpty ? .nothing : .deviceField(field, Set(texts))
    default:
      return nil
    }
  }

  private static func metadataFilter(
    _ key: String, _ comparison: FormatComparison
  ) throws(HKError) -> SampleFilter {
    if comparison.isAboutPresence {
      return .not(MetadataCondition(key: key, relation: .present).filter)
    }
    func value(_ object: Any) -> MetadataValue? { try? MetadataValue(object, forKey: key) }
    let kind = "a String, a number, a Date or an HKQuantity"
    let relation: MetadataCondition.Relation
    switch comparison.relation {
    case .text(let text):
      guard let other = comparison.value as? String else {
        throw .format("\(comparison.keyPath) must be compared with a String")
      }
      relation = .text(text, other, comparison.folding)
    case .compares(.equal) where comparison.folding != TextFolding() && comparison.value is String:
      relation = .text(.equals, comparison.value as? String ?? "", comparison.folding)
    case .isIn:
      relation = .isOneOf(AllowedMetadata(try comparison.values(value, kind)))
    case .compares, .between:
      return try comparison.ordered(
        value, kind, { MetadataCondition(key: key, relation: .compares($0, $1)).filter },
        all: SampleFilter.joining(all:), any: SampleFilter.joining(any:))
    }
    return MetadataCondition(key: key, relation: relation).filter
  }

  // MARK: - Samples

  private static func sampleFilter(_ comparison: FormatComparison) throws(HKError) -> SampleFilter? {
    switch comparison.keyPath {
    case HKPredicateKeyPathStartDate:
      return try dateFilter(comparison, from: { .startsFrom($0) }, before: { .startsBefore($0) })
    case HKPredicateKeyPathEndDate:
      return try dateFilter(comparison, from: { .endsFrom($0) }, before: { .endsBefore($0) })
    // This case also handles HKPredicateKeyPathSum and HKPredicateKeyPathAverage, which have the same value.
    case HKPredicateKeyPathQuantity:
      return try comparison.ordered(
        { $0 as? HKQuantity }, "an HKQuantity",
        { .quantity($0, value: $1.value, unit: $1.unit.unitString) },
        all: SampleFilter.joining(all:), any: SampleFilter.joining(any:))
    case HKPredicateKeyPathCategoryValue:
      return try comparison.ordered(
        whole, "a whole number", { .category($0, $1) }, all: SampleFilter.joining(all:),
        any: SampleFilter.joining(any:))
    default:
      return nil
    }
  }

  private static func dateFilter(
    _ comparison: FormatComparison, from: (Int64) -> SampleFilter, before: (Int64) -> SampleFilter
  ) throws(HKError) -> SampleFilter {
    try comparison.ordered(
      { ($0 as? Date).map(Microseconds.clamped) }, "a Date",
      { comparison, time in
        switch comparison {
        case .less: before(time)
        case .lessOrEqual: before(time + 1)
        case .equal: .all([from(time), before(time + 1)])
        case .notEqual: .any([before(time), from(time + 1)])
        case .greaterOrEqual: from(time)
        case .greater: from(time + 1)
        }
      }, all: SampleFilter.joining(all:), any: SampleFilter.joining(any:))
  }

  // MARK: - Workouts

  private static func workoutFilter(_ comparison: FormatComparison) throws(HKError) -> SampleFilter? {
    switch comparison.keyPath {
    case HKPredicateKeyPathWorkoutType:
      let types = try comparison.values(activityType, "the number of an activity type")
      return .joining(any: types.map { workout(.activityType($0)) })
    case HKPredicateKeyPathWorkoutDuration:
      return try comparison.ordered(
        { ($0 as? NSNumber)?.doubleValue }, "a number of seconds", { workout(.duration($0, $1)) },
        all: SampleFilter.joining(all:), any: SampleFilter.joining(any:))
    case HKPredicateKeyPathWorkoutTotalDistance: return try total(.distance, comparison)
    case HKPredicateKeyPathWorkoutTotalEnergyBurned: return try total(.energyBurned, comparison)
    case HKPredicateKeyPathWorkoutTotalSwimmingStrokeCount:
      return try total(.swimmingStrokeCount, comparison)
    case HKPredicateKeyPathWorkoutTotalFlightsClimbed: return try total(.flightsClimbed, comparison)
    default: return nil
    }
  }

  private static func total(
    _ total: WorkoutCondition.Total, _ comparison: FormatComparison
  ) throws(HKError) -> SampleFilter {
    try comparison.ordered(
      { $0 as? HKQuantity }, "an HKQuantity", { workout(.total(total, QuantityComparison($0, $1))) },
      all: SampleFilter.joining(all:), any: SampleFilter.joining(any:))
  }

  private static func workout(_ condition: WorkoutCondition) -> SampleFilter {
    SampleCondition.workout(condition).filter
  }

  // MARK: - Electrocardiograms, doses, clinical records

  private static func recordFilter(_ comparison: FormatComparison) throws(HKError) -> SampleFilter? {
    switch comparison.keyPath {
    case HKPredicateKeyPathECGClassification:
      return .joining(
        any: try comparison.values(whole, "a whole number").map {
          SampleCondition.electrocardiogram(.classification($0)).filter
        })
    case HKPredicateKeyPathECGSymptomsStatus:
      return .joining(
        any: try comparison.values(whole, "a whole number").map {
          SampleCondition.electrocardiogram(.symptomsStatus($0)).filter
        })
    case HKPredicateKeyPathAverageHeartRate:
      return try comparison.ordered(
        { $0 as? HKQuantity }, "an HKQuantity",
        { SampleCondition.electrocardiogram(.averageHeartRate(QuantityComparison($0, $1))).filter },
        all: SampleFilter.joining(all:), any: SampleFilter.joining(any:))
    case HKPredicateKeyPathStatus:
      let statuses = try comparison.values(whole, "a whole number")
      return SampleCondition.dose(.statuses(CodedSet(statuses))).filter
    case HKPredicateKeyPathScheduledDate:
      return try scheduled(comparison)
    case HKPredicateKeyPathMedicationConceptIdentifier:
      let concepts = try comparison.values(
        { $0 as? HKHealthConceptIdentifier }, "an HKHealthConceptIdentifier")
      return SampleCondition.dose(.concepts(CodedSet(concepts.map(DoseCondition.Concept.init)))).filter
    case HKPredicateKeyPathClinicalRecordFHIRResourceType:
      let types = try comparison.values(
        { ($0 as? HKFHIRResourceType)?.rawValue ?? $0 as? String }, "an HKFHIRResourceType")
      return .joining(any: types.map { clinical(ClinicalRecordCondition(resourceType: $0)) })
    case HKPredicateKeyPathClinicalRecordFHIRResourceIdentifier:
      let identifiers = try comparison.values({ $0 as? String }, "a String")
      return .joining(any: identifiers.map { clinical(ClinicalRecordCondition(identifier: $0)) })
    default:
      return nil
    }
  }

  private static func scheduled(_ comparison: FormatComparison) throws(HKError) -> SampleFilter {
    try comparison.ordered(
      { ($0 as? Date).map(Microseconds.clamped) }, "a Date",
      { comparison, time in
        func between(_ from: Int64?, _ before: Int64?) -> SampleFilter {
          SampleCondition.dose(.scheduledBetween(from: from, before: before)).filter
        }
        return switch comparison {
        case .less: between(nil, time)
        case .lessOrEqual: between(nil, time + 1)
        case .equal: between(time, time + 1)
        case .notEqual: .not(between(time, time + 1))
        case .greaterOrEqual: between(time, nil)
        case .greater: between(time + 1, nil)
        }
      }, all: SampleFilter.joining(all:), any: SampleFilter.joining(any:))
  }

  private static func clinical(_ condition: ClinicalRecordCondition) -> SampleFilter {
    SampleCondition.clinicalRecord(condition).filter
  }

  // MARK: - Objects that are not samples

  private static func otherPredicate(_ comparison: FormatComparison) throws(HKError) -> NSPredicate? {
    func flag(_ value: Any) -> Bool? { (value as? NSNumber)?.boolValue }
    switch comparison.keyPath {
    case HKPredicateKeyPathDateComponents:
      return try days(comparison)
    case HKUserAnnotatedMedicationPredicateKeyPathIsArchived:
      return any(try comparison.values(flag, "YES or NO").map { MedicationCondition.isArchived($0) })
    case HKUserAnnotatedMedicationPredicateKeyPathHasSchedule:
      return any(try comparison.values(flag, "YES or NO").map { MedicationCondition.hasSchedule($0) })
    case HKPredicateKeyPathWorkoutActivityType:
      let types = try comparison.values(activityType, "the number of an activity type")
      return any(types.map { WorkoutActivityCondition.activityType($0) })
    case HKPredicateKeyPathWorkoutActivityDuration:
      return ConditionPredicate(
        try comparison.ordered(
          { ($0 as? NSNumber)?.doubleValue }, "a number of seconds",
          { ConditionTree.one(WorkoutActivityCondition.duration($0, $1)) }, all: { .all($0) },
          any: { .any($0) }))
    default:
      return nil
    }
  }

  private static func any<Condition: ConditionOnSubject>(_ conditions: [Condition]) -> NSPredicate {
    ConditionPredicate(ConditionTree.any(conditions.map { .one($0) }))
  }

  /// Returns a predicate on activity summaries by their days.
  private static func days(_ comparison: FormatComparison) throws(HKError) -> NSPredicate {
    guard let first = ActivityDay(year: 1, month: 1, day: 1),
      let last = ActivityDay(year: 9999, month: 12, day: 31)
    else { return NSPredicate(value: false) }
    func one(_ from: ActivityDay, _ to: ActivityDay) -> ConditionTree<ActivitySummaryCondition> {
      .one(ActivitySummaryCondition(first: from, last: to))
    }
    return ConditionPredicate(
      try comparison.ordered(
        { ($0 as? DateComponents).flatMap { try? ActivityDay($0) } },
        "DateComponents that name a day and have a calendar",
        { comparison, day in
          switch comparison {
          case .less: .all([one(first, day), .not(one(day, day))])
          case .lessOrEqual: one(first, day)
          case .equal: one(day, day)
          case .notEqual: .not(one(day, day))
          case .greaterOrEqual: one(day, last)
          case .greater: .all([one(day, last), .not(one(day, day))])
          }
        }, all: { .all($0) }, any: { .any($0) }))
  }
}
