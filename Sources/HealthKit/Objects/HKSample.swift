public import Foundation
import HealthStorage

/// An object with a start and an end, which may be the same instant.
// @unchecked: HKObject is open. All state is `let`, Sendable or set before the object is shared.
open class HKSample: HKObject, @unchecked Sendable {
  public let sampleType: HKSampleType
  let interval: SampleInterval

  init(_ type: HKSampleType, _ interval: SampleInterval, _ origin: ObjectOrigin) {
    sampleType = type
    self.interval = interval
    super.init(origin)
  }

  /// The content to store; nil if the sample cannot be saved.
  var content: SampleRecord.Content? {
    (try? NSKeyedArchiver.archivedData(withRootObject: self, requiringSecureCoding: true)).map {
      .archive(Array($0))
    }
  }

  public var startDate: Date { interval.start }
  public var endDate: Date { interval.end }

  /// Whether the sample is ongoing: its end is `Date.distantFuture`.
  public var hasUndeterminedDuration: Bool { endDate == .distantFuture }

  /// A short description of the sample: its quantity, its value or its type.
  var summary: String { sampleType.identifier }

  open override var description: String { "\(summary) \(uuid) (\(startDate) - \(endDate))" }

  // MARK: - NSSecureCoding

  public override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(sampleType, forKey: ArchiveKey.type)
    coder.encode(startDate as NSDate, forKey: ArchiveKey.startDate)
    coder.encode(endDate as NSDate, forKey: ArchiveKey.endDate)
  }

  public required init?(coder: NSCoder) {
    guard let type = Self.type(from: coder), let interval = Self.interval(from: coder, of: type) else {
      return nil
    }
    sampleType = type
    self.interval = interval
    super.init(coder: coder)
    guard (try? RequiredMetadata.check(objectMetadata, of: type)) != nil else { return nil }
  }

  static func type(from coder: NSCoder) -> HKSampleType? {
    coder.object(HKSampleType.self, forKey: ArchiveKey.type)
  }

  static func interval(from coder: NSCoder, of type: HKSampleType) -> SampleInterval? {
    guard
      let start = coder.time(forKey: ArchiveKey.startDate, orSecondsForKey: ArchiveKey.startSeconds),
      let end = coder.time(forKey: ArchiveKey.endDate, orSecondsForKey: ArchiveKey.endSeconds)
    else { return nil }
    return try? SampleInterval(start: start, end: end, of: type)
  }

  private enum ArchiveKey {
    static let type = "dataType"
    static let startDate = "startDate"
    static let endDate = "endDate"
    // The keys of the start and end in Apple's archives, as seconds since 2001.
    static let startSeconds = "StartTS"
    static let endSeconds = "EndTS"
  }
}
