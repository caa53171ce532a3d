import HealthKit
import HealthStorage

extension ExternalRecord {
  /// - Parameter sample: as a page of changes has it, or a query, without the quantities of a series.
  init(_ sample: HKSample, supersedes: Bool, isInBloodPressure: Bool = false) {
    self.init(
      sample: sample, series: Series(of: sample), supersedes: supersedes,
      isInBloodPressure: isInBloodPressure)
  }
}

extension ExternalRecord.Series {
  fileprivate init(of sample: HKSample) {
    switch sample {
    case let series as HKHeartbeatSeriesSample:
      self =
        series.heartbeats.map { beats in
          .heartbeats(
            beats.map { .init(timeSinceStart: $0.timeIntervalSinceStart, precededByGap: $0.precededByGap) })
        } ?? .none
    case let quantity as HKQuantitySample:
      self =
        quantity.seriesQuantities.map { quantities in
          .quantities(quantities.map { .init(value: $0.value, interval: $0.dateInterval) })
        } ?? .none
    default: self = .none
    }
  }
}
