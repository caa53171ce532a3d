import HealthStorage

/// A condition on a sample that is stored as an archive.
enum SampleCondition: Hashable, Codable, Sendable {
  case workout(WorkoutCondition)
  case electrocardiogram(ElectrocardiogramCondition)
  case clinicalRecord(ClinicalRecordCondition)
  case stateOfMind(StateOfMindCondition)
  case dose(DoseCondition)

  func holds(_ sample: HKSample) -> Bool {
    switch self {
    case .workout(let condition): (sample as? HKWorkout).map(condition.holds) ?? false
    case .electrocardiogram(let condition): (sample as? HKElectrocardiogram).map(condition.holds) ?? false
    case .clinicalRecord(let condition): (sample as? HKClinicalRecord).map(condition.holds) ?? false
    case .stateOfMind(let condition): (sample as? HKStateOfMind).map(condition.holds) ?? false
    case .dose(let condition): (sample as? HKMedicationDoseEvent).map(condition.holds) ?? false
    }
  }

  var filter: SampleFilter {
    asksForFigures
      ? .container(types: types, EncodedCondition(self)) : .archived(types: types, EncodedCondition(self))
  }

  /// Whether the samples that belong to a workout are needed to evaluate the condition. The workout's archive
  /// does not contain them.
  private var asksForFigures: Bool {
    guard case .workout(let condition) = self else { return false }
    return condition.asksForFigures
  }

  private var types: Set<String> {
    switch self {
    case .workout: [ObjectTypes.workout.identifier]
    case .electrocardiogram: [ObjectTypes.electrocardiogram.identifier]
    case .clinicalRecord: Set(HKClinicalTypeIdentifier.all.map(\.rawValue))
    case .stateOfMind: [ObjectTypes.stateOfMind.identifier]
    case .dose: [ObjectTypes.medicationDoseEvent.identifier]
    }
  }
}
