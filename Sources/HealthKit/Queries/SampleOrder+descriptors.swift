import Foundation
import HealthStorage

extension SampleOrder {
  /// The store's own order for a descriptor on the start or end date; nil for any other.
  init?<Sample: HKSample>(_ descriptor: SortDescriptor<Sample>) {
    let ascending = descriptor.order == .forward
    switch descriptor.keyPath {
    case \Sample.startDate: self = .start(ascending: ascending)
    case \Sample.endDate: self = .end(ascending: ascending)
    default: return nil
    }
  }

  /// By the start if there is no descriptor.
  static func order(_ descriptors: [NSSortDescriptor]) throws(HKError) -> [SampleOrder] {
    var order: [SampleOrder] = []
    for descriptor in descriptors { order.append(try SampleOrder(descriptor)) }
    return order.isEmpty ? [.start(ascending: true)] : order
  }

  /// - Throws: errorInvalidArgument for a descriptor on anything but the start or end date.
  init(_ descriptor: NSSortDescriptor) throws(HKError) {
    guard let isStart = Self.isStart(descriptor.keyPath) else {
      throw HKError(.errorInvalidArgument, reason: "samples can be sorted by startDate and endDate")
    }
    self = isStart ? .start(ascending: descriptor.ascending) : .end(ascending: descriptor.ascending)
  }

  /// Whether a key path is that of the start date or of the end date of a class of samples; nil for any
  /// other. The same property has a key path of its own for each class.
  private static func isStart(_ keyPath: AnyKeyPath) -> Bool? {
    for dates in allDates {
      if keyPath == dates.start { return true }
      if keyPath == dates.end { return false }
    }
    return nil
  }

  private static func dates<Sample: HKSample>(_: Sample.Type) -> (start: AnyKeyPath, end: AnyKeyPath) {
    (\Sample.startDate, \Sample.endDate)
  }

  private static var allDates: [(start: AnyKeyPath, end: AnyKeyPath)] {
    [
      dates(HKSample.self),
      dates(HKQuantitySample.self),
      dates(HKCumulativeQuantitySample.self),
      dates(HKDiscreteQuantitySample.self),
      dates(HKCategorySample.self),
      dates(HKCorrelation.self),
      dates(HKWorkout.self),
      dates(HKSeriesSample.self),
      dates(HKHeartbeatSeriesSample.self),
      dates(HKWorkoutRoute.self),
      dates(HKElectrocardiogram.self),
      dates(HKAudiogramSample.self),
      dates(HKDocumentSample.self),
      dates(HKCDADocumentSample.self),
      dates(HKClinicalRecord.self),
      dates(HKVerifiableClinicalRecord.self),
      dates(HKVisionPrescription.self),
      dates(HKGlassesPrescription.self),
      dates(HKContactsPrescription.self),
      dates(HKStateOfMind.self),
      dates(HKMedicationDoseEvent.self),
      dates(HKScoredAssessment.self),
      dates(HKGAD7Assessment.self),
      dates(HKPHQ9Assessment.self),
    ]
  }
}
