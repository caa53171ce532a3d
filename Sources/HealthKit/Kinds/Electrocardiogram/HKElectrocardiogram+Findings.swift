extension HKElectrocardiogram {
  /// What an electrocardiogram says beside its voltages, checked.
  struct Findings: Sendable {
    let samplingFrequency: HKQuantity?
    let classification: Classification
    let averageHeartRate: HKQuantity?
    let symptomsStatus: SymptomsStatus

    /// - Parameters:
    ///   - samplingFrequency: positive.
    ///   - averageHeartRate: in a unit that fits a heart rate.
    init(
      samplingFrequency: HKQuantity?, classification: Classification, averageHeartRate: HKQuantity?,
      symptomsStatus: SymptomsStatus
    ) throws(HKValidationError) {
      if let samplingFrequency {
        guard samplingFrequency.is(compatibleWith: .hertz()) else {
          throw HKValidationError("a sampling frequency requires a unit compatible with Hz")
        }
        guard samplingFrequency.value > 0, samplingFrequency.value.isFinite else {
          throw HKValidationError("a sampling frequency must be positive")
        }
      }
      if let averageHeartRate, !HKQuantityType(.heartRate).is(compatibleWith: averageHeartRate.unit) {
        throw HKValidationError("an average heart rate requires a unit compatible with count/min")
      }
      self.samplingFrequency = samplingFrequency
      self.classification = classification
      self.averageHeartRate = averageHeartRate
      self.symptomsStatus = symptomsStatus
    }
  }
}
