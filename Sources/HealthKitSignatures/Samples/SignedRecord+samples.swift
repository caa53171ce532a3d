public import HealthKit

extension SignedRecord {
  /// - Throws: `unsignableRecord` for a date outside the years 1 to 9999.
  public init(_ sample: HKQuantitySample) throws(SignatureError) {
    let quantity = sample.quantity
    try self.init(
      type: sample.sampleType.identifier,
      value: .quantity(quantity.doubleValue(for: quantity.unit), unit: quantity.unit.unitString),
      start: sample.startDate, end: sample.endDate)
  }

  /// - Throws: `unsupportedSample` for a sample without one value, such as a heartbeat series.
  public init(sample: HKSample) throws(SignatureError) {
    switch sample {
    case let sample as HKQuantitySample: try self.init(sample)
    default:
      throw SignatureError(.unsupportedSample, "\(sample.sampleType) has no signed form")
    }
  }
}
