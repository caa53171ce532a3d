public import Foundation

/// A sample that is a run of many values.
// @unchecked: as for HKObject.
open class HKSeriesSample: HKSample, @unchecked Sendable {
  /// How many values the series holds.
  public let count: Int

  init(_ type: HKSeriesType, count: Int, _ interval: SampleInterval, _ origin: ObjectOrigin) {
    self.count = count
    super.init(type, interval, origin)
  }

  // MARK: - NSSecureCoding

  public override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(count, forKey: ArchiveKey.count)
  }

  public required init?(coder: NSCoder) {
    guard HKSample.type(from: coder) is HKSeriesType,
      let count = coder.integer(forKey: ArchiveKey.count), count >= 0
    else { return nil }
    self.count = count
    super.init(coder: coder)
  }

  private enum ArchiveKey {
    static let count = "count"
  }
}
