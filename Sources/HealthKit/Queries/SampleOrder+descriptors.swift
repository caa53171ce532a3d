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
    switch descriptor.keyPath {
    case \HKSample.startDate, \HKQuantitySample.startDate, \HKHeartbeatSeriesSample.startDate:
      self = .start(ascending: descriptor.ascending)
    case \HKSample.endDate, \HKQuantitySample.endDate, \HKHeartbeatSeriesSample.endDate:
      self = .end(ascending: descriptor.ascending)
    default:
      throw HKError(.errorInvalidArgument, reason: "samples can be sorted by startDate and endDate")
    }
  }
}
