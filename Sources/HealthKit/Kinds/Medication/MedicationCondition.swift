enum MedicationCondition: ConditionOnSubject {
  case isArchived(Bool)
  case hasSchedule(Bool)

  func holds(_ medication: HKUserAnnotatedMedication) -> Bool {
    switch self {
    case .isArchived(let flag): medication.isArchived == flag
    case .hasSchedule(let flag): medication.hasSchedule == flag
    }
  }
}
