import HealthKit
import HealthStorage

extension ExternalRecord {
  /// - Parameter sample: as a page of changes has it, or a query, without the quantities of a series.
  init(_ sample: HKSample, supersedes: Bool) {
    switch sample {
    case let series as HKHeartbeatSeriesSample:
      let beats = series.heartbeats.map { beats in
        Series.heartbeats(
          beats.map {
            Heartbeat(timeSinceStart: $0.timeIntervalSinceStart, precededByGap: $0.precededByGap)
          })
      }
      self.init(sample: series, series: beats ?? .none, supersedes: supersedes)
    case let quantity as HKQuantitySample:
      let series = quantity.seriesQuantities.map { quantities in
        Series.quantities(quantities.map { MeasuredQuantity(value: $0.value, interval: $0.dateInterval) })
      }
      self.init(sample: quantity, series: series ?? .none, supersedes: supersedes)
    default:
      self.init(sample: sample, supersedes: supersedes)
    }
  }
}
