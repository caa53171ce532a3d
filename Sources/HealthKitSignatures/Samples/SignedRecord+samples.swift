public import HealthKit

extension SignedRecord {
  /// - Throws: `unsignableRecord` for a date outside the years 1 to 9999, or a value that is not finite.
  public init(_ sample: HKQuantitySample) throws(SignatureError) {
    let quantity = sample.quantity
    try self.init(
      type: sample.quantityType.identifier,
      value: .quantity(quantity.doubleValue(for: quantity.unit), unit: quantity.unit.unitString),
      start: sample.startDate, end: sample.endDate)
  }

  /// - Throws: `unsignableRecord` for a date outside the years 1 to 9999.
  public init(_ sample: HKCategorySample) throws(SignatureError) {
    try self.init(
      type: sample.categoryType.identifier, value: .category(sample.value), start: sample.startDate,
      end: sample.endDate)
  }

  /// - Throws: also `unsupportedSample`, for a sample without one value, such as a heartbeat series.
  public init(sample: HKSample) throws(SignatureError) {
    switch sample {
    case let sample as HKQuantitySample: try self.init(sample)
    case let sample as HKCategorySample: try self.init(sample)
    default:
      throw SignatureError(.unsupportedSample, "\(sample.sampleType) has no signed form")
    }
  }
}
