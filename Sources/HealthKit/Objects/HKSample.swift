public import Foundation
import HealthStorage

/// An object with a beginning and an end, which may be the same instant.
///
/// Times are kept to the microsecond.
// @unchecked: as for HKObject.
public class HKSample: HKObject, @unchecked Sendable {
  /// Where a sample lies in time, checked.
  struct Interval: Sendable {
    /// Microseconds since 1970.
    var start: Int64
    var end: Int64

    init(start: Int64, end: Int64) {
      self.start = start
      self.end = end
    }

    init(start: Date, end: Date) throws(HKValidationError) {
      guard start <= end else { throw HKValidationError("the end date must not precede the start date") }
      guard let start = Microseconds.of(start), let end = Microseconds.of(end) else {
        throw HKValidationError("a date is out of range")
      }
      self.init(start: start, end: end)
    }
  }

  public let sampleType: HKSampleType
  let interval: Interval

  init(
    uuid: UUID, type: HKSampleType, interval: Interval, device: HKDevice?, metadata: ObjectMetadata?,
    revision: HKSourceRevision?
  ) {
    sampleType = type
    self.interval = interval
    super.init(uuid: uuid, device: device, metadata: metadata, revision: revision)
  }

  /// What the store keeps of the sample; nil if it cannot be saved.
  var content: SampleRecord.Content? { nil }

  public var startDate: Date { Microseconds.date(interval.start) }
  public var endDate: Date { Microseconds.date(interval.end) }
}
